package lang

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func TestKind(t *testing.T) {
	want := map[string]model.Kind{
		"README.md":                    model.Docs,
		"CHANGES.txt":                  model.Docs,
		"LICENSE":                      model.Docs,
		"changelog.d/12.bugfix":        model.Docs,
		"docs/conf.py":                 model.Docs,
		"doc/guide.html":               model.Docs,
		"examples/hello/main.py":       model.Docs,
		"man/tool.1":                   model.Docs,
		"tool.8":                       model.Docs,
		"src/pkg/docs/render.py":       model.Other,
		"src/pkg/docs/guide.rst":       model.Docs,
		"docstring.py":                 model.Other,
		"documents/x.py":               model.Other,
		"libz.so.1":                    model.Other,
		"latest.go":                    model.Other,
		"contest/x.py":                 model.Other,
		"attestation.py":               model.Other,
		"vendor/a/b.go":                model.Vendored,
		"vendor/a/README.md":           model.Vendored,
		"vendors/a.go":                 model.Other,
		"web/node_modules/x/index.js":  model.Vendored,
		"pip/_vendor/x.py":             model.Vendored,
		"third_party/x.c":              model.Vendored,
		"api/x.pb.go":                  model.Generated,
		"api/x_pb2.py":                 model.Generated,
		"zz_generated.deepcopy.go":     model.Generated,
		"schema.generated.ts":          model.Generated,
		"generated.go":                 model.Other,
		"generator.py":                 model.Other,
		"go.mod":                       model.Configuration,
		"sub/go.sum":                   model.Configuration,
		"Makefile":                     model.Configuration,
		".golangci.yml":                model.Configuration,
		".github/workflows/ci.yml":     model.Configuration,
		"pyproject.toml":               model.Configuration,
		"requirements/test.txt":        model.Configuration,
		"requirements-dev.txt":         model.Configuration,
		"app/data/words.yaml":          model.Other,
		"taskmill.yaml":                model.Configuration,
		"web/vite.config.ts":           model.Configuration,
		"config.ts":                    model.Other,
		"main.go":                      model.Other,
		"":                             model.Other,
		"dir/":                         model.Other,
		"testdata/requirements_of.txt": model.Configuration,
	}
	got := map[string]model.Kind{}
	for p := range want {
		got[p] = Kind(p)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
