package sandboxio

import (
	"io"
	"os"
	"syscall"

	"github.com/taskmill/taskmill/model"
)

// readReport reads the report file that a finished run may have left below tmp: a regular file
// only, never a link, and never more than the limit.
func readReport(tmp *os.Root, name string, limit int64) (report []byte, tooLarge, ok bool) {
	if info, err := tmp.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, false, false
	}
	f, err := tmp.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, false, false
	}
	if info.Size() > limit {
		return nil, true, true
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, false, false
	}
	if int64(len(b)) > limit {
		return nil, true, true
	}
	return b, false, true
}

// withReport completes the outcome of a run with its report. A command that came to its own
// end and left no report it was asked for has none.
func withReport(o model.Outcome, c command, limits model.Limits, read func(name string, limit int64) (report []byte, tooLarge, ok bool)) model.Outcome {
	switch {
	case c.stdoutOnly:
		if int64(len(o.Report)) > limits.ReportBytes {
			o.Report, o.ReportTooLarge = nil, true
		}
	case c.report != "" && o.Outcome != model.OutcomeInfrastructure:
		var ok bool
		o.Report, o.ReportTooLarge, ok = read(c.report, limits.ReportBytes)
		if !ok && (o.Outcome == model.OutcomeOK || o.Outcome == model.OutcomeFailed) {
			o.Outcome = model.OutcomeNoReport
		}
	}
	return o
}
