package python

import (
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// A section of an ini file, its keys in lower case, values with their lines.
type section struct {
	name   string
	values map[string]string
}

// ini reads configparser's format: sections, "key = value" and continued lines.
func ini(text string) []section {
	var out []section
	key := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
		case line[0] == '[' && strings.Contains(line, "]"):
			out = append(out, section{line[1:strings.Index(line, "]")], map[string]string{}})
			key = ""
		case len(out) == 0:
		case (line[0] == ' ' || line[0] == '\t') && key != "":
			out[len(out)-1].values[key] += "\n" + trimmed
		default:
			i := strings.IndexAny(line, "=:")
			if i < 0 {
				continue
			}
			key = strings.ToLower(strings.TrimSpace(line[:i]))
			out[len(out)-1].values[key] = strings.TrimSpace(line[i+1:])
		}
	}
	return out
}

// A setup is what setup.cfg and setup.py say without being run.
type setup struct {
	there    bool // one of them describes a distribution
	name     string
	python   string
	extras   []string
	tests    []string // tests_require
	requires []string // setup_requires
	compiled bool     // extension modules
	tagged   bool     // the version comes from tags
}

func readSetup(t lang.Files) setup {
	var s setup
	if data, ok := manifest(t, "setup.cfg"); ok {
		for _, sec := range ini(string(data)) {
			switch sec.name {
			case "metadata":
				s.name = sec.values["name"]
				s.there = s.there || s.name != ""
			case "options":
				s.python = sec.values["python_requires"]
				s.tests = append(s.tests, strings.Split(sec.values["tests_require"], "\n")...)
				s.requires = append(s.requires, strings.Split(sec.values["setup_requires"], "\n")...)
			case "options.extras_require":
				s.extras = append(s.extras, slices.Sorted(mapsKeys(sec.values))...)
			}
		}
	}
	if data, ok := manifest(t, "setup.py"); ok {
		s.script(data)
	}
	for _, r := range s.requires {
		s.tagged = s.tagged || slices.Contains([]string{"setuptools-scm", "pbr", "setuptools-git-versioning"}, nameOf(r))
	}
	return s
}

func mapsKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// script reads the literals that setup.py passes to setup(), directly or by a module-level
// name.
func (s *setup) script(src []byte) {
	root, _, err := parse(src)
	if err != nil {
		return
	}
	globals := map[string]*node{}
	root.Walk(func(n *node) bool {
		if n.Kind == "assignment" {
			if l := n.Get("left"); l != nil && l.Kind == "identifier" {
				globals[l.Text(src)] = n.Get("right")
			}
		}
		return true
	})
	root.Walk(func(n *node) bool {
		if n.Kind != "call" || lastName(n.Get("function"), src) != "setup" {
			return true
		}
		s.there = true
		for _, kw := range n.Get("arguments").All("keyword_argument") {
			v := kw.Get("value")
			if v != nil && v.Kind == "identifier" && globals[v.Text(src)] != nil {
				v = globals[v.Text(src)]
			}
			s.keyword(kw.Get("name").Text(src), v, src)
		}
		return true
	})
}

func (s *setup) keyword(name string, v *node, src []byte) {
	if v == nil {
		return
	}
	switch name {
	case "name":
		s.name = first(literal(v, src), s.name)
	case "python_requires":
		s.python = first(literal(v, src), s.python)
	case "use_scm_version", "pbr":
		s.tagged = true
	case "ext_modules", "cffi_modules", "rust_extensions", "cmake_source_dir":
		s.compiled = true
	case "tests_require":
		s.tests = append(s.tests, literals(v, src)...)
	case "setup_requires":
		s.requires = append(s.requires, literals(v, src)...)
	case "extras_require":
		for _, p := range v.All("pair") {
			if k := literal(p.Get("key"), src); k != "" {
				s.extras = append(s.extras, k)
			}
		}
	}
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// literal is the content of a plain string without escapes, "" for anything else.
func literal(n *node, src []byte) string {
	if n == nil || n.Kind != "string" {
		return ""
	}
	var out strings.Builder
	for _, c := range n.Children {
		switch c.Kind {
		case "string_start", "string_end":
		case "string_content":
			if len(c.Children) > 0 {
				return ""
			}
			out.WriteString(c.Text(src))
		default:
			return ""
		}
	}
	return out.String()
}

func literals(n *node, src []byte) []string {
	var out []string
	n.Walk(func(c *node) bool {
		if s := literal(c, src); s != "" {
			out = append(out, s)
		}
		return c.Kind != "string"
	})
	return out
}

// lastName is the name at the end of a dotted expression.
func lastName(n *node, src []byte) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == "identifier":
		return n.Text(src)
	case n.Kind == "attribute":
		return n.Get("attribute").Text(src)
	}
	return ""
}

// nox reads what the sessions of noxfile.py that are named for tests install.
func (w *wish) nox(t lang.Files, p table) {
	src, ok := manifest(t, "noxfile.py")
	if !ok {
		return
	}
	root, _, err := parse(src)
	if err != nil {
		return
	}
	root.Walk(func(n *node) bool {
		if n.Kind != "function_definition" || !testGroup.MatchString(n.Get("name").Text(src)) {
			return true
		}
		n.Get("body").Walk(func(c *node) bool {
			if f := lastName(c.Get("function"), src); c.Kind == "call" && (f == "install" || f == "run_install" || f == "run") {
				w.installs(t, p, c.Get("arguments"), src, f != "install")
			}
			return true
		})
		return false
	})
}

// installs reads the literal arguments of session.install or of a run of uv.
func (w *wish) installs(t lang.Files, p table, args *node, src []byte, command bool) {
	var words []string
	for _, a := range args.Children {
		if s := literal(a, src); s != "" {
			words = append(words, s)
		}
	}
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch a := words[i]; {
		case a == "-r" || a == "--requirement":
			w.file(t, next, 0)
			i++
		case a == "--group" || a == "--only-group":
			p.group(w, next, 0)
			i++
		case strings.HasPrefix(a, "--group="):
			p.group(w, strings.TrimPrefix(a, "--group="), 0)
		case a == "--extra":
			w.extras = append(w.extras, next)
			i++
		case a == "-c" || a == "--constraint":
			i++
		case a == "-e":
		case !command:
			w.add(a)
		}
	}
}
