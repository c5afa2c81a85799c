package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/build"
)

// tellOwn says how many changes of a slot would get an environment of their own. come is how many
// come as far as a run, faults why the others do not, by stage and reason.
func tellOwn(w io.Writer, cfg build.Config, come int, faults map[string]int) {
	if cfg.Historical {
		n := 0
		for k, count := range faults {
			if _, reason, _ := strings.Cut(k, " "); build.FallsBack(model.Reason(reason)) {
				n += count
			}
		}
		fmt.Fprintf(w, "  %4d would be tried on own revisions, and up to %d more after their runs\n", n, come)
	}
	if cfg.PairHistorical {
		fmt.Fprintf(w, "  up to %d would get a twin on the original branch\n", come)
	}
}
