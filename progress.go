package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/taskmill/taskmill/pipelines/execute"
)

// silence is how long a job whose messages go to a file says nothing.
const silence = time.Minute

// showProgress keeps one line of counts up to date while a job runs. Where messages do not go to
// a terminal it writes one now and then.
func showProgress(w io.Writer) (stop func()) {
	begin, end, every := "\r\x1b[K", "", 500*time.Millisecond
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		begin, end, every = "taskmill: ", "\n", silence
	}
	start := time.Now()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				if end == "" {
					fmt.Fprint(w, begin)
				}
				return
			case <-tick.C:
				p := &execute.Progress
				fmt.Fprintf(w, begin+"%s  records %d  changes %d  bases %d  candidates %d  runs %d (+%d from the ledger)  tasks %d  rejected %d"+end,
					time.Since(start).Round(time.Second), p.Records.Load(), p.Changes.Load(), p.Bases.Load(), p.Candidates.Load(),
					p.Runs.Load(), p.FromLedger.Load(), p.Tasks.Load(), p.Rejected.Load())
			}
		}
	}()
	return func() { close(done); <-ended }
}
