// Package dataflow submits a pipeline to Google Cloud Dataflow.
package dataflow

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
)

// Validate reports the first option that Dataflow needs and lacks.
func Validate() error {
	for _, o := range []struct{ name, what string }{
		{"project", "a Google Cloud project"}, {"region", "a region"}, {"staging_location", "a gs:// staging location"},
	} {
		if f := flag.Lookup(o.name); f == nil || f.Value.String() == "" {
			return fmt.Errorf("dataflow needs %s: name it with --%s", o.what, o.name)
		}
	}
	return nil
}

// Run submits p and waits for its end; with --dry_run it prints the job as JSON and submits
// nothing. Work and output must be gs:// locations, since workers are other machines.
func Run(ctx context.Context, p *beam.Pipeline) error {
	if err := Validate(); err != nil {
		return err
	}
	if _, err := dataflow.Execute(ctx, p); err != nil {
		return fmt.Errorf("run on Dataflow: %w", err)
	}
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), errors.New("the Dataflow job goes on: cancel it in the console or with gcloud dataflow jobs cancel"))
	}
	return nil
}
