// Package flink runs a pipeline on a Flink cluster through Beam's Flink job server, which speaks
// the same Job API as every portable runner.
package flink

import (
	"context"
	"errors"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/taskmill/taskmill/runners/universal"
)

// Validate reports what the job options lack. A cluster's workers are other machines, so the
// kind of environment has to be said.
func Validate() error {
	if *jobopts.Endpoint == "" {
		return errors.New("no Flink job server: name one with --endpoint HOST:PORT (the job server's port, 8099, not Flink's 8081)")
	}
	return universal.Validate()
}

// Run submits p to the job server of --endpoint and waits for its end; when ctx ends the job is
// cancelled on the cluster.
func Run(ctx context.Context, p *beam.Pipeline) error {
	if err := Validate(); err != nil {
		return err
	}
	return universal.Run(ctx, p)
}
