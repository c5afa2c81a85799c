package jvmsource

import (
	"slices"

	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/closure"
)

const maxLinked = 600 // check files read together

// A graph links the declarations of check files, read as names lead to them.
type graph struct {
	t        lang.Files
	layout   *layout
	files    map[string]*source
	order    []string
	broken   map[string]error
	passive  map[*decl]bool    // members that are there because their type is
	via      map[*decl][]*decl // of a hidden test: the classes that inherit it
	fixtures map[*decl]bool
	inner    map[string][]*decl // members of the files read, by name
	known    map[*decl]map[string][]*decl
	wanted   map[*decl]bool // members whose receiver is not known, of the reach that runs
}

func newGraph(t lang.Files) *graph {
	return &graph{t: t, layout: newLayout(t), files: map[string]*source{}, broken: map[string]error{}, passive: map[*decl]bool{},
		via: map[*decl][]*decl{}, fixtures: map[*decl]bool{}, inner: map[string][]*decl{}, known: map[*decl]map[string][]*decl{}, wanted: map[*decl]bool{}}
}

// load reads a check file once.
func (g *graph) load(p string) (*source, error) {
	if s, ok := g.files[p]; ok {
		return s, nil
	}
	if err, ok := g.broken[p]; ok {
		return nil, err
	}
	s, err := readSource(g.t, p)
	if err != nil {
		g.broken[p] = err
		return nil, err
	}
	g.files[p] = s
	g.order = append(g.order, p)
	for _, d := range s.decls {
		if d.owner != nil {
			for _, n := range d.names {
				g.inner[n] = append(g.inner[n], d)
			}
		}
	}
	return s, nil
}

// declared are the top-level declarations of a name in a package of the check files.
func (g *graph) declared(pkg, name string) []*decl {
	var out []*decl
	for _, p := range g.layout.find(pkg, name) {
		if g.files[p] == nil && len(g.files) >= maxLinked {
			continue
		}
		s, err := g.load(p)
		if err != nil || s.pkg != pkg {
			continue // a file that does not parse declares nothing that could go
		}
		out = append(out, s.named(name)...)
	}
	return out
}

// named are the top-level declarations of a name in a file.
func (s *source) named(name string) []*decl {
	var out []*decl
	for _, d := range s.top {
		if slices.Contains(d.names, name) {
			out = append(out, d)
		}
	}
	return out
}

// reach is everything that starts use, themselves included. A member behind a receiver of unknown
// type is used only where something else leads to its type: code that holds a value has its type's
// name somewhere. Reading on finds more files, which may have members that a name means. So it
// is repeated until nothing is added.
func (g *graph) reach(starts []*decl, loose bool) map[*decl]bool {
	starts = slices.Clone(starts)
	for {
		n := len(g.files)
		g.wanted = map[*decl]bool{}
		out := closure.Reach(starts, func(d *decl, visit func(*decl)) { g.edges(d, loose, visit) })
		more := false
		for m := range g.wanted {
			if out[m.owner] && !out[m] {
				starts = append(starts, m)
				more = true
			}
		}
		if len(g.files) == n && !more {
			return out
		}
	}
}
