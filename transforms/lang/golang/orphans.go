package golang

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// minName is the least length of a data file's name that is looked for in string literals, in
// bytes: shorter ones are words of their own.
const minName = 5

// orphans lists the files below the package's testdata that only removed items used. It is
// careful in one direction: a file goes only if a removed literal ends in its name, and nothing
// that stays names the file, its name without extension, or a folder above it; a literal with a
// pattern in it counts as naming everything. The seed corpus of a removed fuzz target is its own.
func (p *testPackage) orphans(t lang.Files, gone map[*item]bool) ([]model.TreeChange, error) {
	var removed, kept []string
	for _, i := range p.items {
		for _, q := range i.refs.literals {
			l, err := strconv.Unquote(q)
			if err != nil {
				continue
			}
			if gone[i] {
				removed = append(removed, l)
			} else {
				kept = append(kept, l)
			}
		}
	}
	var corpora []string
	for i := range gone {
		if i.receiver == "" && i.pinned && isTest(i.names[0], "Fuzz") {
			corpora = append(corpora, "fuzz/"+i.names[0]+"/")
		}
	}
	var out []model.TreeChange
	for _, f := range t.Paths() {
		rel, ok := strings.CutPrefix(f, path.Join(p.dir, "testdata")+"/")
		if !ok {
			continue
		}
		if slices.ContainsFunc(corpora, func(c string) bool { return strings.HasPrefix(rel, c) }) {
			out = append(out, model.TreeChange{Path: f, Delete: true})
			continue
		}
		name := path.Base(rel)
		if len(name) < minName || !slices.ContainsFunc(removed, func(l string) bool { return path.Base(l) == name }) {
			continue
		}
		if !slices.ContainsFunc(kept, func(l string) bool { return mayName(l, "testdata/"+rel) }) {
			out = append(out, model.TreeChange{Path: f, Delete: true})
		}
	}
	return out, nil
}

// mayName reports whether a literal may lead to the file at rel, a path from the package's
// folder.
func mayName(literal, rel string) bool {
	if strings.ContainsAny(literal, "*%") && (strings.Contains(literal, "testdata") || strings.Contains(literal, path.Ext(rel))) {
		return true
	}
	name := path.Base(rel)
	stem := strings.TrimSuffix(name, path.Ext(name))
	if strings.Contains(literal, name) || literal == stem || path.Base(literal) == stem || literal == path.Ext(name) {
		return true
	}
	lit := strings.Trim(path.Clean(literal), "/")
	for d := path.Dir(rel); d != "."; d = path.Dir(d) {
		if lit == d || lit == path.Base(d) {
			return true
		}
	}
	return false
}
