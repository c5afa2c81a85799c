package python

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// A resolver answers which symbols a file names.
type resolver struct {
	layout *layout
	unique map[string]bool // member names that no other class has
	files  map[string]*source
	t      lang.Files
}

var (
	defined  = regexp.MustCompile(`(?m)^[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)|^[ \t]+(\w+)[ \t]*(?::[^=\n]+)?=[^=]|\bself\.(\w+)[ \t]*(?:,[^=\n]*|:[^=\n]+)?=[^=]|^[ \t]+(\w+)[ \t]*:[ \t]*[\w"\']`)
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
	there := map[string]*inventory{}
	for _, s := range syms {
		paths = append(paths, s.Path)
		name := s.Name
		if s.Kind == "parameter" {
			name, _, _ = cutLast(name)
		}
		_, m, member := cutLast(name)
		if !member {
			continue
		}
		if members[m] == nil {
			members[m] = map[string]int{}
		}
		if there[s.Path] == nil {
			d, err := declarations(t, s.Path)
			if err != nil { // it tells nothing
				d = &inventory{}
			}
			there[s.Path] = d
		}
		if s.Kind != "parameter" && there[s.Path].names[name] {
			members[m][s.Path]++
		} else if s.Kind == "parameter" && there[s.Path].names[name] && members[m][s.Path] == 0 {
			members[m][s.Path] = 1
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
		if err != nil || !ok || len(f.Data) > syntax.MaxSource {
			continue
		}
		seen := definitions(f.Data)
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
	_, last, member := cutLast(sym.Name)
	if sym.Kind == "parameter" {
		return r.keyword(s, all, scope, sym)
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

// keyword is the first call with the keyword of a parameter: of a function or class that s
// reaches by whatever name, or of a method of a unique name.
func (r *resolver) keyword(s *source, all *refs, scope map[string][]origin, sym model.Symbol) int {
	owner, param, _ := cutLast(sym.Name)
	class, f, method := cutLast(owner)
	if method && (f == "__init__" || f == "__new__") {
		owner, method = class, false
	}
	if method {
		if r.unique[f] {
			return all.keywords[f+"."+param]
		}
		return 0
	}
	if strings.Contains(owner, ".") {
		return 0
	}
	aliases, _ := r.reachable(s, all, scope, sym.Path, owner)
	line := 0
	for a := range aliases {
		_, last, _ := cutLast(a)
		if l := all.keywords[last+"."+param]; l > 0 && (line == 0 || l < line) {
			line = l
		}
	}
	return line
}

// alone reports whether no class of the symbol's own file declares a member of that name now.
func (r *resolver) alone(member string, sym model.Symbol) bool {
	f, ok, err := r.t.Read(sym.Path)
	if err != nil || !ok {
		return false
	}
	return definitions(f.Data)[member] == 0
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
