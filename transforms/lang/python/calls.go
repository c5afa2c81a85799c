package python

import (
	"fmt"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// Calls lists the callees of a Python file.
func (Language) Calls(path string, src []byte) ([]string, error) {
	root, bad, err := parse(src)
	if err != nil {
		return nil, err
	}
	if bad > 0 {
		return nil, fmt.Errorf("parse %s: syntax error at line %d", path, bad)
	}
	return syntax.Calls(root, func(n *node) string {
		if f := n.Get("function"); n.Kind == "call" && f != nil {
			return f.Text(src)
		}
		return ""
	}), nil
}
