package golang

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

const surfaces = `
-- go.mod --
module example.com/m
-- m.go --
package m

type Mux struct{ limit int }

func New() *Mux { return nil }

func (m *Mux) Handle(p string) {}

func inner() {}
-- other/other.go --
package other

func Far() {}
-- m_test.go --
package m

import (
	"strings"
	"testing"

	far "example.com/m/other"
)

// TestHandleAll has a comment.
func TestHandleAll(t *testing.T) {
	mux := build(t)
	t.Run("empty path", func(t *testing.T) { mux.Handle("") })
	for _, c := range table {
		_ = strings.ToUpper(c.in)
	}
	far.Far()
	t.Fatal(Mux{limit: 1})
}

var table = []struct{ in string }{{"a"}}

func build(t *testing.T) *Mux { t.Helper(); inner(); return elsewhere() }

func TestMain(m *testing.M) {}

func Testlower(t *testing.T) {}

func TestNoParameter() {}

func BenchmarkX(b *testing.B) {}

func FuzzParse(f *testing.F) {}

func ExampleNew() {
	// Output:
}

func ExampleMux_Handle() {}

func (s suite) TestMethod(t *testing.T) {}

type suite struct{}
-- help_test.go --
package m

func elsewhere() *Mux { return New() }
-- ext_test.go --
package m_test

import (
	"testing"

	"example.com/m"
)

func TestExternal(t *testing.T) { m.New().Handle("x") }
`

func TestSurfaces(t *testing.T) {
	tr := archive(surfaces)
	got, err := Language{}.Surfaces(tr, "m_test.go")
	if err != nil {
		t.Fatal(err)
	}
	ext, err := Language{}.Surfaces(tr, "ext_test.go")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, ext...)
	for i := range got {
		got[i].Digest = ""
	}
	want := []model.Surface{
		{Path: "m_test.go", Function: "TestHandleAll", Unit: "example.com/m", Start: 10, End: 19, Title: "handle all: empty path",
			Uses: []string{"Far", "Handle", "Mux", "New", "in", "inner", "limit"}},
		{Path: "m_test.go", Function: "FuzzParse", Unit: "example.com/m", Start: 33, End: 33, Title: "parse"},
		{Path: "m_test.go", Function: "ExampleNew", Unit: "example.com/m", Start: 35, End: 37, Title: "new"},
		{Path: "ext_test.go", Function: "TestExternal", Unit: "example.com/m", Start: 9, End: 9, Title: "external",
			Uses: []string{"Handle", "New"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The digest follows what decides the test, in its own file, and nothing else.
func TestSurfaceDigest(t *testing.T) {
	digest := func(tr *tree.Tree) model.Hash {
		s, err := Language{}.Surfaces(tr, "m_test.go")
		if err != nil {
			t.Fatal(err)
		}
		return s[0].Digest
	}
	base := digest(archive(surfaces))
	for _, tt := range []struct {
		old, new string
		changes  bool
	}{
		{`far.Far()`, `far.Far() // why`, false},
		{`// TestHandleAll has a comment.`, ``, false},
		{"	far.Far()", "\n\n		far.Far( )", false},
		{`{{"a"}}`, `{{"b"}}`, true},
		{`inner(); return`, `return`, true},
		{`mux.Handle("")`, `mux.Handle("/")`, true},
		{`{ return New() }`, `{ return nil }`, false}, // of another file
		{`func BenchmarkX(b *testing.B) {}`, ``, false},
	} {
		if !strings.Contains(surfaces, tt.old) {
			t.Fatalf("no %q", tt.old)
		}
		if got := digest(archive(strings.Replace(surfaces, tt.old, tt.new, 1))); (got != base) != tt.changes {
			t.Errorf("%q to %q: digest changes: %v", tt.old, tt.new, got != base)
		}
	}
}

const symbols = `
-- go.mod --
module example.com/m
-- m.go --
package m

// Limit is a limit.
const Limit = 3

const (
	a = iota
	B
)

var _, Level = 1, 2

// A Mux routes.
type Mux[K any] struct {
	// Strict is an option.
	Strict bool
	inner
	*Outer[K]
	x, y int
}

type Doer interface {
	Do(int) error
	Limiter
}

// Handle handles.
func (m *Mux[K]) Handle(p string,
	f func()) (
	n int) {
	return 0
}

func init() {}

func lower() {}
`

func TestSymbols(t *testing.T) {
	syms, err := Language{}.Symbols(archive(symbols), "m.go")
	if err != nil {
		t.Fatal(err)
	}
	var got []model.Symbol
	for _, s := range syms {
		if s.Digest == "" {
			t.Errorf("%s has no digest", s.Name)
		}
		s.Digest, s.Path = "", ""
		got = append(got, s)
	}
	want := []model.Symbol{
		{Name: "Limit", Kind: "constant", Exported: true, Start: 3, End: 4, Signature: "const Limit = 3", Doc: "Limit is a limit."},
		{Name: "a", Kind: "constant", Start: 7, End: 7, Signature: "const a = iota"},
		{Name: "B", Kind: "constant", Exported: true, Start: 8, End: 8, Signature: "const B"},
		{Name: "Level", Kind: "variable", Exported: true, Start: 11, End: 11, Signature: "var Level"},
		{Name: "Mux", Kind: "type", Exported: true, Start: 13, End: 20, Signature: "type Mux[K any] struct", Doc: "A Mux routes."},
		{Name: "Mux.Strict", Kind: "field", Exported: true, Start: 15, End: 16, Signature: "Strict bool", Doc: "Strict is an option."},
		{Name: "Mux.inner", Kind: "field", Start: 17, End: 17, Signature: "inner"},
		{Name: "Mux.Outer", Kind: "field", Exported: true, Start: 18, End: 18, Signature: "*Outer[K]"},
		{Name: "Mux.x", Kind: "field", Start: 19, End: 19, Signature: "x int"},
		{Name: "Mux.y", Kind: "field", Start: 19, End: 19, Signature: "y int"},
		{Name: "Doer", Kind: "type", Exported: true, Start: 22, End: 25, Signature: "type Doer interface { Do(int) error Limiter }"},
		{Name: "Doer.Do", Kind: "method", Exported: true, Start: 23, End: 23, Signature: "Do(int) error"},
		{Name: "Mux.Handle", Kind: "method", Exported: true, Start: 27, End: 32, Doc: "Handle handles.",
			Signature: "func (m *Mux[K]) Handle(p string, f func()) ( n int)"},
		{Name: "lower", Kind: "function", Start: 36, End: 36, Signature: "func lower()"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestNames(t *testing.T) {
	tr := archive(surfaces)
	var all []model.Symbol
	for _, p := range []string{"m.go", "other/other.go"} {
		s, err := Language{}.Symbols(tr, p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s...)
	}
	for p, want := range map[string][]string{
		"m_test.go":      {"Far", "Mux", "Mux.Handle", "Mux.limit", "inner"},
		"help_test.go":   {"Mux", "New"},
		"ext_test.go":    {"Mux.Handle", "New"},
		"m.go":           {"Mux"},
		"other/other.go": nil,
	} {
		syms, err := Language{}.Names(tr, p, all)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range syms {
			got = append(got, s.Name)
		}
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(p, d)
		}
	}
}
