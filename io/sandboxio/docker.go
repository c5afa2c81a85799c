package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/taskmill/taskmill/model"
)

// Labels of what we make in an engine.
const (
	labelBuild       = "taskmill.build"
	labelProcess     = "taskmill.process"     // host and process that made it
	labelDeadline    = "taskmill.deadline"    // seconds since 1970; afterwards anyone removes it
	labelState       = "taskmill.state"       // of an image that goes with its process
	labelEnvironment = "taskmill.environment" // of an image that stays: its key
	labelLock        = "taskmill.lock"
	labelSeconds     = "taskmill.seconds"
	labelClock       = "taskmill.clock" // libfaketime's path
)

// engineTimeout bounds one short request.
const engineTimeout = 2 * time.Minute

// A docker sandbox makes an image of each environment and of each built state, and runs each
// unit in a container of its own from the state's image: its layer is fresh, and the engine
// holds its limits and removes what it leaves. Nothing is mounted, so the engine may be remote.
type docker struct {
	opt     Options
	cli     *client.Client
	trees   *treeStore
	process string
	cpus    int
	jobs    chan struct{}
}

func openDocker(ctx context.Context, o Options) (*docker, error) {
	cli, err := client.New(client.FromEnv)
	if err != nil {
		return nil, fmt.Errorf("open docker: %w", err)
	}
	ping, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	info, err := cli.Info(ping, client.InfoOptions{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open docker: no engine answers at %s: install docker.io and start dockerd, or set DOCKER_HOST: %w", cli.DaemonHost(), err), cli.Close())
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open docker: %w", err), cli.Close())
	}
	d := &docker{
		opt: o, cli: cli, cpus: max(1, info.Info.NCPU),
		trees:   &treeStore{work: o.Work, archives: o.Archives, loaded: map[model.Hash]*baseTree{}},
		process: host + "/" + processName(os.Getpid()),
	}
	if o.Jobs > 0 {
		d.jobs = make(chan struct{}, o.Jobs)
	}
	for _, language := range o.Languages {
		if _, err := d.inspect(ctx, d.baseImage(model.Recipe{Language: language})); err != nil {
			return nil, errors.Join(fmt.Errorf("open docker: %w", err), cli.Close())
		}
	}
	for _, language := range slices.Sorted(maps.Keys(o.BaseImages)) { // one that was named and is nowhere ends the call before any work
		if _, err := d.base(ctx, model.Recipe{Language: language}); err != nil {
			return nil, errors.Join(fmt.Errorf("open docker: %w", err), cli.Close())
		}
	}
	if err := d.reap(ctx, false); err != nil {
		return nil, errors.Join(err, cli.Close())
	}
	return d, nil
}

// Kind is docker.
func (d *docker) Kind() string { return "docker" }

// Close removes this process's containers and state images.
func (d *docker) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	return errors.Join(d.reap(ctx, true), d.cli.Close())
}

// labels mark what this process makes.
func (d *docker) labels(more ...string) map[string]string {
	deadline := d.opt.Deadline
	if deadline <= 0 {
		deadline = 24 * time.Hour
	}
	out := map[string]string{
		labelBuild: d.opt.BuildID, labelProcess: d.process,
		labelDeadline: strconv.FormatInt(time.Now().Add(deadline).Unix(), 10),
	}
	for i := 0; i+1 < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

// stray tells whether a thing with these labels has nobody any more: its deadline passed, or
// its process was on this host and is gone. own counts this process's things too.
func (d *docker) stray(labels map[string]string, own bool) bool {
	owner, ok := labels[labelProcess]
	if !ok || owner == "" {
		return false
	}
	if owner == d.process {
		return own
	}
	deadline, err := strconv.ParseInt(labels[labelDeadline], 10, 64)
	if err == nil && time.Now().Unix() > deadline {
		return true
	}
	host, process, _ := strings.Cut(owner, "/")
	mine, _, _ := strings.Cut(d.process, "/")
	return host == mine && !alive(process)
}

// reap removes stray containers and state images.
func (d *docker) reap(ctx context.Context, own bool) error {
	list, err := d.cli.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", labelProcess)})
	if err != nil {
		return fmt.Errorf("list containers: %w", err)
	}
	for _, c := range list.Items {
		if d.stray(c.Labels, own) {
			err = errors.Join(err, d.remove(ctx, c.ID))
		}
	}
	images, listErr := d.cli.ImageList(ctx, client.ImageListOptions{Filters: client.Filters{}.Add("label", labelState)})
	if listErr != nil {
		return errors.Join(err, fmt.Errorf("list images: %w", listErr))
	}
	for _, i := range images.Items {
		if d.stray(i.Labels, own) {
			err = errors.Join(err, d.removeImage(ctx, i.ID))
		}
	}
	return err
}

// remove kills and removes a container, also when the caller's work was cancelled.
func (d *docker) remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineTimeout)
	defer cancel()
	_, err := d.cli.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if err != nil && !notFound(err) && !strings.Contains(err.Error(), "already in progress") {
		return fmt.Errorf("remove container: %w", err)
	}
	return nil
}

