package python

import (
	"maps"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Surfaces lists the test functions of the check file at path, in source order.
//
// The digest covers the function with its decorators, its class without the other tests, and
// what it reaches in its file and in the conftest.py files above it: fixtures, helpers,
// constants, parameter tables. Imports and autouse fixtures that it does not name are left out.
//
// Uses holds names as its code has them, resolved through imports: "f", "Class.method",
// "module.f" and, where the receiver is not known, the bare member "method"; "f.x" for a
// keyword argument x of a call of f.
func (Language) Surfaces(t lang.Files, p string) ([]model.Surface, error) {
	if kind(p) != model.CheckFile {
		return nil, nil
	}
	g := newGraph(t)
	s, err := g.load(p)
	if err != nil {
		return nil, err
	}
	for _, f := range g.files {
		for _, d := range f.decls {
			// What pytest itself calls around each test of a class is part of each.
			if d.owner != nil && d.what != isTest && d.what != isClass && (d.what == isAnchor || around(d.names)) {
				g.passive[d] = true
			}
		}
	}
	if !s.unit() {
		return nil, nil
	}
	out := []model.Surface{}
	at := map[string]int{}
	for _, c := range s.tests() {
		starts := []*decl{c.decl}
		if c.class != nil {
			starts = append(starts, c.class)
		}
		reached := g.reach(starts, false)
		f := model.Surface{
			Path: p, Function: c.function, Unit: p,
			Start: c.decl.node.Row + 1, End: lastRow(c.decl.node, s.src),
			Title:  title(c.function),
			Digest: digest(p, g.confs[p], reached),
			Uses:   g.uses(reached),
		}
		// The last definition of a name is the one that runs.
		if i, ok := at[c.function]; ok {
			out[i] = f
			continue
		}
		at[c.function] = len(out)
		out = append(out, f)
	}
	return out, nil
}

func around(names []string) bool {
	for _, n := range names {
		switch n {
		case "setUp", "tearDown", "setUpClass", "tearDownClass", "asyncSetUp", "asyncTearDown",
			"setup_method", "teardown_method", "setup_class", "teardown_class", "pytestmark":
			return true
		}
	}
	return false
}

func lastRow(n *node, src []byte) int {
	end := n.End
	for end > n.Start && (src[end-1] == '\n' || src[end-1] == ' ') {
		end--
	}
	return n.Row + 1 + strings.Count(string(src[n.Start:end]), "\n")
}

// title is the function's name in words.
func title(function string) string {
	name := function[strings.LastIndexByte(function, ':')+1:]
	return strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(name, "test"), "_", " "))
}

// digest is the hash of the texts of what is reached in the file and the conftest.py files.
func digest(p string, confs []string, reached map[*decl]bool) model.Hash {
	type part struct {
		Path string
		At   int `json:"-"`
		Text string
	}
	var parts []part
	for d := range reached {
		if d.what == isImport || d.file.path != p && !slices.Contains(confs, d.file.path) {
			continue
		}
		parts = append(parts, part{d.file.path, d.node.Start, d.text()})
	}
	slices.SortFunc(parts, func(a, b part) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.At - b.At
	})
	return model.Digest(parts)
}

// text is a declaration's source; a class of tests is its head alone.
func (d *decl) text() string {
	if d.what != isClass {
		return d.node.Text(d.file.src)
	}
	end := d.node.End
	if b := bare(d.node).Get("body"); b != nil {
		end = b.Start
	}
	return strings.TrimSpace(string(d.file.src[d.node.Start:end]))
}

// uses lists the production names of reached declarations.
func (g *graph) uses(reached map[*decl]bool) []string {
	names := map[string]bool{}
	for d := range reached {
		own := map[string]imported{}
		for _, i := range d.file.imps {
			if f, _, ok := g.layout.target(d.file.path, i); ok && kind(f) == model.CheckFile {
				continue
			}
			own[i.bound()] = i
		}
		for n := range d.refs.names {
			i, ok := own[n]
			if !ok || i.name == "" {
				continue
			}
			names[i.name] = true
		}
		for dotted := range d.refs.dotted {
			first, rest, _ := strings.Cut(dotted, ".")
			i, ok := own[first]
			switch {
			case ok && i.name != "":
				names[i.name+"."+rest] = true
			case ok && i.alias != "":
				names[i.module+"."+rest] = true
			case ok:
				names[dotted] = true
			}
		}
		for a := range d.refs.attrs {
			names[a] = true
		}
		for k := range d.refs.keywords {
			names[k] = true
		}
		for _, i := range d.refs.imports {
			if i.name != "" && i.name != "*" {
				names[i.name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
