package python

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Names lists those of symbols that the file at path names. A module-level symbol counts where
// an import leads to it (directly, through a package that hands it on, or behind a module's
// name) or, in its own file, where it is read. A member counts behind its class, its module or
// self; behind a receiver that is not known only when its name is unique enough: no other class
// of the production files has a member of that name, and no built-in type does. A parameter
// counts as a keyword in a call of its function's (or class's) name.
func (Language) Names(t lang.Files, p string, syms []model.Symbol) ([]model.Symbol, error) {
	r := newResolver(t, syms)
	places, err := r.places(t, p, syms)
	if err != nil {
		return nil, err
	}
	out := []model.Symbol{}
	for i, s := range syms {
		if places[i] > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

// Open lists the production lines of c that name a symbol of removed which c declares no more,
// where the file did not name it before: "path:line name".
func (Language) Open(c lang.Files, removed []model.Symbol, before lang.Files) ([]string, error) {
	lost, err := undeclared(c, removed)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	now, then := newResolver(c, lost), newResolver(before, lost)
	var out []string
	for _, p := range c.Paths() {
		if k := kind(p); (k != model.Production && k != model.Generated) || path.Ext(p) != ".py" || !now.mentions(c, p, lost) {
			continue
		}
		places, err := now.places(c, p, lost)
		if err != nil {
			return nil, err
		}
		was := make([]int, len(lost))
		if _, there, _ := before.Read(p); there {
			// A file that did not parse before named nothing that can be told.
			if old, err := then.places(before, p, lost); err == nil {
				was = old
			}
		}
		for i, s := range lost {
			if places[i] > 0 && was[i] == 0 {
				out = append(out, fmt.Sprintf("%s:%d %s", p, places[i], s.Name))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// undeclared are the symbols that t does not declare at their path.
func undeclared(t lang.Files, syms []model.Symbol) ([]model.Symbol, error) {
	have := map[string]map[string]bool{}
	var out []model.Symbol
	for _, s := range syms {
		if have[s.Path] == nil {
			have[s.Path] = map[string]bool{}
			f, ok, err := t.Read(s.Path)
			if err != nil {
				return nil, err
			}
			if ok {
				now, err := symbols(s.Path, f.Data)
				if err != nil {
					return nil, err
				}
				for _, n := range now {
					have[s.Path][n.Name] = true
				}
				if src, err := cut(s.Path, f.Data); err == nil {
					for n := range src.top { // an import declares a name too
						have[s.Path][n] = true
					}
				}
			}
		}
		if !have[s.Path][s.Name] {
			out = append(out, s)
		}
	}
	return out, nil
}

// A resolver answers which symbols a file names.
type resolver struct {
	layout *layout
	unique map[string]bool // member names that no other class has
	files  map[string]*source
	t      lang.Files
}

var (
	defined  = regexp.MustCompile(`(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)|^[ \t]+(\w+)[ \t]*(?::[^=\n]+)?=[^=]|\bself\.(\w+)[ \t]*(?::[^=\n]+)?=[^=]`)
	builtins = strings.Fields(`add append capitalize casefold center clear close copy count decode difference discard
		encode endswith expandtabs extend find flush format fromkeys get group groups index insert intersection isalnum
		isalpha isdigit islower isspace isupper items join keys ljust lower lstrip match name open parse partition path
		pop popitem read readline readlines remove replace reverse rfind rindex rjust rpartition rsplit rstrip run search
		seek send setdefault sort split splitlines start startswith stop strip sub swapcase symmetric_difference tell
		title translate type union update upper value values write writelines zfill args date end exists data mode`)
)

func newResolver(t lang.Files, syms []model.Symbol) *resolver {
	paths := t.Paths()
	members := map[string]map[string]int{} // member name → path → definitions among syms
	for _, s := range syms {
		paths = append(paths, s.Path)
		if (s.Kind == "method" || s.Kind == "variable" || s.Kind == "constant") && strings.Contains(s.Name, ".") {
			_, m, _ := cutLast(s.Name)
			if members[m] == nil {
				members[m] = map[string]int{}
			}
			members[m][s.Path]++
		}
	}
	slices.Sort(paths)
	r := &resolver{layout: newLayout(slices.Compact(paths)), unique: map[string]bool{}, files: map[string]*source{}, t: t}
	for m := range members {
		r.unique[m] = len(m) > 3 && !slices.Contains(builtins, m) && !strings.HasPrefix(m, "__")
	}
	if len(members) == 0 {
		return r
	}
	for _, p := range t.Paths() {
		if kind(p) != model.Production || path.Ext(p) != ".py" {
			continue
		}
		f, ok, err := t.Read(p)
		if err != nil || !ok || len(f.Data) > maxSource {
			continue
		}
		seen := map[string]int{}
		for _, m := range defined.FindAllSubmatch(f.Data, -1) {
			seen[string(m[1])+string(m[2])+string(m[3])]++
		}
		for m, own := range members {
			if seen[m] > own[p] {
				r.unique[m] = false
			}
		}
	}
	return r
}

// mentions reports whether a file has the last word of one of the symbols.
func (r *resolver) mentions(t lang.Files, p string, syms []model.Symbol) bool {
	f, ok, err := t.Read(p)
	if err != nil || !ok {
		return false
	}
	w := wordsOf(f.Data)
	return slices.ContainsFunc(syms, func(s model.Symbol) bool {
		_, last, _ := cutLast(s.Name)
		return w[last]
	}) || len(w) > 0 && strings.Contains(string(f.Data), "*")
}

// places gives for each symbol the first line of p that names it, 0 where none does.
func (r *resolver) places(t lang.Files, p string, syms []model.Symbol) ([]int, error) {
	out := make([]int, len(syms))
	f, ok, err := t.Read(p)
	if err != nil || !ok || path.Ext(p) != ".py" && path.Ext(p) != ".pyi" || f.Mode&0o170000 == 0o120000 {
		return out, err
	}
	s, err := cut(p, f.Data)
	if err != nil {
		return nil, err
	}
	all := newRefs()
	all.read(s.root, s.src)
	scope := map[string][]origin{}
	for _, i := range all.imports {
		scope[i.bound()] = append(scope[i.bound()], r.origins(p, i)...)
	}
	for i, sym := range syms {
		out[i] = r.place(s, all, scope, sym)
	}
	return out, nil
}

// An origin is where an imported name comes from: a file, and the name in it ("" for the file
// itself, "*" for all of it).
type origin struct {
	file, name string
	line       int
}

// origins follows an import through packages that hand a name on.
func (r *resolver) origins(from string, i imported) []origin {
	f, name, ok := r.layout.target(from, i)
	if !ok {
		return nil
	}
	if i.name == "*" {
		name = "*"
	}
	out := []origin{{f, name, i.line}}
	for depth := 0; depth < 6 && name != "" && name != "*"; depth++ {
		next, ok := r.handed(f, name)
		if !ok {
			break
		}
		f, name = next.file, next.name
		out = append(out, origin{f, name, i.line})
	}
	return out
}

// handed is where a file has a name from, when it imports it.
func (r *resolver) handed(file, name string) (origin, bool) {
	s, ok := r.files[file]
	if !ok {
		if f, there, err := r.t.Read(file); err == nil && there {
			s, _ = cut(file, f.Data)
		}
		r.files[file] = s
	}
	if s == nil {
		return origin{}, false
	}
	for _, d := range s.top[name] {
		if d.what == isImport {
			f, n, ok := r.layout.target(file, d.imp)
			return origin{file: f, name: n}, ok && f != file
		}
	}
	if len(s.top[name]) == 0 {
		for _, star := range s.stars {
			if f, _, ok := r.layout.target(file, star); ok && f != file {
				return origin{file: f, name: name}, true
			}
		}
	}
	return origin{}, false
}

// place is the first line of s that names sym.
func (r *resolver) place(s *source, all *refs, scope map[string][]origin, sym model.Symbol) int {
	owner, last, member := cutLast(sym.Name)
	if sym.Kind == "parameter" {
		_, f, _ := cutLast(owner)
		if f == "__init__" || f == "__new__" {
			class, _, _ := cutLast(owner)
			_, f, _ = cutLast(class)
		}
		return all.keywords[f+"."+last]
	}
	top, _, _ := strings.Cut(sym.Name, ".")
	aliases, line := r.reachable(s, all, scope, sym.Path, top)
	if !member {
		if line > 0 {
			return line
		}
		return 0
	}
	for a := range aliases {
		// a is bound to the class (or leads to it): C.m, mod.C.m, and x.m after x = C(…).
		if l := all.dotted[a+strings.TrimPrefix(sym.Name, top)]; l > 0 {
			return l
		}
		_, class, _ := cutLast(a)
		for v, callee := range all.types {
			if callee == class {
				if l := all.dotted[v+"."+last]; l > 0 {
					return l
				}
			}
		}
	}
	if r.unique[last] {
		return all.attrs[last]
	}
	if s.path == sym.Path && r.alone(last, sym) {
		return all.dotted["self."+last]
	}
	return 0
}

// alone reports whether no class of the symbol's own file declares a member of that name now.
func (r *resolver) alone(member string, sym model.Symbol) bool {
	f, ok, err := r.t.Read(sym.Path)
	if err != nil || !ok {
		return false
	}
	for _, m := range defined.FindAllSubmatch(f.Data, -1) {
		if string(m[1])+string(m[2])+string(m[3]) == member {
			return false
		}
	}
	return true
}

// reachable gives the expressions of s that lead to the module-level name of a file, and the
// first line where one is named.
func (r *resolver) reachable(s *source, all *refs, scope map[string][]origin, file, name string) (map[string]bool, int) {
	aliases := map[string]bool{}
	line := 0
	take := func(l int) {
		if l > 0 && (line == 0 || l < line) {
			line = l
		}
	}
	if s.path == file {
		aliases[name] = true
		if len(scope[name]) == 0 && declaredOnce(s, name) {
			take(s.freeLine(name))
		}
	}
	for bound, origins := range scope {
		for _, o := range origins {
			switch {
			case o.file == file && o.name == name:
				aliases[bound] = true
				take(o.line)
			case o.name == "*" && (o.file == file || r.hands(o.file, name, file)):
				aliases[name] = true
				if len(s.top[name]) == 0 {
					take(s.freeLine(name))
				}
			case o.name == "":
				// import pkg.mod: pkg.mod.name; import mod as m: m.name; and through the
				// package whose submodule it is.
				for dotted, l := range all.dotted {
					rest, ok := strings.CutPrefix(dotted, bound+".")
					if !ok || rest != name && !strings.HasSuffix(rest, "."+name) {
						continue
					}
					middle := strings.TrimSuffix(strings.TrimSuffix(rest, name), ".")
					if leads(o.file, middle, file) || middle == "" && r.hands(o.file, name, file) {
						aliases[dotted] = true
						take(l)
					}
				}
			}
		}
	}
	return aliases, line
}

// leads reports whether the module at from, followed by dotted submodules, is the module at to.
func leads(from, middle, to string) bool {
	if middle == "" && from == to {
		return true
	}
	base := strings.TrimSuffix(strings.TrimSuffix(to, ".py"), "/__init__")
	want := strings.TrimSuffix(strings.TrimSuffix(from, ".py"), "/__init__")
	if middle == "" {
		return base == want
	}
	middle = strings.ReplaceAll(middle, ".", "/")
	return base == want+"/"+middle || strings.HasSuffix(base, "/"+middle) && strings.HasSuffix(want, "/"+middle)
}

// hands reports whether the module at from hands on a name of the file to.
func (r *resolver) hands(from, name, to string) bool {
	want := name
	for range 6 {
		next, ok := r.handed(from, name)
		if !ok || next.name == "" {
			return false
		}
		if from, name = next.file, next.name; from == to && name == want {
			return true
		}
	}
	return false
}

// freeLine is the first line where a statement of the module reads a name that it does not bind
// itself.
func (s *source) freeLine(name string) int {
	line := 0
	for _, d := range s.decls {
		if l := d.refs.names[name]; d.refs.free(name) && (line == 0 || l < line) {
			line = l
		}
	}
	return line
}

// declaredOnce reports whether a name of the module is bound by nothing but the symbol itself.
func declaredOnce(s *source, name string) bool { return len(s.top[name]) <= 1 }
