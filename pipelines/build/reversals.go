package build

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/base"
	"github.com/taskmill/taskmill/transforms/construct"
	"github.com/taskmill/taskmill/transforms/patch"
)

// reversals answers, from git objects alone, whether changes reverse on commits. It reads of a
// commit's tree just the paths that its changes touch, and asks for each change and each content
// of those paths once: a path that nothing changed between two commits is the same on both. Safe
// for concurrent use by changes.
type reversals struct {
	repo    *gitio.Repository
	merges  bool               // a three-way merge counts as well
	line    map[model.Hash]int // place on the default branch's first-parent line, 0 is newest
	changes map[string]*reversal

	mu     sync.Mutex
	places map[model.Hash]*placing
}

// A reversal is one change made ready.
type reversal struct {
	change model.Change
	source patch.Patch
	paths  []string // of source
	checks []string // files of its touched checks
	known  map[string]bool
}

// A placing is a commit's entries of the paths that matter.
type placing struct {
	once    sync.Once
	entries map[string]model.TreeEntry
	err     error
}

// newReversals reads the patches of changes. line is newest first.
func newReversals(ctx context.Context, shop *execute.Shop, repo *gitio.Repository, line []gitio.Stop, changes []model.Change, merges bool) (*reversals, error) {
	r := &reversals{repo: repo, merges: merges, line: map[model.Hash]int{}, changes: map[string]*reversal{}, places: map[model.Hash]*placing{}}
	for i, s := range line {
		r.line[s.Commit] = i
	}
	for _, c := range changes {
		v := &reversal{change: c, known: map[string]bool{}}
		if err := readPatch(ctx, shop.Store, c.SourcePatch, &v.source); err != nil {
			return nil, err
		}
		v.paths = v.source.Paths()
		for _, s := range c.Touched {
			v.checks = append(v.checks, s.Path)
		}
		r.changes[c.ID] = v
	}
	return r, nil
}

// at reads the entries of a commit, once.
func (r *reversals) at(ctx context.Context, commit model.Hash) (map[string]model.TreeEntry, error) {
	r.mu.Lock()
	p := r.places[commit]
	if p == nil {
		p = &placing{entries: map[string]model.TreeEntry{}}
		r.places[commit] = p
	}
	r.mu.Unlock()
	p.once.Do(func() {
		entries, _, err := r.repo.Tree(ctx, commit)
		if err != nil {
			p.err = fmt.Errorf("read the tree of %s: %w", commit.Short(12), err)
			return
		}
		wanted := map[string]bool{}
		for _, v := range r.changes {
			for _, path := range append(v.paths, v.checks...) {
				wanted[path] = true
			}
		}
		for _, e := range entries {
			if wanted[e.Path] {
				p.entries[e.Path] = e
			}
		}
	})
	return p.entries, p.err
}

// covers reports whether a change reverses (or merges) on a commit that descends from it and that still has
// a file of its checks. One goroutine a change.
func (r *reversals) covers(ctx context.Context, c model.Change, at model.Hash) (bool, error) {
	merged, on := r.line[c.Record.MergeCommit]
	place, known := r.line[at]
	switch {
	case on && known && merged <= place:
		return false, nil
	case !on || !known:
		var fault *model.Fault
		if err := base.Hosts(c, at, r.repo); errors.As(err, &fault) {
			return false, nil
		} else if err != nil {
			return false, ignoreDamage(err)
		}
	}
	entries, err := r.at(ctx, at)
	if err != nil {
		return false, ignoreDamage(err)
	}
	v := r.changes[c.ID]
	if !v.checked(entries) {
		return false, nil
	}
	key := v.key(entries)
	if ok, seen := v.known[key]; seen {
		return ok, nil
	}
	h := objects{r.repo, entries}
	ok, err := construct.Reverses(v.source, h)
	if err == nil && !ok && r.merges && c.Record.Patch == "" { // no commit holds what a patch makes
		ok, err = construct.Merges(v.source, commit{r.repo, c.Record.Before}, commit{r.repo, c.Record.After}, h)
	}
	if err != nil && !gitio.Damaged(err) {
		return false, fmt.Errorf("reverse %s on %s: %w", c.ID, at.Short(12), err)
	}
	v.known[key] = ok
	return ok, nil
}

// ignoreDamage drops the error of a damaged object: a commit that cannot be read is no base.
func ignoreDamage(err error) error {
	if gitio.Damaged(err) {
		return nil
	}
	return err
}

func (v *reversal) checked(entries map[string]model.TreeEntry) bool {
	for _, p := range v.checks {
		if _, ok := entries[p]; ok {
			return true
		}
	}
	return len(v.checks) == 0
}

// key tells the contents of the change's paths apart.
func (v *reversal) key(entries map[string]model.TreeEntry) string {
	var b strings.Builder
	for _, p := range v.paths {
		e := entries[p]
		fmt.Fprintf(&b, "%s %o\n", e.Hash, e.Mode)
	}
	return b.String()
}

// A commit is read path by path.
type commit struct {
	repo *gitio.Repository
	hash model.Hash
}

func (c commit) Read(path string) (model.File, bool, error) {
	e, ok, err := c.repo.Entry(c.hash, path)
	if err != nil || !ok {
		return model.File{}, false, err
	}
	return objects{c.repo, map[string]model.TreeEntry{path: e}}.Read(path)
}

// objects are a few entries of a tree with their content.
type objects struct {
	repo    *gitio.Repository
	entries map[string]model.TreeEntry
}

func (o objects) Read(path string) (model.File, bool, error) {
	e, ok := o.entries[path]
	if !ok {
		return model.File{}, false, nil
	}
	if e.Mode == model.ModeSubmodule {
		return model.File{Path: path, Mode: e.Mode}, true, nil
	}
	data, err := o.repo.Blob(e)
	return model.File{Path: path, Mode: e.Mode, Data: data}, err == nil, err
}
