package node

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

var (
	titleText  = regexp.MustCompile(`\b(?:describe|suite|context|it|test|specify)(?:\.\w+)*\s*\(\s*(?:'([^'\n]{1,80})'|"([^"\n]{1,80})"|` + "`([^`\n$]{1,80})`)")
	wordText   = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]+`)
	importLine = regexp.MustCompile(`(?m)^\s*import\b`)
	mocks      = regexp.MustCompile(`\b(?:mock|doMock|proxyquire|rewire|esmock|quibble|mockery|unstable_mockModule|stubEnv|resetModules)\b`)
)

// Guard plants a file with one check that passes and one that fails into the unit's folder. It
// is named and written like the unit: its words, its module system, its way to get at the
// runner, and the production modules that the unit loads.
func Guard(t lang.Files, unit, token string) (lang.Guard, error) {
	for _, r := range token {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return lang.Guard{}, fmt.Errorf("guard %s: token %q is not made of a-z and 0-9", unit, token)
		}
	}
	r, p, err := runnerFor(t, unit)
	if err != nil {
		return lang.Guard{}, fmt.Errorf("guard %s: %w", unit, err)
	}
	src, _ := text(t, unit)
	file, pass, fail, err := lang.Planted(token, ownWords(unit, src), func(name string) bool {
		_, there, err := t.Read(beside(unit, name))
		return there || err != nil
	})
	if err != nil {
		return lang.Guard{}, fmt.Errorf("guard %s: %w", unit, err)
	}
	at := beside(unit, file)
	pass, fail = strings.ReplaceAll(pass, "_", " "), strings.ReplaceAll(fail, "_", " ")
	s := style{runner: r.name, esm: esm(t, p, unit, src), src: string(src)}
	if r.name != "node" { // whose planted file is loaded before the unit
		s.modules = modules(t, p, unit, src)
	}
	return lang.Guard{
		Files: []model.File{{Path: at, Mode: model.ModeFile, Data: []byte(s.write(pass, fail))}},
		With:  []string{identity(at, []string{pass}), identity(at, []string{fail})},
		Pass:  identity(at, []string{pass}),
		Fail:  identity(at, []string{fail}),
	}, nil
}

// ownWords are words of a unit's titles, or of its name.
func ownWords(unit string, src []byte) []string {
	var out []string
	for _, m := range titleText.FindAllSubmatch(src, 200) {
		words := wordText.FindAllString(string(m[1])+string(m[2])+string(m[3]), 3)
		if len(words) > 0 {
			out = append(out, strings.ToLower(strings.Join(words, "_")))
		}
	}
	if len(out) == 0 {
		out = wordText.FindAllString(strings.TrimSuffix(path.Base(unit), path.Ext(unit)), 2)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// beside is the path of a planted file of a name, marked as a test the way the unit is.
func beside(unit, name string) string {
	dir, base := path.Dir(unit), path.Base(unit)
	glue := "-"
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.Contains(strings.TrimSuffix(base, suffix(unit)), "_"):
		glue = "_"
	case strings.Contains(strings.TrimSuffix(base, suffix(unit)), "."):
		glue = "."
	}
	name = strings.ReplaceAll(name, "_", glue)
	end := suffix(unit)
	if end == "" {
		end = path.Ext(base)
		if stem == "test" || strings.HasPrefix(stem, "test-") || strings.HasPrefix(stem, "test_") {
			name = "test-" + name
		}
	}
	return path.Join(dir, name+end)
}

// esm reports whether a unit is written as a module with import.
func esm(t lang.Files, p project, unit string, src []byte) bool {
	switch path.Ext(unit) {
	case ".mjs", ".mts":
		return true
	case ".cjs", ".cts":
		return false
	}
	return importLine.Match(src) || p.owner(unit).module && !strings.Contains(string(src), "require(")
}

// modules are the relative specifiers by which a unit loads production code of the tree; none
// where it puts others in their place.
func modules(t lang.Files, p project, unit string, src []byte) []string {
	if mocks.Match(src) {
		return nil
	}
	r := newResolver(t)
	var out []string
	for _, s := range imports(src) {
		found := r.resolve(unit, s)
		if strings.HasPrefix(s, ".") && len(found) == 1 && code(found[0]) && !checking(found[0]) && len(out) < 3 {
			out = append(out, s)
		}
	}
	return out
}

// A style is how a planted file is written.
type style struct {
	runner  string
	esm     bool
	src     string
	modules []string
}

func (s style) write(pass, fail string) string {
	var b strings.Builder
	load := func(names, module string) {
		switch {
		case s.esm && names == "":
			fmt.Fprintf(&b, "import '%s';\n", module)
		case s.esm:
			fmt.Fprintf(&b, "import %s from '%s';\n", names, module)
		case names == "":
			fmt.Fprintf(&b, "require('%s');\n", module)
		default:
			fmt.Fprintf(&b, "const %s = require('%s');\n", names, module)
		}
	}
	call, holds, breaks := "it", "if ([2, 1].sort()[0] !== 1) throw new Error('order');", "if ([2, 1].sort()[0] !== 2) throw new Error('order');"
	switch s.runner {
	case "node":
		call = "test"
		load("{ test }", "node:test")
	case "ava":
		call = "test"
		load("test", "ava")
		holds, breaks = "t.is([2, 1].sort()[0], 1);", "t.is([2, 1].sort()[0], 2);"
	case "vitest", "jest":
		call = "test"
		holds, breaks = "expect([2, 1].sort()[0]).toBe(1);", "expect([2, 1].sort()[0]).toBe(2);"
		for _, m := range []string{"vitest", "@jest/globals"} {
			if strings.Contains(s.src, "'"+m+"'") || strings.Contains(s.src, `"`+m+`"`) {
				load("{ expect, test }", m)
			}
		}
	case "mocha":
		if strings.Contains(s.src, "'mocha'") || strings.Contains(s.src, `"mocha"`) {
			load("{ it }", "mocha")
		} else if !regexp.MustCompile(`\bit\s*[(.]`).MatchString(s.src) && regexp.MustCompile(`\btest\s*[(.]`).MatchString(s.src) {
			call = "test" // the interface tdd
		}
	}
	for _, m := range s.modules {
		load("", m)
	}
	param := "()"
	if s.runner == "ava" {
		param = "t"
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s('%s', %s => {\n  %s\n});\n\n%s('%s', %s => {\n  %s\n});\n", call, pass, param, holds, call, fail, param, breaks)
	return b.String()
}
