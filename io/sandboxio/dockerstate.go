package sandboxio

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/taskmill/taskmill/model"
)

// A dockerState is the image of a built tree.
type dockerState struct {
	e     *dockerEnvironment
	image string
	build model.Outcome
	later sync.WaitGroup // removals of finished containers
	mu    sync.Mutex
	err   error // of a removal
}

// Open lays t in a container of the environment, builds it there and keeps it as an image.
func (e *dockerEnvironment) Open(ctx context.Context, t model.Tree) (State, error) {
	limits := orElse(e.recipe.Protocol.Limits, DefaultLimits)
	id, err := e.d.create(ctx, box{image: e.image, cmd: []string{"/bin/sh", stepFile}, limits: limits, labels: e.d.labels()})
	if err != nil {
		return nil, err
	}
	s := &dockerState{e: e, build: model.Outcome{Outcome: model.OutcomeOK}}
	err = s.open(ctx, id, t, limits)
	if err := errors.Join(err, e.d.remove(ctx, id)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return s, nil
}

func (s *dockerState) open(ctx context.Context, id string, t model.Tree, limits model.Limits) error {
	if err := s.e.d.layTree(ctx, id, t); err != nil {
		return err
	}
	for _, c := range s.e.recipe.Protocol.Build {
		o, err := s.e.d.step(ctx, id, s.command(c, nil), limits)
		if err != nil {
			return err
		}
		o.Log = append(s.build.Log, o.Log...)
		o.Seconds += s.build.Seconds
		if s.build = o; o.Outcome != model.OutcomeOK {
			break
		}
	}
	if len(s.e.recipe.Protocol.Build) > 0 {
		clean := command{argv: []string{"find", tmpDir, homeDir, "-mindepth", "1", "-delete"}, dir: "/"}
		if _, err := s.e.d.step(ctx, id, clean, limits); err != nil {
			return err
		}
		if err := s.e.d.upload(ctx, id, tarFile(stepFile, []byte("exit 0\n"))); err != nil {
			return err
		}
	}
	var err error
	s.image, err = s.e.d.commit(ctx, id, "", s.e.d.labels(labelState, "1"))
	return err
}

func (s *dockerState) command(c model.Command, clock []string) command {
	return insidePlaces.expand(c, s.e.environ(), s.e.recipe.Protocol.Env, clock)
}

func (s *dockerState) Build() model.Outcome { return s.build }

// Execute runs r's command in a container of its own.
func (s *dockerState) Execute(ctx context.Context, r model.Run) (model.Outcome, error) {
	if r.ClockShift != 0 && s.e.clock == "" {
		return infrastructure("the clock cannot be set on: the image has no libfaketime"), nil
	}
	limits := orElse(orElse(r.Limits, s.e.recipe.Protocol.Limits), DefaultLimits)
	c := s.command(r.Command, clockEnviron(s.e.clock, r.ClockShift))
	token := randomName()
	id, err := s.e.d.create(ctx, box{image: s.image, cmd: []string{"/bin/sh", "-c", outerScript(token, c)}, limits: limits, labels: s.e.d.labels()})
	if err != nil {
		return infrastructure(err.Error()), ctx.Err()
	}
	o, err := s.e.d.start(ctx, id, token, c, limits)
	s.later.Go(func() { // while the next one runs
		if err := s.e.d.remove(ctx, id); err != nil {
			s.mu.Lock()
			s.err = errors.Join(s.err, err)
			s.mu.Unlock()
		}
	})
	if err != nil {
		return model.Outcome{}, err
	}
	return o, nil
}

// Close removes the image.
func (s *dockerState) Close() error {
	s.later.Wait()
	return errors.Join(s.err, s.e.d.removeImage(context.Background(), s.image))
}

// layTree copies a tree and its repository into a container.
func (d *docker) layTree(ctx context.Context, id string, t model.Tree) (err error) {
	base, err := d.trees.base(ctx, t.Base)
	if err != nil {
		return err
	}
	tree, err := plan(base, t)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "taskmill-tree-")
	if err != nil {
		return fmt.Errorf("lay tree: %w", err)
	}
	defer func() { err = errors.Join(err, removeAll(dir)) }()
	if err := tree.copy(dir); err != nil {
		return err
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(tarDir(w, dir, "testbed")) }()
	err = d.upload(ctx, id, r)
	return errors.Join(err, r.Close())
}

// tarDir writes a folder of ours as a tar whose files belong to the sandbox's user.
func tarDir(out io.Writer, dir, as string) error {
	w := tar.NewWriter(out)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			if target, err = os.Readlink(p); err != nil {
				return err
			}
		}
		h, err := tar.FileInfoHeader(info, target)
		if err != nil {
			return err
		}
		h.Name, h.Uid, h.Gid, h.Uname, h.Gname = path.Join(as, filepath.ToSlash(rel)), userID, userID, "", ""
		if d.IsDir() {
			h.Name, h.Mode = h.Name+"/", 0o755
		}
		if err := w.WriteHeader(h); err != nil || !info.Mode().IsRegular() {
			return err
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
	if err := errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("copy tree: %w", err)
	}
	return nil
}

// tarOf is a tar of folders and files that belong to the sandbox's user. Paths are relative to
// the root; a symlink's data is its target.
func tarOf(dirs []string, files []model.File) io.Reader {
	r, out := io.Pipe()
	go func() {
		w := tar.NewWriter(out)
		made := map[string]bool{}
		folder := func(name string) error {
			if made[name] || name == "." || name == "home" {
				return nil
			}
			made[name] = true
			return w.WriteHeader(&tar.Header{Name: name + "/", Typeflag: tar.TypeDir, Mode: 0o755, Uid: userID, Gid: userID})
		}
		err := errors.Join(func() error {
			for _, name := range dirs {
				if err := folder(name); err != nil {
					return err
				}
			}
			for _, f := range files {
				parts := strings.Split(path.Dir(f.Path), "/")
				for i := range parts {
					if err := folder(path.Join(parts[:i+1]...)); err != nil {
						return err
					}
				}
				h := &tar.Header{Name: f.Path, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(f.Data)), Uid: userID, Gid: userID}
				if f.Mode == model.ModeExecutable {
					h.Mode = 0o755
				}
				data := f.Data
				if f.Mode == model.ModeSymlink {
					h.Typeflag, h.Linkname, h.Size, data = tar.TypeSymlink, string(f.Data), 0, nil
				}
				if err := w.WriteHeader(h); err != nil {
					return err
				}
				if _, err := w.Write(data); err != nil {
					return err
				}
			}
			return nil
		}(), w.Close())
		out.CloseWithError(err)
	}()
	return r
}

// acquire waits for a free job; nil has no bound.
func acquire(ctx context.Context, jobs chan struct{}) (release func(), err error) {
	if jobs == nil {
		return func() {}, nil
	}
	select {
	case jobs <- struct{}{}:
		return func() { <-jobs }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func matchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		return globMatch(strings.TrimPrefix(strings.TrimPrefix(g, "{env}/"), "/"), name)
	})
}
