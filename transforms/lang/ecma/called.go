package ecma

import (
	"fmt"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// Calls lists the callees of a file of either dialect, constructors among them.
func (Dialect) Calls(path string, src []byte) ([]string, error) {
	root, bad, err := parse(path, src)
	if err != nil {
		return nil, err
	}
	if bad > 0 {
		return nil, fmt.Errorf("parse %s: syntax error at line %d", path, bad)
	}
	return syntax.Calls(root, func(n *node) string {
		field := map[string]string{"call_expression": "function", "new_expression": "constructor"}[n.Kind]
		if f := n.Get(field); field != "" && f != nil {
			return f.Text(src)
		}
		return ""
	}), nil
}
