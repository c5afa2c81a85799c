package ecma

import (
	"fmt"
	"slices"
	"strings"
)

// A titled is a test with its name: the titles around it and its own.
type titled struct {
	decl     *decl
	function string
	around   []*decl // suites and groups that it stands in, calls that lead to it
	at       *decl   // what goes when it is hidden: itself, or the one call of a function that holds it alone
}

const (
	maxExpand = 8     // functions with tests, one in another
	maxTests  = 20000 // of one file
)

// A walker lists the tests of a file.
type walker struct{ out []titled }

// A place is where a walker stands.
type place struct {
	titles []string
	around []*decl
	at     *decl             // the call that leads here
	args   map[string]string // parameters of the function that are strings
	depth  int
}

func (w *walker) walk(ds []*decl, p place) {
	for _, d := range ds {
		if len(w.out) >= maxTests {
			return
		}
		in := p
		in.around = append(slices.Clip(p.around), d)
		switch d.what {
		case isTest:
			at := d
			if p.at != nil {
				at = p.at
			}
			w.out = append(w.out, titled{d, strings.Join(append(slices.Clip(p.titles), filled(d.title, p.args)), separator), p.around, at})
		case isSuite:
			in.titles = append(slices.Clip(p.titles), filled(d.title, p.args))
			w.walk(d.members, in)
			w.call(d, in)
		case isGroup:
			w.walk(d.members, in)
		case isCall:
			w.call(d, in)
		}
	}
}

// call walks the function that d runs.
func (w *walker) call(d *decl, p place) {
	f := d.called()
	if f == nil || p.depth >= maxExpand || slices.Contains(p.around, f) {
		return
	}
	if p.at == nil && f.single(0) {
		p.at = d
	}
	p.around, p.depth, p.args = append(p.around, f), p.depth+1, d.given(f, p.args)
	w.walk(f.members, p)
}

// single reports whether at most one test stands in d.
func (d *decl) single(depth int) bool {
	n := 0
	var count func(d *decl, depth int)
	count = func(d *decl, depth int) {
		if d.what == isTest {
			n++
		}
		for _, m := range d.members {
			count(m, depth)
		}
		if f := d.called(); f != nil && depth < maxExpand {
			count(f, depth+1)
		}
	}
	count(d, depth)
	return n <= 1
}

// given are the arguments of a call that are strings, by the parameters of the function.
func (d *decl) given(f *decl, outer map[string]string) map[string]string {
	out := map[string]string{}
	for i, a := range d.args {
		if i < len(f.params) && f.params[i] != "" {
			out[f.params[i]] = filled(titleText(a, d.file.src, d.file.texts, 0), outer)
		}
	}
	return out
}

// filled puts arguments into a title's places.
func filled(title string, args map[string]string) string {
	for _, name := range sorted(args) {
		title = strings.ReplaceAll(title, "${"+name+"}", args[name])
	}
	return title
}

// tests lists the tests of a file by their names, in source order. Of equal names the second is
// " #2".
func (s *source) tests() []titled {
	var w walker
	w.walk(s.top, place{})
	seen, used := map[string]int{}, map[string]bool{}
	for _, t := range w.out {
		used[t.function] = true
	}
	for i := range w.out {
		f := w.out[i].function
		if seen[f]++; seen[f] == 1 {
			continue
		}
		numbered := fmt.Sprintf("%s #%d", f, seen[f])
		for used[numbered] { // a title that looks like a number of another
			seen[f]++
			numbered = fmt.Sprintf("%s #%d", f, seen[f])
		}
		w.out[i].function, used[numbered] = numbered, true
	}
	return w.out
}
