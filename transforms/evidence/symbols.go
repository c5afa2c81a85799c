package evidence

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Symbols are what a source patch does to the symbols of its files.
type Symbols struct {
	// Removed are those that after has and before lacks, or has with another signature, as
	// after holds them: what reversal removes.
	Removed []model.Symbol
	// Gone are those of Removed that before lacks altogether.
	Gone []model.Symbol
	// Dropped are the names that before has and after lacks, sorted.
	Dropped []string
	// Was holds the signatures before of those of Removed that are not Gone.
	Was map[model.Symbol]string
	// Changed counts the symbols whose text differs, added and deleted ones too.
	Changed int
}

// SymbolsOf compares the symbols of the files of a source patch from before to after. A symbol
// that moves within its namespace (a package's folder in Go, Java and Kotlin, else the file, be it renamed)
// is the same symbol.
func SymbolsOf(source patch.Patch, before, after *tree.Tree, l lang.Language) (Symbols, error) {
	olds, news := map[string]model.Symbol{}, map[string]model.Symbol{}
	for _, f := range source.Files {
		if f.Binary {
			continue
		}
		if err := declared(before, l, f.Old, namespace(l, first2(f.New, f.Old)), olds); err != nil {
			return Symbols{}, err
		}
		if err := declared(after, l, f.New, namespace(l, f.New), news); err != nil {
			return Symbols{}, err
		}
	}
	out := Symbols{Was: map[model.Symbol]string{}}
	for k, n := range news {
		o, ok := olds[k]
		if ok && o.Digest == n.Digest {
			continue
		}
		out.Changed++
		if !ok || o.Signature != n.Signature {
			out.Removed = append(out.Removed, n)
		}
		if !ok {
			out.Gone = append(out.Gone, n)
		} else if o.Signature != n.Signature {
			out.Was[n] = o.Signature
		}
	}
	for k, o := range olds {
		if _, ok := news[k]; !ok {
			out.Changed++
			out.Dropped = append(out.Dropped, o.Name)
		}
	}
	slices.Sort(out.Dropped)
	SortSymbols(out.Removed)
	SortSymbols(out.Gone)
	return out, nil
}

func declared(t *tree.Tree, l lang.Language, p, namespace string, into map[string]model.Symbol) error {
	if p == "" || l.Kind(p) != model.Production {
		return nil
	}
	symbols, err := l.Symbols(t, p)
	if err != nil {
		if f, ok, _ := t.Read(p); ok && l.Syntax(p, f.Data) != nil {
			return nil // a file that does not parse declares nothing that we could name
		}
		return fmt.Errorf("list symbols of %s: %w", p, err)
	}
	for _, s := range symbols {
		into[namespace+"\x00"+s.Name] = s
	}
	return nil
}

func first2(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// namespace is where a file's symbols are told apart from those of other files.
func namespace(l lang.Language, p string) string {
	switch l.Name() {
	case "go", "java", "kotlin":
		return path.Dir(p)
	}
	return p
}

// SortSymbols sorts by path, line and name.
func SortSymbols(s []model.Symbol) {
	slices.SortFunc(s, func(a, b model.Symbol) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// LastName is a qualified symbol's own name: Method of T.Method.
func LastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// Declaration is a symbol's signature on one line, with its qualified name in front where the
// signature alone does not say whose it is.
func Declaration(s model.Symbol) string {
	text := oneLine(s.Signature)
	switch {
	case text == "":
		return s.Kind + " " + s.Name
	case strings.Contains(text, s.Name) || strings.HasPrefix(text, "func ("):
		return text
	}
	return s.Name + ": " + text
}

// Listed are the symbols that a reader needs to be told, sorted: a parameter is told by the
// signature of its function where that is among them.
func Listed(symbols []model.Symbol) []model.Symbol {
	type key struct{ path, name string }
	held := map[key]bool{}
	for _, s := range symbols {
		held[key{s.Path, s.Name}] = true
	}
	var out []model.Symbol
	for _, s := range symbols {
		owner := strings.TrimSuffix(strings.TrimSuffix(s.Name, LastName(s.Name)), ".")
		if s.Kind != "parameter" || !held[key{s.Path, owner}] {
			out = append(out, s)
		}
	}
	SortSymbols(out)
	return out
}
