package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/taskmill/taskmill/pipelines/execute"
)

// showProgress keeps one line of counts up to date while a job runs, on a terminal only.
func showProgress(w io.Writer) (stop func()) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	start := time.Now()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				fmt.Fprint(w, "\r\x1b[K")
				return
			case <-tick.C:
				p := &execute.Progress
				fmt.Fprintf(w, "\r\x1b[K%s  records %d  changes %d  bases %d  candidates %d  runs %d (+%d from the ledger)  tasks %d  rejected %d",
					time.Since(start).Round(time.Second), p.Records.Load(), p.Changes.Load(), p.Bases.Load(), p.Candidates.Load(),
					p.Runs.Load(), p.FromLedger.Load(), p.Tasks.Load(), p.Rejected.Load())
			}
		}
	}()
	return func() { close(done); <-ended }
}
