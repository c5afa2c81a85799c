package ecma

import (
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/closure"
)

// Surfaces lists the tests of the check file at path, in source order.
//
// A test that a function registers, which the file calls, stands under the titles around each
// call. Subtests (t.test of node:test) are a part of their test, as it fails where they do.
//
// The digest covers the test's own call, the heads of the suites, loops and functions around it
// (their titles, tables and conditions), their hooks and the file's, what these reach in the
// file (helpers, constants, tables), and the test's entries in the file's snapshot. Imports are
// left out.
//
// Uses holds names as the production code has them, as far as imports tell: "f",
// "Class.method", and where the receiver is not known the bare member "method"; "f.x" and "x"
// for a key x of an object given to f.
func (d Dialect) Surfaces(t lang.Files, p string) ([]model.Surface, error) {
	if d.Kind(p) != model.CheckFile || !isSource(p) || declares(p) {
		return nil, nil
	}
	g := newGraph(t, d)
	s, err := g.load(p)
	if err != nil {
		return nil, err
	}
	found := s.tests()
	snap := snapshots(t, s, found)
	out := []model.Surface{}
	for i, c := range found {
		reached := closure.Reach(append(hooks(s, c), c.decl, c.at), func(d *decl, visit func(*decl)) {
			g.edges(d, false, visit)
		})
		out = append(out, model.Surface{
			Path: p, Function: c.function, Unit: p,
			Start: c.at.node.Row + 1, End: lastRow(c.at.node, s.src),
			Title:  words(c.function),
			Digest: digest(s, reached, snap[i]),
			Uses:   g.uses(reached),
		})
	}
	return out, nil
}

// hooks are the hooks that run around a test, and the groups that it stands in.
func hooks(s *source, c titled) []*decl {
	var out []*decl
	take := func(ds []*decl) {
		for _, d := range ds {
			if d.what == isHook {
				out = append(out, d)
			}
		}
	}
	take(s.top)
	for _, a := range c.around {
		out = append(out, a)
		take(a.members)
	}
	return out
}

// lastRow is the last line of a node, 1-based.
func lastRow(n *node, src []byte) int {
	return n.Row + 1 + strings.Count(strings.TrimRight(string(src[n.Start:n.End]), "\r\n\t "), "\n")
}

// words is a name of a test as a person reads it.
func words(function string) string { return strings.Join(strings.Fields(function), " ") }

// digest is the hash of the texts of what is reached in the file, and of snapshot entries.
func digest(s *source, reached map[*decl]bool, snap []string) model.Hash {
	var ds []*decl
	for d := range reached {
		if d.file == s && d.what != isImport && d.what != isMock {
			ds = append(ds, d)
		}
	}
	slices.SortFunc(ds, func(a, b *decl) int { return a.node.Start - b.node.Start })
	var parts []string
	for _, d := range ds {
		parts = append(parts, d.text())
	}
	return model.Digest(append(parts, snap...))
}

// text is a declaration's source; of what holds tests it is what stands before and after them.
func (d *decl) text() string {
	src := d.file.src
	switch {
	case d.body != nil:
		return strings.TrimSpace(string(src[d.node.Start:d.body.Start])) + " " + strings.TrimSpace(string(src[d.body.End:d.node.End]))
	case d.what == isGroup:
		text, _, _ := strings.Cut(d.node.Text(src), "{")
		return strings.TrimSpace(text)
	}
	return d.node.Text(src)
}

// uses lists the production names of reached declarations.
func (g *graph) uses(reached map[*decl]bool) []string {
	names := map[string]bool{}
	for d := range reached {
		for n := range d.refs.names {
			if name, ok := g.production(d, n); ok && name != "" {
				names[name] = true
			}
		}
		for dotted := range d.refs.dotted {
			first, rest, _ := cutFirst(dotted)
			if name, ok := g.production(d, first); ok {
				names[strings.TrimPrefix(name+"."+rest, ".")] = true
				names[rest] = true
			}
		}
		for a := range d.refs.attrs {
			names[a] = true
		}
		for k := range d.refs.keys {
			names[k] = true
			_, key, _ := cutLast(k)
			names[key] = true
		}
		for _, i := range d.refs.modules {
			if f, ok := g.layout.find(d.file.path, i.module); ok && g.dialect.Kind(f) != model.CheckFile && i.name != "" && i.name != "*" {
				names[i.name] = true
			}
		}
	}
	return sorted(names)
}

// production is the name that an imported name has where it comes from; "" for a module as a
// whole. False where it comes from no file of the tree beside the checks.
func (g *graph) production(d *decl, name string) (string, bool) {
	for _, x := range d.lookup(name) {
		if x.what != isImport {
			continue
		}
		f, ok := g.layout.find(d.file.path, x.imp.module)
		if !ok || g.dialect.Kind(f) == model.CheckFile {
			continue
		}
		if x.imp.name == "default" {
			return x.imp.bound, true
		}
		return x.imp.name, true
	}
	return "", false
}
