package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/taskmill/taskmill/io/sandboxio/onecommit"
	"github.com/taskmill/taskmill/model"
)

// strip deletes below env what the globs name. ** stands for any number of folders.
func strip(env string, globs []string) error {
	if len(globs) == 0 {
		return nil
	}
	root, err := os.OpenRoot(env)
	if err != nil {
		return fmt.Errorf("strip environment: %w", err)
	}
	defer root.Close()
	var found []string
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p != "." && matchesAny(globs, p) {
			found = append(found, p)
			if d.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("strip environment: %w", err)
	}
	for _, p := range found {
		if err := removeAll(filepath.Join(env, p)); err != nil {
			return err
		}
	}
	return nil
}

// globMatch is path.Match with ** for any number of path segments.
func globMatch(glob, name string) bool {
	return matchSegments(strings.Split(glob, "/"), strings.Split(name, "/"))
}

func matchSegments(glob, name []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			for i := range len(name) + 1 {
				if matchSegments(glob[1:], name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], name[0]); err != nil || !ok {
			return false
		}
		glob, name = glob[1:], name[1:]
	}
	return len(name) == 0
}

// codeSuffixes are of files that a copy of the project would bring along. Licences, readmes
// and data are the same in many projects.
var codeSuffixes = map[string]bool{
	".go": true, ".py": true, ".pyx": true, ".js": true, ".ts": true, ".mjs": true, ".cjs": true,
	".java": true, ".kt": true, ".c": true, ".h": true, ".cc": true, ".cpp": true, ".rs": true,
}

// ownCode are the code files of a tree, by content.
type ownCode struct {
	hashes map[model.Hash]bool
	sizes  map[int64]bool
}

func codeOf(b *baseTree) ownCode {
	own := ownCode{map[model.Hash]bool{}, map[int64]bool{}}
	for _, t := range b.entries {
		if codeSuffixes[path.Ext(t.Path)] && t.Mode != model.ModeSymlink && t.Size >= 128 {
			own.hashes[t.Hash], own.sizes[t.Size] = true, true
		}
	}
	return own
}

// suspect tells whether a file's content is worth looking at. A client's own copies of what it
// needs, in a folder _vendor, and our own files are not.
func (o ownCode) suspect(name string, size int64) bool {
	return o.sizes[size] && codeSuffixes[path.Ext(name)] && !strings.HasPrefix(name, "taskmill/") && !strings.Contains(name, "/_vendor/")
}

func selfDependency(name string) error {
	return &model.Fault{Stage: model.StageEnvironment, Reason: model.SelfDependency, Detail: "the environment holds the project's own " + envDir + "/" + name}
}

// independent refuses an environment that holds a file of the project's own tree, when the
// tree was there to be copied: it is H, the answer.
func (e *hostEnvironment) independent(ctx context.Context, env string, b model.Base) error {
	if !e.recipe.Whole {
		return nil
	}
	base, err := e.h.trees.base(ctx, b.Tree)
	if err != nil {
		return err
	}
	own := codeOf(base)
	root, err := os.OpenRoot(env)
	if err != nil {
		return fmt.Errorf("check environment: %w", err)
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("check environment: %w", err)
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || !own.suspect(p, info.Size()) {
			return err
		}
		data, err := root.ReadFile(p)
		if err != nil {
			return fmt.Errorf("check environment: %w", err)
		}
		if own.hashes[onecommit.BlobHash(data)] {
			return selfDependency(p)
		}
		return nil
	})
}

func (e *hostEnvironment) probe(ctx context.Context, b model.Base) error {
	return probeOnce(ctx, e, e.recipe, b, filepath.Join(e.dir, "probed-"+string(b.Tree)))
}

// probeOnce shows, once for each base tree, that its tests load production code from the tree.
// The file mark remembers it.
func probeOnce(ctx context.Context, e Environment, r model.Recipe, b model.Base, mark string) error {
	if len(r.Probe.Argv) == 0 {
		return nil
	}
	if _, err := os.Stat(mark); err == nil {
		return nil
	}
	s, err := e.Open(ctx, model.Tree{Hash: b.Tree, Base: b.Tree})
	if err != nil {
		return err
	}
	o, err := s.Execute(ctx, model.Run{Unit: "probe", Limits: r.Protocol.Limits, Command: r.Probe})
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	if err := probeFault(s.Build(), o); err != nil {
		return err
	}
	if err := os.WriteFile(mark, nil, 0o644); err != nil {
		return fmt.Errorf("keep probe: %w", err)
	}
	return nil
}

// probeFault is nil when the probe of a built base ended well.
func probeFault(build, o model.Outcome) error {
	f := &model.Fault{Stage: model.StageEnvironment, Reason: model.NotWorkTree, Detail: tail(o.Log)}
	switch {
	case o.Outcome == model.OutcomeOK:
		return nil
	case o.Outcome == model.OutcomeInfrastructure && !strings.Contains(o.Detail, "command not found"):
		return fmt.Errorf("probe environment: %s", o.Detail)
	case build.Outcome != model.OutcomeOK:
		f.Reason, f.Detail = model.EnvironmentFailed, "build: "+build.Outcome+"\n"+tail(build.Log)
	}
	return f
}
