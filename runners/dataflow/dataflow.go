// Package dataflow submits a pipeline to Google Cloud Dataflow and cancels the job when it is
// interrupted.
package dataflow

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"
	df "google.golang.org/api/dataflow/v1b3"
)

const (
	pollEvery     = 15 * time.Second
	cancelTimeout = 2 * time.Second // an interrupt is answered within three seconds
)

// Validate reports the first option that Dataflow needs and lacks.
func Validate() error {
	for _, o := range []struct{ name, what string }{
		{"project", "a Google Cloud project"}, {"region", "a region"}, {"staging_location", "a gs:// staging location"},
	} {
		if setting(o.name) == "" {
			return fmt.Errorf("dataflow needs %s: name it with --%s", o.what, o.name)
		}
	}
	return nil
}

// setting is the value of one of Beam's flags; empty where this binary has no such flag.
func setting(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// Run submits p and waits for its end, unless --async says otherwise; when ctx ends the job is
// cancelled. With --dry_run the job is printed as JSON and nothing is submitted. Work and output
// must be gs:// locations, since workers are other machines.
func Run(ctx context.Context, p *beam.Pipeline) error {
	if err := Validate(); err != nil {
		return err
	}
	// The SDK's own wait does not end with the context: submit only, then wait here.
	async := *jobopts.Async
	*jobopts.Async = true
	result, err := dataflow.Execute(ctx, p)
	*jobopts.Async = async
	if err != nil {
		return fmt.Errorf("run on Dataflow: %w", err)
	}
	if async || setting("template_location") != "" || result == nil || result.JobID() == "" {
		return nil // not waited for, staged as a template, or printed
	}
	client, err := dataflowlib.NewClient(ctx, setting("dataflow_endpoint"))
	if err != nil {
		return fmt.Errorf("reach Dataflow: %w", err)
	}
	j := job{client.Projects.Locations.Jobs, gcpopts.GetProject(ctx), gcpopts.GetRegion(ctx), result.JobID()}
	return j.wait(ctx, pollEvery)
}

// A job is one that was submitted.
type job struct {
	service             *df.ProjectsLocationsJobsService
	project, region, id string
}

// wait asks for the job's state until it has ended. When ctx ends first, the job is cancelled.
func (j job) wait(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		now, err := j.service.Get(j.project, j.region, j.id).Context(ctx).Do()
		switch {
		case ctx.Err() != nil:
		case err != nil:
			return fmt.Errorf("ask for Dataflow job %s: %w", j.id, err)
		case now.CurrentState == "JOB_STATE_DONE" || now.CurrentState == "JOB_STATE_UPDATED" || now.CurrentState == "JOB_STATE_DRAINED":
			return nil
		case now.CurrentState == "JOB_STATE_FAILED" || now.CurrentState == "JOB_STATE_CANCELLED":
			return fmt.Errorf("run on Dataflow: job %s ended as %s: its log says why", j.id, now.CurrentState)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), j.cancel(ctx))
		}
	}
}

// cancel asks Dataflow to end the job; what it finished is in the ledger.
func (j job) cancel(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	if _, err := j.service.Update(j.project, j.region, j.id, &df.Job{RequestedState: "JOB_STATE_CANCELLED"}).Context(ctx).Do(); err != nil {
		return fmt.Errorf("cancel Dataflow job %s, which goes on: %w", j.id, err)
	}
	return nil
}
