package treeio_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/taskmill/taskmill/io/treeio"
	"github.com/taskmill/taskmill/model"
)

// files is a tree with everything that git can hold; its paths sort otherwise than git's do.
var files = []model.File{
	{Path: "a.txt", Mode: model.ModeFile, Data: []byte("one\r\nno newline at the end")},
	{Path: "a-b/c", Mode: model.ModeExecutable, Data: []byte("#!/bin/sh\n")},
	{Path: "a/b.txt", Mode: model.ModeFile, Data: []byte{0, 255, 10}},
	{Path: "a/empty", Mode: model.ModeFile, Data: nil},
	{Path: "link", Mode: model.ModeSymlink, Data: []byte("a/b.txt")},
	{Path: "out", Mode: model.ModeSymlink, Data: []byte("../../etc/passwd")},
	{Path: "long-link", Mode: model.ModeSymlink, Data: []byte(strings.Repeat("x/", 200) + "é")},
	{Path: strings.Repeat("deep/", 60) + strings.Repeat("n", 200), Mode: model.ModeFile, Data: []byte("deep")},
	{Path: "ünï\u202ecode \"quoted\"\t.txt", Mode: model.ModeFile, Data: []byte("u")},
	{Path: "latin-\xe9.txt", Mode: model.ModeFile, Data: []byte("l")},
	{Path: "group.txt", Mode: 0o100664, Data: []byte("git wrote this mode once")},
	{Path: "sub/module", Mode: model.ModeSubmodule, Data: []byte("0123456789012345678901234567890123456789")},
	{Path: "sub/unknown", Mode: model.ModeSubmodule},
}

