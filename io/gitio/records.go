package gitio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taskmill/taskmill/model"
)

// RecordOptions chooses records. Zero values choose all merged pull requests of the default
// branch.
type RecordOptions struct {
	Since, Until time.Time // of the merge, both included; zero: open
	Limit        int       // newest records; 0: all
	Numbers      []int64   // only these
	Commits      bool      // also commits that carry no number, as records of kind commit
	Branches     []string  // further branches, after the default branch
}

// A landed is a commit of a branch's first-parent line with what is known of its pull request.
type landed struct {
	Landing
	commit Commit
	before model.Hash // start of the change, where it is not the first parent
	pull   id         // head of the pull request by its reference
	inner  bool       // belongs to the record of a newer commit
}

// Records emits the merged pull requests that the repository's history tells of, newest first
// by the first-parent line of the default branch, then of the other branches asked for. A
// number is emitted once: where it stands on several commits, for the default branch's oldest
// of the surest wording. A fault of one record goes to reject; emit's error ends the walk.
func (r *Repository) Records(ctx context.Context, o RecordOptions, emit func(model.Record) error, reject func(model.Rejection)) error {
	name, tip, _, err := r.DefaultBranch()
	if err != nil {
		return err
	}
	s := &scan{Repository: r, options: o, emit: emit, reject: reject,
		pulls: r.pullHeads(), numberOf: map[model.Hash]int64{}, taken: map[int64]bool{}}
	if err := s.branch(ctx, name, tip); err != nil {
		return err
	}
	for _, b := range o.Branches {
		if b == name {
			continue
		}
		tip, err := r.Resolve(b)
		if err != nil {
			return err
		}
		if err := s.branch(ctx, b, tip); err != nil {
			return err
		}
	}
	return nil
}

// A scan is one call of Records.
type scan struct {
	*Repository
	options RecordOptions
	emit    func(model.Record) error
	reject  func(model.Rejection)

	pulls    map[int64]id
	numberOf map[model.Hash]int64 // commit on a line to its pull request
	taken    map[int64]bool
	seen     map[model.Hash]bool // commits on the default branch's line
	kinds    sync.Map
	emitted  int
}

// errDone ends a scan whose limit is reached.
var errDone = errors.New("limit reached")

func (s *scan) branch(ctx context.Context, name string, tip model.Hash) error {
	line, err := s.read(ctx, tip)
	if err != nil {
		return err
	}
	s.assignPulls(line)
	s.groupRuns(line)
	s.dropRepeats(line)
	for k := range line {
		if n := line[k].Number; n > 0 {
			s.numberOf[line[k].commit.Hash] = n
		}
	}
	own := newEntries(s.Repository, line)
	var at []int
	for k := range line {
		if s.wanted(&line[k]) {
			at = append(at, k)
		}
	}
	// A few at a time: records are built beside each other and leave in order.
	for chunk := range slices.Chunk(at, 64) {
		if err := ctx.Err(); err != nil {
			return err
		}
		built := s.built(name, line, own, chunk)
		for n, k := range chunk {
			if err := s.send(&line[k], built[n]); err != nil {
				if errors.Is(err, errDone) {
					return nil
				}
				return err
			}
		}
	}
	return nil
}

// A result is a record, or why there is none; neither for a merge that landed nothing.
type result struct {
	record *model.Record
	err    error
}

// built builds the records of the commits at the given positions.
func (s *scan) built(branch string, line []landed, own *entries, at []int) []result {
	out := make([]result, len(at))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, len(at)) {
		wg.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(at); n = int(next.Add(1)) - 1 {
				rec, err := s.build(branch, &line[at[n]], own, at[n])
				out[n] = result{rec, err}
			}
		})
	}
	wg.Wait()
	return out
}

// maxOlder is how many commits older than the window end a walk: committer dates are nearly,
// not quite, in order.
const maxOlder = 200

