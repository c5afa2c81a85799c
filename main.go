// Command taskmill turns repositories, pull requests and issues into verified, executable tasks
// for coding agents, and scores agents on them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taskmill/taskmill/pipelines/execute"
)

// Exit codes.
const (
	exitDone           = 0
	exitFailed         = 1
	exitUsage          = 2
	exitInfrastructure = 3 // done, with more rejections for infrastructure than allowed
)

// softMemory is what the collector keeps the process below while what is alive leaves room, in
// bytes: reports of 50 MB come and go, and a heap that may double would take twice that.
const softMemory = 800 << 20

// release is set by the linker in released binaries.
var release string

// version is the release, or the commit of a clean build, or devel.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	commit, clean := "", false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			clean = s.Value == "false"
		}
	}
	if clean && len(commit) >= 12 {
		return commit[:12]
	}
	return "devel"
}

// A command is one subcommand.
type command struct {
	name    string
	args    string
	summary string
	run     func(ctx context.Context, c *call) error
}

// A call is one invocation of a subcommand.
type call struct {
	flags  *flag.FlagSet
	args   []string
	out    io.Writer // data
	err    io.Writer // progress and messages
	banner string    // usage line
}

var commands = []command{
	{"build", "--repo PATH|URL|sample:NAME … --out DIR", "turn merged pull requests into a corpus of verified tasks", runBuild},
	{"ingest", "--source auto|jsonl|parquet|dump|swebench --in PATH … --out DIR", "gather records of pull requests and issues from files and histories", runIngest},
	{"show", "CORPUS TASK [--hidden]", "one task as a person reads it; without TASK, a list", runShow},
	{"verify", "CORPUS [--task ID] [--repeat N]", "run the lifecycle of accepted tasks again and report drift", runVerify},
	{"eval", "--tasks CORPUS --predictions FILE|gold|empty --out DIR", "score predictions on the tasks of a corpus", runEval},
	{"report", "CORPUS … [--format text|json]", "what became of the changes of corpora: recovery, levels, reasons, fidelity, bases, costs", runReport},
	{"compare", "--a RESULTS --b RESULTS --pairs FILE|same [--tasks CORPUS]", "paired statistics of two evaluations: difference, agreement, McNemar's test", runCompare},
	{"env", "--repo PATH|URL|sample:NAME", "resolve, prepare and check a healthy base", runEnv},
	{"doctor", "", "what this machine has and lacks", runDoctor},
	{"version", "", "print the version", runVersion},
}

func runVersion(_ context.Context, c *call) error {
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.args) > 0 {
		return usagef("unexpected argument %q", c.args[0])
	}
	_, err := fmt.Fprintln(c.out, "taskmill", version())
	return err
}

// usageError is a fault of the call itself.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// infrastructureError says that the work is done but for rejections that a later build takes up.
type infrastructureError struct{ error }

func main() {
	// A runner starts this binary as a worker with --worker and no subcommand.
	if len(os.Args) > 1 && strings.HasPrefix(strings.TrimLeft(os.Args[1], "-"), "worker") && os.Args[1][0] == '-' {
		flag.CommandLine.Parse(os.Args[1:])
		beam.Init() // does not return in a worker
		os.Exit(exitFailed)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
}

// Main runs one subcommand and returns the exit code.
func Main(args []string, out, errw io.Writer) int {
	slog.SetDefault(slog.New(slog.NewTextHandler(errw, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		w, code := out, exitDone
		if len(args) == 0 {
			w, code = errw, exitUsage
		}
		if len(args) == 2 {
			return Main([]string{args[1], "-h"}, out, errw)
		}
		usage(w)
		return code
	}
	if args[0] == "--version" || args[0] == "-version" {
		args[0] = "version"
	}
	for _, c := range commands {
		if c.name == args[0] {
			return run(c, args[1:], out, errw)
		}
	}
	fmt.Fprintf(errw, "taskmill: unknown command %q: see taskmill help\n", args[0])
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "taskmill turns repositories and their pull requests into verified, executable tasks for\ncoding agents, and scores agents on them.")
	fmt.Fprintln(w)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprintln(w, "\nStart with: taskmill build --repo sample:go --sandbox local --out corpus")
	fmt.Fprintln(w, "Flags of a command: taskmill help COMMAND. Exit codes: 0 done, 1 failed, 2 usage,\n3 done but more rejections for infrastructure than --allow-infrastructure.")
}

// run parses and runs one command. The context ends at the first interrupt; a second one ends
// the process at once.
func run(c command, args []string, out, errw io.Writer) int {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	go func() {
		if _, ok := <-interrupts; !ok {
			return
		}
		stop(errInterrupted)
		<-interrupts
		os.Exit(130)
	}()
	cl := &call{flags: flag.NewFlagSet(c.name, flag.ContinueOnError), out: out, err: errw, banner: strings.TrimSpace("taskmill " + c.name + " " + c.args)}
	cl.flags.SetOutput(io.Discard)
	cl.args = args
	err := c.run(ctx, cl)
	if ctx.Err() != nil { // runners return on cancellation before their workers do
		waitFor(execute.Wait, 2500*time.Millisecond)
	}
	return report(ctx, c, cl, err, errw)
}

var errInterrupted = errors.New("interrupted")

func report(ctx context.Context, c command, cl *call, err error, errw io.Writer) int {
	var usage usageError
	var infra infrastructureError
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(cl.out, "%s\n\n%s\n\n", cl.banner, c.summary)
		cl.flags.SetOutput(cl.out)
		printFlags(cl)
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(errw, "taskmill %s: %v\n", c.name, oneLine(err))
		return exitUsage
	case errors.Is(context.Cause(ctx), errInterrupted):
		fmt.Fprintf(errw, "taskmill %s: interrupted; all finished runs are kept: run the same command again to go on\n", c.name)
		return 130
	case errors.As(err, &infra):
		fmt.Fprintf(errw, "taskmill %s: %v\n", c.name, oneLine(err))
		return exitInfrastructure
	case err != nil:
		fmt.Fprintf(errw, "taskmill %s: %v\n", c.name, oneLine(err))
		return exitFailed
	}
	return exitDone
}

// waitFor waits for f, at most d.
func waitFor(f func(), d time.Duration) {
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// doFn is how the SDK names the function that gave an error, before the error.
var doFn = regexp.MustCompile(`^\s*DoFn\[[^\n]*?\] failed:\s*`)

// stack is where the trace of a panic begins.
var stack = regexp.MustCompile(`\s(Full error:|goroutine \d+ \[)`)

// oneLine is the message that a person needs: a runner wraps the cause in the plan's layers, one
// a line, and the cause comes last. Of a panic the value stays and the stack goes.
func oneLine(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "caused by:"); i >= 0 {
		text = text[i+len("caused by:"):]
	}
	text = doFn.ReplaceAllString(text, "")
	if at := stack.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	return strings.Join(strings.Fields(text), " ")
}
