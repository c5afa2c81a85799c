package golang

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Guard plants a file with one test that passes and one that fails, named like the unit's own.
// It joins the package of the unit's first check file. With holds the names of the two tests,
// which Command adds to a selection.
func (l Language) Guard(t lang.Files, unit, token string) (lang.Guard, error) {
	if token == "" || strings.Trim(token, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: token %q is not of a-z and 0-9", unit, token)
	}
	dir, ok := dirOf(t, unit)
	if !ok {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: no module of the tree holds it", unit)
	}
	files := l.UnitFiles(t, unit)
	if len(files) == 0 {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: no check file", unit)
	}
	s, err := parse(t, files[0])
	if err != nil {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: %w", unit, err)
	}
	var own []string
	has := map[string]bool{}
	for _, f := range files {
		surfaces, err := l.Surfaces(t, f)
		if err != nil {
			return lang.Guard{}, fmt.Errorf("plant checks in %s: %w", unit, err)
		}
		for _, s := range surfaces {
			has[s.Function] = true
			if name, ok := strings.CutPrefix(s.Function, "Test"); ok && name != "" {
				own = append(own, strings.Trim(name, "_"))
			}
		}
	}
	file, pass, fail, err := lang.Planted(token, own, func(name string) bool {
		_, there, err := t.Read(path.Join(dir, strings.ToLower(name)+"_test.go"))
		return there || err != nil || has[testName(name)]
	})
	if err != nil {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: %w", unit, err)
	}
	file, pass, fail = strings.ToLower(file)+"_test.go", testName(pass), testName(fail)
	text := fmt.Sprintf(planted, s.pkg, pass, fail)
	return lang.Guard{
		Files: []model.File{{
			Path: path.Join(dir, file), Mode: model.ModeFile, Data: []byte(text),
		}},
		With: []string{pass, fail},
		Pass: unit + "::" + pass,
		Fail: unit + "::" + fail,
	}, nil
}

const planted = `package %s

import (
	"strings"
	"testing"
)

func %s(t *testing.T) {
	if got := strings.Repeat("ab", 2); got != "abab" {
		t.Errorf("got %%q", got)
	}
}

func %s(t *testing.T) {
	if got := strings.Repeat("ab", 2); got != "aba" {
		t.Errorf("got %%q", got)
	}
}
`

// testName is words_of_a_name as TestWordsOfAName.
func testName(name string) string {
	var b strings.Builder
	b.WriteString("Test")
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// Steers reports whether a check file steers the test binary whole: it declares TestMain.
func (Language) Steers(path string, src []byte) bool {
	s, err := parseText(path, src)
	return err == nil && slices.ContainsFunc(s.file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Recv == nil && f.Name.Name == "TestMain"
	})
}
