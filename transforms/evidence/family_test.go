package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

func diff(t *testing.T, before, after *tree.Tree) patch.Patch {
	t.Helper()
	p, err := patch.Diff(before, after, patch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func one(path, data string) *tree.Tree { return tree.Of(model.File{Path: path, Data: []byte(data)}) }

func TestMigrationOf(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		dropped             []string
		want                Migration
		ok                  bool
	}{
		{"two sites", "import ioutil\nx = ioutil.ReadAll(r)\nkeep()\ny = ioutil.ReadAll(q)\n", "import io\nx = io.ReadAll(r)\nkeep()\ny = io.ReadAll(q)\n", nil, Migration{"ioutil.ReadAll", "io.ReadAll", 2}, true},
		{"a block of lines", "a(1)\nold.f(1)\nold.f(2)\n", "a(1)\nold.g(1)\nold.g(2)\n", nil, Migration{"old.f", "old.g", 2}, true},
		{"another package in Go", "import (\n\t\"io/ioutil\"\n)\n\tioutil.F(1)\n\tioutil.F(2)\n", "import (\n\tx \"example.com/io/v2\"\n)\n\tx.F(1)\n\tio.F(2)\n\tx.F(2)\n", nil, Migration{}, false},
		{"an alias in Go", "import (\n\t\"io/ioutil\"\n)\n\tioutil.F(1)\n\tioutil.F(2)\n", "import (\n\tx \"example.com/io/v2\"\n)\n\tx.F(1)\n\tx.F(2)\n", nil, Migration{"ioutil.F", "x.F", 2}, true},
		{"another variable", "a = key.concat(1)\nb = key.concat(2)\n", "a = result.concat(1)\nb = result.concat(2)\n", nil, Migration{}, false},
		{"one site", "x = ioutil.ReadAll(r)\n", "x = io.ReadAll(r)\n", nil, Migration{}, false},
		{"the old callee stays in use", "a = f.x(1)\nb = f.x(2)\n\nc = f.x(3)\n", "a = f.y(1)\nb = f.y(2)\n\nc = f.x(3)\n", nil, Migration{}, false},
		{"two new callees", "a = f.x(1)\n\nb = f.x(2)\n", "a = f.y(1)\n\nb = f.z(2)\n", nil, Migration{}, false},
		{"a renaming within the project", "def x(n):\n    pass\na = x(1)\nb = x(2)\n", "def y(n):\n    pass\na = y(1)\nb = y(2)\n", []string{"x"}, Migration{}, false},
		{"arguments alone", "a = f.x(1)\nb = f.x(2)\n", "a = f.x(3)\nb = f.x(4)\n", nil, Migration{}, false},
		{"a keyword is no callee", "if (a)\nif (b)\n", "while (a)\nwhile (b)\n", nil, Migration{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			after := one("a.py", c.after)
			before := one("a.py", c.before)
			got, ok, err := MigrationOf(diff(t, before, after), Symbols{Dropped: c.dropped}, before, after)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
				t.Errorf("found %v, want %v (-want +got):\n%s", ok, c.ok, diff)
			}
		})
	}
}

func TestSecurity(t *testing.T) {
	for _, c := range []struct {
		name string
		rec  model.Record
		want bool
	}{
		{"CVE in the body", model.Record{Title: "Bump limit", Body: "See CVE-2024-12345."}, true},
		{"GHSA in a message", model.Record{Title: "Bump limit", Messages: []string{"GHSA-2j2x-hqwg-9c4m"}}, true},
		{"label", model.Record{Title: "Bump limit", Labels: []model.Label{{Name: "type: security"}}}, true},
		{"keyword", model.Record{Title: "Prevent path-traversal in archives"}, true},
		{"part of a word", model.Record{Title: "Add securityScheme to maxssl"}, false},
		{"in an HTML comment of a template", model.Record{Title: "Bump limit", Body: "<!-- report a security vulnerability by mail -->"}, false},
		{"a bare year", model.Record{Title: "CVE-2024"}, false},
	} {
		if got := security(c.rec); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLabels(t *testing.T) {
	for name, want := range map[string]bool{"feature": true, "kind/feature": true, "type: enhancement": true, "new feature": true, "feature-freeze": false, "bug": false, "defeature": false} {
		if got := labelled(model.Record{Labels: []model.Label{{Name: name}}}, featureLabel); got != want {
			t.Errorf("label %q: %v, want %v", name, got, want)
		}
	}
}

func TestChangelog(t *testing.T) {
	before := tree.Of(model.File{Path: "CHANGES.rst", Data: []byte("1.0\n---\n")}, model.File{Path: "docs/guide.md", Data: []byte("x\n")})
	after := before.With(
		model.TreeChange{Path: "CHANGES.rst", Data: []byte("1.1 (2025-01-02)\n----------------\n\n- Names are checked by :func:`~p.check` (:issue:`7`). Contributed by A B.\n\n1.0\n---\n")},
		model.TreeChange{Path: "docs/guide.md", Data: []byte("x\ny\n")},
		model.TreeChange{Path: "newsfragments/7.bugfix.rst", Data: []byte("Empty names are refused.\n")})
	want := "- Names are checked by `p.check`.\n\nEmpty names are refused."
	if diff := cmp.Diff(want, recordText(model.Record{}, changelog(diff(t, before, after)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpecification(t *testing.T) {
	removed := []model.Symbol{
		{Path: "p/a.go", Name: "T.Find", Kind: "method", Signature: "func (t T) Find(name string) (int, bool)", Doc: "Find looks a name up.\nSee https://example.com."},
		{Path: "p/a.go", Name: "Limit", Kind: "constant", Start: 9},
		{Path: "p/a.go", Name: "T.Find.name", Kind: "parameter", Signature: "name string"},
	}
	touched := []model.Surface{{Function: "TestFindUnknownName"}, {Function: "test_x", Title: "an unknown name is not found"}, {Function: "TestFindUnknownName"}}
	want := "The code must provide:\n\n- `func (t T) Find(name string) (int, bool)` in `p/a.go`: Find looks a name up.\n- `constant Limit` in `p/a.go`\n\nThese behaviours are expected:\n\n- find unknown name\n- an unknown name is not found"
	if diff := cmp.Diff(want, Specification(removed, touched)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Specification(nil, nil); got != "" {
		t.Errorf("nothing to say: %q", got)
	}
}

func TestEligibleSetHash(t *testing.T) {
	a, b := model.Change{ID: "o__r-1", Eligible: true}, model.Change{ID: "o__r-2", Eligible: true}
	c := model.Change{ID: "o__r-3"}
	if EligibleSetHash([]model.Change{a, b, c}) != EligibleSetHash([]model.Change{b, a, b}) {
		t.Error("order, repetition and ineligible changes must not matter")
	}
	if EligibleSetHash([]model.Change{a, b}) == EligibleSetHash([]model.Change{a}) {
		t.Error("two sets have one hash")
	}
}
