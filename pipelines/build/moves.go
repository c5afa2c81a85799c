package build

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
)

// Bounds of a search for where files went, ours.
const (
	maxMoves   = 8   // renames of one file
	maxLooked  = 200 // new files of one commit that are compared
	minMovedBy = 0.5 // similarity of a moved file, git's default
)

// moves follows the paths of a change that a base lacks from its merge along the first-parent
// line to the base: the name that each has there. A path that was deleted, or whose content went
// into files unlike it, is not in the result.
func moves(ctx context.Context, repo *gitio.Repository, c model.Change, base model.Hash, paths []string) (map[string]string, error) {
	out := map[string]string{}
	var line []model.Hash // from the merge to the base
	for _, p := range paths {
		if _, ok, err := repo.Entry(base, p); err != nil || ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		if line == nil {
			commits, err := repo.FirstParents(ctx, base, 0)
			if err != nil {
				return nil, err
			}
			at := slices.Index(commits, c.Record.MergeCommit)
			if at < 0 {
				return out, nil // merged elsewhere: no line to follow
			}
			line = slices.Clone(commits[:at+1])
			slices.Reverse(line)
		}
		to, err := follow(repo, line, p)
		if err != nil {
			return nil, fmt.Errorf("follow %s of %s: %w", p, c.ID, err)
		}
		if to != "" {
			out[p] = to
		}
	}
	return out, nil
}

// follow is the name at the end of a line of the file that its first commit has as name; empty
// where it is lost on the way.
func follow(repo *gitio.Repository, line []model.Hash, name string) (string, error) {
	for range maxMoves {
		var fault error
		gone := sort.Search(len(line), func(i int) bool {
			_, ok, err := repo.Entry(line[i], name)
			if err != nil {
				fault = err
			}
			return !ok
		})
		if fault != nil {
			return "", fault
		}
		switch gone {
		case len(line):
			return name, nil
		case 0:
			return "", nil
		}
		to, err := successor(repo, line[gone-1], line[gone], name)
		if err != nil || to == "" {
			return "", err
		}
		line, name = line[gone:], to
	}
	return "", nil
}

// successor is the new file of a commit that an old one became: the same content, or the most
// similar of the same kind.
func successor(repo *gitio.Repository, before, after model.Hash, name string) (string, error) {
	changes, err := repo.Changes(before, after)
	if err != nil {
		return "", err
	}
	old, ok, err := repo.Entry(before, name)
	if err != nil || !ok {
		return "", err
	}
	was, err := repo.Blob(old)
	if err != nil {
		return "", err
	}
	best, most, looked := "", minMovedBy, 0
	for _, ch := range changes {
		switch {
		case ch.Old.Path == name && ch.New.Path != "" && ch.New.Path != name:
			return ch.New.Path, nil
		case ch.Old.Path != "" || path.Ext(ch.New.Path) != path.Ext(name):
			continue
		}
		if looked++; looked > maxLooked {
			break
		}
		is, err := repo.Blob(ch.New)
		if err != nil {
			return "", err
		}
		if s := patch.Similarity(was, is); s >= most {
			best, most = ch.New.Path, s
		}
	}
	return best, nil
}
