package leak

import (
	"slices"

	"github.com/taskmill/taskmill/model"
)

// A Repository is what was counted in the repository that a solver gets.
type Repository struct {
	Commits     int      // commit objects, reachable or not
	Unreachable int      // objects that the one commit does not reach
	Refs        []string // full names, HEAD left out
	Reflogs     []string // files with entries
	Alternates  bool     // another object store is attached
	Nested      []string // further repositories below the root, by path
}

// Git finds what a repository of exactly one commit has not: further objects, refs but one
// branch, reflogs, notes, tags, stashes, nested repositories. Sorted; nil when clean.
func Git(r Repository) []model.LeakFinding {
	var found []model.LeakFinding
	add := func(path string) { found = append(found, model.LeakFinding{Path: path, Kind: KindGit}) }
	if r.Commits != 1 || r.Unreachable != 0 {
		add(".git/objects")
	}
	if r.Alternates {
		add(".git/objects/info/alternates")
	}
	refs := slices.Sorted(slices.Values(r.Refs))
	branch := ""
	for _, ref := range refs {
		if branch == "" && len(ref) > len("refs/heads/") && ref[:len("refs/heads/")] == "refs/heads/" {
			branch = ref
			continue
		}
		add(".git/" + ref)
	}
	for _, l := range r.Reflogs {
		add(".git/" + l)
	}
	for _, n := range r.Nested {
		add(n)
	}
	return sorted(found)
}
