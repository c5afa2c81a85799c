package main

import (
	"context"
	"time"

	"github.com/taskmill/taskmill/model"
	gorun "github.com/taskmill/taskmill/transforms/lang/golang"
)

// golang records go test. The go command of this machine is all that it needs.
var golang = recorder{folder: "transforms/lang/golang/testdata/recorded", prepare: prepareGo, plan: planGo}

// prepareGo compiles what all tests rest on, which takes longer than a test may.
func prepareGo(ctx context.Context, env string) error {
	in := []model.File{
		{Path: "go.mod", Data: []byte("module example.com/m\n\ngo 1.24\n")},
		{Path: "m_test.go", Data: []byte("package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n")},
	}
	build, run, err := planGo(in, model.Run{Unit: "example.com/m"})
	if err != nil {
		return err
	}
	b, err := newBox(env, in)
	if err != nil {
		return err
	}
	defer b.close()
	return b.all(ctx, append(build, run), 10*time.Minute)
}

func planGo(files []model.File, r model.Run) ([]model.Command, model.Command, error) {
	var l gorun.Language
	recipe, err := l.Recipe(memory(files))
	if err != nil {
		return nil, model.Command{}, err
	}
	return recipe.Protocol.Build, l.Command(recipe.Protocol, r), nil
}
