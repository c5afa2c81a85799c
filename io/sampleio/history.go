package sampleio

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/taskmill/taskmill/model"
)

// A commit is one commit of a history being built.
type commit struct {
	hash              model.Hash
	tree              tree
	parents           []*commit
	author, committer person
	authored, when    time.Time
	message           string
}

// A History is a repository in memory: its objects and references.
type History struct {
	set     settings
	clock   time.Time
	objects map[model.Hash][]byte // with their headers
	refs    map[string]*commit
}

func newHistory(set settings) *History {
	return &History{set: set, objects: map[model.Hash][]byte{}, refs: map[string]*commit{}}
}

// Ref is the commit of a full reference name, or of a branch or tag name; empty where none is.
func (h *History) Ref(name string) model.Hash {
	c, err := h.find(name)
	if err != nil {
		return ""
	}
	return c.hash
}

func (h *History) find(rev string) (*commit, error) {
	name, up, _ := strings.Cut(rev, "~")
	for _, prefix := range []string{"", "refs/heads/", "refs/tags/"} {
		c := h.refs[prefix+name]
		if c == nil {
			continue
		}
		n, err := strconv.Atoi(cmp.Or(up, "0"))
		if err != nil {
			return nil, fmt.Errorf("revision %s: %w", rev, err)
		}
		for ; n > 0 && c != nil; n-- {
			if len(c.parents) == 0 {
				return nil, fmt.Errorf("revision %s: the history is shorter", rev)
			}
			c = c.parents[0]
		}
		return c, nil
	}
	return nil, fmt.Errorf("revision %s: unknown", rev)
}

func (h *History) take(s step) error {
	switch {
	case !s.date.IsZero():
		h.clock = s.date
	case h.clock.IsZero():
		h.clock = h.set.date
	default:
		h.clock = h.clock.Add(cmp.Or(s.after, h.set.step))
	}
	if len(s.words) < 2 {
		return errors.New("a step needs a word and a name")
	}
	args := s.words[1:]
	switch s.words[0] {
	case "commit":
		return h.commit(s, args)
	case "merge":
		return h.land(s, args)
	case "join":
		return h.join(s, args)
	case "pull":
		return h.point(args, "refs/pull/%s/head")
	case "tag":
		return h.point(args, "refs/tags/%s")
	case "ref":
		return h.point(args, "%s")
	}
	return fmt.Errorf("unknown step %s", s.words[0])
}

func (h *History) point(args []string, pattern string) error {
	if len(args) != 2 {
		return errors.New("want a name and a revision")
	}
	c, err := h.find(args[1])
	if err != nil {
		return err
	}
	h.refs[fmt.Sprintf(pattern, args[0])] = c
	return nil
}

func (h *History) commit(s step, args []string) error {
	ref := "refs/heads/" + args[0]
	parent := h.refs[ref]
	var err error
	switch {
	case len(args) == 3 && args[1] == "from":
		if parent != nil {
			return errors.New("the branch is there already")
		}
		if parent, err = h.find(args[2]); err != nil {
			return err
		}
	case len(args) != 1:
		return errors.New("want BRANCH or BRANCH from REV")
	case parent == nil:
		parent = h.refs["refs/heads/"+h.set.branch]
	}
	c := &commit{author: s.author, committer: s.committer, message: s.text}
	if parent != nil {
		c.parents, c.tree = []*commit{parent}, parent.tree
	}
	if c.tree, err = c.tree.with(s.files); err != nil {
		return err
	}
	h.refs[ref] = h.store(c)
	return nil
}

func (h *History) join(s step, args []string) error {
	if len(args) != 2 {
		return errors.New("want BRANCH OTHER")
	}
	ours, err := h.find(args[0])
	if err != nil {
		return err
	}
	theirs, err := h.find(args[1])
	if err != nil {
		return err
	}
	t, err := merged(ours, theirs, s.files)
	if err != nil {
		return err
	}
	h.refs["refs/heads/"+args[0]] = h.store(&commit{tree: t, parents: []*commit{ours, theirs},
		author: s.author, committer: s.committer, message: s.text})
	return nil
}

// merged is the tree of theirs merged into ours, with the files of the step.
func merged(ours, theirs *commit, files []txtar.File) (tree, error) {
	given := map[string]bool{}
	for _, f := range files {
		name, _, _ := strings.Cut(f.Name, " (")
		given[name] = true
	}
	t, err := merge(common(ours, theirs), ours.tree, theirs.tree, given)
	if err != nil {
		return nil, err
	}
	return t.with(files)
}

// common is the tree of a best common ancestor: one that no other common ancestor descends
// from, the newest of them.
func common(a, b *commit) tree {
	inA, inB := ancestors(a), ancestors(b)
	var best *commit
	for c := range inA {
		if !inB[c] {
			continue
		}
		if best == nil || ancestors(c)[best] || !ancestors(best)[c] && c.when.After(best.when) {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return best.tree
}

func ancestors(c *commit) map[*commit]bool {
	seen := map[*commit]bool{}
	for todo := []*commit{c}; len(todo) > 0; {
		c, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if !seen[c] {
			seen[c] = true
			todo = append(todo, c.parents...)
		}
	}
	return seen
}
