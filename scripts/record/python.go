package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/taskmill/taskmill/model"
	pyrun "github.com/taskmill/taskmill/transforms/lang/python"
)

// python records pytest.
var python = recorder{folder: "transforms/lang/python/testdata/recorded", prepare: preparePython, plan: planPython}

// preparePython makes the environment of a tree that asks for pytest alone.
func preparePython(ctx context.Context, env string) error {
	in := []model.File{{Path: "test_a.py", Mode: model.ModeFile}}
	r, err := pyrun.Language{}.Recipe(memory(in))
	if err != nil {
		return err
	}
	for _, f := range r.Files {
		if err := write(filepath.Join(env, "taskmill", f.Path), f.Data); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(env, "venv")); err == nil {
		return nil
	}
	b, err := newBox(env, in)
	if err != nil {
		return err
	}
	defer b.close()
	return b.all(ctx, r.Prepare, 10*time.Minute)
}

func planPython(files []model.File, r model.Run) ([]model.Command, model.Command, error) {
	var l pyrun.Language
	recipe, err := l.Recipe(memory(files))
	if err != nil {
		return nil, model.Command{}, err
	}
	return recipe.Protocol.Build, l.Command(recipe.Protocol, r), nil
}
