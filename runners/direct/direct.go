// Package direct runs a pipeline in this process: no port, least memory, one goroutine a stage.
package direct

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	//lint:ignore SA1019 the local default that opens no port and holds one copy of the payload
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
)

// Run executes p and waits for its end.
func Run(ctx context.Context, p *beam.Pipeline) error {
	if _, err := direct.Execute(ctx, p); err != nil {
		return fmt.Errorf("run on the direct runner: %w", err)
	}
	return nil
}
