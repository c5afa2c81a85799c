package golang

import (
	"go/ast"

	"github.com/taskmill/taskmill/transforms/lang"
)

// Calls lists the callees of a Go file; conversions look like calls and are listed too.
func (Language) Calls(path string, src []byte) ([]string, error) {
	s, err := parseText(path, src)
	if err != nil {
		return nil, err
	}
	var out []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if name := lang.Callee(s.slice(c.Fun.Pos(), c.Fun.End())); name != "" {
				out = append(out, name)
			}
		}
		return true
	})
	return out, nil
}
