package construct

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Patches are the three patches of a task: taskPatch leads from h to s; its reverse is cut into
// testPatch, all check paths, and fix, all other paths. They are disjoint, both apply to s; s
// with testPatch is c, and c with fix is h, which is shown by the tree ids after applying the
// patches as they will be read. A patch that does not lead there is a *model.Fault not_restored.
func Patches(h, s, c *tree.Tree, l lang.Language) (taskPatch, testPatch, fix patch.Patch, err error) {
	paths := evidence.Changed(h, s)
	check := func(p string) bool { return evidence.IsCheck(l, p) }
	other := func(p string) bool { return !check(p) }
	checks, err := evidence.Diff(h, s, paths, check)
	if err != nil {
		return taskPatch, testPatch, fix, err
	}
	others, err := evidence.Diff(h, s, paths, other)
	if err != nil {
		return taskPatch, testPatch, fix, err
	}
	taskPatch = sorted(patch.Patch{Files: slices.Concat(checks.Files, others.Files)})
	testPatch, fix = sorted(checks.Reverse()), sorted(others.Reverse())
	for _, step := range []struct {
		name     string
		patch    patch.Patch
		from, to *tree.Tree
	}{
		{"task_patch on H", taskPatch, h, s},
		{"test_patch on S", testPatch, s, c},
		{"patch on C", fix, c, h},
	} {
		if err := leads(step.patch, step.from, step.to, step.name); err != nil {
			return taskPatch, testPatch, fix, err
		}
	}
	if _, err := applied(fix, s, "patch on S"); err != nil {
		return taskPatch, testPatch, fix, err
	}
	return taskPatch, testPatch, fix, nil
}

// sorted is p in the order of paths. Of two entries of one path, a deletion and an addition of
// another type, the deletion stays first.
func sorted(p patch.Patch) patch.Patch {
	slices.SortStableFunc(p.Files, func(a, b patch.File) int { return cmp.Compare(a.Path(), b.Path()) })
	return p
}

func leads(p patch.Patch, from, to *tree.Tree, name string) error {
	got, err := applied(p, from, name)
	if err != nil {
		return err
	}
	if got.Hash() != to.Hash() {
		return reject(model.StageConstruct, model.NotRestored, "%s gives another tree", name)
	}
	return nil
}

// applied is a tree with a patch applied as a reader of the row would: parsed from its text.
func applied(p patch.Patch, t *tree.Tree, name string) (*tree.Tree, error) {
	read, err := patch.Parse([]byte(p.String()))
	if err != nil {
		return nil, reject(model.StageConstruct, model.NotRestored, "%s does not parse: %v", name, err)
	}
	res, err := patch.Apply(read, t)
	var conflict patch.Conflict
	if errors.As(err, &conflict) {
		return nil, reject(model.StageConstruct, model.NotRestored, "%s: %v", name, conflict)
	}
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", name, err)
	}
	return t.With(res.Changes...), nil
}

// The author and committer of S's one commit.
const (
	SolverName  = "taskmill"
	SolverEmail = "taskmill@example.invalid"
)

// SolverCommit is the git id of S's one commit: no parent, author and committer as above, both
// dates createdAt in UTC to the second, and as message the instance id and a line end.
func SolverCommit(treeID model.Hash, createdAt time.Time, instanceID string) model.Hash {
	who := fmt.Sprintf("%s <%s> %d +0000", SolverName, SolverEmail, createdAt.Unix())
	body := fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\n%s\n", treeID, who, who, instanceID)
	sum := sha1.Sum(fmt.Appendf(nil, "commit %d\x00%s", len(body), body))
	return model.Hash(hex.EncodeToString(sum[:]))
}
