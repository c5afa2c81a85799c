package gitio

import (
	"context"
	"fmt"

	"github.com/taskmill/taskmill/model"
)

// line is the position of each commit on the first-parent line of newest (0 is newest).
func (r *Repository) line(ctx context.Context, newest model.Hash) (map[model.Hash]int, error) {
	r.mu.Lock()
	at := r.lines[newest]
	r.mu.Unlock()
	if at != nil {
		return at, nil
	}
	commits, err := r.FirstParents(ctx, newest, 0)
	if err != nil {
		return nil, err
	}
	at = make(map[model.Hash]int, len(commits))
	for k, h := range commits {
		at[h] = k
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) >= 4 {
		clear(r.lines)
	}
	r.lines[newest] = at
	return at, nil
}

// Distance is how far a base is from the commit that merged a change, and from the newest
// commit, in whole days between committer dates and in commits of newest's first-parent line.
// A commit beside that line counts from the point of the line at its committer date.
func (r *Repository) Distance(ctx context.Context, merge, base, newest model.Hash) (toMerge, toNewest model.Distance, err error) {
	at, err := r.line(ctx, newest)
	if err != nil {
		return toMerge, toNewest, fmt.Errorf("measure from %s: %w", newest, err)
	}
	var days [3]int64
	var place [3]int
	for k, h := range []model.Hash{merge, base, newest} {
		i, ok := parseID(string(h))
		if !ok {
			return toMerge, toNewest, fmt.Errorf("measure from %q: not a git id", h)
		}
		n, err := r.node(i)
		if err != nil {
			return toMerge, toNewest, fmt.Errorf("measure from %s: %w", h, err)
		}
		days[k] = n.when
		if place[k], ok = at[h]; !ok {
			if place[k], err = r.placeAt(ctx, newest, n.when); err != nil {
				return toMerge, toNewest, fmt.Errorf("measure from %s: %w", h, err)
			}
		}
	}
	toMerge = model.Distance{Days: (days[1] - days[0]) / 86400, Commits: int64(place[0] - place[1])}
	toNewest = model.Distance{Days: (days[2] - days[1]) / 86400, Commits: int64(place[1] - place[2])}
	return toMerge, toNewest, nil
}

// placeAt is the position of the newest commit of the line that is not younger than when.
func (r *Repository) placeAt(ctx context.Context, newest model.Hash, when int64) (int, error) {
	commits, err := r.FirstParents(ctx, newest, 0)
	if err != nil {
		return 0, err
	}
	for k, h := range commits {
		i, _ := parseID(string(h))
		n, err := r.node(i)
		if err != nil {
			return 0, err
		}
		if n.when <= when {
			return k, nil
		}
	}
	return len(commits), nil
}
