package golang

import (
	"go/ast"
	"go/doc"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Surfaces lists the functions of a _test.go file that go test runs and that have a verdict:
// tests, fuzz targets (their seeds) and examples with an output comment; benchmarks are none.
// Digest covers the function and everything of the same file that it uses, without comments
// and layout. Uses are bare names, sorted: of the package's own production code, of other
// packages of the tree, and of members of values whose type syntax does not tell.
func (l Language) Surfaces(t lang.Files, p string) ([]model.Surface, error) {
	unit, ok := l.Unit(t, p)
	if !ok {
		return nil, nil
	}
	pkg, err := load(t, parent(p))
	if err != nil {
		return nil, err
	}
	var out []model.Surface
	for _, i := range pkg.items {
		if i.src.path != p || !surface(i) {
			continue
		}
		f := i.node.(*ast.FuncDecl)
		closure := reach([]*item{i})
		out = append(out, model.Surface{
			Path: p, Function: f.Name.Name, Unit: unit,
			Start: i.src.line(begin(f.Doc, f)), End: i.src.line(f.End()),
			Title:  title(f),
			Digest: digest(pkg, closure, p),
			Uses:   pkg.production(closure),
		})
	}
	return out, nil
}

// surface reports whether an item is a function that go test runs and judges.
func surface(i *item) bool {
	f, ok := i.node.(*ast.FuncDecl)
	if !ok || f.Recv != nil || f.Type.TypeParams != nil || f.Type.Results != nil {
		return false
	}
	n := f.Name.Name
	switch {
	case n == "TestMain":
		return len(f.Type.Params.List) == 1 && takes(f, "T")
	case isTest(n, "Test"):
		return takes(f, "T")
	case isTest(n, "Fuzz"):
		return takes(f, "F")
	case isTest(n, "Example") && len(f.Type.Params.List) == 0:
		for _, e := range doc.Examples(i.src.file) {
			if "Example"+e.Name == n {
				return e.Output != "" || e.EmptyOutput
			}
		}
	}
	return false
}

// takes reports whether f has one parameter, a pointer to the testing type name.
func takes(f *ast.FuncDecl, name string) bool {
	p := f.Type.Params.List
	if len(p) != 1 || len(p[0].Names) > 1 {
		return false
	}
	star, ok := p[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := star.X.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == name
	case *ast.Ident: // import . "testing"
		return x.Name == name
	}
	return false
}

// begin is the position of a declaration with its doc comment.
func begin(doc *ast.CommentGroup, n ast.Node) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return n.Pos()
}

// digest hashes the tokens of those items of the file at p that the closure holds, in the order
// of the text. Comments count in examples alone: their output is one.
func digest(pkg *testPackage, closure map[*item]bool, p string) model.Hash {
	var tokens []string
	for _, i := range pkg.items {
		if i.src.path != p || !closure[i] {
			continue
		}
		f, ok := i.node.(*ast.FuncDecl)
		tokens = append(tokens, scanTokens(i.src.slice(i.node.Pos(), i.node.End()), ok && isTest(f.Name.Name, "Example"))...)
		tokens = append(tokens, "")
	}
	return model.Digest(tokens)
}

func scanTokens(text string, comments bool) []string {
	var s scanner.Scanner
	mode := scanner.Mode(0)
	if comments {
		mode = scanner.ScanComments
	}
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(text)), []byte(text), nil, mode)
	var out []string
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return out
		case tok == token.SEMICOLON:
			out = append(out, ";")
		case lit != "":
			out = append(out, lit)
		default:
			out = append(out, tok.String())
		}
	}
}

// production lists the names that a closure of check items may take from production code.
func (p *testPackage) production(closure map[*item]bool) []string {
	uses, own := map[string]bool{}, map[string]bool{}
	for _, i := range p.items {
		if i.receiver == "" {
			for _, n := range i.names {
				own[i.src.pkg+"."+n] = true
			}
		}
	}
	inTree := func(ip string) bool {
		return slices.ContainsFunc(p.modules, func(m root) bool { return within(ip, m.path) })
	}
	for i := range closure {
		s := i.src
		for n := range i.refs.names {
			if s.importPath(n) == "" && !own[s.pkg+"."+n] && types.Universe.Lookup(n) == nil {
				uses[n] = true
			}
		}
		for x := range i.refs.selected {
			ip := s.importPath(x[0])
			if ip == "" || inTree(ip) && !(ip == p.unit && own[strings.TrimSuffix(s.pkg, "_test")+"."+x[1]]) {
				uses[x[1]] = true
			}
		}
		for m := range i.refs.members {
			uses[m] = true
		}
	}
	return slices.Sorted(maps.Keys(uses))
}

// maxTitle bounds a title, in bytes.
const maxTitle = 300

// title is the function's name in words, and the literal names of its subtests.
func title(f *ast.FuncDecl) string {
	name := f.Name.Name
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		if isTest(name, prefix) {
			name = name[len(prefix):]
			break
		}
	}
	out := words(name)
	sep := ": "
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		lit, isLit := call.Args[0].(*ast.BasicLit)
		if !ok || sel.Sel.Name != "Run" || !isLit || lit.Kind != token.STRING {
			return true
		}
		if s, err := strconv.Unquote(lit.Value); err == nil && len(out)+len(s) < maxTitle {
			out += sep + s
			sep = "; "
		}
		return true
	})
	return out
}

// words cuts a name at underscores and where a capital begins a word: ParseURLFast is
// "parse URL fast".
func words(name string) string {
	var out []string
	rs := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			w := string(rs[start:end])
			if len(w) > 1 && strings.ToUpper(w) == w {
				out = append(out, w)
			} else {
				out = append(out, strings.ToLower(w))
			}
		}
		start = end
	}
	for i, r := range rs {
		switch {
		case r == '_':
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])):
			flush(i)
		}
	}
	flush(len(rs))
	return strings.Join(out, " ")
}
