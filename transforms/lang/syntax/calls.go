package syntax

import "github.com/taskmill/taskmill/transforms/lang"

// Calls lists the callees of a tree in source order, as lang.Callee writes them. called is the
// text of what a node calls, empty for one that is no call.
func Calls(root *Node, called func(*Node) string) []string {
	var out []string
	root.Walk(func(n *Node) bool {
		if name := lang.Callee(called(n)); name != "" {
			out = append(out, name)
		}
		return true
	})
	return out
}
