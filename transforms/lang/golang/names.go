package golang

import (
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Names lists those of symbols that the file at p names. A package-level symbol is named by a
// bare identifier in its own package or behind a dot import, and by a selector on its package's
// import elsewhere. A method or field is named by its last part: as a member of any value whose
// type syntax does not tell, or as a key of a composite literal; an unexported one only within
// its package's folder.
func (Language) Names(t lang.Files, p string, symbols []model.Symbol) ([]model.Symbol, error) {
	s, err := parse(t, p)
	if err != nil {
		return nil, err
	}
	refs := newReferences()
	for _, d := range s.file.Decls {
		refs.add(collect(s.file, d))
	}
	q := map[string]bool{}
	for n := range refs.qualifiers {
		q[n] = true
	}
	l, err := layoutOf(t)
	if err != nil {
		return nil, err
	}
	s.name(l, q)
	units := map[string]string{}
	var out []model.Symbol
	for _, sym := range symbols {
		dir := parent(sym.Path)
		if _, ok := units[dir]; !ok {
			units[dir], _ = unitOf(t, dir)
		}
		if s.names(refs, sym, dir, units[dir]) {
			out = append(out, sym)
		}
	}
	return out, nil
}

func (s *source) names(refs *references, sym model.Symbol, dir, unit string) bool {
	near := parent(s.path) == dir
	typ, member, nested := strings.Cut(sym.Name, ".")
	if nested {
		if !sym.Exported && !near {
			return false
		}
		if refs.members[member] || refs.selected[[2]string{typ, member}] {
			return true
		}
		// A selector on a package-level variable: its type is not told either.
		for x := range refs.selected {
			if x[1] == member && s.importPath(x[0]) == "" {
				return true
			}
		}
		return false
	}
	if near && !s.external() || s.dots(unit) {
		if refs.names[sym.Name] {
			return true
		}
	}
	for x := range refs.selected {
		if x[1] == sym.Name && s.importPath(x[0]) == unit && unit != "" {
			return true
		}
	}
	return false
}
