package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Laid is a prediction over S.
type Laid struct {
	Tree    *tree.Tree // every protected path with its content in C
	Touched []string   // protected paths that the prediction wrote, sorted
	Written []string   // all paths that it adds or edits
	Checks  []string   // test_generation: check files that it adds or edits
	Files   int        // paths that it changed
}

// Lay lays a prediction over S and sets every protected path to its content in C. The error is
// the prediction's fault: it does not parse or apply, or no work tree can hold it.
func Lay(l lang.Language, s, c *tree.Tree, text string) (Laid, error) {
	changes, files, err := applied(s, text)
	out := Laid{Files: files}
	if err != nil {
		return out, err
	}
	var dropped []model.TreeChange
	for _, ch := range changes {
		if !ch.Delete {
			out.Written = append(out.Written, ch.Path)
		}
		switch {
		case ch.Mode == model.ModeSubmodule && !ch.Delete:
			return out, fmt.Errorf("%s is a submodule: its content is in no patch", ch.Path)
		case shadows(l, c, ch.Path):
			dropped = append(dropped, model.TreeChange{Path: ch.Path, Delete: true})
		case !protected(l, ch.Path):
			continue
		}
		out.Touched = append(out.Touched, ch.Path)
	}
	out.Tree = s.With(changes...).With(dropped...)
	kept, err := restore(l, out.Tree, c)
	if err != nil {
		return out, err
	}
	out.Tree = out.Tree.With(kept...)
	return out, fits(out.Tree)
}

// applied is what a patch changes in a tree, and how many files it names.
func applied(t *tree.Tree, text string) (changes []model.TreeChange, files int, err error) {
	parsed, err := patch.Parse([]byte(text))
	if err != nil {
		return nil, 0, err
	}
	r, err := patch.Apply(parsed, t)
	if err != nil {
		return nil, len(parsed.Files), err
	}
	return r.Changes, len(r.Changes), nil
}

// shadows reports whether a path adds a module that the runner would import in place of one of
// its own; the task's own modules of such a name are the project's.
func shadows(l lang.Language, c *tree.Tree, path string) bool {
	s, ok := l.(interface {
		Shadow(path string) (prefix string, ok bool)
	})
	if !ok {
		return false
	}
	prefix, ok := s.Shadow(path)
	if !ok {
		return false
	}
	if dir, isDir := strings.CutSuffix(prefix, "/"); isDir {
		return len(c.Under(dir)) == 0
	}
	_, has := c.Entry(prefix)
	return !has
}

// Limits of a path that a file system takes.
const (
	maxName = 255
	maxPath = 3500
	maxDeep = 256
)

// fits reports a tree that no file system can hold: the prediction's fault, not the machine's.
func fits(t *tree.Tree) error {
	paths := t.Paths()
	files := make(map[string]bool, len(paths))
	for _, p := range paths {
		files[p] = true
	}
	for _, p := range paths {
		if len(p) > maxPath || strings.Count(p, "/") > maxDeep {
			return fmt.Errorf("a path of %d characters", len(p))
		}
		for i := 0; i < len(p); {
			next := strings.IndexByte(p[i:], '/')
			if next < 0 {
				next = len(p) - i
			} else if files[p[:i+next]] {
				return fmt.Errorf("%s is a file and a folder", p[:i+next])
			}
			if next > maxName {
				return fmt.Errorf("a name of %d characters", next)
			}
			i += next + 1
		}
	}
	return nil
}

func protected(l lang.Language, path string) bool {
	k := l.Kind(path)
	return k == model.CheckFile || k == model.CheckData || l.Protected(path)
}

// restore lists the changes that give t the protected content of c: check paths whole, of a
// runner's configuration the sections that steer it.
func restore(l lang.Language, t, c *tree.Tree) ([]model.TreeChange, error) {
	paths := slices.Compact(slices.Sorted(slices.Values(append(t.Paths(), c.Paths()...))))
	var out []model.TreeChange
	for _, path := range paths {
		if !protected(l, path) {
			continue
		}
		want, inC, err := c.Read(path)
		if err != nil {
			return nil, err
		}
		have, inT, err := t.Read(path)
		if err != nil {
			return nil, err
		}
		if inC && inT && want.Mode == have.Mode && string(want.Data) == string(have.Data) {
			continue
		}
		k := l.Kind(path)
		if k == model.CheckFile || k == model.CheckData {
			out = append(out, whole(path, want, inC))
			continue
		}
		content := l.Restore(path, dataOf(want, inC), dataOf(have, inT))
		switch {
		case content == nil && inT:
			out = append(out, model.TreeChange{Path: path, Delete: true})
		case content != nil && (!inT || string(content) != string(have.Data)):
			mode := have.Mode
			if !inT {
				mode = want.Mode
			}
			out = append(out, model.TreeChange{Path: path, Mode: mode, Data: content})
		}
	}
	return out, nil
}

func dataOf(f model.File, ok bool) []byte {
	if !ok {
		return nil
	}
	if f.Data == nil {
		return []byte{}
	}
	return f.Data
}

func whole(path string, f model.File, in bool) model.TreeChange {
	if !in {
		return model.TreeChange{Path: path, Delete: true}
	}
	return model.TreeChange{Path: path, Mode: f.Mode, Data: f.Data}
}
