package construct

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

const (
	oldLog = "# Changes\n\n## 1.1\n\n- Names may be empty, as before.\n"
	newLog = "# Changes\n\n## 1.1\n\n- Names may be empty, as before.\n- Options are read from a file named by\n  the --options flag.\n"
	// released is the changelog of H: the item stands elsewhere, wrapped in another way.
	released = "# Changes\n\n## 2.0\n\n- Nothing of note happened in this one.\n\n## 1.2\n\n* Options are read from a file\n  named by the --options flag.\n\n## 1.1\n\n- Names may be empty, as before.\n- A later item of the same list.\n"
	cut      = "# Changes\n\n## 2.0\n\n- Nothing of note happened in this one.\n\n## 1.2\n\n## 1.1\n\n- Names may be empty, as before.\n- A later item of the same list.\n"
)

func TestUndoDocs(t *testing.T) {
	file := func(p, data string) model.File { return model.File{Path: p, Data: []byte(data)} }
	for _, c := range []struct {
		name             string
		before, after, h []model.File
		want             map[string]string
		cuts             int
	}{
		{"reverses", []model.File{file("docs/log.md", oldLog)}, []model.File{file("docs/log.md", newLog)},
			[]model.File{file("docs/log.md", newLog)}, map[string]string{"docs/log.md": oldLog}, 0},
		{"moved item is cut", []model.File{file("docs/log.md", oldLog)}, []model.File{file("docs/log.md", newLog)},
			[]model.File{file("docs/log.md", released)}, map[string]string{"docs/log.md": cut}, 1},
		{"fragment that a release took in", nil, []model.File{file("docs/news/7.md", "Options are read from a file named by the --options flag.\n")},
			[]model.File{file("docs/log.md", released)}, map[string]string{"docs/log.md": cut}, 1},
		{"fragment that is still there", nil, []model.File{file("docs/news/7.md", "Options are read from a file.\n")},
			[]model.File{file("docs/news/7.md", "Options are read from a file.\n"), file("docs/log.md", oldLog)},
			map[string]string{"docs/log.md": oldLog}, 0},
		{"reworded item stays", []model.File{file("docs/log.md", oldLog)}, []model.File{file("docs/log.md", newLog)},
			[]model.File{file("docs/log.md", "- Options come from the file that --options names.\n")},
			map[string]string{"docs/log.md": "- Options come from the file that --options names.\n"}, 0},
		{"a sentence inside a paragraph is no block", []model.File{file("docs/a.md", "One line of a paragraph.\nAnd another one.\n")},
			[]model.File{file("docs/a.md", "One line of a paragraph.\nA new sentence in the middle of it.\nAnd another one.\n")},
			[]model.File{file("docs/a.md", "A new sentence in the middle of it.\n")},
			map[string]string{"docs/a.md": "A new sentence in the middle of it.\n"}, 0},
		{"what before held stays", []model.File{file("docs/b.md", "Options are read from a file.\n"), file("docs/a.md", "x\n")},
			[]model.File{file("docs/b.md", "Options are read from a file.\n"), file("docs/a.md", "x\n\nOptions are read from a file.\n")},
			[]model.File{file("docs/b.md", "Options are read from a file.\n"), file("docs/a.md", "y\n\nz\n\nOptions are read from a file.\n\nw\n")},
			map[string]string{"docs/b.md": "Options are read from a file.\n", "docs/a.md": "y\n\nz\n\nw\n"}, 1},
		{"only the hunks that reverse", []model.File{file("docs/a.md", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n")},
			[]model.File{file("docs/a.md", "A\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nL\n")},
			[]model.File{file("docs/a.md", "A2\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nL\n")},
			map[string]string{"docs/a.md": "A2\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, h := tree.Of(c.before...), tree.Of(c.h...)
			docs, err := patch.Diff(before, tree.Of(c.after...), patch.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, cuts, err := undoDocs(docs, h, before, kinds{})
			if err != nil {
				t.Fatal(err)
			}
			content := map[string]string{}
			for _, p := range got.Paths() {
				f, _, _ := got.Read(p)
				content[p] = string(f.Data)
			}
			if diff := cmp.Diff(c.want, content); diff != "" {
				t.Errorf("docs (-want +got):\n%s", diff)
			}
			if len(cuts) != c.cuts {
				t.Errorf("%d cuts, want %d: %+v", len(cuts), c.cuts, cuts)
			}
		})
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("# A\n\n- b\n  c\n- d\n\n```\ncode\n```\n")
	f.Add("1. a\n#.  b\n\n\n \t\n*")
	f.Fuzz(func(t *testing.T, text string) {
		lines := splitLines(text)
		next := 0
		for _, b := range blocks(lines) {
			if b.start < next || b.end <= b.start || b.end > len(lines) {
				t.Fatalf("%q: block %d to %d after %d of %d lines", text, b.start, b.end, next, len(lines))
			}
			for _, l := range lines[next:b.start] {
				if strings.TrimSpace(l) != "" {
					t.Fatalf("%q: line %q is in no block", text, l)
				}
			}
			next = b.end
		}
		if got, cuts := cutFile("a", text, "", nil); got != text || cuts != nil {
			t.Fatalf("%q: nothing to cut gives %q", text, got)
		}
	})
}
