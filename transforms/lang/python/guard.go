package python

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Guard plants a file with one check that passes and one that fails into the unit's folder. They
// are named like the unit's own, and the file imports what the unit imports of the project, so
// that neither names nor modules tell them apart. They run in the unit's process, under the same
// conftest.py files.
func (l Language) Guard(t lang.Files, unit, token string) (lang.Guard, error) {
	for _, r := range token {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return lang.Guard{}, fmt.Errorf("guard %s: token %q is not made of a-z and 0-9", unit, token)
		}
	}
	surfaces, err := l.Surfaces(t, unit)
	if err != nil {
		surfaces = nil // a check file that does not parse lends no names
	}
	var own []string
	for _, f := range surfaces {
		name := f.Function[strings.LastIndexByte(f.Function, ':')+1:]
		own = append(own, strings.ToLower(strings.Trim(strings.TrimPrefix(name, "test"), "_")))
	}
	file, pass, fail, err := lang.Planted(token, slices.DeleteFunc(own, func(n string) bool { return n == "" }), func(name string) bool {
		_, there, err := t.Read(path.Join(path.Dir(unit), "test_"+name+".py"))
		return there || err != nil
	})
	if err != nil {
		return lang.Guard{}, fmt.Errorf("guard %s: %w", unit, err)
	}
	p := path.Join(path.Dir(unit), "test_"+file+".py")
	text := imports(t, unit) + "def test_" + pass + "():\n    assert sorted(\"ba\") == [\"a\", \"b\"]\n\n\ndef test_" + fail + "():\n    assert sorted(\"ba\") == [\"b\", \"a\"]\n"
	return lang.Guard{
		Files: []model.File{{Path: p, Mode: model.ModeFile, Data: []byte(text)}},
		With:  []string{p},
		Pass:  p + "::test_" + pass,
		Fail:  p + "::test_" + fail,
	}, nil
}

// imports are the plain import statements of the unit that name production modules, in order. A
// unit whose imports fail on some tree fails on it as a whole, and the planted file with it.
func imports(t lang.Files, unit string) string {
	s, err := readSource(t, unit)
	if err != nil {
		return ""
	}
	layout := newLayout(t.Paths())
	var out strings.Builder
	last := (*node)(nil)
	for _, d := range s.decls {
		if d.what != isImport || d.owner != nil || d.node == last || !slices.Contains(s.root.Children, d.node) {
			continue
		}
		if f, _, ok := layout.target(unit, d.imp); ok && kind(f) == model.Production {
			out.WriteString(d.node.Text(s.src) + "\n")
			last = d.node
		}
	}
	if out.Len() > 0 {
		out.WriteString("\n\n")
	}
	return out.String()
}
