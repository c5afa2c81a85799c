package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

// killed ends builds by SIGKILL at random moments and resumes each, until one is done; then the
// next begins afresh, until enough were killed. The last one is let to its end.
func killed(ctx context.Context, b *bench) (string, error) {
	want, err := b.reference(ctx)
	if err != nil {
		return "", err
	}
	whole := 10 * time.Second // grows to what a build takes here
	seed := uint64(time.Now().UnixNano())
	draw := rand.New(rand.NewPCG(seed, 0))
	kills, builds := 0, 0
	for kills < b.kills {
		builds++
		name := fmt.Sprintf("kill-%d", builds)
		out := filepath.Join(b.dir, name, "corpus")
		began := time.Now()
		for done := false; !done; {
			cmd, end, err := start(ctx, b.app, b.buildArgs(name, "go", "local", out)...)
			if err != nil {
				return "", err
			}
			if kills < b.kills {
				after := time.Duration(draw.Int64N(int64(whole)))
				timer := time.AfterFunc(after, func() { cmd.Process.Signal(syscall.SIGKILL) })
				cmd.Wait()
				timer.Stop()
			} else {
				cmd.Wait()
			}
			e, err := end()
			switch {
			case err != nil:
				return "", err
			case e.code == 0:
				done = true
			case e.code == -1:
				kills++
			default:
				return "", fmt.Errorf("resume after %d kills (seed %d): exit %d: %s", kills, seed, e.code, lastLines(e.errOut, 15))
			}
		}
		whole = max(time.Since(began)/2, time.Second)
		if err := errors.Join(sameFiles(want, out, "tasks"), onceEach(ctx, out)); err != nil {
			return "", fmt.Errorf("after %d kills (seed %d): %w", kills, seed, err)
		}
		if err := os.RemoveAll(filepath.Join(b.dir, name)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d kills in %d builds, same tasks, no run made twice", kills, builds), nil
}

// onceEach wants every run of a corpus to have been made once.
func onceEach(ctx context.Context, corpus string) error {
	n := 0
	for r, err := range parquetio.ReadTable[model.RunRow](ctx, corpus, "runs") {
		if err != nil {
			return err
		}
		if n++; r.Executions > 1 {
			return fmt.Errorf("run %s was made %d times", r.RunHash, r.Executions)
		}
	}
	if n == 0 {
		return errors.New("the corpus has no runs")
	}
	return nil
}

// interrupted wants an interrupt to end a build within three seconds with exit code 130, and the
// build to go on afterwards.
func interrupted(ctx context.Context, b *bench) (string, error) {
	var slowest time.Duration
	for _, runner := range []string{"direct", "prism"} {
		for i, moment := range []time.Duration{500 * time.Millisecond, 4 * time.Second} {
			name := fmt.Sprintf("interrupt-%s-%d", runner, i)
			args := append(b.buildArgs(name, "go", "local", filepath.Join(b.dir, name, "corpus")), "--runner", runner)
			cmd, end, err := start(ctx, b.app, args...)
			if err != nil {
				return "", err
			}
			select {
			case <-ctx.Done():
			case <-time.After(moment):
			}
			sent := time.Now()
			cmd.Process.Signal(os.Interrupt)
			cmd.Wait()
			took := time.Since(sent)
			e, err := end()
			if err != nil {
				return "", err
			}
			if e.code != 130 || took > 3*time.Second {
				return "", fmt.Errorf("%s, interrupted after %s: exit %d after %s, want 130 within 3s: %s", runner, moment, e.code, took, lastLines(e.errOut, 10))
			}
			slowest = max(slowest, took)
		}
	}
	return fmt.Sprintf("exit 130, at the latest after %s", slowest.Round(10*time.Millisecond)), nil
}

var made = regexp.MustCompile(`(\d+) runs made, (\d+) from the ledger`)

// again builds a corpus that was built before into another folder: nothing is run.
func again(ctx context.Context, b *bench) (string, error) {
	want, err := b.reference(ctx)
	if err != nil {
		return "", err
	}
	out := filepath.Join(b.dir, "again")
	began := time.Now()
	e, err := b.taskmill(ctx, b.buildArgs("direct-go", "go", "local", out)...)
	if err != nil {
		return "", err
	}
	m := made.FindStringSubmatch(e.out)
	if m == nil {
		return "", fmt.Errorf("no count of runs in %q", e.out)
	}
	fromLedger, err := strconv.Atoi(m[2])
	if err != nil || m[1] != "0" || fromLedger == 0 {
		return "", fmt.Errorf("%s runs made and %s taken from the ledger, want none made", m[1], m[2])
	}
	return fmt.Sprintf("0 runs made, %d from the ledger, in %s", fromLedger, time.Since(began).Round(100*time.Millisecond)), differences(ctx, want, out)
}

// readers has other programs read the corpus.
func readers(ctx context.Context, b *bench) (string, error) {
	corpus, err := b.reference(ctx)
	if err != nil {
		return "", err
	}
	e, err := program(ctx, filepath.Join("scripts", "readers", "run.sh"), corpus)
	if err == nil && e.code != 0 {
		err = fmt.Errorf("exit %d: %s", e.code, lastLines(e.out+e.errOut, 15))
	}
	return "DuckDB, pandas, polars and pyarrow read every table", err
}
