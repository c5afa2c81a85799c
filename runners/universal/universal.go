// Package universal submits a pipeline to any Beam job server (Prism, the Python SDK's portable
// runner, Flink's job server) and waits for it. Unlike the SDK's own client it cancels the job
// through the Job API when the context ends, since a job server does not notice that its client
// went away.
package universal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

const (
	dialTimeout   = 30 * time.Second
	cancelTimeout = 2 * time.Second // an interrupt is answered within three seconds
)

// Validate reports what the job options lack.
func Validate() error {
	if *jobopts.Endpoint == "" {
		return errors.New("no job server: name one with --endpoint HOST:PORT")
	}
	switch *jobopts.EnvironmentType {
	case "", "LOOPBACK", "loopback", "EXTERNAL", "external", "DOCKER", "docker", "PROCESS", "process":
		return nil
	}
	return fmt.Errorf("--environment_type %s: want LOOPBACK, EXTERNAL, DOCKER or PROCESS", *jobopts.EnvironmentType)
}

// Run submits p to the job server of --endpoint and waits for its end. When ctx ends the job is
// cancelled. Without --environment_type the workers are this process (LOOPBACK).
func Run(ctx context.Context, p *beam.Pipeline) error {
	if err := Validate(); err != nil {
		return err
	}
	if *jobopts.EnvironmentType == "" {
		*jobopts.EnvironmentType = "LOOPBACK"
	}
	proto, stop, err := translate(ctx, p)
	if err != nil {
		return err
	}
	defer stop()
	bin, remove, err := worker()
	if err != nil {
		return err
	}
	defer remove()
	if err := runnerlib.UpdateGoEnvironmentWorker(bin, proto); err != nil {
		return fmt.Errorf("name worker binary %s: %w", bin, err)
	}
	conn, err := grpcx.Dial(ctx, *jobopts.Endpoint, dialTimeout)
	if err != nil {
		return fmt.Errorf("reach job server %s: %w", *jobopts.Endpoint, err)
	}
	defer conn.Close()
	return submit(ctx, jobpb.NewJobServiceClient(conn), proto, bin)
}

// translate makes the portable form of p; stop ends the loopback worker.
func translate(ctx context.Context, p *beam.Pipeline) (*pipepb.Pipeline, func(), error) {
	stop := func() {}
	edges, _, err := p.Build()
	if err != nil {
		return nil, stop, fmt.Errorf("build pipeline: %w", err)
	}
	config := jobopts.GetEnvironmentConfig
	if jobopts.IsLoopback() {
		srv, err := extworker.StartLoopback(ctx, 0)
		if err != nil {
			return nil, stop, fmt.Errorf("start loopback worker: %w", err)
		}
		stop = func() { srv.Stop(context.WithoutCancel(ctx)) }
		config = srv.EnvironmentConfig
	}
	env, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), config)
	if err != nil {
		stop()
		return nil, func() {}, fmt.Errorf("describe the workers' environment: %w", err)
	}
	proto, err := graphx.Marshal(edges, &graphx.Options{Environment: env, PipelineResourceHints: jobopts.GetPipelineResourceHints()})
	if err != nil {
		stop()
		return nil, func() {}, fmt.Errorf("translate pipeline: %w", err)
	}
	return proto, stop, nil
}

// worker is the binary that the workers start: --worker_binary, else this program. In loopback
// none is started, and an empty file stands for it.
func worker() (string, func(), error) {
	if jobopts.IsLoopback() {
		f, err := os.CreateTemp("", "taskmill-loopback-*")
		if err != nil {
			return "", nil, fmt.Errorf("create worker placeholder: %w", err)
		}
		return f.Name(), func() { os.Remove(f.Name()) }, f.Close()
	}
	if *jobopts.WorkerBinary != "" {
		return *jobopts.WorkerBinary, func() {}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("find the worker binary: name it with --worker_binary: %w", err)
	}
	return self, func() {}, nil
}

func submit(ctx context.Context, client jobpb.JobServiceClient, proto *pipepb.Pipeline, bin string) error {
	opt := &runnerlib.JobOptions{
		Name: jobopts.GetJobName(), Experiments: jobopts.GetExperiments(), Worker: bin,
		RetainDocker: *jobopts.RetainDockerContainers, Parallelism: *jobopts.Parallelism, Loopback: jobopts.IsLoopback(),
	}
	prepared, artifacts, token, err := runnerlib.Prepare(ctx, client, proto, opt)
	if err != nil {
		return fmt.Errorf("prepare job: %w", err)
	}
	retrieval, err := runnerlib.Stage(ctx, prepared, artifacts, bin, token)
	if err != nil {
		return fmt.Errorf("stage worker binary: %w", err)
	}
	job, err := runnerlib.Submit(ctx, client, prepared, retrieval)
	if err != nil {
		return fmt.Errorf("submit job: %w", err)
	}
	err = runnerlib.WaitForCompletion(ctx, client, job)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), cancel(ctx, client, job))
	}
	if err != nil {
		return fmt.Errorf("run job %s: %w", job, err)
	}
	return ended(ctx, client, job)
}

// cancel asks the job server to end the job.
func cancel(ctx context.Context, client jobpb.JobServiceClient, job string) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer done()
	if _, err := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job}); err != nil {
		return fmt.Errorf("cancel job %s on the job server (it may go on there): %w", job, err)
	}
	return nil
}

// ended tells a cancelled job, for which waiting gives no error, from a finished one.
func ended(ctx context.Context, client jobpb.JobServiceClient, job string) error {
	st, err := client.GetState(ctx, &jobpb.GetJobStateRequest{JobId: job})
	if err != nil {
		return nil // a server that forgets finished jobs
	}
	if st.GetState() == jobpb.JobState_CANCELLED {
		return fmt.Errorf("job %s was cancelled on the job server", job)
	}
	return nil
}
