package onecommit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func TestGitSeesOneCleanCommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	long := strings.Repeat("0123456789abcdef\n", 5000)
	files := map[string]string{
		"a.txt": "one\n", "a/b.txt": "two\n", "a-b/c": "two\n", "empty": "", "big": long,
		"odd \n name": "x", "d/e/f/g": "deep", "link": "a.txt",
	}
	var entries []Entry
	content := map[model.Hash][]byte{}
	for p, text := range files {
		e := Entry{Path: p, Mode: model.ModeFile, Hash: BlobHash([]byte(text)), Size: int64(len(text))}
		content[e.Hash] = []byte(text)
		full := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if p == "link" {
			e.Mode = model.ModeSymlink
			if err := os.Symlink(text, full); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		} else if err := os.Chtimes(full, e.Time(), e.Time()); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	Sort(entries)
	if err := Write(root, entries, func(e Entry) ([]byte, error) { return Pack(content[e.Hash]) }); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	hash, err := TreeHash(entries)
	if err != nil {
		t.Fatal(err)
	}
	git("fsck", "--full", "--strict")
	git("verify-pack", strings.TrimPrefix(must(filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.idx")))[0], dir+"/"))
	got := map[string]string{
		"clean": git("diff-index", "HEAD"), "status": git("status", "--porcelain"),
		"commits": git("rev-list", "--all", "--count"), "tree": git("rev-parse", "HEAD^{tree}"),
		"unreachable": git("fsck", "--unreachable"), "big": git("show", "HEAD:big"),
	}
	want := map[string]string{
		"clean": "", "status": "", "commits": "1", "tree": string(hash), "unreachable": "", "big": strings.TrimSpace(long),
	}
	// A symlink's time is the moment it was made, so only a refreshed comparison is clean.
	got["clean"] = strings.TrimSpace(strings.ReplaceAll(got["clean"], ":120000 120000 "+string(BlobHash([]byte("a.txt")))+" 0000000000000000000000000000000000000000 M\tlink", ""))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("git's view (-want +got):\n%s", diff)
	}
}

func TestTreeHashRefusesFileAndFolderOfOneName(t *testing.T) {
	h := BlobHash(nil)
	entries := []Entry{{Path: "a", Mode: model.ModeFile, Hash: h}, {Path: "a/b", Mode: model.ModeFile, Hash: h}}
	if _, err := TreeHash(entries); err == nil {
		t.Error("no error for a file and a folder of one name")
	}
}

func must(names []string, err error) []string {
	if err != nil || len(names) == 0 {
		panic("no pack index")
	}
	return names
}
