// Record runs the cases of a language's recordings on the real runners again and writes what
// these report into the recordings:
//
//	go run ./scripts/record [-env FOLDER] [-only PATTERN] go|python|node
//	go run ./scripts/record jvm
//
// A recording is a txtar archive in the language's testdata (langtest.Recording), whose sections
// outcome and report are written. What is read from them, `want`, is the tests' (-update).
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang/langtest"
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
	"go":     golang,
	"python": python,
	"node":   node,
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
	run, in, err := langtest.Parse(a)
	if err != nil {
		return err
	}
	b, err := newBox(env, in)
	if err != nil {
		return err
	}
	defer b.close()
	build, command, err := rec.plan(in, run)
	if err != nil {
		return err
	}
	if err := b.all(ctx, build, 5*time.Minute); err != nil {
		return err
	}
	o, err := b.run(ctx, command, run.Limits.Wall)
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
	langtest.Set(a, "outcome", append(outcome, '\n'))
	langtest.Set(a, "report", o.Report)
	return os.WriteFile(file, txtar.Format(a), 0o644)
}
