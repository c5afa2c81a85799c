package python

import (
	"path"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// Protected reports whether a path, or a section of it, steers pytest or the interpreter.
func (Language) Protected(p string) bool {
	// `python -m pytest` looks for modules in the tree's root first: a file of the runner's own
	// name there would be run in its place.
	switch top, _, _ := strings.Cut(p, "/"); top {
	case "pytest", "pytest.py", "_pytest", "_pytest.py", "taskmill_pytest.py":
		return true
	}
	// A description of a distribution on the path may name plugins, which pytest loads.
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		if strings.HasSuffix(dir, ".egg-info") || strings.HasSuffix(dir, ".dist-info") || strings.HasSuffix(dir, ".egg") {
			return true
		}
	}
	switch name := path.Base(p); name {
	case "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml",
		"sitecustomize.py", "usercustomize.py", "tox.ini", "setup.cfg", "pyproject.toml":
		return true
	default:
		return strings.HasSuffix(name, ".pth")
	}
}

// Restore is the content of a protected file: of pyproject.toml, setup.cfg and tox.ini only the
// sections that pytest reads are want's, the rest is have's; any other file is want.
//
// Sections are cut as lines from their header to the next header, so that the rest of the file
// keeps its bytes. A header inside a multi-line string of TOML is none.
func (Language) Restore(p string, want, have []byte) []byte {
	var steers func(header string) bool
	switch path.Base(p) {
	case "pyproject.toml":
		steers = tomlSteers
	case "setup.cfg":
		steers = func(h string) bool { return h == "[tool:pytest]" || h == "[pytest]" }
	case "tox.ini":
		steers = func(h string) bool { return h == "[pytest]" || h == "[tool:pytest]" }
	default:
		return want
	}
	isTOML := path.Base(p) == "pyproject.toml"
	out := restore(want, have, isTOML, steers)
	// Another spelling of the same section (a dotted key, an inline table, an indented
	// header) is no way around: where the parsed sections still differ, want it is.
	if !sameRunner(out, want, isTOML, steers) {
		return want
	}
	return out
}

func restore(want, have []byte, isTOML bool, steers func(string) bool) []byte {
	keep, had := pick(have, isTOML, steers, false)
	runner, has := pick(want, isTOML, steers, true)
	if !has {
		switch {
		case !had:
			return have
		case want == nil && strings.TrimSpace(string(keep)) == "":
			return nil
		}
		return keep
	}
	if old, _ := pick(have, isTOML, steers, true); string(old) == string(runner) {
		return have
	}
	if n := len(keep); n > 0 && keep[n-1] != '\n' {
		keep = append(keep, '\n')
	}
	return append(keep, runner...)
}

// sameRunner reports whether two manifests say the same to pytest. One that does not parse
// says nothing; pytest stops at it.
func sameRunner(a, b []byte, isTOML bool, steers func(string) bool) bool {
	if isTOML {
		return reflect.DeepEqual(pytestTable(a), pytestTable(b))
	}
	return reflect.DeepEqual(pytestSections(a, steers), pytestSections(b, steers))
}

func pytestTable(data []byte) any {
	var t map[string]any
	if err := toml.Unmarshal(data, &t); err != nil {
		return nil
	}
	return table(t).at("tool", "pytest")
}

func pytestSections(data []byte, steers func(string) bool) []section {
	var lines []string
	for line := range strings.Lines(string(data)) {
		if t := strings.TrimLeft(line, " \t"); strings.HasPrefix(t, "[") {
			line = t
		}
		lines = append(lines, line)
	}
	var out []section
	for _, s := range ini(strings.Join(lines, "")) {
		if steers("[" + s.name + "]") {
			out = append(out, s)
		}
	}
	return out
}

func tomlSteers(header string) bool {
	inner := strings.Trim(header, "[] \t")
	parts := strings.Split(inner, ".")
	for i := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(parts[i]), `"'`)
	}
	return len(parts) >= 2 && parts[0] == "tool" && parts[1] == "pytest"
}

// pick returns the lines of the sections for which steers is take; any says whether there is
// such a section.
func pick(data []byte, isTOML bool, steers func(string) bool, take bool) (out []byte, any bool) {
	in, quote := false, ""
	for line := range strings.Lines(string(data)) {
		trimmed := strings.TrimSpace(line)
		if quote == "" && strings.HasPrefix(line, "[") && strings.Contains(trimmed, "]") {
			header := trimmed
			if i := strings.Index(header, "#"); i > 0 {
				header = strings.TrimSpace(header[:i])
			}
			if !isTOML {
				header = header[:strings.Index(header+"]", "]")] + "]"
			}
			in = steers(header)
			any = any || in
		}
		if isTOML {
			quote = multiline(line, quote)
		}
		if in == take {
			out = append(out, line...)
		}
	}
	return out, any
}

// multiline follows TOML's multi-line strings over a line; open is the quote that is open.
func multiline(line, open string) string {
	for i := 0; i+3 <= len(line); i++ {
		switch s := line[i : i+3]; {
		case open != "" && s == open:
			open = ""
			i += 2
		case open == "" && (s == `"""` || s == `'''`):
			open = s
			i += 2
		case open == "" && line[i] == '#':
			return open
		}
	}
	return open
}
