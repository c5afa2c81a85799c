package golang

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

// The planted checks run beside a selection, in an external test package too.
func TestGuard(t *testing.T) {
	tr := archive(`
-- go.mod --
module example.com/m

go 1.24
-- sub/a.go --
package a
-- sub/a_test.go --
package a_test

import "testing"

func TestA(t *testing.T) {}

func TestB(t *testing.T) {}
`)
	g, err := Language{}.Guard(tr, "example.com/m/sub", "k3v")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range g.Files {
		tr = tr.With(model.TreeChange{Path: f.Path, Mode: f.Mode, Data: f.Data})
	}
	got := newMachine(t).share().run(tr, model.Run{Unit: "example.com/m/sub", Only: []string{"TestA"}, With: g.With})
	want := []model.Check{{ID: "example.com/m/sub::TestA", Verdict: model.Pass}, {ID: g.Fail, Verdict: model.Fail}, {ID: g.Pass, Verdict: model.Pass}}
	for i := range got.Checks {
		got.Checks[i].Seconds = 0
	}
	if d := cmp.Diff(want, got.Checks); d != "" {
		t.Error(d)
	}
	for _, bad := range [][2]string{{"example.com/m/sub", "A-b"}, {"example.com/m/sub", ""}, {"example.com/m", "x"}, {"example.com/n", "x"}} {
		if _, err := (Language{}).Guard(tr, bad[0], bad[1]); err == nil {
			t.Errorf("guard %q accepted", bad)
		}
	}
}

func TestProtected(t *testing.T) {
	for p, want := range map[string]bool{
		"go.mod": true, "sub/go.mod": true, "go.work": true, "Makefile": true, "vendor/modules.txt": true,
		"vendor/x.y/z.go": true, "a_test.go": false, "a.go": false, "go.sum": false, "README.md": false,
		"vendors/a.go": false,
	} {
		if got := (Language{}).Protected(p); got != want {
			t.Errorf("%s: %v", p, got)
		}
	}
}

func TestRestore(t *testing.T) {
	want := "module m\n\ngo 1.24\n\nrequire x.y/a v1.0.0\n\nreplace x.y/c => ./c\n"
	for _, tt := range []struct{ name, path, have, out string }{
		{"requirement added", "go.mod", strings.Replace(want, "v1.0.0", "v1.1.0", 1), strings.Replace(want, "v1.0.0", "v1.1.0", 1)},
		{"replacement added", "go.mod", strings.Replace(want, "v1.0.0", "v1.1.0", 1) + "\nreplace x.y/a => ./fake\n", strings.Replace(want, "v1.0.0", "v1.1.0", 1)},
		{"language lowered", "go.mod", strings.Replace(want, "1.24", "1.13", 1), want},
		{"malformed", "go.mod", "module", want},
		{"workspace", "go.work", "go 1.24\n", want},
	} {
		if got := string(Language{}.Restore(tt.path, []byte(want), []byte(tt.have))); got != tt.out {
			t.Errorf("%s:\n%s", tt.name, got)
		}
	}
	if got := (Language{}).Restore("go.mod", nil, []byte(want)); got != nil {
		t.Errorf("absent: %s", got)
	}
	if got := string(Language{}.Restore("go.mod", []byte(want), nil)); got != want {
		t.Errorf("deleted: %s", got)
	}
}

func TestSteers(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"package a\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) { m.Run() }\n", true},
		{"package a\n\nimport \"testing\"\n\nfunc TestMainly(t *testing.T) {}\n", false},
		{"package a\n\ntype T struct{}\n\nfunc (T) TestMain() {}\n", false},
		{"package a\n\nfunc {", false},
	} {
		if got := (Language{}).Steers("a_test.go", []byte(tt.text)); got != tt.want {
			t.Errorf("%q: %v", tt.text, got)
		}
	}
}
