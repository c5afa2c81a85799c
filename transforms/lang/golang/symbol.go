package golang

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// maxSignature bounds a signature, in bytes.
const maxSignature = 2000

// Symbols lists what the file at p declares at package level, in the order of the text:
// functions, methods (T.M), types (type), constants, variables, and of struct types the fields
// (T.F, kind field), of interface types the methods (T.M, kind method). A removed option is
// often a field. Blank names and init have no symbol.
func (Language) Symbols(t lang.Files, p string) ([]model.Symbol, error) {
	s, err := parse(t, p)
	if err != nil {
		return nil, err
	}
	l := &lister{source: s}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			l.function(d)
		case *ast.GenDecl:
			l.general(d)
		}
	}
	return l.out, nil
}

type lister struct {
	*source
	out []model.Symbol
}

func (l *lister) add(name, kind, signature string, doc *ast.CommentGroup, n ast.Node) {
	bare := name[strings.LastIndexByte(name, '.')+1:]
	if bare == "_" || bare == "" {
		return
	}
	exported := true
	for part := range strings.SplitSeq(name, ".") {
		exported = exported && ast.IsExported(part)
	}
	start, end := l.line(begin(doc, n)), l.line(n.End())
	l.out = append(l.out, model.Symbol{
		Path: l.path, Name: name, Kind: kind, Exported: exported,
		Start: start, End: end,
		Signature: oneLine(signature), Doc: strings.TrimSpace(doc.Text()),
		Digest: model.Sum([]byte(l.lines(start, end))),
	})
}

// lines is the text of whole lines.
func (l *lister) lines(start, end int) string {
	i := 0
	var out strings.Builder
	for line := range strings.Lines(string(l.text)) {
		if i++; i >= start && i <= end {
			out.WriteString(line)
		}
	}
	return out.String()
}

// oneLine is a signature with runs of space made one.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return s[:min(len(s), maxSignature)]
}

func (l *lister) function(d *ast.FuncDecl) {
	name, kind := d.Name.Name, "function"
	if d.Recv != nil && len(d.Recv.List) > 0 {
		name, kind = receiver(d.Recv.List[0].Type)+"."+name, "method"
	} else if name == "init" {
		return
	}
	l.add(name, kind, l.slice(d.Pos(), d.Type.End()), d.Doc, d)
}

func (l *lister) general(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			l.typ(d, s)
		case *ast.ValueSpec:
			l.value(d, s)
		}
	}
}

// whole is the node and doc comment of a spec: of the declaration where it has but this spec.
func whole(d *ast.GenDecl, s ast.Spec, doc *ast.CommentGroup) (ast.Node, *ast.CommentGroup) {
	if d.Lparen.IsValid() {
		return s, doc
	}
	return d, d.Doc
}

func (l *lister) typ(d *ast.GenDecl, s *ast.TypeSpec) {
	n, doc := whole(d, s, s.Doc)
	var fields *ast.FieldList
	sig := "type " + l.slice(s.Pos(), s.End())
	switch u := s.Type.(type) {
	case *ast.StructType:
		fields, sig = u.Fields, "type "+l.slice(s.Pos(), u.Pos())+"struct"
	case *ast.InterfaceType:
		fields = u.Methods
	}
	l.add(s.Name.Name, "type", sig, doc, n)
	if fields == nil {
		return
	}
	for _, f := range fields.List {
		kind := "field"
		if _, ok := f.Type.(*ast.FuncType); ok {
			if _, ok := s.Type.(*ast.InterfaceType); ok {
				kind = "method"
			}
		}
		typ := l.slice(f.Type.Pos(), f.Type.End())
		for _, id := range f.Names {
			sig := id.Name + " " + typ
			if kind == "method" {
				sig = id.Name + typ
			}
			l.add(s.Name.Name+"."+id.Name, kind, sig, f.Doc, f)
		}
		if _, ok := s.Type.(*ast.StructType); ok && len(f.Names) == 0 {
			l.add(s.Name.Name+"."+embedded(f.Type), kind, typ, f.Doc, f)
		}
	}
}

// embedded is the field name of an embedded type.
func embedded(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return embedded(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return embedded(e.X)
	case *ast.IndexListExpr:
		return embedded(e.X)
	}
	return receiver(e)
}

// value lists constants and variables. The signature of one with a type is name and type; of
// one without it is name and value, which decides the type.
func (l *lister) value(d *ast.GenDecl, s *ast.ValueSpec) {
	n, doc := whole(d, s, s.Doc)
	kind := "variable"
	if d.Tok == token.CONST {
		kind = "constant"
	}
	for i, id := range s.Names {
		sig := d.Tok.String() + " " + id.Name
		switch {
		case s.Type != nil:
			sig += " " + l.slice(s.Type.Pos(), s.Type.End())
		case i < len(s.Values) && kind == "constant":
			sig += " = " + l.slice(s.Values[i].Pos(), s.Values[i].End())
		}
		l.add(id.Name, kind, sig, doc, n)
	}
}
