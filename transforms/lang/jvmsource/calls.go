package jvmsource

import (
	"fmt"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// Calls lists the callees of a Java or Kotlin file, constructors among them.
func Calls(p string, src []byte) ([]string, error) {
	if !Parsed(p) {
		return nil, nil
	}
	root, bad, err := parse(p, src)
	if err != nil {
		return nil, err
	}
	if bad > 0 {
		return nil, fmt.Errorf("parse %s: syntax error at line %d", p, bad)
	}
	return syntax.Calls(root, func(n *syntax.Node) string { return called(n, src) }), nil
}

// called is the text of what a node calls, empty for one that is no call.
func called(n *syntax.Node, src []byte) string {
	switch n.Kind {
	case "method_invocation":
		name := n.Get("name")
		if name == nil {
			return ""
		}
		if o := n.Get("object"); o != nil {
			return o.Text(src) + "." + name.Text(src)
		}
		return name.Text(src)
	case "object_creation_expression":
		if t := n.Get("type"); t != nil {
			return t.Text(src)
		}
	case "call_expression": // Kotlin
		if len(n.Children) > 0 {
			return n.Children[0].Text(src)
		}
	}
	return ""
}
