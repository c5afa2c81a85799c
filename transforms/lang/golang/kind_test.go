package golang

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

func TestKind(t *testing.T) {
	want := map[string]model.Kind{
		"mux.go":                          model.Production,
		"latest.go":                       model.Production,
		"contest/main.go":                 model.Production,
		"attestation/attest.go":           model.Production,
		"mux_test.go":                     model.CheckFile,
		"test.go":                         model.Production,
		"asm_amd64.s":                     model.Production,
		"doc/man_docs.go":                 model.Production,
		"doc/man_docs_test.go":            model.CheckFile,
		"docs/index.md":                   model.Docs,
		"example_test.go":                 model.CheckFile,
		"examples/hello/main.go":          model.Docs,
		"examples/hello/main_test.go":     model.CheckFile,
		"_examples/rest/main.go":          model.Docs,
		"_examples/rest/main_test.go":     model.Docs,
		"_test.go":                        model.Other,
		".hidden/x.go":                    model.Other,
		"testdata/a.go":                   model.CheckData,
		"x/testdata/cert.pem":             model.CheckData,
		"x/testdata/README.md":            model.CheckData,
		"out/list.golden":                 model.CheckData,
		"golden/list.txt":                 model.CheckData,
		"golden/list.go":                  model.Production,
		"api/api.pb.go":                   model.Generated,
		"zz_generated.deepcopy.go":        model.Generated,
		"enum_generated.go":               model.Generated,
		"gen.go":                          model.Production,
		"password_gen.go":                 model.Production,
		"vendor/x.y/z/z.go":               model.Vendored,
		"vendor/x.y/z/z_test.go":          model.Vendored,
		"third_party/z.go":                model.Vendored,
		"internal/testutil/http.go":       model.CheckFile,
		"prometheus/testutil/testutil.go": model.Production,
		"test/e2e/run.go":                 model.CheckFile,
		"cmd/test/main.go":                model.Production,
		"go.mod":                          model.Configuration,
		"go.sum":                          model.Configuration,
		"Makefile":                        model.Configuration,
		".golangci.yml":                   model.Configuration,
		"templates/page.tmpl":             model.Other,
		"script.py":                       model.Other,
	}
	got := map[string]model.Kind{}
	for p := range want {
		got[p] = Language{}.Kind(p)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

var units = archive(`
-- go.mod --
module example.com/m/v2
-- a.go --
package m
-- a_test.go --
package m
-- sub/x.go --
package sub
-- sub/x_test.go --
package sub_test
-- sub/y_test.go --
package sub
-- sub/testdata/z_test.go --
package z
-- _ex/z_test.go --
package z
-- tool/go.mod --
module example.com/tool
-- tool/in/in_test.go --
package in
-- internal/testutil/util.go --
package testutil
`)

func TestUnits(t *testing.T) {
	var l Language
	want := map[string]string{
		"a_test.go": "example.com/m/v2", "sub/x_test.go": "example.com/m/v2/sub", "sub/y_test.go": "example.com/m/v2/sub",
		"tool/in/in_test.go": "example.com/tool/in",
	}
	got := map[string]string{}
	for _, p := range units.Paths() {
		if u, ok := l.Unit(units, p); ok {
			got[p] = u
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"sub/x_test.go", "sub/y_test.go"}, l.UnitFiles(units, "example.com/m/v2/sub")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"tool/in/in_test.go"}, l.UnitFiles(units, "example.com/tool/in")); d != "" {
		t.Error(d)
	}
	if f := l.UnitFiles(units, "example.com/nowhere"); f != nil {
		t.Errorf("unit of no module: %v", f)
	}
	if d := cmp.Diff([]string{"example.com/m/v2/sub", "example.com/m/v2"}, l.Nearby(units, []string{"sub/x.go", "a.go", "sub/x.go", "internal/testutil/util.go"})); d != "" {
		t.Error(d)
	}
	unit, function := l.Function("example.com/m/v2::TestX/a::b/c")
	if unit != "example.com/m/v2" || function != "TestX" {
		t.Errorf("function %q of unit %q", function, unit)
	}
	if got, err := lang.Detect([]lang.Language{l}, units); err != nil || got.Name() != "go" {
		t.Errorf("detect: %v, %v", got, err)
	}
}

func TestSyntax(t *testing.T) {
	var l Language
	for src, want := range map[string]string{
		"package a\n":           "",
		"package a\nfunc f( {}": "parse a.go: 2:9: expected ')', found '{'",
		"":                      "parse a.go: 1:1: expected 'package', found 'EOF'",
	} {
		got := ""
		if err := l.Syntax("a.go", []byte(src)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q", src, got)
		}
	}
	if err := l.Syntax("a.txt", []byte("func (")); err != nil {
		t.Error(err)
	}
}
