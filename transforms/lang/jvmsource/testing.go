package jvmsource

import (
	"slices"
	"strings"
)

// testAnnotations are those of JUnit 4 and 5, TestNG, kotlin.test and of well-known extensions
// that make a method a test.
var testAnnotations = []string{"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory",
	"CartesianTest", "RetryingTest", "Property"}

// hookAnnotations mark what a runner calls or sets around tests: it stays as long as its class.
var hookAnnotations = []string{"Before", "After", "BeforeClass", "AfterClass", "BeforeEach", "AfterEach", "BeforeAll", "AfterAll",
	"BeforeTest", "AfterTest", "BeforeMethod", "AfterMethod", "BeforeSuite", "AfterSuite", "BeforeGroups", "AfterGroups",
	"Rule", "ClassRule", "RegisterExtension", "Parameter", "Parameters", "Factory", "InjectMocks", "DataPoint", "DataPoints"}

const maxMeta = 5 // annotations on annotations

// isTest reports whether an annotation makes a method a test: by its name, or as an annotation of
// the check files that carries one.
func (g *graph) isTest(d *decl, a annotation, depth int) bool {
	if depth < maxMeta {
		for _, x := range g.typeNamed(d, a.qualified) {
			if x.flavor == "annotation" {
				return slices.ContainsFunc(x.annotations, func(m annotation) bool { return g.isTest(x, m, depth+1) })
			}
		}
	}
	return slices.Contains(testAnnotations, a.name)
}

// declaresTest reports whether a method of a type is a test of its runner.
func (g *graph) declaresTest(m *decl) bool {
	if m.what != isMethod || m.owner == nil || m.receiver != "" {
		return false
	}
	if slices.ContainsFunc(m.annotations, func(a annotation) bool { return g.isTest(m, a, 0) }) {
		return true
	}
	if m.annotated(hookAnnotations...) || m.annotated("DataProvider") {
		return false
	}
	plain := !m.has("private") && !m.has("static") && !m.has("protected")
	if strings.HasPrefix(m.name(), "test") && m.params == 0 && plain && (m.file.kotlin || m.has("public") && m.void) && g.junit3(m.owner, 0) {
		return true
	}
	return plain && (m.file.kotlin || m.has("public")) && m.void && !m.has("abstract") && !m.has("override") && g.testNGClass(m.owner)
}

// junit3 reports whether a type is a TestCase of JUnit 3.
func (g *graph) junit3(t *decl, depth int) bool {
	if depth > maxMeta || len(t.supers) == 0 {
		return false
	}
	for _, s := range t.supers {
		found := g.typeNamed(t, s)
		for _, x := range found {
			if g.junit3(x, depth+1) {
				return true
			}
		}
		if len(found) == 0 && (last(s) == "TestCase" || strings.HasSuffix(s, "TestCase") && t.file.imported(last(s)) != "") {
			return true
		}
	}
	return false
}

// imported is the path by which a file imports a name; "" where it does not.
func (s *source) imported(name string) string {
	for _, i := range s.imports {
		if i.bound() == name {
			return i.path
		}
	}
	return ""
}

// testNGClass reports whether TestNG takes all public methods of a type for tests.
func (g *graph) testNGClass(t *decl) bool {
	for _, a := range t.annotations {
		if a.name != "Test" {
			continue
		}
		if a.qualified == "org.testng.annotations.Test" || t.file.imported("Test") == "org.testng.annotations.Test" {
			return true
		}
		for _, i := range t.file.imports {
			if i.star && i.path == "org.testng.annotations" {
				return true
			}
		}
	}
	return false
}

// A case is a test function of a class: one that it declares or inherits.
type testCase struct {
	class    *decl
	method   *decl
	function string
}

// runs reports whether a runner makes objects of a type.
func (d *decl) runs() bool {
	return d.what == isType && d.flavor == "class" && !d.has("abstract") && !d.has("sealed") && !d.has("annotation")
}

// tests lists the test functions of a class, its own first, then inherited ones; none of a type
// that no runner makes objects of. Of methods of one name there is one, since a check's name
// does not tell them apart; all their declarations are listed.
func (g *graph) tests(t *decl) []testCase {
	if !t.runs() {
		return nil
	}
	var out []testCase
	type signature struct {
		name   string
		params int
	}
	seen := map[signature]bool{}
	for _, x := range g.lineage(t) {
		for _, m := range x.members {
			if m.what != isMethod {
				continue
			}
			sig := signature{m.name(), m.params}
			if seen[sig] {
				continue // overridden
			}
			if g.declaresTest(m) && (!m.has("abstract") && (m.body != nil || m.file.kotlin)) {
				out = append(out, testCase{t, m, t.class() + "#" + m.name()})
			}
			seen[sig] = true
		}
	}
	return out
}

// lineage is a type with its supertypes among the check files, nearest first.
func (g *graph) lineage(t *decl) []*decl {
	out := []*decl{t}
	for i := 0; i < len(out) && len(out) < 100; i++ {
		for _, s := range out[i].supers {
			for _, x := range g.typeNamed(out[i], s) {
				if !slices.Contains(out, x) {
					out = append(out, x)
				}
			}
		}
	}
	return out
}

// fixture reports whether the members of a type are those of tests: it has tests or hooks, is
// named like a class of tests, or is a base that others extend. Any other type is a value or a
// tool of tests, whose members may be reached by reflection.
func (g *graph) fixture(t *decl) bool {
	if known, ok := g.fixtures[t]; ok {
		return known
	}
	if t.flavor == "companion" && t.owner != nil {
		return g.fixture(t.owner)
	}
	g.fixtures[t] = false // while it is looked at
	f := t.flavor == "class" && (t.has("abstract") || t.owner == nil && className(t.name()))
	for _, m := range t.members {
		f = f || m.annotated(hookAnnotations...) || g.declaresTest(m)
	}
	g.fixtures[t] = f
	return f
}
