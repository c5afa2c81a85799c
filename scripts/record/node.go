package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/taskmill/taskmill/model"
	noderun "github.com/taskmill/taskmill/transforms/lang/node"
)

// node records node:test, Jest, Mocha, Vitest and AVA.
var node = recorder{folder: "transforms/lang/node/testdata", prepare: prepareNode, plan: planNode}

// runnersManifest pins the runners that the recordings are of.
const runnersManifest = `{
  "name": "taskmill-recordings",
  "private": true,
  "scripts": { "test": "jest" },
  "devDependencies": {
    "@types/jest": "29.5.14", "@types/mocha": "10.0.10", "@types/node": "20.19.0",
    "ava": "6.4.1", "jest": "29.7.0", "mocha": "10.8.2", "ts-jest": "29.4.0", "ts-node": "10.9.2",
    "tsx": "4.20.3", "typescript": "5.8.3", "vitest": "3.2.4"
  }
}
`

func prepareNode(ctx context.Context, env string) error {
	in := []model.File{{Path: "package.json", Mode: model.ModeFile, Data: []byte(runnersManifest)}}
	r, err := noderun.Recipe("javascript", memory(in))
	if err != nil {
		return err
	}
	for _, f := range r.Files { // ours may be newer than the packages
		if err := write(filepath.Join(env, "taskmill", f.Path), f.Data); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(env, "deps/node_modules/jest")); err == nil {
		return nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	b, err := newBox(env, in)
	if err != nil {
		return err
	}
	defer b.close()
	return b.all(ctx, r.Prepare, 10*time.Minute)
}

func planNode(files []model.File, r model.Run) ([]model.Command, model.Command, error) {
	recipe, err := noderun.Recipe("javascript", memory(files))
	if err != nil {
		return nil, model.Command{}, err
	}
	return recipe.Protocol.Build, noderun.Command(recipe.Protocol, r), nil
}

// memory is a tree of files.
type memory []model.File

func (m memory) Paths() []string {
	var out []string
	for _, f := range m {
		out = append(out, f.Path)
	}
	slices.Sort(out)
	return out
}

func (m memory) Read(path string) (model.File, bool, error) {
	for _, f := range m {
		if f.Path == path {
			return f, true, nil
		}
	}
	return model.File{}, false, nil
}
