package ecma

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// A resolver answers which symbols a file names.
type resolver struct {
	t       lang.Files
	dialect Dialect
	layout  *layout
	unique  map[string]bool // member names that nothing else declares
	files   map[string]*source
}

// builtins are members that values of the languages themselves have.
var builtins = strings.Fields(`abort accept access actual addEventListener all allSettled append apply arguments assign at attributes
	bind body buffer byteLength call caller catch cause charAt charCodeAt children clear clone close code codePointAt concat config
	constructor context copyWithin create cursor data date debug default defaultValue delete description destroy detail disconnect
	done emit enable encoding end entries equal error errors event events every exec exit expected fill filter finally find findIndex
	findLast flags flat flatMap flush forEach format from fromEntries get getAttribute getTime global groups handler has hash headers
	height hidden href id includes index indexOf init input isArray isInteger items join json key keys kind lastIndex lastIndexOf
	length line listen listener lines localeCompare log match matchAll message meta method mode name next node nodes off offset on
	once open options output padEnd padStart parent parse path pathname pause pipe pop port position prefix prev private process
	promise properties props protocol prototype push query read readFile reason reduce reject remove render repeat replace replaceAll
	request reset resolve response result results resume return reverse root round run search send set setTimeout shift signal size
	slice some sort source splice split stack start state status statusCode stdin stderr stdout stop stream string substring summary
	tag tags test text then throw time timeout title toJSON toLowerCase toString toUpperCase token trace transform trim type types
	unref unshift update url user uuid validate value valueOf values version visit wait warn width words write`)

func newResolver(t lang.Files, d Dialect, syms []model.Symbol) *resolver {
	var more []string
	members := map[string][]string{} // member name → files that declare it among syms
	for _, s := range syms {
		more = append(more, s.Path)
		name := s.Name
		if s.Kind == "parameter" {
			name, _, _ = cutLast(name)
		}
		if _, m, ok := cutLast(name); ok && len(m) > 3 && !slices.Contains(builtins, m) && !strings.HasPrefix(m, "#") {
			members[m] = append(members[m], s.Path)
		}
	}
	r := &resolver{t: t, dialect: d, layout: newLayout(t, more...), unique: map[string]bool{}, files: map[string]*source{}}
	if len(members) == 0 {
		return r
	}
	for m := range members {
		r.unique[m] = true
	}
	for _, p := range t.Paths() {
		if d.Kind(p) != model.Production || !isSource(p) {
			continue
		}
		f, ok, err := t.Read(p)
		if err != nil || !ok {
			continue
		}
		for m, own := range members {
			if r.unique[m] && !slices.Contains(own, p) && defines(f.Data, m) {
				r.unique[m] = false
			}
		}
	}
	return r
}

var definitions = regexp.MustCompile(`^(?:\s*[?!]?\s*(?:\(|:|=[^=>])|\s*<[^\n>]*>\s*\()`)

// defines reports whether a text seems to declare a member: its name at the start of a line or
// behind modifiers, before a parenthesis, colon or equals sign; or behind a dot and given a
// value.
func defines(data []byte, member string) bool {
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(member))
		if i < 0 {
			return false
		}
		start := at + i
		end := start + len(member)
		at = end
		if start > 0 && inWord(data[start-1]) || end < len(data) && inWord(data[end]) || !definitions.Match(data[end:min(end+80, len(data))]) {
			continue
		}
		line := string(bytes.TrimLeft(data[bytes.LastIndexByte(data[:start], '\n')+1:start], " \t"))
		if line == "" || strings.HasSuffix(line, ".") && bytes.HasPrefix(bytes.TrimLeft(data[end:], " \t"), []byte("=")) {
			return true
		}
		if !strings.HasSuffix(line, ".") && modified.MatchString(line) {
			return true
		}
	}
}

var modified = regexp.MustCompile(`^(?:(?:static|async|get|set|public|private|protected|readonly|abstract|override|declare|accessor)\s+)*\*?\s*$|[{,(]\s*(?:async\s+)?$`)

// load is a parsed file, nil where there is none that parses.
func (r *resolver) load(p string) *source {
	s, ok := r.files[p]
	if !ok {
		if isSource(p) {
			s, _ = readSource(r.t, p)
		}
		r.files[p] = s
	}
	return s
}

// An origin is where a name comes from: a file, and the name in it, "" for the module itself.
type origin struct{ file, name string }

// origins are all places that an imported name may be from: files that hand it on give it from
// another.
func (r *resolver) origins(file, name string) []origin {
	out := []origin{{file, name}}
	for i := 0; i < len(out) && len(out) < 64; i++ {
		o := out[i]
		s := r.load(o.file)
		if s == nil {
			continue
		}
		see := func(n origin) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		given := s.exports[o.name]
		if o.name == "default" && len(given) == 0 {
			see(origin{o.file, ""})
		}
		for _, e := range given {
			if e.module != "" {
				if f, ok := r.layout.find(o.file, e.module); ok {
					see(origin{f, e.from})
				}
				continue
			}
			see(origin{o.file, e.local})
		}
		for _, d := range s.scope[o.name] {
			if d.what == isImport {
				if f, ok := r.layout.find(o.file, d.imp.module); ok {
					see(origin{f, d.imp.name})
				}
			}
		}
		if len(given) == 0 && o.name != "" {
			for _, e := range s.exports["*"] {
				if f, ok := r.layout.find(o.file, e.module); ok {
					see(origin{f, o.name})
				}
			}
		}
	}
	return out
}

// A reading is what one file names.
type reading struct {
	s    *source
	all  *refs
	from map[string][]origin // imported name → where it is from
	line map[string]int      // of the imports
}

func (r *resolver) reading(p string) *reading {
	s := r.load(p)
	if s == nil {
		return nil
	}
	out := &reading{s: s, all: newRefs(s.src), from: map[string][]origin{}, line: map[string]int{}}
	for _, d := range s.decls {
		out.all.merge(d.refs)
	}
	for n, i := range s.imps {
		f, ok := r.layout.find(p, i.module)
		if !ok {
			continue
		}
		bound := i.bound
		if bound == "" {
			bound = "\x00" + string(rune(n)) // named, and bound to nothing
		}
		out.from[bound] = append(out.from[bound], r.origins(f, i.name)...)
		if out.line[bound] == 0 {
			out.line[bound] = i.line
		}
	}
	return out
}

// merge adds what another piece of code names.
func (r *refs) merge(o *refs) {
	for _, p := range []struct{ to, from map[string]int }{{r.names, o.names}, {r.attrs, o.attrs}, {r.dotted, o.dotted}, {r.keys, o.keys}} {
		for k, v := range p.from {
			if have, ok := p.to[k]; !ok || v < have {
				p.to[k] = v
			}
		}
	}
	maps.Copy(r.types, o.types)
}
