package sampleio

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Each sample is a sound repository, and the same one each time.
func TestSamplesAreSound(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(maps.Keys(heads)), Names()); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
	for _, name := range Names() {
		var refs [2]string
		for k := range refs {
			dir := filepath.Join(t.TempDir(), name)
			if err := Materialise(name, dir); err != nil {
				t.Fatal(err)
			}
			if out := git(t, dir, "fsck", "--strict", "--no-dangling"); strings.Contains(out, "error") {
				t.Errorf("%s: %s", name, out)
			}
			refs[k] = git(t, dir, "for-each-ref")
		}
		if diff := cmp.Diff(refs[0], refs[1]); diff != "" {
			t.Errorf("%s differs from itself: %s", name, diff)
		}
		if !strings.Contains(refs[0], "refs/pull/27/head") {
			t.Errorf("%s: no reference of a pull request:\n%s", name, refs[0])
		}
	}
}

const every = `
Prose: is ignored.

repo: o/r
author: Ada Example <ada@example.com>
merger: Max Example <max@example.com>
date: 2024-02-29T12:00:00Z
step: 1h

-- @commit main --
Start
-- a.txt --
one
two
three
-- old.txt --
old
-- run.sh --
echo
-- @commit pr/x --
author: Bob Example <bob@example.com>
after: 30m

Change everything

Body.
-- a.txt (edit) --
<<<<<<<
two
=======
2
2b
>>>>>>>
<<<<<<<
three
=======
>>>>>>>
-- new.txt (from=old.txt) --
-- run.sh (mode=755) --
-- link (symlink) --
a.txt
-- dir/crlf.txt (crlf) --
a
b
-- dir/bare.txt (no-newline) --
x
-- dir/bin (base64) --
AAEC
/w==
-- dir.txt --
sorts between
-- @commit main --
date: 2024-03-02T00:00:00Z
committer: Cleo Example <cleo@example.com>

Elsewhere
-- b.txt --
b
-- b.txt (append) --
c
-- @merge 7 pr/x merge --
Title

Body.
-- @tag v1 main~1 --
`

func TestFormat(t *testing.T) {
	dir := t.TempDir()
	if err := Write([]byte(every), dir); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "fsck", "--strict")
	got := git(t, dir, "log", "--graph", "--format=%an|%cn|%cI|%B", "--topo-order", "main")
	for _, want := range []string{
		"Max Example|Max Example|2024-03-02T01:00:00+00:00|Merge pull request #7 from o/pr/x",
		"Cleo Example|2024-03-02T00:00:00+00:00|Elsewhere", "Bob Example|Bob Example|2024-02-29T12:30:00+00:00|Change everything",
		"Ada Example|Ada Example|2024-02-29T12:00:00+00:00|Start",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("log lacks %q:\n%s", want, got)
		}
	}
	want := `100644 a.txt "one\n2\n2b\n"
100644 b.txt "b\nc\n"
100644 dir.txt "sorts between\n"
100644 dir/bare.txt "x"
100644 dir/bin "\x00\x01\x02\xff"
100644 dir/crlf.txt "a\r\nb\r\n"
120000 link "a.txt"
100644 new.txt "old\n"
100755 run.sh "echo\n"
`
	if diff := cmp.Diff(want, listing(t, dir, "main")); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	refs := git(t, dir, "for-each-ref", "--format=%(refname)")
	if diff := cmp.Diff("refs/heads/main\nrefs/pull/7/head\nrefs/tags/v1\n", refs); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}

func listing(t *testing.T, dir, rev string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(git(t, dir, "ls-tree", "-r", rev)) {
		meta, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		f := strings.Fields(meta)
		b.WriteString(f[0] + " " + path + " " + quote(git(t, dir, "cat-file", "blob", f[2])) + "\n")
	}
	return b.String()
}

func quote(s string) string {
	r := strings.NewReplacer("\n", `\n`, "\r", `\r`, "\x00", `\x00`, "\x01", `\x01`, "\x02", `\x02`, "\xff", `\xff`)
	return `"` + r.Replace(s) + `"`
}

func TestFormatErrors(t *testing.T) {
	const start = "-- @commit main --\nStart\n-- a --\na\n"
	tests := []struct{ text, want string }{
		{"-- a --\na\n", "stands before the first step"},
		{start + "-- @dance main --\n", "unknown step dance"},
		{start + "-- @commit --\n", "needs a word and a name"},
		{start + "-- @commit x from nothing --\nx\n", "revision nothing: unknown"},
		{start + "-- @commit x from main~5 --\nx\n", "the history is shorter"},
		{start + "-- @merge 1 nothing squash --\nx\n", "revision nothing: unknown"},
		{start + "-- @commit x --\nx\n-- @merge 1 x dance --\nx\n", "unknown style dance"},
		{start + "-- @commit main --\nx\n-- b (deleted) --\n", "file b (deleted): is not there"},
		{start + "-- @commit main --\nx\n-- ../b --\n", "not a relative path"},
		{start + "-- @commit main --\nx\n-- b (dance) --\n", `unknown word "dance"`},
		{start + "-- @commit main --\nx\n-- a (edit) --\n<<<<<<<\nz\n=======\ny\n>>>>>>>\n", "occur 0 times"},
		{start + "-- @commit main --\nx\n-- a (edit) --\nz\n", "block 1 is not"},
		{start + "-- @commit main --\nauthor: nobody\n\nx\n", "author: "},
		{"date: yesterday\n" + start, "setting date: "},
		{start + "-- @commit x --\nx\n-- a --\nx\n-- @commit main --\ny\n-- a --\ny\n-- @merge 1 x squash --\nx\n", "both sides changed a"},
	}
	for _, tt := range tests {
		err := Write([]byte(tt.text), t.TempDir())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
	if err := Materialise("nothing", t.TempDir()); err == nil || !strings.Contains(err.Error(), strings.Join(Names(), ", ")) {
		t.Errorf("no such sample: %v, want the names that there are", err)
	}
}
