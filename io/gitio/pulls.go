package gitio

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// pullRef is where hosts and their users keep the heads of pull requests: GitHub and Gitea
// (refs/pull), GitLab (refs/merge-requests), Bitbucket (refs/pull-requests), and the remote
// branches that users fetch them to.
var pullRef = regexp.MustCompile(`^refs/(?:pull|merge-requests|pull-requests|remotes/[^/]+/(?:pr|pull|merge-requests))/(\d+)(?:/head|/from)?$`)

// Confidences of a number that only a reference gives. (ours)
const (
	sureHead    = 0.95 // the merged commit is the reference's
	surePatch   = 0.9  // same author, time, subject and patch
	sureTree    = 0.8  // same tree, other author line: squashed, its subject rewritten
	sureAuthor  = 0.6  // same author, time and subject, patch adapted
	sureForward = 0.5  // the reference's commit is itself on the line: pushed, or opened later
	knownSquash = 0.98 // `Title (#N)` and the reference exists
	noSuchPull  = 0.5  // `Title (#N)` in a repository with references, but none for N: an issue?
)

// assignPulls joins a line with the pull requests' references.
func (s *scan) assignPulls(line []landed) {
	if len(s.pulls) == 0 {
		return
	}
	newest := slices.Max(slices.Collect(maps.Keys(s.pulls)))
	used := map[int64]bool{}
	for k := range line {
		l := &line[k]
		if l.Number == 0 {
			continue
		}
		used[l.Number] = true
		head, ok := s.pulls[l.Number]
		l.pull = head
		if len(l.commit.Parents) < 2 && l.Style == "squash" {
			if ok {
				l.Confidence = max(l.Confidence, knownSquash)
			} else if l.Number <= newest {
				l.Confidence = min(l.Confidence, noSuchPull)
			}
		}
	}
	m := s.matcher(line)
	for _, n := range slices.Sorted(maps.Keys(s.pulls)) {
		if !used[n] && !s.taken[n] {
			m.match(n, s.pulls[n])
		}
	}
}

// A matcher finds the commits of a line without a number that a reference's commits became.
type matcher struct {
	*scan
	line   []landed
	byID   map[model.Hash]int
	second map[model.Hash]int // merged commit to its merge
	byKey  map[string]int
	byTree map[model.Hash]int
}

func (s *scan) matcher(line []landed) *matcher {
	m := &matcher{scan: s, line: line, byID: map[model.Hash]int{}, second: map[model.Hash]int{},
		byKey: map[string]int{}, byTree: map[model.Hash]int{}}
	for k := range line {
		c := &line[k].commit
		if line[k].Number > 0 {
			continue
		}
		if len(c.Parents) > 1 {
			m.second[c.Parents[1]] = k
			continue
		}
		m.byID[c.Hash] = k
		m.byKey[authorship(*c)] = k
		if k+1 < len(line) && line[k+1].commit.Tree != c.Tree {
			m.byTree[c.Tree] = k
		}
	}
	return m
}

// authorship is what a rebase keeps of a commit besides its patch.
func authorship(c Commit) string {
	return c.Author.Email + "\x00" + strconv.FormatInt(c.Author.When.Unix(), 10) + "\x00" + c.Subject()
}

func (m *matcher) match(n int64, head id) {
	c, err := m.Commit(head.hash())
	if err != nil {
		return // the reference's objects are not here
	}
	if k, ok := m.second[c.Hash]; ok && m.line[k].Number == 0 {
		m.set(k, n, head, "merge", sureHead)
		return
	}
	if k, ok := m.byID[c.Hash]; ok {
		if m.line[k].Number == 0 && !m.line[k].inner {
			m.set(k, n, id{}, "rebase", sureForward)
		}
		return
	}
	if len(c.Parents) == 1 {
		if k, ok := m.byKey[authorship(c)]; ok && m.free(k) {
			m.rebased(k, n, head, c)
			return
		}
	}
	if k, ok := m.byTree[c.Tree]; ok && m.free(k) {
		m.set(k, n, head, "squash", sureTree)
	}
}

func (m *matcher) free(k int) bool {
	return m.line[k].Number == 0 && !m.line[k].inner && len(m.line[k].commit.Parents) == 1
}

func (m *matcher) set(k int, n int64, head id, style string, confidence float64) {
	l := &m.line[k]
	l.Number, l.Style, l.Confidence, l.pull = n, style, confidence, head
}

// rebased follows the reference's commits and the line's downwards while they are the same.
func (m *matcher) rebased(k int, n int64, head id, c Commit) {
	confidence := surePatch
	last := k
	for at := k; ; at++ {
		l := &m.line[at]
		if !m.samePatch(c, l.commit) {
			confidence = min(confidence, sureAuthor)
		}
		last = at
		if len(c.Parents) != 1 || at+1 >= len(m.line) || !m.free(at+1) {
			break
		}
		next, err := m.Commit(c.Parents[0])
		if err != nil || next.Hash == m.line[at+1].commit.Hash || authorship(next) != authorship(m.line[at+1].commit) {
			break
		}
		c = next
	}
	m.set(k, n, head, "rebase", confidence)
	m.line[k].before = m.line[last].commit.Parents[0]
	for at := k + 1; at <= last; at++ {
		m.line[at].inner = true
	}
}

// samePatch compares what two commits of one parent change: the paths, and for each path the
// lines that come and go, wherever they stand.
func (m *matcher) samePatch(a, b Commit) bool {
	x, errA := m.changesOf(a)
	y, errB := m.changesOf(b)
	if errA != nil || errB != nil || len(x) != len(y) {
		return false
	}
	if slices.Equal(x, y) {
		return true
	}
	p, errA := m.patchID(x)
	q, errB := m.patchID(y)
	return errA == nil && errB == nil && p == q
}

func (m *matcher) changesOf(c Commit) ([]Change, error) {
	before := model.Hash("")
	if len(c.Parents) > 0 {
		before = c.Parents[0]
	}
	return m.Changes(before, c.Hash)
}

// maxPatch bounds the files that are compared line by line.
const maxPatch = 200

func (m *matcher) patchID(changes []Change) (string, error) {
	h := sha256.New()
	for k, ch := range changes {
		h.Write([]byte(ch.Old.Path + "\x00" + ch.New.Path + "\x00" + ch.Word() + "\n"))
		if ch.Old.Hash == ch.New.Hash || k >= maxPatch || ch.Word() == "submodule" {
			continue
		}
		lines, err := m.lines(ch)
		if err != nil {
			return "", err
		}
		for _, l := range lines {
			h.Write([]byte(l + "\n"))
		}
	}
	return string(h.Sum(nil)), nil
}

// lines is the sorted difference of a path's lines as multisets: `+line` and `-line`.
func (m *matcher) lines(ch Change) ([]string, error) {
	count := map[string]int{}
	for sign, e := range map[int]model.TreeEntry{-1: ch.Old, 1: ch.New} {
		if e.Path == "" {
			continue
		}
		data, err := m.Blob(e)
		if err != nil {
			return nil, err
		}
		for l := range strings.Lines(string(data)) {
			count[l] += sign
		}
	}
	var out []string
	for l, n := range count {
		switch cmp.Compare(n, 0) {
		case 1:
			out = append(out, "+"+strconv.Itoa(n)+l)
		case -1:
			out = append(out, "-"+strconv.Itoa(-n)+l)
		}
	}
	slices.Sort(out)
	return out, nil
}
