package python

import (
	"path"
	"slices"
	"strings"
)

// testClass reports whether pytest collects a class: by its name, or as a unittest.TestCase by
// the name of a base.
func (s *source) testClass(def *node) bool {
	if strings.HasPrefix(def.Get("name").Text(s.src), "Test") {
		return true
	}
	has := false
	for _, c := range def.Get("body").Children {
		if b := bare(c); b.Kind == "function_definition" && strings.HasPrefix(b.Get("name").Text(s.src), "test") {
			has = true
		}
	}
	return has
}

// collected reports whether the tests of a class run under its own name.
func (d *decl) collected() bool {
	for c := d; c != nil; c = c.owner {
		if strings.HasPrefix(c.names[0], "Test") {
			continue
		}
		if !slices.ContainsFunc(c.bases, func(b string) bool {
			return strings.HasSuffix(b, "TestCase") || strings.HasSuffix(b, "Test") || strings.HasSuffix(b, "Tests") || strings.HasSuffix(b, "Case")
		}) && !c.derived() {
			return false
		}
	}
	return true
}

// derived reports whether a base in the same file is collected as a TestCase.
func (d *decl) derived() bool {
	for _, b := range d.bases {
		for _, c := range d.file.decls {
			if c.what == isClass && c != d && c.names[0] == b && !strings.HasPrefix(b, "Test") && c.node.Start < d.node.Start && c.collected() {
				return true
			}
		}
	}
	return false
}

// A titled is a test function under one of its names.
type titled struct {
	function string
	decl     *decl
	class    *decl
}

// tests lists the test functions of a file as pytest names them: a test that a class takes from
// a base of the same file stands under both names.
func (s *source) tests() []titled {
	var out []titled
	for _, d := range s.decls {
		switch {
		case d.what == isTest && d.owner == nil:
			out = append(out, titled{d.test, d, nil})
		case d.what == isClass && d.collected():
			seen := map[string]bool{}
			for _, m := range s.methods(d, 0) {
				if name := m.names[0]; !seen[name] {
					seen[name] = true
					out = append(out, titled{d.test + "::" + name, m, d})
				}
			}
		}
	}
	return out
}

// methods are the tests of a class, its own first, then those of its bases in this file.
func (s *source) methods(c *decl, depth int) []*decl {
	var out []*decl
	for _, m := range c.members {
		if m.what == isTest {
			out = append(out, m)
		}
	}
	if depth > 20 {
		return out
	}
	for _, b := range c.bases {
		for _, d := range s.top[b] {
			if d.what == isClass && d != c {
				out = append(out, s.methods(d, depth+1)...)
			}
		}
	}
	return out
}

// unit reports whether pytest collects the file.
func (s *source) unit() bool { return unitName(path.Base(s.path)) }
