package lang

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// Named lists those of symbols that one of names may mean: a name is whole (T.Method, T.field) or
// bare (Method), or the import path of a package, which means all symbols of its folder. It is how a Surface's Uses and a Diagnostic's Names, which hold bare names where
// a type is not known, are set against the symbols that a change removes.
func Named(names []string, symbols []model.Symbol) []model.Symbol {
	var out []model.Symbol
	for _, s := range symbols {
		bare := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
		dir := "/" + path.Dir(s.Path)
		if slices.Contains(names, s.Name) || slices.Contains(names, bare) ||
			slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, dir) }) {
			out = append(out, s)
		}
	}
	return out
}
