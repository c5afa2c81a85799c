// Package sampleio turns a history written as text into a real git repository with fixed dates
// and therefore fixed commit ids. The samples of the product (sample:go, …) are such texts.
//
// # Format
//
// A history is a txtar archive. Its comment may hold settings, one `key: value` a line; every
// other line of it is prose:
//
//	repo: taskmill/sample-go        owner/name; the owner signs merge subjects
//	default: main                   the default branch
//	author: Ada Example <ada@example.com>
//	merger: Max Example <max@example.com>   who commits merges (the author unless given)
//	date: 2025-01-06T09:00:00Z      of the first step
//	step: 24h                       between two steps
//
// A file of the archive whose name begins with @ is a step; the files that follow it belong to
// it. A step's text is a commit message, before which `author:`, `committer:`, `date:` or (the
// shift of this step alone) `after:` lines and an empty line may stand.
//
//	-- @commit BRANCH --            a commit; a new branch starts at the default branch's tip
//	-- @commit BRANCH from REV --   the same, from a branch, a tag or BRANCH~N
//	-- @merge N BRANCH STYLE --     pull request N from BRANCH lands on the default branch; the
//	-- @merge N BRANCH STYLE into TARGET --   text is its title, an empty line and its body
//	-- @pull N BRANCH --            pull request N from BRANCH stays open; the text is ignored
//	-- @join BRANCH OTHER --        OTHER is merged into BRANCH; the text is the message
//	-- @tag NAME REV --             a light tag
//	-- @ref refs/… REV --           any reference
//
// STYLE is merge (GitHub's merge commit), squash, rebase, gitlab, gitea, or plain: a merge
// commit whose message is the text as it stands. Each pull request gets refs/pull/N/head.
// BRANCH stays as refs/heads/BRANCH unless its name begins with pr/: then only the pull
// request's reference keeps it, as after the deletion of a merged branch.
//
// A file's content is its whole new version. Words in brackets after the name change that:
//
//	-- old.go (deleted) --          the path goes
//	-- run.sh (mode=755) --         executable; mode=644 takes it back; with an empty content
//	                                the path keeps its own
//	-- link (symlink) --            the content, without its last newline, is the target
//	-- vendor/x (submodule) --      the content is a commit id
//	-- new.go (from=old.go) --      renamed; with an empty content the old one's moves along
//	-- a.txt (append) --            the content is added to the file's end
//	-- a.go (edit) --               blocks of <<<<<<<, old lines, =======, new lines, >>>>>>>,
//	                                each on lines of their own; old lines must occur once
//	-- a.txt (crlf) --              every line ends in CR LF
//	-- a.txt (no-newline) --        the last newline is dropped
//	-- a.bin (base64) --            the content is base64
//
// Merges are by path: a path that both sides changed must be given in the merge step.
//
// # Samples
//
// go is a module with three packages, python a package under src with tests of its own; neither
// needs more than the language and, for python, pytest. Each has 18 merged pull requests in all
// merge styles over about 17 months; what every one of them shows, and what it therefore ends
// as, is written in expected/NAME.txt and read by Expected. Nothing in them is random: the test
// that depends on the order of tests fails under seed 1 every time. Two reasons cannot be shown
// at level 1 in these languages: touches_runner and inseparable, since a file that steers the
// runner or holds test functions is not production in the first place.
//
// A hunk reverses on the newest commit only while its three lines of context are as they were,
// so a new pull request must keep clear of the places of those that are to be tasks.
package sampleio

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

//go:embed samples
var samples embed.FS

// Names lists the samples, sorted.
func Names() []string {
	entries, err := samples.ReadDir("samples")
	if err != nil {
		panic("sampleio: " + err.Error()) // embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txtar"))
	}
	slices.Sort(names)
	return names
}

// Text is a sample's history as text.
func Text(name string) ([]byte, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("no sample %q: there are %s", name, strings.Join(Names(), ", "))
	}
	return samples.ReadFile("samples/" + name + ".txtar")
}

// Digest is the SHA-256 of a sample's text: it changes when the sample does.
func Digest(name string) (model.Hash, error) {
	text, err := Text(name)
	if err != nil {
		return "", err
	}
	return model.Sum(text), nil
}

// Materialise writes a sample as a bare repository into dir, which is empty or absent.
func Materialise(name, dir string) error {
	text, err := Text(name)
	if err != nil {
		return err
	}
	if err := Write(text, dir); err != nil {
		return fmt.Errorf("write sample %s: %w", name, err)
	}
	return nil
}

// Write writes the history of text as a bare repository into dir.
func Write(text []byte, dir string) error {
	h, err := Parse(text)
	if err != nil {
		return err
	}
	return h.write(dir)
}
