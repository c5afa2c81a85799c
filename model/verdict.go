package model

// A Verdict is the outcome of one check in one run.
type Verdict string

// Verdicts.
const (
	Pass       Verdict = "pass"
	Fail       Verdict = "fail"
	Error      Verdict = "error"
	Skip       Verdict = "skip"
	Todo       Verdict = "todo"
	XFail      Verdict = "xfail" // an executed expected failure
	XPass      Verdict = "xpass"
	Timeout    Verdict = "timeout"
	Crash      Verdict = "crash"
	NotRun     Verdict = "not_run"
	BuildError Verdict = "build_error"
)

// Holds reports whether a check with this verdict holds: it passed, or failed as expected.
func (v Verdict) Holds() bool { return v == Pass || v == XFail }

// HoldsAs reports whether a check holds with the verdict that it has on H: an expected failure
// is none in place of a pass, since code under test can declare one.
func (v Verdict) HoldsAs(onH Verdict) bool { return v.Holds() && v == onH }

// Fails reports whether the verdict is an observed failure: the check ran and failed, errored
// or crashed. A build error, a timeout and not_run are none.
func (v Verdict) Fails() bool { return v == Fail || v == Error || v == Crash }

// A Check is one test case with its verdict. ID is verbatim as the runner names it, with the
// unit in front where the runner does not (Go: import/path::TestX/sub).
type Check struct {
	ID      string  `parquet:"id"`
	Verdict Verdict `parquet:"verdict"`
	Seconds float64 `parquet:"seconds"`
}
