package sandboxio

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/client"
	"github.com/taskmill/taskmill/io/sandboxio/onecommit"
	"github.com/taskmill/taskmill/model"
)

// A dockerEnvironment is an image.
type dockerEnvironment struct {
	d      *docker
	recipe model.Recipe
	key    string
	base   client.ImageInspectResult
	image  string // reference
	lock   []byte
	facts  Facts
	bin    []string // search path of the base image
	clock  string   // libfaketime's path
}

func (e *dockerEnvironment) Lock() []byte { return slices.Clone(e.lock) }
func (e *dockerEnvironment) Facts() Facts {
	f := e.facts
	f.Clock = e.clock != ""
	return f
}

// Close keeps the image: it is made once for all.
func (e *dockerEnvironment) Close() error { return nil }

// Prepare finds or makes the image of b's recipe.
func (d *docker) Prepare(ctx context.Context, b model.Base, lock []byte) (Environment, error) {
	base, err := d.base(ctx, b.Recipe)
	if err != nil {
		return nil, err
	}
	e := &dockerEnvironment{d: d, recipe: b.Recipe, base: base, key: model.Digest([]string{string(b.Recipe.ID()), base.ID}).Short(20)}
	if base.Config != nil {
		for _, v := range base.Config.Env {
			if list, ok := strings.CutPrefix(v, "PATH="); ok {
				e.bin = strings.Split(list, ":")
			}
		}
	}
	dir, err := d.environments()
	if err != nil {
		return nil, err
	}
	unlock, err := lockFile(ctx, filepath.Join(dir, e.key+"-docker.lock"))
	if err != nil {
		return nil, fmt.Errorf("prepare environment: %w", err)
	}
	defer unlock()
	for _, suffix := range []string{"", "-" + model.Sum(lock).Short(8)} {
		if suffix != "" && lock == nil {
			break
		}
		e.image = "taskmill-env:" + e.key + suffix
		found, err := e.load(ctx)
		if err != nil {
			return nil, err
		}
		if found && (lock == nil || string(lock) == string(e.lock)) {
			e.facts.Reused = true
			return e, e.probe(ctx, b)
		}
		if !found {
			break
		}
	}
	if err := e.prepare(ctx, b, lock); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return e, e.probe(ctx, b)
}

// load reads what the image's labels say.
func (e *dockerEnvironment) load(ctx context.Context) (bool, error) {
	image, err := e.d.inspect(ctx, e.image)
	var missing *missingImage
	if errors.As(err, &missing) {
		return false, nil
	}
	if err != nil || image.Config == nil {
		return false, err
	}
	labels := image.Config.Labels
	e.lock, e.clock = []byte(labels[labelLock]), labels[labelClock]
	seconds, _ := strconv.ParseFloat(labels[labelSeconds], 64)
	e.facts = Facts{Seconds: seconds, Bytes: image.Size - e.base.Size, Image: e.image, ImageDigest: image.ID}
	return labels[labelEnvironment] == e.key, nil
}

// prepare runs the recipe in one container, step by step, and keeps it as an image.
func (e *dockerEnvironment) prepare(ctx context.Context, b model.Base, lock []byte) error {
	begin := time.Now()
	id, err := e.d.create(ctx, box{image: e.base.ID, cmd: []string{"/bin/sh", stepFile}, network: true, limits: prepareLimits, labels: e.d.labels()})
	if err != nil {
		return err
	}
	err = e.install(ctx, id, b, lock)
	if err == nil {
		e.clock = e.findClock(ctx, id)
		_, err = e.d.commit(ctx, id, e.image, map[string]string{
			labelEnvironment: e.key, labelLock: string(e.lock), labelClock: e.clock,
			labelSeconds: strconv.FormatFloat(time.Since(begin).Seconds(), 'f', 3, 64),
			labelProcess: "", labelDeadline: "", labelBuild: e.d.opt.BuildID,
		})
	}
	if err := errors.Join(err, e.d.remove(ctx, id)); err != nil {
		return err
	}
	_, err = e.load(ctx)
	return err
}

func (e *dockerEnvironment) install(ctx context.Context, id string, b model.Base, lock []byte) error {
	if err := e.lay(ctx, id, b, lock); err != nil {
		return err
	}
	commands := e.recipe.Prepare
	fromLock := lock != nil && len(e.recipe.FromLock) > 0
	if fromLock {
		commands = e.recipe.FromLock
	}
	for _, c := range commands {
		if _, err := e.step(ctx, id, c); err != nil {
			return err
		}
	}
	e.lock = []byte{}
	switch {
	case fromLock || len(e.recipe.Lock.Argv) == 0 && lock != nil:
		e.lock = lock
	case len(e.recipe.Lock.Argv) > 0:
		c := e.recipe.Lock
		c.ReportStdout = true
		o, err := e.step(ctx, id, c)
		if err != nil {
			return err
		}
		e.lock = o.Report
	}
	strip, err := e.review(ctx, id, b)
	if err != nil {
		return err
	}
	// The scratch folders must not reach the image, nor a deleted file its lower layers: this
	// is still the one container that becomes the one layer.
	clean := `find {testbed} {tmp} ~ -mindepth 1 -delete; for f in "$@"; do chmod -R u+w -- "$f"; rm -rf -- "$f"; done`
	if _, err := e.step(ctx, id, model.Command{Argv: append([]string{"sh", "-c", clean, "sh"}, strip...)}); err != nil {
		return err
	}
	files := []model.File{{Path: "env/lock", Data: e.lock, Mode: model.ModeFile}}
	if err := e.d.upload(ctx, id, tarOf(nil, files)); err != nil {
		return err
	}
	return e.d.upload(ctx, id, tarFile(stepFile, []byte("exit 0\n")))
}

