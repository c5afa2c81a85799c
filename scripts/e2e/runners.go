package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// poolAddress is where the SDK's worker pool listens; it takes no other.
const poolAddress = "localhost:50000"

// build builds a sample's corpus; work and corpus are under name.
func (b *bench) build(ctx context.Context, name, lang, sandbox string, more ...string) (string, ending, error) {
	out := filepath.Join(b.dir, name, "corpus")
	e, err := b.taskmill(ctx, append(b.buildArgs(name, lang, sandbox, out), more...)...)
	return out, e, err
}

func (b *bench) buildArgs(name, lang, sandbox, out string) []string {
	return []string{"build", "--repo", "sample:" + lang, "--sandbox", sandbox, "--work", filepath.Join(b.dir, name, "work"), "--out", out}
}

// sameRows builds a sample afresh on each runner and wants the same rows of all.
func sameRows(ctx context.Context, b *bench, lang string) (string, error) {
	want, _, err := b.build(ctx, "direct-"+lang, lang, "local")
	if err != nil {
		return "", err
	}
	if err := intended(ctx, want, lang, false); err != nil {
		return "", err
	}
	var faults []error
	agree := []string{"direct"}
	for _, r := range []struct {
		name  string
		build func(ctx context.Context, b *bench, name, lang string) (string, error)
	}{
		{"prism", onPrism}, {"prism with separate workers", onSeparatePrism}, {"portable runner with separate workers", onPortable},
	} {
		got, err := r.build(ctx, b, strings.ReplaceAll(r.name, " ", "-")+"-"+lang, lang)
		if err == nil {
			err = differences(ctx, want, got)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", r.name, err))
			continue
		}
		agree = append(agree, r.name)
	}
	return strings.Join(agree, " = "), errors.Join(faults...)
}

func onPrism(ctx context.Context, b *bench, name, lang string) (string, error) {
	out, _, err := b.build(ctx, name, lang, "local", "--runner", "prism")
	return out, err
}

func onSeparatePrism(ctx context.Context, b *bench, name, lang string) (string, error) {
	prism, err := b.beamTool(ctx, "prism", "go/cmd/prism")
	if err != nil {
		return "", err
	}
	addr, port, err := freeAddress()
	if err != nil {
		return "", err
	}
	s, err := b.serve(ctx, addr, prism, "--job_port", port, "--serve_http=false")
	if err != nil {
		return "", err
	}
	defer s.stop()
	return b.remotely(ctx, name, lang, addr, s)
}

func onPortable(ctx context.Context, b *bench, name, lang string) (string, error) {
	python, err := b.portableRunner(ctx)
	if err != nil {
		return "", err
	}
	addr, port, err := freeAddress()
	if err != nil {
		return "", err
	}
	s, err := b.serve(ctx, addr, python, "-m", "apache_beam.runners.portability.local_job_service_main", "--port", port)
	if err != nil {
		return "", err
	}
	defer s.stop()
	return b.remotely(ctx, name, lang, addr, s)
}

// remotely builds a corpus by the job server at addr, with workers of a separate pool.
func (b *bench) remotely(ctx context.Context, name, lang, addr string, jobs *server) (string, error) {
	boot, err := b.beamTool(ctx, "boot", "go/container")
	if err != nil {
		return "", err
	}
	staged := filepath.Join(b.dir, name, "staged")
	if err := os.MkdirAll(staged, 0o755); err != nil {
		return "", err
	}
	pool, err := b.serve(ctx, poolAddress, boot, "--worker_pool", "--semi_persist_dir", staged)
	if err != nil {
		return "", err
	}
	defer pool.stop()
	out, _, err := b.build(ctx, name, lang, "local", "--runner", "universal", "--endpoint", addr,
		"--environment_type", "EXTERNAL", "--environment_config", poolAddress, "--worker_binary", b.app)
	if err != nil {
		return "", fmt.Errorf("%w\n  the job server's log ends: %s\n  the workers' log ends: %s", err, jobs.tail(), pool.tail())
	}
	return out, nil
}

// onFlink builds by the job server of FLINK_ENDPOINT, with workers in this process.
func onFlink(ctx context.Context, b *bench) (string, error) {
	endpoint := os.Getenv("FLINK_ENDPOINT")
	if endpoint == "" {
		return "", skipped{"NOTHING WAS TRIED ON FLINK: set FLINK_ENDPOINT=host:port of a Beam Flink job server"}
	}
	want, err := b.reference(ctx)
	if err != nil {
		return "", err
	}
	got, _, err := b.build(ctx, "flink", "go", "local", "--runner", "flink", "--endpoint", endpoint, "--environment_type", "LOOPBACK")
	if err != nil {
		return "", err
	}
	return "flink = direct", differences(ctx, want, got)
}

// reference is an uninterrupted build of sample:go on the direct runner, made once.
func (b *bench) reference(ctx context.Context) (string, error) {
	out := filepath.Join(b.dir, "direct-go", "corpus")
	if _, err := os.Stat(filepath.Join(out, "manifest.json")); err == nil {
		return out, nil
	}
	out, _, err := b.build(ctx, "direct-go", "go", "local")
	return out, err
}

var stepName = regexp.MustCompile(`unique_name:\s*"([^"]*)"`)

// describe wants Dataflow's dry run to end well, without credentials, and to print a job that
// has every stage.
func describe(ctx context.Context, b *bench) (string, error) {
	e, err := b.taskmill(ctx, "build", "--repo", "sample:go", "--sandbox", "local", "--work", "gs://bucket/work", "--out", "gs://bucket/corpus",
		"--runner", "dataflow", "--dry_run", "--project", "project", "--region", "region", "--staging_location", "gs://bucket/staging")
	if err != nil {
		return "", err
	}
	at := strings.Index(e.errOut, "\n{\n")
	if at < 0 {
		return "", fmt.Errorf("no job in the output: %s", lastLines(e.errOut, 15))
	}
	var job struct {
		Type, ProjectID string
		Environment     struct {
			SdkPipelineOptions struct {
				Options struct{ PipelineURL, Region string }
			}
		}
	}
	if err := json.NewDecoder(strings.NewReader(e.errOut[at:])).Decode(&job); err != nil {
		return "", fmt.Errorf("read the job: %w", err)
	}
	options := job.Environment.SdkPipelineOptions.Options
	if job.Type != "JOB_TYPE_BATCH" || job.ProjectID != "project" || options.Region != "region" || !strings.HasPrefix(options.PipelineURL, "gs://bucket/staging/") {
		return "", fmt.Errorf("the job is %+v", job)
	}
	var names []string // of a portable job the steps are in the pipeline
	for _, m := range stepName.FindAllStringSubmatch(e.errOut, -1) {
		names = append(names, m[1])
	}
	for _, want := range []string{"readFn", "evidenceFn", "planFn", "prepareFn", "unitsFn", "validateFn", "write/tasks/Reshuffle"} {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, want) }) {
			return "", fmt.Errorf("the job has none of %s among %d transforms", want, len(names))
		}
	}
	if e, err := program(ctx, b.app, "build", "--repo", "sample:go", "--sandbox", "local", "--work", "gs://bucket/work", "--out", "gs://bucket/corpus",
		"--runner", "dataflow", "--dry_run", "--project", "project", "--staging_location", "gs://bucket/staging"); err != nil || e.code != 2 || !strings.Contains(e.errOut, "--region") {
		return "", fmt.Errorf("without a region: exit %d, %v: %s", e.code, err, lastLines(e.errOut, 3))
	}
	return fmt.Sprintf("a job of %d transforms, a missing option is named", len(names)), nil
}
