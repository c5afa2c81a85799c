package model

import (
	"fmt"
	"strings"
)

// InstanceID is owner__repo-N, or owner__repo-<12 hex of the commit> where number is 0. Two
// repositories never share an id: a name whose escaped form another name could have is marked
// with the first 6 characters of its hash.
func InstanceID(repo string, number int64, commit Hash) string {
	if number > 0 {
		return fmt.Sprintf("%s-%d", RepoID(repo), number)
	}
	return RepoID(repo) + "-" + commit.Short(12)
}

// RepoID turns owner/name into owner__name. It is injective.
func RepoID(repo string) string {
	id := strings.ReplaceAll(repo, "/", "__")
	if strings.Count(repo, "/") != 1 || strings.Contains(repo, "__") || strings.Contains(repo, "_/") || strings.Contains(repo, "/_") {
		id += "." + Sum([]byte(repo)).Short(6)
	}
	return id
}

// twin ends the id of a task on the change's own revision that is the counterpart of another task.
const twin = ".historical"

// TwinID is the id of the twin of a change's task: the same change, undone on its own revision.
func TwinID(change string) string { return change + twin }

// TwinOf is the task that an id's task is the twin of; false where the id is no twin's. A further
// variant of a twin is the twin of that variant.
func TwinOf(id string) (string, bool) {
	whole, variant := strings.CutSuffix(id, "."+FamilyTests)
	of, ok := strings.CutSuffix(whole, twin)
	if !ok {
		return "", false
	}
	if variant {
		of += "." + FamilyTests
	}
	return of, true
}

// ImageName is a Docker image name (lower case, [a-z0-9._-]) for a repository: distinct
// repositories give distinct names. No reader derives a repository from it.
func ImageName(repo string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(repo) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
	}
	return "taskmill/" + strings.Trim(b.String(), "-") + "-" + Sum([]byte(repo)).Short(8)
}