// read reads the first-parent line of a branch, newest first, as far as the options need it, or
// until it meets the default branch's line.
func (s *scan) read(ctx context.Context, tip model.Hash) ([]landed, error) {
	var line []landed
	older, numbered := 0, 0
	for h := tip; h != "" && !s.seen[h]; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := s.Commit(h)
		if err != nil {
			s.fault(h, 0, time.Time{}, err)
			break
		}
		l := landed{commit: c, Landing: ParseMessage(c.Message, len(c.Parents))}
		line = append(line, l)
		if l.Number > 0 {
			numbered++
		}
		if older++; s.options.Since.IsZero() || !c.Committer.When.Before(s.options.Since) {
			older = 0
		}
		if older > maxOlder || s.options.Limit > 0 && s.options.Since.IsZero() && numbered > 2*s.options.Limit+maxOlder {
			break
		}
		h = ""
		if len(c.Parents) > 0 {
			h = c.Parents[0]
		} else if i, _ := parseID(string(c.Hash)); s.shallow[i] {
			s.fault(c.Hash, 0, time.Time{}, ErrShallow)
			line = line[:len(line)-1] // its change cannot be told
		}
	}
	if s.seen == nil {
		s.seen = make(map[model.Hash]bool, len(line))
		for k := range line {
			s.seen[line[k].commit.Hash] = true
		}
	}
	return line, nil
}

func (s *scan) wanted(l *landed) bool {
	o, at := s.options, l.commit.Committer.When
	switch {
	case l.inner, !o.Since.IsZero() && at.Before(o.Since), !o.Until.IsZero() && at.After(o.Until):
		return false
	case l.Number == 0:
		return o.Commits && len(o.Numbers) == 0
	}
	return len(o.Numbers) == 0 || slices.Contains(o.Numbers, l.Number)
}

// groupRuns joins neighbours without a merge that carry the same number: a branch that was
// rebased by a tool which marks each commit.
func (s *scan) groupRuns(line []landed) {
	single := func(l *landed) bool { return l.Number > 0 && len(l.commit.Parents) == 1 && !l.inner && l.before == "" }
	for k := 0; k < len(line); k++ {
		end := k + 1
		for end < len(line) && single(&line[k]) && single(&line[end]) && line[end].Number == line[k].Number {
			line[end].inner = true
			end++
		}
		if end > k+1 {
			line[k].before, line[k].Style = line[end-1].commit.Parents[0], "rebase"
		}
	}
}

// dropRepeats takes the number off all but one commit that carry it.
func (s *scan) dropRepeats(line []landed) {
	best := map[int64]int{}
	for k := len(line) - 1; k >= 0; k-- {
		n := line[k].Number
		if n == 0 || line[k].inner {
			continue
		}
		b, ok := best[n]
		if s.taken[n] || ok && line[b].Confidence >= line[k].Confidence {
			line[k].Number, line[k].Style = 0, ""
			continue
		}
		if ok {
			line[b].Number, line[b].Style = 0, ""
		}
		best[n] = k
	}
	for n := range best {
		s.taken[n] = true
	}
}

// fault rejects one commit's record.
func (s *scan) fault(h model.Hash, n int64, at time.Time, err error) {
	r := model.Rejection{Repo: s.source.Repo, Method: "change", Stage: model.StageIngest,
		Reason: model.Infrastructure, Infrastructure: true, Detail: err.Error(),
		Candidate: model.InstanceID(s.source.Repo, n, h)}
	if errors.Is(err, errNoBase) {
		r.Reason, r.Infrastructure = model.NotAncestor, false
	}
	if errors.Is(err, ErrShallow) {
		r.Detail = fmt.Sprintf("commit %s: %v", h, err)
	}
	if n > 0 {
		r.SourcePR = &n
	}
	if !at.IsZero() {
		r.SourceMergedAt = &at
	}
	s.reject(r)
}

// send emits one record, or rejects it.
func (s *scan) send(l *landed, built result) error {
	if built.err != nil {
		s.fault(l.commit.Hash, l.Number, l.commit.Committer.When, built.err)
		return nil
	}
	if built.record == nil {
		return nil
	}
	if err := s.emit(*built.record); err != nil {
		return err
	}
	if s.emitted++; s.options.Limit > 0 && s.emitted >= s.options.Limit {
		return errDone
	}
	return nil
}

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
	if len(c.Parents) > 1 && len(commits) == 0 && l.Number == 0 {
		return nil, nil
	}
	for k, m := range commits {
		if k == 0 {
			rec.CreatedAt, rec.Author = m.Author.When, Login(m.Author.Name, m.Author.Email)
			rec.AuthorKind = s.kind(m.Author)
		}
		if len(m.Parents) < 2 {
			rec.Messages = append(rec.Messages, m.Message)
		}
	}
	text := rec.Title + "\n\n" + rec.Body
	for _, m := range rec.Messages {
		text += "\n\n" + m
	}
	rec.Closes = Closes(text, rec.Repo)
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
