package jvmsource

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Names lists those of symbols that the file at p names. A top-level symbol counts where an
// import, a star import, a whole name or its own package leads to it; a member by its last part,
// since syntax does not tell the type of every receiver, but behind a type's name only that
// type's.
func Names(t lang.Files, p string, symbols []model.Symbol) ([]model.Symbol, error) {
	s, err := readSource(t, p)
	if err != nil {
		return nil, err
	}
	all := newRefs()
	for _, d := range s.decls {
		all.merge(d.refs)
	}
	pkgs := map[string]string{}
	var out []model.Symbol
	for _, sym := range symbols {
		pkg, ok := pkgs[sym.Path]
		if !ok {
			pkg = packageOf(t, sym.Path)
			pkgs[sym.Path] = pkg
		}
		if s.names(all, sym, pkg) {
			out = append(out, sym)
		}
	}
	return out, nil
}

func (s *source) names(r *refs, sym model.Symbol, pkg string) bool {
	whole := sym.Name
	if pkg != "" {
		whole = pkg + "." + sym.Name
	}
	top, member, nested := strings.Cut(sym.Name, ".")
	if slices.ContainsFunc(s.imports, func(i imported) bool { return !i.star && (i.path == whole || strings.HasPrefix(i.path, whole+".")) }) {
		return true
	}
	if _, ok := r.dotted[whole]; ok {
		return true
	}
	if !nested {
		if s.imported(top) != "" && s.imported(top) != whole || !r.free(top) && r.calls[top] == nil && r.members[top] == nil && !hasMember(r, top) {
			return false
		}
		return s.pkg == pkg || slices.ContainsFunc(s.imports, func(i imported) bool { return i.star && i.path == pkg })
	}
	bareName := last(member)
	if sym.Kind == "constructor" {
		class := sym
		class.Name, class.Kind = strings.TrimSuffix(sym.Name, "."+bareName), "class"
		return (r.free(bareName) || r.calls[bareName] != nil) && s.names(r, class, pkg)
	}
	for d := range r.dotted {
		if strings.HasSuffix("."+d, "."+sym.Name) {
			return true
		}
	}
	if sym.Kind == "parameter" {
		f := strings.TrimSuffix(sym.Name, "."+bareName)
		return r.keywords[last(f)+"."+bareName]
	}
	if r.members[bareName] != nil || r.self[bareName] != nil || r.calls[bareName] != nil && s.extends(r, sym, pkg) {
		return true
	}
	if r.free(bareName) && s.extends(r, sym, pkg) {
		return true
	}
	for d := range r.dotted {
		owner, name := d[:strings.LastIndexByte(d, '.')], last(d)
		if name == bareName && !upper(last(owner)) {
			return true // a variable's
		}
	}
	return false
}

// hasMember reports whether a Kotlin extension of a name may be called.
func hasMember(r *refs, name string) bool {
	for d := range r.dotted {
		if last(d) == name {
			return true
		}
	}
	return false
}

func upper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// extends reports whether a bare name in the file may be an inherited, statically imported or
// Kotlin scope's member of the symbol's type.
func (s *source) extends(r *refs, sym model.Symbol, pkg string) bool {
	owner := sym.Name[:strings.LastIndexByte(sym.Name, '.')]
	for _, i := range s.imports {
		if i.star && strings.HasSuffix("."+i.path, "."+owner) {
			return true
		}
	}
	for _, d := range s.decls {
		for _, x := range d.supers {
			if last(x) == last(owner) {
				return true
			}
		}
	}
	return s.kotlin && r.mentions(last(owner)) || s.path == sym.Path
}

// merge adds what o names; what one part binds does not hide it in another.
func (r *refs) merge(o *refs) {
	for n := range o.names {
		if !o.locals[n] {
			r.names[n] = true
		}
	}
	for _, p := range []struct{ to, from map[string][]int }{{r.calls, o.calls}, {r.members, o.members}, {r.self, o.self}, {r.dotted, o.dotted}} {
		for n, arities := range p.from {
			for _, a := range arities {
				count(p.to, n, a)
			}
		}
	}
	for k := range o.keywords {
		r.keywords[k] = true
	}
}

var packageLine = regexp.MustCompile("(?m)^\\s*package\\s+([\\w.`]+)")

// packageOf is the package of a production file, by its text, or, where the file is gone, by its
// folder below a source root.
func packageOf(t lang.Files, p string) string {
	if f, ok, err := t.Read(p); err == nil && ok {
		if m := packageLine.FindSubmatch(f.Data); m != nil {
			return strings.ReplaceAll(string(m[1]), "`", "")
		}
		return ""
	}
	dirs, _ := lang.Split(p)
	for i := len(dirs) - 1; i >= 0; i-- {
		if roots[dirs[i]] || dirs[i] == "src" {
			return strings.Join(dirs[i+1:], ".")
		}
	}
	return strings.Join(dirs, ".")
}
