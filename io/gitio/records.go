package gitio

import (
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
	// Known is what a service says of merges: the commit on the target branch that holds a pull
	// request. It wins over what messages say, where the commit is on a branch's line.
	Known map[model.Hash]int64
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
	s.assignKnown(line)
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
			s.fault(h, 0, time.Time{}, fmt.Errorf("the history before it cannot be read: %w", err))
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
			line = line[:len(line)-1] // its change cannot be told
			if s.wanted(&l) {
				s.fault(c.Hash, l.Number, c.Committer.When, ErrShallow)
			}
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

// assignKnown gives commits the numbers that a service knows, and takes those off others.
func (s *scan) assignKnown(line []landed) {
	if len(s.options.Known) == 0 {
		return
	}
	at := map[int64]int{}
	for k := range line {
		if n := s.options.Known[line[k].commit.Hash]; n > 0 {
			at[n] = k
		}
	}
	for k := range line {
		l := &line[k]
		if known, ok := at[l.Number]; ok && l.Number > 0 && known != k {
			// A run of a rebased pull request carries its number on each commit.
			if len(l.commit.Parents) > 1 || len(line[known].commit.Parents) > 1 || k < known {
				l.Number, l.Style, l.Confidence = 0, "", 0
			}
		}
	}
	for n, k := range at {
		l := &line[k]
		if l.Number != n || l.Style == "" {
			l.Style = "squash"
			if len(l.commit.Parents) > 1 {
				l.Style = "merge"
			}
		}
		l.Number, l.Confidence = n, 1
	}
}

// groupRuns joins neighbours without a merge that carry the same number: a branch that was
// rebased by a tool which marks each commit.
func (s *scan) groupRuns(line []landed) {
	single := func(l *landed) bool { return l.Number > 0 && len(l.commit.Parents) == 1 && !l.inner && l.before == "" }
	for k := range line {
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
		Reason: model.Infrastructure, Infrastructure: true,
		Candidate: model.InstanceID(s.source.Repo, n, h), SourceCommit: string(h)}
	r.Detail = Explain(err)
	if errors.Is(err, errNoBase) || errors.Is(err, ErrShallow) {
		r.Reason, r.Infrastructure = model.NotAncestor, false
	}
	if errors.Is(err, ErrShallow) {
		r.Detail = fmt.Sprintf("commit %s: %v: complete it with git fetch --unshallow", h, err)
	}
	if n > 0 {
		r.SourcePR = &n
	}
	if !at.IsZero() {
		at = at.UTC()
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
