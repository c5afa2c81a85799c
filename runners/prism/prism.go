// Package prism runs a pipeline on Prism, Beam's portable local runner, in this process. Prism
// listens on two ports of all interfaces without authentication while the job runs.
package prism

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// Run executes p and waits for its end.
func Run(ctx context.Context, p *beam.Pipeline) error {
	if _, err := prism.Execute(ctx, p); err != nil {
		return fmt.Errorf("run on Prism: %w", err)
	}
	return nil
}
