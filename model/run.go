package model

import "time"

// Limits bound one process group. Zero means the sandbox's default.
type Limits struct {
	Wall        time.Duration // of one command
	MemoryBytes int64
	Processes   int64
	OutputBytes int64 // of stdout and stderr together
	DiskBytes   int64 // written in the state
	ReportBytes int64 // a larger report is not read
}

// A Command is what a sandbox starts. In Argv, Env and Dir the sandbox replaces
// {env} (the environment's folder), {testbed} (the tree's root), {tmp} (the state's own
// temporary folder) and {report} (a path, new and random each time, where the runner writes
// its report).
type Command struct {
	Argv []string
	Env  []string // NAME=value, added to the sandbox's own minimal environment
	Dir  string   // relative to the tree's root
	// Stdout is kept apart as the report (go test -json) instead of {report}.
	ReportStdout bool
}

// A Run is one unit in one tree. Its Key is its name in the ledger; equal Runs are executed
// once.
type Run struct {
	Tree       Hash // git tree id
	Lock       Hash
	Protocol   Hash
	Unit       string        // as the language names it; "" is the build
	With       []string      // further units in the same process (guards)
	Order      int64         // seed; 0 is the runner's own order
	ClockShift time.Duration // faketime offset
	Sandbox    string        // docker, bwrap, local
	Limits     Limits
	Repeat     int
	Skip       []string // test functions left out (a process died in them)
	Only       []string // test functions asked for; empty is all

	// Derived from the above by the language, not part of the key.
	Command Command
}

// Key is the run's name in the ledger.
func (r Run) Key() Hash {
	r.Command = Command{}
	return Digest(r)
}

// How an outcome ended.
const (
	OutcomeOK             = "ok"     // exit status 0
	OutcomeFailed         = "failed" // another exit status
	OutcomeTimeout        = "timeout"
	OutcomeMemory         = "memory"
	OutcomeOutput         = "output"
	OutcomeDisk           = "disk"
	OutcomeKilled         = "killed" // by a signal that was not ours
	OutcomeNoReport       = "no_report"
	OutcomeForged         = "forged"
	OutcomeInfrastructure = "infrastructure" // the sandbox's fault: engine, disk full, exit 125-127 before the runner starts
)

// An Outcome is the raw result of one command. It is what the ledger stores.
type Outcome struct {
	Outcome        string
	ExitCode       int
	Report         []byte // raw, cut never: over the limit it is empty and ReportTooLarge set
	ReportTooLarge bool
	Log            []byte // stdout and stderr as they came, at most Limits.OutputBytes; paths normalised
	Detail         string // one line for infrastructure outcomes
	Seconds        float64
}

// A Diagnostic is one error of a compiler or of a collector.
type Diagnostic struct {
	Path     string // in the tree
	Line     int
	Message  string
	Names    []string // symbols that it says are missing or used wrongly
	FollowUp bool     // an unused name or import: a consequence of another error
}

// An Observation is what a complete run showed: one command, or several where a process died
// and the rest was run again.
type Observation struct {
	Run         Run
	Outcome     string // as Outcome.Outcome
	ExitCode    int
	Checks      []Check // sorted by id; a check that is absent was not run
	BuildError  bool    // the build unit could not be compiled or collected
	Diagnostics []Diagnostic
	Detail      string
	Seconds     float64
	FromLedger  bool
	Executions  int
	LogHash     Hash
}

// Verdict is the verdict of the check id; a build error counts for every check of the unit, an
// absent check was not run.
func (o Observation) Verdict(id string) Verdict {
	for _, c := range o.Checks {
		if c.ID == id {
			return c.Verdict
		}
	}
	if o.BuildError {
		return BuildError
	}
	if o.Outcome == OutcomeTimeout {
		return Timeout
	}
	return NotRun
}
