package gitio

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// Marks of a commit during a walk. The walk and its order are those of git's
// paint_down_to_common (commit-reach.c): newest committer date first, then order of arrival.
const (
	fromA uint8 = 1 << iota
	fromB
	stale
	found
)

type painted struct {
	id   id
	when int64
	seq  int
}

type byDate []painted

func (q byDate) Len() int { return len(q) }
func (q byDate) Less(i, j int) bool {
	if q[i].when != q[j].when {
		return q[i].when > q[j].when
	}
	return q[i].seq < q[j].seq
}
func (q byDate) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *byDate) Push(x any)   { *q = append(*q, x.(painted)) }
func (q *byDate) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// A walk paints the history of two commits.
type walk struct {
	r     *Repository
	queue byDate
	marks map[id]uint8

	queued map[id]int // entries of a commit in the queue
	live   int        // entries whose commit is not stale
	seq    int
}

func (r *Repository) walk() *walk {
	return &walk{r: r, marks: map[id]uint8{}, queued: map[id]int{}}
}

func (w *walk) push(i id, marks uint8) error {
	n, err := w.r.node(i)
	if err != nil {
		return err
	}
	was := w.marks[i]
	w.marks[i] = was | marks
	if was&stale == 0 && marks&stale != 0 {
		w.live -= w.queued[i]
	}
	if w.marks[i]&stale == 0 {
		w.live++
	}
	w.queued[i]++
	w.seq++
	heap.Push(&w.queue, painted{i, n.when, w.seq})
	return nil
}

func (w *walk) pop() id {
	top := heap.Pop(&w.queue).(painted).id
	if w.marks[top]&stale == 0 {
		w.live--
	}
	w.queued[top]--
	return top
}

