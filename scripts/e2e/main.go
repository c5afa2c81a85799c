// E2e builds taskmill and puts it through what a user does with it: the same rows from every
// runner, every sandbox, killed builds, second builds, other programs reading the corpus, and bad
// pull requests, of which none may become a task.
//
// usage: go run ./scripts/e2e [-kills N] [-keep] [-strict] [step…]
//
// It prints one line a step and ends with 'N passed, N failed'; exit status 1 when one failed.
// Without a step named it takes all but the slow ones, which stand last in the usage.
// A step whose engine this machine lacks says so and is not counted; with -strict that is a
// failure, but for Flink, whose server only some have.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A bench is what the steps share.
type bench struct {
	dir   string // temporary, of this run
	cache string // tools, kept from run to run
	app   string // the stripped binary
	kills int
}

// languages have a sample each that every runner builds, and bubblewrap and Docker. Those of slow
// are built in bubblewrap alone, elsewhere when the step is named; those of compiled nowhere
// without, since each state of theirs costs the start of a compiler.
var (
	languages = []string{"go", "python", "javascript"}
	slow      = []string{"typescript"}
	compiled  = []string{"java", "kotlin"}
)

// A step gives a line of what it saw.
type step struct {
	name  string
	run   func(ctx context.Context, b *bench) (string, error)
	asked bool // taken only when it is named
}

// skipped is why a step cannot be tried on this machine.
type skipped struct{ why string }

func (s skipped) Error() string { return s.why }

func steps() []step {
	out := []step{}
	for _, lang := range languages {
		out = append(out, onRunners(lang))
	}
	out = append(out, step{name: "flink", run: onFlink}, step{name: "dataflow", run: describe})
	for _, kind := range []string{"bwrap", "docker"} {
		for _, lang := range languages {
			out = append(out, boxed(kind, lang))
		}
	}
	for _, lang := range slow {
		out = append(out, boxed("bwrap", lang))
	}
	out = append(out, step{name: "kill", run: killed}, step{name: "interrupt", run: interrupted}, step{name: "again", run: again}, step{name: "readers", run: readers},
		step{name: "bad", run: rejectsBad})
	var asked []step
	for _, lang := range slow {
		asked = append(asked, onRunners(lang), boxed("docker", lang))
	}
	for _, lang := range compiled {
		asked = append(asked, onRunners(lang), boxed("bwrap", lang), boxed("docker", lang))
	}
	for _, s := range asked {
		s.asked = true
		out = append(out, s)
	}
	return out
}

func onRunners(lang string) step {
	return step{name: "runners-" + lang, run: func(ctx context.Context, b *bench) (string, error) { return sameRows(ctx, b, lang) }}
}

func boxed(kind, lang string) step {
	return step{name: kind + "-" + lang, run: func(ctx context.Context, b *bench) (string, error) { return inSandbox(ctx, b, kind, lang) }}
}

func main() {
	kills := flag.Int("kills", 5, "builds to kill; 20 is the long form")
	keep := flag.Bool("keep", false, "keep the temporary folder")
	strict := flag.Bool("strict", false, "a step that cannot be tried here has failed, but for Flink")
	all := steps()
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: go run ./scripts/e2e [-kills N] [-keep] [-strict] [step…]\nsteps: %s\n", strings.Join(names, " "))
		flag.PrintDefaults()
	}
	flag.Parse()
	for _, a := range flag.Args() {
		if !slices.Contains(names, a) {
			fmt.Fprintf(os.Stderr, "e2e: unknown step %q: want %s\n", a, strings.Join(names, ", "))
			os.Exit(2)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, all, flag.Args(), *kills, *keep, *strict)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "e2e: %v\n", err)
	}
	os.Exit(code)
}

func run(ctx context.Context, all []step, wanted []string, kills int, keep, strict bool) (int, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return 1, err
	}
	b := &bench{cache: filepath.Join(cache, "taskmill", "e2e"), kills: kills}
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return 1, err
	}
	if b.dir, err = os.MkdirTemp("", "taskmill-e2e-*"); err != nil {
		return 1, err
	}
	if keep {
		fmt.Println("kept:", b.dir)
	} else {
		defer os.RemoveAll(b.dir)
	}
	passed, failed := 0, 0
	try := func(s step) {
		start := time.Now()
		detail, err := s.run(ctx, b)
		took := time.Since(start).Round(100 * time.Millisecond)
		var skip skipped
		switch {
		case errors.As(err, &skip) && strict && s.name != "flink":
			failed++
			fmt.Printf("FAILED  %s: cannot be tried: %s\n", s.name, skip.why)
		case errors.As(err, &skip):
			fmt.Printf("SKIPPED %s: %s\n", s.name, skip.why)
		case err != nil:
			failed++
			fmt.Printf("FAILED  %s: %v (%s)\n", s.name, err, took)
		default:
			passed++
			fmt.Printf("ok      %s: %s (%s)\n", s.name, detail, took)
		}
	}
	try(step{name: "binary", run: buildApp})
	for _, s := range all {
		if failed > 0 && b.app == "" || ctx.Err() != nil {
			break
		}
		if len(wanted) == 0 && !s.asked || slices.Contains(wanted, s.name) {
			try(s)
		}
	}
	if ctx.Err() != nil {
		failed++
		fmt.Println("FAILED  interrupted")
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return 1, nil
	}
	return 0, nil
}
