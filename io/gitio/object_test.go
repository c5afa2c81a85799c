package gitio

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taskmill/taskmill/io/gitio/gittest"
	"github.com/taskmill/taskmill/model"
)

// runGit runs git in a repository; a test without git skips.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func open(t *testing.T, dir string, o Options) *Repository {
	t.Helper()
	r, err := Open(t.Context(), model.Source{Location: dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r
}

// Every object of a repository must read as git reads it, loose and packed (with deltas).
func TestObjectsAreGits(t *testing.T) {
	dir := gittest.Sample(t, "go")
	for _, packed := range []bool{false, true} {
		if packed {
			runGit(t, dir, "repack", "-adfq", "--depth=50")
			runGit(t, dir, "prune-packed")
		}
		r := open(t, dir, Options{})
		for line := range strings.Lines(runGit(t, dir, "cat-file", "--batch-all-objects", "--batch-check")) {
			f := strings.Fields(line)
			i, _ := parseID(f[0])
			k, data, err := r.objects.get(i, maxObject)
			if err != nil {
				t.Fatal(err)
			}
			if k.String() != f[1] || objectID(k, data) != i {
				t.Errorf("%s: a %v whose id is %s, want a %s", f[0], k, objectID(k, data).hash(), f[1])
			}
		}
	}
}

func TestBlobLimit(t *testing.T) {
	const small, large = 100, 5000
	dir := gittest.Repo(t, "-- @commit main --\nx\n-- a --\n"+strings.Repeat("a", small)+"\n-- b --\n"+strings.Repeat("b", large)+"\n")
	for _, packed := range []bool{false, true} {
		if packed {
			runGit(t, dir, "repack", "-adq")
		}
		r := open(t, dir, Options{MaxBlob: 1000})
		entries, _, err := r.Tree(t.Context(), head(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := r.Blob(entries[0]); err != nil || len(b) != small+1 {
			t.Errorf("packed %v: small blob: %d bytes, %v", packed, len(b), err)
		}
		if _, err := r.Blob(entries[1]); !errors.Is(err, ErrTooLarge) {
			t.Errorf("packed %v: large blob: %v, want ErrTooLarge", packed, err)
		}
	}
}

func head(t *testing.T, r *Repository) model.Hash {
	t.Helper()
	_, h, _, err := r.DefaultBranch()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// rewrite replaces a loose object's content, so that its name is wrong, or removes it.
func rewrite(t *testing.T, dir string, h model.Hash, raw []byte) {
	t.Helper()
	path := filepath.Join(dir, "objects", string(h[:2]), string(h[2:]))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if raw == nil {
		return
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMissingAndCorruptObjects(t *testing.T) {
	for name, raw := range map[string][]byte{"missing": nil, "another content": []byte("tree 0\x00"), "no header": []byte("x")} {
		dir := gittest.Sample(t, "go")
		r := open(t, dir, Options{})
		c, err := r.Commit(head(t, r))
		if err != nil {
			t.Fatal(err)
		}
		rewrite(t, dir, c.Tree, raw)
		_, _, err = open(t, dir, Options{}).Tree(t.Context(), c.Hash)
		var oe *ObjectError
		if !errors.As(err, &oe) || oe.Hash != c.Tree {
			t.Errorf("%s: %v, want an ObjectError that names %s", name, err, c.Tree)
		}
		records, rejections := collect(t, open(t, dir, Options{}), RecordOptions{Commits: true})
		if len(records) == 0 || len(rejections) != 1 || !strings.Contains(rejections[0].Detail, string(c.Tree)) {
			t.Errorf("%s: %d records, rejected %v", name, len(records), rejections)
		}
		if r := rejections[0]; r.SourceCommit != string(c.Hash) || r.SourcePR == nil || r.SourceMergedAt == nil || !r.Infrastructure ||
			!strings.Contains(r.Detail, "damaged repository") || !strings.Contains(r.Detail, "git fsck") || !Damaged(err) {
			t.Errorf("%s: the rejection does not say which change and what to do: %+v", name, r)
		}
	}
}

// A pack that ends early, at any place, or has a byte turned, must give errors, never a panic.
func TestDamagedPack(t *testing.T) {
	dir := gittest.Sample(t, "go")
	runGit(t, dir, "repack", "-adfq")
	runGit(t, dir, "prune-packed")
	packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs: %v, %v", packs, err)
	}
	whole, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(packs[0], 0o644); err != nil {
		t.Fatal(err)
	}
	tip := head(t, open(t, dir, Options{}))
	faults := 0
	for n := 13; n < len(whole); n += 37 {
		turned := bytes.Clone(whole)
		turned[n] ^= 0x55
		for _, damaged := range [][]byte{whole[:n], turned} {
			if err := os.WriteFile(packs[0], damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Open(t.Context(), model.Source{Location: dir}, Options{})
			if err != nil {
				faults++
				continue
			}
			entries, _, err := r.Tree(t.Context(), tip)
			for _, e := range entries {
				if _, berr := r.Blob(e); berr != nil {
					err = berr
				}
			}
			if rerr := r.Records(t.Context(), RecordOptions{Commits: true}, func(model.Record) error { return nil },
				func(model.Rejection) { faults++ }); rerr != nil {
				err = rerr
			}
			if err != nil {
				faults++
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("error of several lines: %q", err)
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if faults == 0 {
		t.Error("no damage was noticed")
	}
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte("hello world"), []byte{11, 5, 0x90, 5})
	f.Add([]byte("abc"), []byte{3, 4, 4, 'x', 'y', 'z', 'w'})
	f.Add([]byte(""), []byte{0, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, source, delta []byte) {
		out, err := patch(source, delta)
		if err != nil {
			return
		}
		if _, size, _, err := deltaSizes(delta); err != nil || size != int64(len(out)) {
			t.Errorf("%d bytes, announced %d: %v", len(out), size, err)
		}
	})
}

func FuzzTreeAndCommit(f *testing.F) {
	f.Add([]byte("100644 a\x0001234567890123456789"))
	f.Add([]byte("40000 ..\x0001234567890123456789"))
	f.Add([]byte("tree 0123456789012345678901234567890123456789\nauthor A <a> 1 +0000\n\nm"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for rest := data; len(rest) > 0; {
			e, more, err := nextEntry(rest)
			if err != nil {
				break
			}
			if strings.Contains(string(e.name), "/") || string(e.name) == ".." || len(more) >= len(rest) {
				t.Errorf("entry %q", e.name)
			}
			rest = more
		}
		if c, err := parseCommit(data); err == nil && len(c.Tree) != 40 {
			t.Errorf("commit with tree %q", c.Tree)
		}
		parseNode(data)
	})
}

func FuzzPack(f *testing.F) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	if _, err := w.Write([]byte("hello")); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(append([]byte{0x35}, z.Bytes()...), int64(0))
	f.Add(append([]byte{0, 0, 0, 0x65, 0x02}, z.Bytes()...), int64(3))
	f.Fuzz(func(t *testing.T, data []byte, at int64) {
		w := &window{large: bufio.NewReader(nil)}
		e, err := w.entry(bytes.NewReader(data), at, 1<<16)
		if err == nil && (e.kind < commitKind || e.kind > refDelta || e.kind == ofsDelta && (e.baseOffset <= 0 || e.baseOffset >= at)) {
			t.Errorf("entry at %d: kind %d, base at %d", at, e.kind, e.baseOffset)
		}
	})
}
