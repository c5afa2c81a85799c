package python

import (
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// undeclared are the symbols that t does not declare at their path. A member counts as declared
// where the file defines that name in any class or through self; a parameter as gone only where
// its function is there and takes no other keywords.
func undeclared(t lang.Files, syms []model.Symbol) ([]model.Symbol, error) {
	have := map[string]*inventory{}
	var out []model.Symbol
	for _, s := range syms {
		d, ok := have[s.Path]
		if !ok {
			var err error
			if d, err = declarations(t, s.Path); err != nil {
				return nil, err
			}
			have[s.Path] = d
		}
		owner, last, member := cutLast(s.Name)
		switch {
		case d.names[s.Name]:
		case s.Kind == "parameter" && (!d.names[owner] || d.open[owner]):
		case s.Kind != "parameter" && member && d.members[last]:
		default:
			out = append(out, s)
		}
	}
	return out, nil
}

// A inventory is what one file declares.
type inventory struct {
	names   map[string]bool
	members map[string]bool // of whatever class
	open    map[string]bool // functions with **keywords
}

func declarations(t lang.Files, p string) (*inventory, error) {
	d := &inventory{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	f, ok, err := t.Read(p)
	if err != nil || !ok {
		return d, err
	}
	now, err := symbols(p, f.Data)
	if err != nil {
		return nil, err
	}
	for _, n := range now {
		d.names[n.Name] = true
		if n.Kind == "parameter" && strings.HasPrefix(n.Signature, "**") {
			owner, _, _ := cutLast(n.Name)
			d.open[owner] = true
		}
	}
	if src, err := cut(p, f.Data); err == nil {
		for n := range src.top { // an import declares a name too
			d.names[n] = true
		}
	}
	for m := range definitions(f.Data) {
		d.members[m] = true
	}
	return d, nil
}

// definitions counts the member names that a file defines: by def, in a class's body, through
// self.
func definitions(data []byte) map[string]int {
	out := map[string]int{}
	for _, m := range defined.FindAllSubmatch(data, -1) {
		out[string(m[1])+string(m[2])+string(m[3])+string(m[4])]++
	}
	return out
}
