package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

func check(dir, since string, limit int) (*tally, error) {
	scratch, err := os.MkdirTemp("", "patchcheck")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	r, err := open(dir, scratch)
	if err != nil {
		return nil, err
	}
	defer r.close()
	commits, err := r.commits(since, limit)
	if err != nil || len(commits) == 0 {
		return &tally{}, err
	}
	newest, err := r.tree(commits[0])
	if err != nil {
		return nil, err
	}
	oldest, err := r.tree(commits[len(commits)-1])
	if err != nil {
		return nil, err
	}
	if _, err := r.git("", "read-tree", commits[0]); err != nil {
		return nil, err
	}
	index, err := os.ReadFile(filepath.Join(scratch, "index"))
	if err != nil {
		return nil, err
	}
	t := &tally{commits: len(commits)}
	back := &hunks{tree: newest, reverse: true, scratch: scratch}
	forth := &hunks{tree: oldest, scratch: scratch}
	for _, commit := range commits {
		text, p, err := r.change(t, commit)
		if err != nil {
			t.unread = append(t.unread, fmt.Sprintf("%.12s: %v", commit, err))
			continue
		}
		if err := os.WriteFile(filepath.Join(scratch, "index"), index, 0o644); err != nil {
			return nil, err
		}
		r.whole(t, newest, commit, text, p)
		back.add(commit, p)
		forth.add(commit, p)
		if len(back.all) < 2000 {
			continue
		}
		if err := errors.Join(back.run(t), forth.run(t)); err != nil {
			return nil, err
		}
	}
	return t, errors.Join(back.run(t), forth.run(t))
}

// change reads the change of a commit, as git writes it, and holds our own against it.
func (r *repository) change(t *tally, commit string) (string, patch.Patch, error) {
	out, err := r.git("", "diff", "--binary", "--full-index", "--no-color", commit+"^", commit)
	if err != nil {
		return "", patch.Patch{}, err
	}
	theirs, err := patch.Parse(out)
	if err != nil {
		return "", theirs, err
	}
	if again, err := patch.Parse([]byte(theirs.String())); err != nil || !reflect.DeepEqual(again, theirs) {
		t.apart = append(t.apart, fmt.Sprintf("%.12s: written and read again it is another patch (%v)", commit, err))
	}
	before, err := r.tree(commit + "^")
	if err != nil {
		return "", theirs, err
	}
	after, err := r.tree(commit)
	if err != nil {
		return "", theirs, err
	}
	ours, err := patch.Diff(before, after, patch.Options{})
	if err != nil {
		return "", theirs, err
	}
	for name, p := range map[string]patch.Patch{"git's": theirs, "our": ours} {
		gives(t, commit, name+" diff", p, before, after)
		gives(t, commit, name+" diff reversed", p.Reverse(), after, before)
	}
	t.compare(commit, theirs, ours)
	return string(out), theirs, nil
}

// gives checks that p leads from one tree to another.
func gives(t *tally, commit, what string, p patch.Patch, from, to *tree.Tree) {
	res, err := patch.Apply(p, from)
	if err != nil {
		t.apart = append(t.apart, fmt.Sprintf("%.12s: %s on its own tree: %v", commit, what, err))
		return
	}
	if from.With(res.Changes...).Hash() != to.Hash() {
		t.apart = append(t.apart, fmt.Sprintf("%.12s: %s on its own tree gives another tree", commit, what))
	}
}

// compare counts lines and hunks of each file that git shows.
func (t *tally) compare(commit string, theirs, ours patch.Patch) {
	byPath := map[string]patch.File{}
	for _, f := range ours.Files {
		byPath[f.Change+f.Path()] = f
	}
	for _, f := range theirs.Files {
		t.files++
		g, ok := byPath[f.Change+f.Path()]
		one := patch.Patch{Files: []patch.File{f}}
		two := patch.Patch{Files: []patch.File{g}}
		_, h1, l1 := one.Profile()
		_, h2, l2 := two.Profile()
		same := ok && l1 == l2 && f.Old == g.Old
		if same {
			t.counts++
		}
		if same && slices.EqualFunc(f.Hunks, g.Hunks, func(a, b patch.Hunk) bool { return reflect.DeepEqual(a, b) }) {
			t.identical++
		}
		if same && h1 == h2 {
			t.hunksEqual++
			continue
		}
		t.uneven = append(t.uneven, fmt.Sprintf("%.12s %s %s: git %d hunks %d lines from %q, ours %d hunks %d lines from %q", commit, f.Change, f.Path(), h1, l1, f.Old, h2, l2, g.Old))
	}
}

// whole reverses a whole change on the newest tree, by git in an index and by us.
func (r *repository) whole(t *tally, newest *tree.Tree, commit, text string, p patch.Patch) {
	if len(p.Files) == 0 {
		return
	}
	t.whole++
	theirs := ""
	_, gitErr := r.git(text, "apply", "--cached", "-R", "--whitespace=nowarn", "-")
	if gitErr == nil {
		t.wholeTaken++
		out, err := r.git("", "write-tree")
		if err != nil {
			t.apart = append(t.apart, fmt.Sprintf("%.12s whole: %v", commit, err))
			return
		}
		theirs = string(out[:40])
	}
	res, err := patch.Apply(p.Reverse(), newest)
	switch {
	case (err == nil) != (gitErr == nil):
		t.apart = append(t.apart, fmt.Sprintf("%.12s whole: git %v, ours %v", commit, gitErr, err))
	case err == nil && string(newest.With(res.Changes...).Hash()) != theirs:
		r.explain(t, commit, theirs, newest.With(res.Changes...))
	}
}

// explain tells a difference of modes alone from others. A patch that changes no mode names one
// on its index line. Where the tree's file has another, git before 2.45 gives it the named one;
// later git and the package leave it as it is.
func (r *repository) explain(t *tally, commit, theirs string, ours *tree.Tree) {
	other, err := r.tree(theirs)
	if err != nil {
		t.apart = append(t.apart, fmt.Sprintf("%.12s whole: %v", commit, err))
		return
	}
	if !slices.Equal(ours.Paths(), other.Paths()) {
		t.apart = append(t.apart, fmt.Sprintf("%.12s whole: the trees hold other paths", commit))
		return
	}
	for _, path := range ours.Paths() {
		a, _ := ours.Entry(path)
		b, _ := other.Entry(path)
		if a.Hash != b.Hash || (a.Mode^b.Mode)&0o170000 != 0 {
			t.apart = append(t.apart, fmt.Sprintf("%.12s whole: the trees differ at %s", commit, path))
			return
		}
		if a.Mode != b.Mode {
			t.exceptions = append(t.exceptions, fmt.Sprintf("%.12s whole: git sets the mode of %s from the index line", commit, path))
		}
	}
}