func seq(files ...model.File) iter.Seq2[model.File, error] {
	return func(yield func(model.File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func pack(t *testing.T, files ...model.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := treeio.Write(&b, seq(files...)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unpack(archive []byte, limits treeio.Limits) ([]model.File, error) {
	var out []model.File
	for f, err := range treeio.Read(bytes.NewReader(archive), limits) {
		if err != nil {
			return out, err
		}
		out = append(out, f)
	}
	return out, nil
}

func byPath(a, b model.File) int { return strings.Compare(a.Path, b.Path) }

var asText = cmp.Transformer("text", func(b []byte) string { return string(b) })

func TestArchiveIsAFunctionOfTheFiles(t *testing.T) {
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	one, two := pack(t, files...), pack(t, reversed...)
	if !bytes.Equal(one, two) {
		t.Error("another order of the same files gave another archive")
	}
	got, err := unpack(one, treeio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.SortedFunc(slices.Values(files), byPath), got, asText); diff != "" {
		t.Errorf("files (-written +read):\n%s", diff)
	}
	if !bytes.Equal(one, pack(t, got...)) {
		t.Error("what was read gives another archive")
	}
}

// TestArchiveBytes holds the bytes over releases: the hash of an archive is in rows.
func TestArchiveBytes(t *testing.T) {
	const want = "f5f8a43974d064aa88eee427e58c46d045f9b5d650f05749fb4d5715554312dc"
	if got := string(model.Sum(pack(t, files...))); got != want {
		t.Errorf("archive has hash %s, want %s: the compressor or the format changed", got, want)
	}
}

func git(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// treeID is git's id of files: an index made of them, written as a tree.
func treeID(t *testing.T, files []model.File) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	dir := t.TempDir()
	git(t, dir, "", "init", "-q")
	var index strings.Builder
	for _, f := range files {
		id := string(f.Data)
		if f.Mode != model.ModeSubmodule {
			id = git(t, dir, string(f.Data), "hash-object", "-w", "--stdin")
		} else if id == "" {
			continue
		}
		fmt.Fprintf(&index, "%o %s 0\t%s\x00", f.Mode, id, f.Path)
	}
	git(t, dir, index.String(), "update-index", "-z", "--index-info")
	return git(t, dir, "", "write-tree", "--missing-ok")
}

func TestRoundTripKeepsTheTreeID(t *testing.T) {
	got, err := unpack(pack(t, files...), treeio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want, got := treeID(t, files), treeID(t, got); want != got {
		t.Errorf("tree id %s, want %s", got, want)
	}
}

func TestWhatIsLaidIsTheTree(t *testing.T) {
	some := slices.DeleteFunc(slices.Clone(files), func(f model.File) bool {
		return f.Mode == model.ModeSubmodule || f.Mode == 0o100664 // git adds neither as it was
	})
	dir := t.TempDir()
	root := rooted(t, dir)
	for range 2 { // the second time over the first
		if err := treeio.Lay(root, treeio.Read(bytes.NewReader(pack(t, some...)), treeio.Limits{})); err != nil {
			t.Fatal(err)
		}
	}
	want := treeID(t, some)
	git(t, dir, "", "init", "-q")
	git(t, dir, "", "add", "-A")
	if got := git(t, dir, "", "write-tree"); got != want {
		t.Errorf("tree id %s, want %s\n%s", got, want, git(t, dir, "", "ls-files", "-s"))
	}
}

func rooted(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestWriteRefuses(t *testing.T) {
	for want, files := range map[string][]model.File{
		"there twice":              {{Path: "a"}, {Path: "a"}},
		"no directory":             {{Path: "a"}, {Path: "a-b"}, {Path: "a/b"}},
		`"../a" is no path`:        {{Path: "../a"}},
		`"/a" is no path`:          {{Path: "/a"}},
		`"a/" is no path`:          {{Path: "a/"}},
		`"x/.GIT/hooks" is no`:     {{Path: "x/.GIT/hooks"}},
		"no target":                {{Path: "a", Mode: model.ModeSymlink}},
		"no file, symlink or subm": {{Path: "a", Mode: 0o40000}},
		"has content":              {{Path: "a", Mode: model.ModeSubmodule, Data: []byte("../x")}},
	} {
		if err := treeio.Write(&bytes.Buffer{}, seq(files...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v; want %q", files, err, want)
		}
	}
}

// hostile makes an archive that Write would not.
func hostile(headers ...tar.Header) []byte {
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(&h); err != nil {
			panic(err)
		}
		w.Write(make([]byte, h.Size))
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func TestReadRefuses(t *testing.T) {
	small := treeio.Limits{Files: 3, FileBytes: 100, TotalBytes: 150, PathBytes: 20}
	whole := pack(t, files...)
	for _, c := range []struct {
		name, want string
		archive    []byte
	}{
		{"escape", "no path of a tree", hostile(tar.Header{Name: "../x"})},
		{"absolute", "no path of a tree", hostile(tar.Header{Name: "/x"})},
		{"git folder", "no path of a tree", hostile(tar.Header{Name: ".git/config"})},
		{"twice", "there twice", hostile(tar.Header{Name: "a"}, tar.Header{Name: "a"})},
		{"order", "ascending", hostile(tar.Header{Name: "b"}, tar.Header{Name: "a"})},
		{"below a symlink", "no directory", hostile(tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/"}, tar.Header{Name: "a/b"})},
		{"hard link", "of type", hostile(tar.Header{Name: "a", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"})},
		{"device", "of type", hostile(tar.Header{Name: "a", Typeflag: tar.TypeBlock})},
		{"pipe", "of type", hostile(tar.Header{Name: "a", Typeflag: tar.TypeFifo})},
		{"directory", "no entry of its own", hostile(tar.Header{Name: "a/", Typeflag: tar.TypeDir})},
		{"set user id", "has mode", hostile(tar.Header{Name: "a", Mode: 0o4755})},
		{"long path", "over the limit", hostile(tar.Header{Name: strings.Repeat("a", 21)})},
		{"long target", "over the limit", hostile(tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: strings.Repeat("a", 21)})},
		{"large file", "over the limit", hostile(tar.Header{Name: "a", Size: 101})},
		{"large files", "over the limit", hostile(tar.Header{Name: "a", Size: 100}, tar.Header{Name: "b", Size: 51})},
		{"many files", "over the limit", hostile(tar.Header{Name: "a"}, tar.Header{Name: "b"}, tar.Header{Name: "c"}, tar.Header{Name: "d"})},
		{"no archive", "", []byte("hello")},
		{"cut", "", whole[:len(whole)-9]},
	} {
		_, err := unpack(c.archive, small)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

func TestChange(t *testing.T) {
	dir := t.TempDir()
	root := rooted(t, dir)
	before := []model.File{{Path: "a/b/c", Data: []byte("1")}, {Path: "d", Data: []byte("2")}, {Path: "e", Data: []byte("3")}}
	if err := treeio.Lay(root, seq(before...)); err != nil {
		t.Fatal(err)
	}
	err := treeio.Change(root, []model.TreeChange{
		{Path: "a/b/c", Delete: true}, {Path: "a", Data: []byte("a file now")},
		{Path: "d", Delete: true}, {Path: "d/x", Data: []byte("a directory now"), Mode: model.ModeExecutable},
		{Path: "e", Data: []byte("a"), Mode: model.ModeSymlink}, {Path: "gone/x", Delete: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		rel, _ := filepath.Rel(dir, name)
		got = append(got, fmt.Sprint(rel, " ", info.Mode()))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a -rw-r--r--", "d/x -rwxr-xr-x", "e Lrwxrwxrwx"}, got); diff != "" {
		t.Errorf("after the changes (-want +got):\n%s", diff)
	}
}

func TestNothingIsWrittenThroughASymlink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	root := rooted(t, dir)
	target := filepath.Join(outside, "target")
	for link, to := range map[string]string{"out": outside, "inside": "real", "file": target} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{filepath.Join(dir, "real"), target} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"out/x", "inside/x"} {
		if err := treeio.Lay(root, seq(model.File{Path: p})); err == nil || !strings.Contains(err.Error(), "no directory") {
			t.Errorf("lay %s: %v", p, err)
		}
		if err := treeio.Change(root, []model.TreeChange{{Path: p, Delete: true}}); err == nil {
			t.Errorf("delete %s went through a symlink", p)
		}
	}
	if err := treeio.Lay(root, seq(model.File{Path: "file", Data: []byte("x")})); err != nil {
		t.Errorf("lay over a symlink: %v", err)
	}
	if err := treeio.Lay(root, seq(model.File{Path: "real"})); err == nil {
		t.Error("a directory was replaced by a file")
	}
	if err := treeio.Lay(root, seq(model.File{Path: "../x"})); err == nil {
		t.Error("a path out of the root was laid")
	}
	for d, want := range map[string]int{outside: 1, target: 0, filepath.Join(dir, "real"): 0} {
		if left, err := os.ReadDir(d); err != nil || len(left) != want {
			t.Errorf("%s holds %v, %v; want %d entries", d, left, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := treeio.Write(&b, seq(files...)); err != nil {
		f.Fatal(err)
	}
	plain := func(archive []byte) []byte {
		r, _ := zstd.NewReader(nil)
		out, err := r.DecodeAll(archive, nil)
		if err != nil {
			f.Fatal(err)
		}
		return out
	}
	f.Add(plain(b.Bytes()))
	f.Add(plain(hostile(tar.Header{Name: "a", Size: 10}, tar.Header{Name: "b/", Typeflag: tar.TypeDir})))
	z, _ := zstd.NewWriter(nil)
	f.Fuzz(func(t *testing.T, plain []byte) {
		limits := treeio.Limits{Files: 100, FileBytes: 1 << 20, TotalBytes: 1 << 20, PathBytes: 500}
		got, err := unpack(z.EncodeAll(plain, nil), limits)
		if err != nil {
			return
		}
		// What is taken can be written, and comes back the same.
		var b bytes.Buffer
		if err := treeio.Write(&b, seq(got...)); err != nil {
			t.Fatalf("write of what was read: %v", err)
		}
		again, err := unpack(b.Bytes(), limits)
		if err != nil {
			t.Fatalf("read of what was written: %v", err)
		}
		if diff := cmp.Diff(got, again, asText); diff != "" {
			t.Fatalf("files (-first +second):\n%s", diff)
		}
	})
}
