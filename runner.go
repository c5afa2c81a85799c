package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/taskmill/taskmill/runners/dataflow"
	"github.com/taskmill/taskmill/runners/direct"
	"github.com/taskmill/taskmill/runners/flink"
	"github.com/taskmill/taskmill/runners/prism"
	"github.com/taskmill/taskmill/runners/universal"
)

// runnerFlags choose how a pipeline is launched. Beam's own options keep Beam's names.
type runnerFlags struct {
	runner string
	shards int
}

// own are the names of Beam's flags that taskmill has itself or that only its worker mode takes.
var workerOnly = map[string]bool{
	"worker": true, "id": true, "logging_endpoint": true, "control_endpoint": true, "semi_persist_dir": true,
	"options": true, "runner": true,
}

func (f *runnerFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.runner, "runner", "direct", "direct, prism, universal, flink or dataflow")
	flag.CommandLine.VisitAll(func(g *flag.Flag) {
		if !workerOnly[g.Name] && !strings.HasPrefix(g.Name, "test.") && fs.Lookup(g.Name) == nil {
			fs.Var(g.Value, g.Name, g.Usage)
		}
	})
}

// adopt marks the Beam options that were given as set, since runners are sent only those.
func (f *runnerFlags) adopt(fs *flag.FlagSet) error {
	fs.Visit(func(g *flag.Flag) {
		if b := flag.CommandLine.Lookup(g.Name); b != nil && b.Value == g.Value {
			flag.CommandLine.Set(g.Name, g.Value.String())
		}
	})
	switch f.runner {
	case "direct", "prism":
		f.shards = 1
		return nil
	case "universal":
		f.shards = max(*jobopts.Parallelism, 2)
		return usageOf(universal.Validate())
	case "flink":
		f.shards = max(*jobopts.Parallelism, 2)
		return usageOf(flink.Validate())
	case "dataflow":
		f.shards = 32
		return usageOf(dataflow.Validate())
	}
	return usagef("--runner %s: want direct, prism, universal, flink or dataflow", f.runner)
}

func usageOf(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// remote reports whether workers may be other machines.
func (f *runnerFlags) remote() bool { return f.runner == "flink" || f.runner == "dataflow" }

// describes reports whether the job is only described (Dataflow's --dry_run), so that nothing in
// the cloud may be touched.
func (f *runnerFlags) describes() bool {
	dry := flag.CommandLine.Lookup("dry_run")
	return f.runner == "dataflow" && dry != nil && dry.Value.String() == "true"
}

var initBeam sync.Once

// quiet silences Beam's own log but for what its caller shows: the errors come back as errors.
type quiet struct{}

func (quiet) Log(context.Context, beamlog.Severity, int, string) {}

// shown prints what Beam says from Info on: of Dataflow that is the job and how it fares.
type shown struct{ w io.Writer }

func (s shown) Log(_ context.Context, sev beamlog.Severity, _ int, msg string) {
	if sev >= beamlog.SevInfo {
		fmt.Fprintln(s.w, msg)
	}
}

// withoutBeam drops what the runners in this process log: a failure comes back as an error, and
// Prism tells it several times before, with the whole plan.
type withoutBeam struct{ slog.Handler }

func (h withoutBeam) Handle(ctx context.Context, r slog.Record) error {
	frame, _ := runtime.CallersFrames([]uintptr{r.PC}).Next()
	if strings.HasPrefix(frame.Function, "github.com/apache/beam/") {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h withoutBeam) WithAttrs(a []slog.Attr) slog.Handler {
	return withoutBeam{h.Handler.WithAttrs(a)}
}

func (h withoutBeam) WithGroup(name string) slog.Handler {
	return withoutBeam{h.Handler.WithGroup(name)}
}

// launch builds the pipeline and runs it.
func (f *runnerFlags) launch(ctx context.Context, errw io.Writer, build func(beam.Scope)) error {
	initBeam.Do(func() {
		own := slog.Default()
		beam.Init() // replaces slog's default handler
		slog.SetDefault(slog.New(withoutBeam{own.Handler()}))
		beamlog.SetLogger(quiet{})
	})
	p, s := beam.NewPipelineWithRoot()
	build(s)
	var err error
	switch f.runner {
	case "direct":
		err = direct.Run(ctx, p)
	case "prism":
		err = prism.Run(ctx, p)
	case "universal":
		err = universal.Run(ctx, p)
	case "flink":
		err = flink.Run(ctx, p)
	case "dataflow":
		beamlog.SetLogger(shown{errw})
		err = dataflow.Run(ctx, p)
	default:
		err = fmt.Errorf("unknown runner %q", f.runner)
	}
	return err
}
