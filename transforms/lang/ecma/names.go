package ecma

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Names lists those of symbols that the file at path names. A top-level symbol counts where an
// import leads to it (relative, by the package's own name or another package's of the tree,
// through modules that hand it on, or behind a module's name) or, in its own file, where it is
// read. A member counts behind its class or object, a variable that is made of it, and this in
// its own file; behind a receiver that is not known only when its name is unique enough: no other
// production file declares a member of that name, and the languages' own values have none. A
// parameter counts as a key of an object in a call of its function.
func (d Dialect) Names(t lang.Files, p string, syms []model.Symbol) ([]model.Symbol, error) {
	if !isSource(p) {
		return []model.Symbol{}, nil
	}
	if _, err := readSource(t, p); err != nil {
		return nil, err
	}
	r := newResolver(t, d, syms)
	places := r.places(p, syms)
	out := []model.Symbol{}
	for i, s := range syms {
		if places[i] > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

// Open lists the production lines of c that name a symbol of removed which c declares no more,
// where the file did not name it before: "path:line name". Parameters are left out: a call with
// too many arguments is none that breaks. A file that the grammars cannot read tells nothing.
func (d Dialect) Open(c lang.Files, removed []model.Symbol, before lang.Files) ([]string, error) {
	lost, err := d.undeclared(c, removed)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	now, then := newResolver(c, d, lost), newResolver(before, d, lost)
	var out []string
	for _, p := range c.Paths() {
		if k := d.Kind(p); k != model.Production && k != model.Generated || !isSource(p) || !mentions(c, p, lost) {
			continue
		}
		places := now.places(p, lost)
		was := then.places(p, lost)
		for i, s := range lost {
			if places[i] > 0 && was[i] == 0 {
				out = append(out, fmt.Sprintf("%s:%d %s", p, places[i], s.Name))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// undeclared are the symbols that t does not declare at their path. A member counts as declared
// where the file seems to define that name anywhere.
func (d Dialect) undeclared(t lang.Files, syms []model.Symbol) ([]model.Symbol, error) {
	have := map[string]map[string]bool{}
	var out []model.Symbol
	for _, s := range syms {
		if s.Kind == "parameter" {
			continue
		}
		f, ok, err := t.Read(s.Path)
		if err != nil {
			return nil, err
		}
		if ok && have[s.Path] == nil {
			names := map[string]bool{}
			found, err := symbols(s.Path, f.Data)
			if err != nil {
				// What does not parse may declare it.
				have[s.Path] = map[string]bool{"\x00": true}
				continue
			}
			for _, x := range found {
				names[x.Name] = true
			}
			if src, err := cut(s.Path, f.Data); err == nil {
				for n := range src.scope {
					names[n] = true
				}
				for n := range src.exports {
					names[n] = true
				}
			}
			have[s.Path] = names
		}
		if _, last, member := cutLast(s.Name); have[s.Path][s.Name] || have[s.Path]["\x00"] || member && ok && defines(f.Data, last) {
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

// mentions reports whether a file has the last word of one of the symbols, or of its file where
// that has no name of its own.
func mentions(t lang.Files, p string, syms []model.Symbol) bool {
	f, ok, err := t.Read(p)
	if err != nil || !ok || f.Mode == model.ModeSymlink {
		return false
	}
	w := wordsOf(f.Data)
	return slices.ContainsFunc(syms, func(s model.Symbol) bool {
		_, last, _ := cutLast(s.Name)
		return w[strings.TrimPrefix(last, "#")] || last == "default" && inPath(f.Data, module(s.Path)) ||
			strings.HasPrefix(path.Base(s.Path), "index.") && last == "default"
	})
}

// places gives for each symbol the first line of p that names it, 0 where none does.
func (r *resolver) places(p string, syms []model.Symbol) []int {
	out := make([]int, len(syms))
	f := r.reading(p)
	if f == nil {
		return out
	}
	for i, s := range syms {
		out[i] = r.place(f, s)
	}
	return out
}

func (r *resolver) place(f *reading, sym model.Symbol) int {
	if sym.Kind == "parameter" {
		return r.key(f, sym)
	}
	top, rest, member := cutFirst(sym.Name)
	aliases, line := r.reachable(f, origin{sym.Path, top})
	if !member {
		return line
	}
	_, last, _ := cutLast(sym.Name)
	best := 0
	take := func(l int) {
		if l > 0 && (best == 0 || l < best) {
			best = l
		}
	}
	for _, a := range sorted(aliases) {
		take(f.all.dotted[a+"."+rest])
		for v, class := range f.all.types {
			if class == a {
				take(f.all.dotted[v+"."+last])
			}
		}
	}
	if best == 0 && r.unique[last] {
		take(f.all.attrs[last])
		for k, l := range f.all.keys {
			if strings.HasSuffix(k, "."+last) {
				take(l)
			}
		}
	}
	if best == 0 && f.s.path == sym.Path && !defines(f.s.src, strings.TrimPrefix(last, "#")) {
		take(f.all.dotted["this."+last])
	}
	return best
}

// key is the first call with a key of a function or class that the file reaches by whatever
// name, or of a method of a unique name.
func (r *resolver) key(f *reading, sym model.Symbol) int {
	owner, param, _ := cutLast(sym.Name)
	class, method, member := cutLast(owner)
	if member && method == "constructor" {
		owner, member = class, false
	}
	if member {
		if r.unique[method] {
			return f.all.keys[method+"."+param]
		}
		return 0
	}
	aliases, _ := r.reachable(f, origin{sym.Path, owner})
	line := 0
	for a := range aliases {
		_, last, _ := cutLast(a)
		if l := f.all.keys[last+"."+param]; l > 0 && (line == 0 || l < line) {
			line = l
		}
	}
	return line
}

// reachable gives the expressions of a file that lead to a top-level name of a file, and the
// first line where one is named.
func (r *resolver) reachable(f *reading, to origin) (map[string]bool, int) {
	aliases := map[string]bool{}
	line := 0
	take := func(l int) {
		if l > 0 && (line == 0 || l < line) {
			line = l
		}
	}
	if f.s.path == to.file {
		aliases[to.name] = true
		if !slices.ContainsFunc(f.s.scope[to.name], func(d *decl) bool { return d.what == isImport }) {
			take(f.all.names[to.name])
		}
	}
	for bound, origins := range f.from {
		if slices.Contains(origins, to) {
			take(f.line[bound])
			if bound[0] != 0 {
				aliases[bound] = true
			}
		}
		if bound[0] == 0 {
			continue
		}
		for _, o := range origins {
			if o.name != "" {
				continue
			}
			// The module itself, or an object of its exports: m.x, const { x } = m
			for dotted, l := range f.all.dotted {
				rest, ok := strings.CutPrefix(dotted, bound+".")
				if name, _, _ := cutFirst(rest); ok && slices.Contains(r.origins(o.file, name), to) {
					aliases[bound+"."+name] = true
					take(l)
				}
			}
			if l := f.all.attrs[to.name]; l > 0 && slices.Contains(r.origins(o.file, to.name), to) {
				aliases[to.name] = true
				take(l)
			}
		}
	}
	return aliases, line
}
