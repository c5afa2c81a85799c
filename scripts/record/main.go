// Record runs the cases of a language's recordings on the real runners again and writes what
// these report into the recordings:
//
//	go run ./scripts/record [-env FOLDER] [-only PATTERN] node
//	go run ./scripts/record jvm
//
// A recording is a txtar archive in the language's testdata: `run` is the run in JSON, `in/…` is
// the tree; `outcome` and `report` are written. What is read from them, `want`, is the tests'
// (-update).
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
)

// A recorder runs the recordings of one language.
type recorder struct {
	folder string // of the recordings, from the repository's root
	// prepare makes the environment that all cases share in the folder env.
	prepare func(ctx context.Context, env string) error
	// plan gives the commands that a case needs: its build, and the run's.
	plan func(files []model.File, r model.Run) (build []model.Command, run model.Command, err error)
}

// recorders has each language's, from the file of its name.
var recorders = map[string]recorder{
	"node": node,
}

// A recording is the section `run`.
type recording struct {
	Unit  string   `json:"unit"`
	Only  []string `json:"only,omitempty"`
	Skip  []string `json:"skip,omitempty"`
	With  []string `json:"with,omitempty"`
	Order int64    `json:"order,omitempty"`
	Wall  string   `json:"wall,omitempty"` // 60s where it is empty
}

func main() {
	env := flag.String("env", "", "keep the environment in this folder, and take it from there")
	only := flag.String("only", "*", "record the cases of this pattern only")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := record(ctx, flag.Arg(0), *env, *only); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(ctx context.Context, language, env, only string) error {
	if language == "jvm" {
		return jvm(ctx)
	}
	rec, ok := recorders[language]
	if !ok {
		return fmt.Errorf("no recordings of %q", language)
	}
	if env == "" {
		dir, err := os.MkdirTemp("", "record-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		env = dir
	}
	if err := rec.prepare(ctx, env); err != nil {
		return fmt.Errorf("prepare %s: %w", language, err)
	}
	files, err := filepath.Glob(filepath.Join(rec.folder, only+".txtar"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := rec.one(ctx, env, file); err != nil {
			return fmt.Errorf("record %s: %w", file, err)
		}
		fmt.Println(file)
	}
	return nil
}

// one records one case.
func (rec recorder) one(ctx context.Context, env, file string) error {
	a, err := txtar.ParseFile(file)
	if err != nil {
		return err
	}
	var r recording
	var in []model.File
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, "in/"); ok {
			in = append(in, model.File{Path: p, Mode: model.ModeFile, Data: f.Data})
		}
		if f.Name == "run" {
			if err := json.Unmarshal(f.Data, &r); err != nil {
				return err
			}
		}
	}
	b, err := newBox(env, in)
	if err != nil {
		return err
	}
	defer b.close()
	run := model.Run{Unit: r.Unit, Only: r.Only, Skip: r.Skip, With: r.With, Order: r.Order}
	build, command, err := rec.plan(in, run)
	if err != nil {
		return err
	}
	for _, c := range build {
		if o, err := b.run(ctx, c, time.Minute); err != nil || o.ExitCode != 0 {
			return fmt.Errorf("%v ended with %d: %v\n%s", c.Argv, o.ExitCode, err, o.Log)
		}
	}
	wall := time.Minute
	if r.Wall != "" {
		if wall, err = time.ParseDuration(r.Wall); err != nil {
			return err
		}
	}
	o, err := b.run(ctx, command, wall)
	if err != nil {
		return err
	}
	outcome, err := json.Marshal(struct {
		Outcome  string
		ExitCode int
	}{o.Outcome, o.ExitCode})
	if err != nil {
		return err
	}
	set(a, "outcome", append(outcome, '\n'))
	set(a, "report", o.Report)
	return os.WriteFile(file, txtar.Format(a), 0o644)
}

func set(a *txtar.Archive, name string, data []byte) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = data
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: data})
}