// paint walks until only common history is left and returns the common commits that were met
// before any of their descendants was known to be common.
func (w *walk) paint(a, b id) ([]id, error) {
	if a == b {
		w.marks[a] = fromA | fromB
		return []id{a}, nil
	}
	if err := w.push(a, fromA); err != nil {
		return nil, err
	}
	if err := w.push(b, fromB); err != nil {
		return nil, err
	}
	var out []id
	for w.live > 0 {
		top := w.pop()
		flags := w.marks[top] & (fromA | fromB | stale)
		if flags == fromA|fromB {
			if w.marks[top]&found == 0 {
				w.marks[top] |= found
				out = append(out, top)
			}
			flags |= stale
		}
		n, err := w.r.node(top)
		if err != nil {
			return nil, err
		}
		for _, p := range n.parents {
			if w.marks[p]&flags == flags {
				continue
			}
			if err := w.push(p, flags); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(out, func(i id) bool { return w.marks[i]&stale != 0 }), nil
}

// MergeBase is the best common ancestor of two commits: where there are several (histories
// that crossed), the newest of those that no other common ancestor descends from. It is empty
// where the histories share nothing.
func (r *Repository) MergeBase(a, b model.Hash) (model.Hash, error) {
	x, okA := parseID(string(a))
	y, okB := parseID(string(b))
	if !okA || !okB {
		return "", fmt.Errorf("find the merge base of %q and %q: not git ids", a, b)
	}
	bases, err := r.mergeBases(x, y)
	if err != nil {
		return "", fmt.Errorf("find the merge base of %s and %s: %w", a, b, err)
	}
	if len(bases) == 0 {
		return "", nil
	}
	return bases[0].hash(), nil
}

func (r *Repository) mergeBases(a, b id) ([]id, error) {
	w := r.walk()
	bases, err := w.paint(a, b)
	if err != nil || len(bases) < 2 {
		return bases, err
	}
	var best []id
	for k, x := range bases {
		redundant := false
		for l, y := range bases {
			if k == l {
				continue
			}
			if redundant, err = r.isAncestor(x, y); err != nil {
				return nil, err
			}
			if redundant {
				break
			}
		}
		if !redundant {
			best = append(best, x)
		}
	}
	slices.SortStableFunc(best, func(x, y id) int {
		m, _ := r.node(x)
		n, _ := r.node(y)
		if m == nil || n == nil {
			return 0
		}
		return cmp.Compare(n.when, m.when)
	})
	return best, nil
}

// IsAncestor reports whether a is b or reachable from it.
func (r *Repository) IsAncestor(a, b model.Hash) (bool, error) {
	x, okA := parseID(string(a))
	y, okB := parseID(string(b))
	if !okA || !okB {
		return false, fmt.Errorf("compare %q with %q: not git ids", a, b)
	}
	return r.isAncestor(x, y)
}

func (r *Repository) isAncestor(a, b id) (bool, error) {
	w := r.walk()
	if _, err := w.paint(a, b); err != nil {
		return false, err
	}
	return a == b || w.marks[a]&fromB != 0, nil
}

// maxBranch bounds the commits listed of one branch.
const maxBranch = 1000

// only lists the commits reachable from head and not from upstream, in the order of ordered.
func (r *Repository) only(head, upstream id) ([]id, error) {
	w := r.walk()
	if _, err := w.paint(head, upstream); err != nil {
		return nil, err
	}
	if err := w.settle(); err != nil {
		return nil, err
	}
	var out []id
	for i, m := range w.marks {
		if m&(fromA|fromB) == fromA {
			out = append(out, i)
		}
	}
	return w.r.ordered(out, head)
}

// ordered sorts a branch's own commits: its first one, where head's first parents lead, then
// parents before children, the older before the younger. It is empty for more than maxBranch:
// that is no branch, but an import of another history.
func (r *Repository) ordered(own []id, head id) ([]id, error) {
	if len(own) > maxBranch {
		return nil, nil
	}
	nodes := make(map[id]*node, len(own))
	for _, i := range own {
		n, err := r.node(i)
		if err != nil {
			return nil, err
		}
		nodes[i] = n
	}
	first := head
	for n := nodes[first]; n != nil && len(n.parents) > 0 && nodes[n.parents[0]] != nil; n = nodes[first] {
		first = n.parents[0]
	}
	depth := map[id]int{first: -1}
	for _, i := range own {
		measure(i, nodes, depth)
	}
	slices.SortFunc(own, func(x, y id) int {
		return cmp.Or(cmp.Compare(depth[x], depth[y]), cmp.Compare(nodes[x].when, nodes[y].when), bytes.Compare(x[:], y[:]))
	})
	return own, nil
}

// settle marks what the second commit reaches among what was marked as the first's alone: the
// walk ends while that news is still on its way where commits are of one second.
func (w *walk) settle() error {
	oldest := int64(math.MaxInt64)
	var todo []id
	for i, m := range w.marks {
		if m&fromB != 0 {
			todo = append(todo, i)
			continue
		}
		n, err := w.r.node(i)
		if err != nil {
			return err
		}
		oldest = min(oldest, n.when)
	}
	for len(todo) > 0 {
		n, err := w.r.node(todo[len(todo)-1])
		if err != nil {
			return err
		}
		todo = todo[:len(todo)-1]
		for _, p := range n.parents {
			if w.marks[p]&fromB != 0 {
				continue
			}
			parent, err := w.r.node(p)
			if err != nil {
				return err
			}
			if w.marks[p] == 0 && parent.when < oldest {
				continue
			}
			w.marks[p] |= fromB
			todo = append(todo, p)
		}
	}
	return nil
}

// measure finds the longest way from a branch's commit to its first ones, so that the order of
// a branch never hangs on clocks alone.
func measure(i id, nodes map[id]*node, depth map[id]int) {
	for stack := []id{i}; len(stack) > 0; {
		top := stack[len(stack)-1]
		d, ready := 0, true
		for _, p := range nodes[top].parents {
			if nodes[p] == nil {
				continue
			}
			below, ok := depth[p]
			if !ok {
				stack, ready = append(stack, p), false
				continue
			}
			d = max(d, below+1)
		}
		if !ready {
			continue
		}
		if _, ok := depth[top]; !ok {
			depth[top] = d
		}
		stack = stack[:len(stack)-1]
	}
}
