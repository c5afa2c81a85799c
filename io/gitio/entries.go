package gitio

import (
	"github.com/taskmill/taskmill/model"
)

// An entries knows by which commit of a first-parent line each other commit entered it. With
// that, a merged branch's own commits and its merge base are found by looking at the branch
// alone, where a walk by date would look at all history since the branch left.
type entries struct {
	r  *Repository
	at map[id]int // position in the line, newest 0; nil where the line does not reach the root
}

func newEntries(r *Repository, line []landed) *entries {
	e := &entries{r: r}
	if len(line) == 0 || len(line[len(line)-1].commit.Parents) > 0 || r.Shallow() {
		return e
	}
	e.at = make(map[id]int, 2*len(line))
	for k := len(line) - 1; k >= 0; k-- {
		tip, _ := parseID(string(line[k].commit.Hash))
		if err := e.enter(tip, k); err != nil {
			e.at = nil // an object is missing: walk by date, and fail where it matters
			return e
		}
	}
	return e
}

func (e *entries) enter(tip id, k int) error {
	for todo := []id{tip}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, ok := e.at[i]; ok {
			continue
		}
		e.at[i] = k
		n, err := e.r.node(i)
		if err != nil {
			return err
		}
		todo = append(todo, n.parents...)
	}
	return nil
}

// of lists the commits that head has and first, the line's commit before position at, lacks, in
// the order of ordered, and their merge base (zero: none).
func (e *entries) of(head, first id, at int) ([]id, id, error) {
	if e.at == nil {
		bases, err := e.r.mergeBases(first, head)
		if err != nil || len(bases) == 0 {
			return nil, id{}, err
		}
		ids, err := e.r.only(head, first)
		return ids, bases[0], err
	}
	own, border, err := e.explore(head, at)
	if err != nil {
		return nil, id{}, err
	}
	if len(own) == 0 {
		return nil, head, nil
	}
	base := id{}
	switch len(border) {
	case 0:
	case 1:
		base = border[0]
	default:
		bases, err := e.r.mergeBases(first, head)
		if err != nil {
			return nil, id{}, err
		}
		if len(bases) > 0 {
			base = bases[0]
		}
	}
	own, err = e.r.ordered(own, head)
	return own, base, err
}

// explore walks from head over the commits that had not entered the line before position at,
// and returns them with the entered commits at their border.
func (e *entries) explore(head id, at int) (own, border []id, err error) {
	entered := func(i id) bool { k, ok := e.at[i]; return ok && k > at }
	if entered(head) {
		return nil, nil, nil
	}
	seen := map[id]bool{head: true}
	for todo := []id{head}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		own = append(own, i)
		n, err := e.r.node(i)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range n.parents {
			if seen[p] {
				continue
			}
			seen[p] = true
			if entered(p) {
				border = append(border, p)
			} else {
				todo = append(todo, p)
			}
		}
	}
	return own, border, nil
}

// pullHeads is the head of each pull request whose reference the repository holds.
func (r *Repository) pullHeads() map[int64]id {
	out := map[int64]id{}
	for name, i := range r.refs.ids {
		if m := pullRef.FindStringSubmatch(name); m != nil {
			if n := number(m[1]); n > 0 {
				out[n] = i
			}
		}
	}
	return out
}

// Pull is the head commit of pull request n by its reference; empty where there is none.
func (r *Repository) Pull(n int64) model.Hash { return r.pullHeads()[n].hash() }