// lay makes the folders, the recipe's files, the lock, and the tree or its manifests.
func (e *dockerEnvironment) lay(ctx context.Context, id string, b model.Base, lock []byte) error {
	var files []model.File
	for _, f := range e.recipe.Files {
		if err := checkPath(f.Path); err != nil {
			return err
		}
		files = append(files, model.File{Path: "env/taskmill/" + f.Path, Mode: f.Mode, Data: f.Data})
	}
	if lock != nil {
		files = append(files, model.File{Path: "env/lock", Data: lock})
	}
	if !e.recipe.Whole {
		for _, f := range e.recipe.Manifests {
			if err := checkPath(f.Path); err != nil {
				return err
			}
			files = append(files, model.File{Path: "testbed/" + f.Path, Mode: f.Mode, Data: f.Data})
		}
	}
	if err := e.d.upload(ctx, id, tarOf([]string{"env", "env/taskmill", "testbed", strings.TrimPrefix(homeDir, "/")}, files)); err != nil {
		return err
	}
	if !e.recipe.Whole {
		return nil
	}
	return e.d.layTree(ctx, id, model.Tree{Hash: b.Tree, Base: b.Tree})
}

func (e *dockerEnvironment) environ() []string {
	p := slices.DeleteFunc(slices.Clone(e.bin), func(dir string) bool { return slices.Contains(strings.Split(systemPath, ":"), dir) })
	return baseEnviron(insidePlaces, p)
}

// step runs one command of the preparation, with the image's own variables (its certificates)
// and those registry clients' of ours that name no file here.
func (e *dockerEnvironment) step(ctx context.Context, id string, c model.Command) (model.Outcome, error) {
	var own []string
	if e.base.Config != nil {
		own = e.base.Config.Env
	}
	clients := slices.DeleteFunc(clientEnviron(os.Environ()), func(v string) bool {
		_, value, _ := strings.Cut(v, "=")
		return strings.HasPrefix(value, "/")
	})
	return again(ctx, func() (model.Outcome, error) {
		o, err := e.d.step(ctx, id, insidePlaces.expand(c, own, clients, e.environ()), prepareLimits)
		if err != nil {
			return o, err
		}
		return o, prepareFault(c, o)
	})
}

// findClock looks for libfaketime in the container.
func (e *dockerEnvironment) findClock(ctx context.Context, id string) string {
	for _, pattern := range faketimeLibraries {
		for _, machine := range []string{"x86_64-linux-gnu", "aarch64-linux-gnu"} {
			name := strings.Replace(pattern, "*", machine, 1)
			if _, err := e.d.cli.ContainerStatPath(ctx, id, client.ContainerStatPathOptions{Path: name}); err == nil {
				return name
			}
		}
	}
	return ""
}

// review reads the prepared folder once: it lists what Strip names, and refuses a copy of the
// project's own code.
func (e *dockerEnvironment) review(ctx context.Context, id string, b model.Base) (strip []string, err error) {
	if len(e.recipe.Strip) == 0 && !e.recipe.Whole {
		return nil, nil
	}
	var own ownCode
	if e.recipe.Whole {
		base, err := e.d.trees.base(ctx, b.Tree)
		if err != nil {
			return nil, err
		}
		own = codeOf(base)
	}
	got, err := e.d.cli.CopyFromContainer(ctx, id, client.CopyFromContainerOptions{SourcePath: envDir})
	if err != nil {
		return nil, fmt.Errorf("read environment: %w", err)
	}
	defer got.Content.Close()
	r := tar.NewReader(got.Content)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return strip, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read environment: %w", err)
		}
		name := strings.TrimPrefix(path.Clean(h.Name), "env/")
		if matchesAny(e.recipe.Strip, name) {
			strip = append(strip, envDir+"/"+name)
			continue
		}
		if slices.ContainsFunc(strip, func(s string) bool { return strings.HasPrefix(envDir+"/"+name, s+"/") }) {
			continue
		}
		if h.Typeflag != tar.TypeReg || !own.suspect(name, h.Size) {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("read environment: %w", err)
		}
		if own.hashes[onecommit.BlobHash(data)] {
			return nil, selfDependency(name)
		}
	}
}

// probe is hostEnvironment's, for images.
func (e *dockerEnvironment) probe(ctx context.Context, b model.Base) error {
	dir, err := e.d.environments()
	if err != nil {
		return err
	}
	return probeOnce(ctx, e, e.recipe, b, filepath.Join(dir, strings.TrimPrefix(e.facts.ImageDigest, "sha256:")+"-probed-"+string(b.Tree)))
}

// Discard removes the environment's image.
func (e *dockerEnvironment) Discard(ctx context.Context) error {
	return e.d.removeImage(ctx, e.image)
}
