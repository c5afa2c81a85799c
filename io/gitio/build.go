package gitio

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

var errNoBase = errors.New("no common ancestor with the target branch")

// build is the record of a landed commit; nil for a merge that landed nothing.
func (s *scan) build(branch string, l *landed, own *entries, at int) (*model.Record, error) {
	c := l.commit
	rec := &model.Record{Source: s.source, Repo: s.source.Repo, Number: l.Number, Kind: "pr",
		Title: l.Title, Body: l.Body, Author: Login(c.Author.Name, c.Author.Email),
		AuthorKind: s.kind(c.Author),
		CreatedAt:  c.Author.When, MergedAt: c.Committer.When, ClosedAt: c.Committer.When,
		State: "merged", BaseRef: branch, MergeCommit: c.Hash, HeadCommit: c.Hash, After: c.Hash,
		MergeStyle: l.Style, BackportOf: l.BackportOf, Reverts: l.Reverts, VisibleAt: c.Committer.When,
		TimeCertain: true, Confidence: l.Confidence, TextSource: "git"}
	if l.Number == 0 {
		rec.Kind, rec.MergeStyle, rec.TimeCertain, rec.Confidence = "commit", "commit", false, 0
	}
	rec.Reverts = cmp.Or(rec.Reverts, s.numberLike(l.RevertsID))
	if l.PickOf != "" {
		rec.BackportOf = cmp.Or(rec.BackportOf, s.numberLike(l.PickOf))
	}
	if rec.BackportOf == rec.Number {
		rec.BackportOf = 0
	}
	commits, err := s.bounds(rec, l, own, at)
	if err != nil {
		return nil, err
	}
	if len(c.Parents) > 1 && l.Number == 0 && !ownWork(commits) {
		return nil, nil
	}
	nameByCommit(rec, commits)
	for k, m := range commits {
		if k == 0 {
			rec.CreatedAt, rec.Author = m.Author.When, Login(m.Author.Name, m.Author.Email)
			rec.AuthorKind = s.kind(m.Author)
		}
		if len(m.Parents) < 2 {
			rec.Messages = append(rec.Messages, m.Message)
		}
	}
	var text strings.Builder
	text.WriteString(rec.Title + "\n\n" + rec.Body)
	for _, m := range rec.Messages {
		text.WriteString("\n\n" + m)
	}
	rec.Closes = Closes(text.String(), rec.Repo)
	changes, err := s.Changes(rec.Before, rec.After)
	if err != nil {
		return nil, err
	}
	for _, ch := range changes {
		p := model.PathChange{Path: ch.Path(), Change: ch.Word()}
		if ch.Old.Path != "" && ch.Old.Path != p.Path {
			p.OldPath = ch.Old.Path
		}
		rec.Files = append(rec.Files, p)
	}
	return rec, nil
}

// kind is AuthorKind, once a person.
func (s *scan) kind(g Signature) string {
	key := g.Name + "\x00" + g.Email
	if k, ok := s.kinds.Load(key); ok {
		return k.(string)
	}
	k := AuthorKind(g.Name, g.Email)
	s.kinds.Store(key, k)
	return k
}

// ownWork reports whether the commits of a merge without a number are a change of their own:
// not nothing, and not another branch with the pull requests that landed there.
func ownWork(commits []Commit) bool {
	return len(commits) > 0 && !slices.ContainsFunc(commits, func(c Commit) bool {
		return ParseMessage(c.Message, len(c.Parents)).Number > 0
	})
}

// nameByCommit takes title and body from the branch's first commit where the host left none of
// its own: in a rebase, and in a merge without a text.
func nameByCommit(rec *model.Record, commits []Commit) {
	bare := strings.HasPrefix(rec.Title, "Merge ") || strings.HasPrefix(rec.Title, "Auto merge of ")
	if len(commits) == 0 || rec.MergeStyle != "rebase" && !bare {
		return
	}
	l := ParseMessage(commits[0].Message, len(commits[0].Parents))
	rec.Title, rec.Body = l.Title, l.Body
}

// numberLike is the pull request of the line's commit whose id begins with prefix.
func (s *scan) numberLike(prefix string) int64 {
	if len(prefix) == 40 {
		return s.numberOf[model.Hash(prefix)]
	}
	if len(prefix) < 7 {
		return 0
	}
	for h, n := range s.numberOf {
		if string(h[:len(prefix)]) == prefix {
			return n
		}
	}
	return 0
}

// maxMessages bounds the branch commits whose messages a record carries.
const maxMessages = 100

// bounds sets where the change begins and ends and returns the branch's own commits, oldest
// first.
func (s *scan) bounds(rec *model.Record, l *landed, own *entries, at int) ([]Commit, error) {
	parents := l.commit.Parents
	var first id
	if len(parents) > 0 {
		rec.Before = parents[0]
		first, _ = parseID(string(parents[0]))
	}
	switch {
	case len(parents) == 2:
		head, _ := parseID(string(parents[1]))
		ids, base, err := own.of(head, first, at)
		if err != nil {
			return nil, err
		}
		if base == (id{}) {
			return nil, errNoBase
		}
		rec.Before, rec.After, rec.HeadCommit, rec.MergeBase = base.hash(), parents[1], parents[1], base.hash()
		return s.commits(ids)
	case l.before != "":
		rec.Before = l.before
		line, err := s.FirstParents(context.Background(), l.commit.Hash, maxMessages)
		if err != nil {
			return nil, err
		}
		if end := slices.Index(line, l.before); end >= 0 {
			line = line[:end]
		}
		slices.Reverse(line)
		var ids []id
		for _, h := range line {
			i, _ := parseID(string(h))
			ids = append(ids, i)
		}
		return s.commits(ids)
	case l.pull != id{} && first != id{}:
		ids, base, err := own.of(l.pull, first, at)
		if err != nil || base == (id{}) || len(ids) == 0 {
			return nil, nil // the reference is extra: without it the squash stands for itself
		}
		rec.HeadCommit, rec.MergeBase = l.pull.hash(), base.hash()
		commits, err := s.commits(ids)
		if err != nil {
			return nil, nil
		}
		return commits, nil
	}
	return nil, nil
}

func (s *scan) commits(ids []id) ([]Commit, error) {
	var out []Commit
	for _, i := range ids[:min(len(ids), maxMessages)] {
		c, err := s.Commit(i.hash())
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
