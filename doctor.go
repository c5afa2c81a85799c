package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/taskmill/taskmill/io/sandboxio"
)

func runDoctor(ctx context.Context, c *call) error {
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.args) > 0 {
		return usagef("unexpected argument %q", c.args[0])
	}
	w := tabwriter.NewWriter(c.out, 0, 4, 2, ' ', 0)
	for _, f := range sandboxio.Doctor(ctx, sandboxio.Options{}) {
		state := "ok"
		if !f.OK {
			state = "missing"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, state, printable(f.Detail))
	}
	return w.Flush()
}
