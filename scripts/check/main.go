// Check is the one gate: it runs what a change has to pass, one line a step, and stops at the
// first that fails.
//
// usage: go run ./scripts/check [-short] [step…]
//
// The steps are gofmt, vet, staticcheck, fix, test and race. The race detector watches the
// packages that do not import Beam, in their short form: with it Beam alone compiles for minutes.
// Without -short the step test runs the long form of all.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// A step passes when its command succeeds and, where it should, prints nothing.
type step struct {
	name   string
	run    func(ctx context.Context) (output []byte, err error)
	silent bool // output is a fault
}

func main() {
	short := flag.Bool("short", false, "leave out the tests that take long")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: go run ./scripts/check [-short] [step…]\nsteps: %s\n", strings.Join(names(steps(false)), " "))
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	all := steps(*short)
	for _, name := range flag.Args() {
		if !slices.Contains(names(all), name) {
			fmt.Fprintf(os.Stderr, "check: unknown step %q: want %s\n", name, strings.Join(names(all), ", "))
			os.Exit(2)
		}
	}
	for _, s := range all {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), s.name) {
			continue
		}
		start := time.Now()
		out, err := s.run(ctx)
		if err == nil && s.silent && len(bytes.TrimSpace(out)) > 0 {
			err = fmt.Errorf("output where there should be none")
		}
		took := time.Since(start).Round(100 * time.Millisecond)
		if err != nil {
			os.Stdout.Write(out)
			fmt.Printf("check: %s FAILED: %v (%s)\n", s.name, err, took)
			os.Exit(1)
		}
		fmt.Printf("check: %s ok (%s)\n", s.name, took)
	}
}

func names(steps []step) []string {
	var out []string
	for _, s := range steps {
		out = append(out, s.name)
	}
	return out
}

func steps(short bool) []step {
	test := []string{"go", "test"}
	if short {
		test = append(test, "-short")
	}
	return []step{
		{name: "gofmt", run: command("gofmt", "-l", "."), silent: true},
		{name: "vet", run: command("go", "vet", "./...")},
		{name: "staticcheck", run: command("go", "tool", "staticcheck", "-checks", "all", "./...")},
		{name: "fix", run: command("go", "fix", "-diff", "./..."), silent: true},
		{name: "test", run: tested(append(slices.Clone(test), "./...")...)},
		{name: "race", run: func(ctx context.Context) ([]byte, error) {
			pure, err := withoutBeam(ctx)
			if err != nil {
				return nil, err
			}
			return tested(slices.Concat(test, []string{"-race", "-short"}, pure)...)(ctx)
		}},
	}
}

// command runs a program and keeps what it prints.
func command(args ...string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		return exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	}
}

// withoutBeam lists the packages with tests that reach Beam neither themselves nor by their
// tests.
func withoutBeam(ctx context.Context) ([]string, error) {
	const format = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}{{end}}`
	out, err := exec.CommandContext(ctx, "go", "list", "-f", format, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	heavy := map[string]bool{}
	var pure []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if strings.Contains(line, "apache/beam/") {
			heavy[fields[0]] = true
			continue
		}
		pure = append(pure, line)
	}
	var packages []string
	for _, line := range pure { // a test may import one of ours that reaches Beam
		fields := strings.Fields(line)
		if !slices.ContainsFunc(fields, func(f string) bool { return heavy[f] }) {
			packages = append(packages, fields[0])
		}
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("no package without Beam")
	}
	return packages, nil
}
