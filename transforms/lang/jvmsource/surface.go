package jvmsource

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Surfaces lists the test functions of the check file at p, in source order; those that a class
// inherits from a base among the check files stand behind its own. Function is Class#method,
// Class being the binary name; Unit is the top-level class alone, since its module is the build's
// to name.
//
// The digest covers the method, the heads, hooks, constructors and initializers of its classes,
// and what it reaches in its file and in the files of the classes above it: helpers, constants,
// method sources, nested types. Imports are left out.
//
// Uses holds names as its code has them: "Type", "Type.member", and the bare "member" where the
// type of the receiver is not known; "callee.name" for a named argument.
func Surfaces(t lang.Files, p string) ([]model.Surface, error) {
	if !Test(p) || !Parsed(p) {
		return nil, nil
	}
	g := newGraph(t)
	s, err := g.load(p)
	if err != nil {
		return nil, err
	}
	out := []model.Surface{}
	at := map[string]int{}
	for _, d := range s.decls {
		for _, c := range g.tests(d) {
			f := g.surface(s, c)
			f.Unit = d.outermost().class()
			if i, ok := at[f.Function]; ok {
				// Methods of one name are one test function.
				f.Digest = model.Sum([]byte(string(out[i].Digest) + string(f.Digest)))
				f.Uses = slices.Compact(slices.Sorted(slices.Values(append(f.Uses, out[i].Uses...))))
				f.Start, f.End, f.Title = min(f.Start, out[i].Start), max(f.End, out[i].End), out[i].Title
				out[i] = f
				continue
			}
			at[f.Function] = len(out)
			out = append(out, f)
		}
	}
	return out, nil
}

func (g *graph) surface(s *source, c testCase) model.Surface {
	reached := g.reach([]*decl{c.method, c.class}, false)
	f := model.Surface{Path: s.path, Function: c.function, Title: title(c.method), Uses: g.uses(reached)}
	if c.method.file == s {
		f.Start, f.End = c.method.node.Row+1, c.method.node.Last+1
	} else {
		f.Start = c.class.node.Row + 1
		if n := c.class.node.Get("name"); n != nil {
			f.Start = n.Row + 1
		}
		f.End = f.Start
	}
	files := map[string]bool{s.path: true}
	for o := c.class; o != nil; o = o.owner {
		for _, x := range g.lineage(o) {
			files[x.file.path] = true
		}
	}
	f.Digest = digest(files, reached)
	return f
}

func digest(files map[string]bool, reached map[*decl]bool) model.Hash {
	type part struct {
		Path string
		At   int `json:"-"`
		Text string
	}
	var parts []part
	for d := range reached {
		if files[d.file.path] {
			parts = append(parts, part{d.file.path, d.node.Start, d.text()})
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.At - b.At
	})
	return model.Digest(parts)
}

// text is a declaration's source; a type is its head, and the constants of an enum, alone.
func (d *decl) text() string {
	if d.what != isType || d.body == nil {
		return d.node.Text(d.file.src)
	}
	var text strings.Builder
	text.WriteString(strings.TrimSpace(string(d.file.src[d.node.Start:d.body.Start])))
	for _, k := range d.body.Children {
		if k.Kind == "enum_constant" || k.Kind == "enum_entry" {
			text.WriteString(" " + k.Text(d.file.src))
		}
	}
	return text.String()
}

var displayName = regexp.MustCompile(`^\(\s*(?:value\s*=\s*)?("(?:[^"\\\n]|\\.)*")\s*\)$`)

// title is what a person reads: the display name, or the method's name in words.
func title(m *decl) string {
	for _, a := range m.annotations {
		if match := displayName.FindStringSubmatch(a.text); a.name == "DisplayName" && match != nil {
			if text, err := strconv.Unquote(match[1]); err == nil {
				return text
			}
		}
	}
	name := m.name()
	if rest, ok := strings.CutPrefix(name, "test"); ok && rest != "" {
		name = rest
	}
	var words []string
	for w := range strings.FieldsSeq(strings.ReplaceAll(name, "_", " ")) {
		words = append(words, camel(w)...)
	}
	return strings.Join(words, " ")
}

// platform are the packages whose names are no symbols of a project.
var platform = []string{"java.", "javax.", "kotlin.", "jdk."}

// uses lists the names that reached declarations use and the check files do not declare.
func (g *graph) uses(reached map[*decl]bool) []string {
	out := map[string]bool{}
	for d := range reached {
		for n := range d.refs.names {
			if !d.refs.locals[n] {
				g.use(d, n, out)
			}
		}
		for n := range d.refs.calls {
			g.use(d, n, out)
		}
		for n := range d.refs.dotted {
			g.useDotted(d, n, out)
		}
		for _, m := range []map[string][]int{d.refs.members, d.refs.self} {
			for n := range m {
				out[n] = true
			}
		}
		for k := range d.refs.keywords {
			callee, name, _ := strings.Cut(k, ".")
			out[d.file.unaliased(callee)+"."+name] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

func (g *graph) use(d *decl, name string, out map[string]bool) {
	for _, i := range d.file.imports {
		if i.bound() == name {
			if slices.ContainsFunc(platform, func(p string) bool { return strings.HasPrefix(i.path, p) }) {
				return
			}
			name = last(i.path)
			if i.static {
				name = last(strings.TrimSuffix(i.path, "."+name)) + "." + name
			}
		}
	}
	if found, _ := g.lookup(d, name, false, func(x *decl) bool { return true }); len(found) == 0 {
		out[name] = true
	}
}

// unaliased is the name that an import gives another.
func (s *source) unaliased(name string) string {
	if p := s.imported(name); p != "" {
		return last(p)
	}
	return name
}

// useDotted notes Type.member for x.member where the type of x is told.
func (g *graph) useDotted(d *decl, name string, out map[string]bool) {
	i := strings.LastIndexByte(name, '.')
	owner, member := name[:i], name[i+1:]
	if strings.Contains(owner, ".") {
		owner = last(owner)
	} else if typ := d.refs.types[owner]; typ != "" {
		owner = d.file.unaliased(last(typ))
	} else if f, _ := g.lookup(d, owner, false, func(x *decl) bool { return x.what == isField }); len(f) > 0 && f[0].typ != "" {
		owner = f[0].file.unaliased(last(f[0].typ))
	} else {
		owner = d.file.unaliased(owner)
	}
	if r := []rune(owner); len(r) > 0 && unicode.IsUpper(r[0]) {
		out[owner+"."+member] = true
		return
	}
	out[member] = true
}
