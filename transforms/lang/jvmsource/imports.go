package jvmsource

import (
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// conventions are names that Kotlin's operators and delegates call without naming them.
var conventions = []string{"plus", "minus", "times", "div", "rem", "rangeTo", "rangeUntil", "not", "unaryMinus", "unaryPlus", "inc", "dec",
	"contains", "get", "set", "invoke", "plusAssign", "minusAssign", "timesAssign", "divAssign", "remAssign", "compareTo", "equals",
	"iterator", "next", "hasNext", "getValue", "setValue", "provideDelegate"}

// idle lists the imports whose name only removed declarations have; a mention in a comment keeps
// none. A star import stays, since what it gives is not told, unless it is one of the members of
// a type or package that goes.
func (s *source) idle(gone map[*decl]bool) []imported {
	before, after := map[string]bool{}, map[string]bool{}
	dead := map[*syntax.Node]bool{}
	for d := range gone {
		if d.file == s {
			dead[d.node] = true
		}
	}
	identifiers(s, nil, before)
	identifiers(s, dead, after)
	var out []imported
	for _, i := range s.imports {
		name := i.bound()
		if name == "" || !before[name] || after[name] || slices.Contains(conventions, name) || strings.HasPrefix(name, "component") {
			continue
		}
		out = append(out, i)
	}
	return out
}

// identifiers collects the names in a file's code, without imports and what lies in dead nodes.
func identifiers(s *source, dead map[*syntax.Node]bool, into map[string]bool) {
	s.root.Walk(func(n *syntax.Node) bool {
		switch n.Kind {
		case "import", "import_declaration", "package_declaration", "package_header":
			return false
		case "identifier", "type_identifier":
			into[bare(n.Text(s.src))] = true
		}
		return !dead[n]
	})
}
