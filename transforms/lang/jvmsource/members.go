package jvmsource

import (
	"slices"
	"strings"
	"unicode"
)

// takes reports whether a method can be called with a number of arguments; Kotlin's defaults may
// stand for some.
func (d *decl) takes(arities []int) bool {
	if d.what != isMethod || d.variadic || slices.Contains(arities, anyArity) || slices.Contains(arities, d.params) {
		return true
	}
	return d.file.kotlin && slices.ContainsFunc(arities, func(n int) bool { return n < d.params })
}

// always reports whether a member is there as long as its type: constructors, initializers,
// hooks, overrides, and in types that are no classes of tests what reflection may reach.
func (g *graph) always(m *decl) bool {
	switch m.what {
	case isConstructor, isBlock:
		return m.owner != nil
	case isType:
		return m.flavor == "companion"
	case isAlias:
		return false
	}
	if m.owner == nil {
		return false
	}
	if m.shared && !g.declaresTest(m) || m.annotated(hookAnnotations...) || m.annotated("Override") || m.has("override") || m.has("operator") ||
		slices.Contains([]string{"setUp", "tearDown", "suite"}, m.name()) {
		return true
	}
	if g.fixture(m.owner) {
		return m.annotated("Mock", "Spy", "MockK", "MockBean") && slices.ContainsFunc(m.owner.members, func(x *decl) bool { return x.annotated("InjectMocks", "InjectMockKs") })
	}
	if m.has("private") || m.has("static") || m.owner.flavor == "object" || m.owner.flavor == "companion" {
		return false
	}
	if m.what == isField || len(m.annotations) > 0 || m.owner.flavor == "annotation" || m.owner.flavor == "interface" || m.owner.flavor == "record" {
		return true
	}
	return bean(m.name()) || !m.file.kotlin && len(m.owner.supers) > 0
}

// bean reports whether a method is named like an accessor.
func bean(name string) bool {
	for _, prefix := range []string{"get", "set", "is", "with"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && !unicode.IsLower([]rune(rest)[0]) {
			return true
		}
	}
	return slices.Contains([]string{"toString", "hashCode", "equals", "compareTo", "main", "close", "run", "call"}, name)
}