func (d *docker) removeImage(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineTimeout)
	defer cancel()
	_, err := d.cli.ImageRemove(ctx, id, client.ImageRemoveOptions{Force: true, PruneChildren: true})
	if err != nil && !notFound(err) {
		return fmt.Errorf("remove image: %w", err)
	}
	return nil
}

// notFound tells the engine's answer that a thing is not there.
func notFound(err error) bool {
	var nf interface{ NotFound() }
	return errors.As(err, &nf) || err != nil && strings.Contains(err.Error(), "No such")
}

// baseImage is the reference of the image that a recipe starts from.
func (d *docker) baseImage(r model.Recipe) string {
	if r.BaseImage != "" {
		return r.BaseImage
	}
	if ref := d.opt.BaseImages[r.Language]; ref != "" {
		return ref
	}
	return "taskmill-base:" + r.Language
}

func (d *docker) inspect(ctx context.Context, ref string) (client.ImageInspectResult, error) {
	image, err := d.cli.ImageInspect(ctx, ref)
	if err != nil {
		if notFound(err) {
			return image, &missingImage{ref}
		}
		return image, fmt.Errorf("inspect image %s: %w", ref, err)
	}
	return image, nil
}

// A missingImage is an image that the engine does not have.
type missingImage struct{ ref string }

func (m *missingImage) Error() string {
	return fmt.Sprintf("image %s is missing: make it with scripts/baseimage, or name another with --base-image LANG=REF", m.ref)
}

// base finds a base image, pulling it when the engine lacks it.
func (d *docker) base(ctx context.Context, r model.Recipe) (client.ImageInspectResult, error) {
	ref := d.baseImage(r)
	image, err := d.inspect(ctx, ref)
	var missing *missingImage
	if !errors.As(err, &missing) {
		return image, err
	}
	pull, pullErr := d.cli.ImagePull(ctx, ref, client.ImagePullOptions{})
	if pullErr == nil {
		pullErr = errors.Join(pull.Wait(ctx), pull.Close())
	}
	if pullErr != nil {
		if ctx.Err() != nil {
			return image, ctx.Err()
		}
		return image, fmt.Errorf("%w (it cannot be pulled: %s)", err, lastLine([]byte(pullErr.Error())))
	}
	return d.inspect(ctx, ref)
}

// A box says what a container may do.
type box struct {
	image   string
	cmd     []string
	network bool
	limits  model.Limits
	labels  map[string]string
}

// create makes a container with every limit set. It is not started.
func (d *docker) create(ctx context.Context, b box) (string, error) {
	network := container.NetworkMode("none")
	if b.network {
		network = "default"
	}
	created, err := d.cli.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config: &container.Config{
			Image: b.image, Entrypoint: []string{}, Cmd: b.cmd, User: fmt.Sprintf("%d:%d", userID, userID),
			Hostname: userName, Labels: b.labels, AttachStdout: true, AttachStderr: true,
			Healthcheck: &container.HealthConfig{Test: []string{"NONE"}}, StopSignal: "SIGKILL",
		},
		HostConfig: &container.HostConfig{
			NetworkMode: network, CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges"},
			LogConfig: container.LogConfig{Type: "none"}, IpcMode: "private",
			Resources: container.Resources{
				Memory: b.limits.MemoryBytes, MemorySwap: b.limits.MemoryBytes, PidsLimit: &b.limits.Processes,
				NanoCPUs: int64(d.cpus) * 1e9,
				Ulimits:  []*container.Ulimit{{Name: "core"}, {Name: "fsize", Soft: b.limits.DiskBytes, Hard: b.limits.DiskBytes}},
			},
		},
	})
	if err != nil {
		return "", fmt.Errorf("create container: %w", err)
	}
	return created.ID, nil
}

// commit makes an image of a stopped container.
func (d *docker) commit(ctx context.Context, id, reference string, labels map[string]string) (string, error) {
	made, err := d.cli.ContainerCommit(ctx, id, client.ContainerCommitOptions{
		Reference: reference, Config: &container.Config{Labels: labels, Cmd: []string{"sh"}},
	})
	if err != nil {
		return "", fmt.Errorf("keep image: %w", err)
	}
	return made.ID, nil
}

func (d *docker) environments() (string, error) {
	dir := filepath.Join(d.opt.Work, "environments")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("prepare environment: %w", err)
	}
	return dir, nil
}
