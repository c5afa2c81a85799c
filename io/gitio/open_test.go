package gitio

import (
	"context"
	"errors"
	"io"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/io/gitio/gittest"
	"github.com/taskmill/taskmill/io/sampleio"
	"github.com/taskmill/taskmill/model"
)

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOpenErrors(t *testing.T) {
	tmp := t.TempDir()
	empty := gittest.Repo(t, "prose only\n")
	sha256 := gittest.Sample(t, "go")
	write(t, filepath.Join(sha256, "config"), "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n")
	write(t, filepath.Join(tmp, "file"), "x")
	write(t, filepath.Join(tmp, "strange", ".git"), "nonsense")
	work := filepath.Join(tmp, "work")
	if err := os.MkdirAll(filepath.Join(work, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(work, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ location, want string }{
		{filepath.Join(work, "a", "b"), "not a git repository but a folder in the work tree " + work + ": name that"},
		{filepath.Join(tmp, "nowhere"), "no such path"},
		{tmp, "not a git repository"},
		{filepath.Join(tmp, "file"), "not a git repository"},
		{filepath.Join(tmp, "strange"), "not a git repository"},
		{empty, "repository has no commits"},
		{sha256, "object format sha256 is not supported"},
		{"sample:nothing", `no sample "nothing"`},
		{"https://example.invalid/o/r", "a work folder is needed"},
	}
	for _, tt := range tests {
		o := Options{}
		if strings.HasPrefix(tt.location, "sample:") {
			o.WorkDir = tmp
		}
		_, err := Open(t.Context(), model.Source{Location: tt.location}, o)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") ||
			!strings.HasPrefix(err.Error(), "open "+tt.location+": ") {
			t.Errorf("open %s: %v, want one line with %q", tt.location, err, tt.want)
		}
	}
}

// clone makes a work tree of a repository with git.
func clone(t *testing.T, from string, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work", "tree")
	runGit(t, t.TempDir(), append(append([]string{"clone", "-q"}, args...), from, dir)...)
	return dir
}

func TestWorkTreesAndAlternates(t *testing.T) {
	bare := gittest.Sample(t, "go")
	want := runGit(t, bare, "rev-parse", "main")
	files := strings.Count(runGit(t, bare, "ls-tree", "-r", "main"), "\n") + 1
	plain := clone(t, bare)
	linked := filepath.Join(t.TempDir(), "linked")
	runGit(t, plain, "worktree", "add", "-q", "-b", "other", linked)
	shared := clone(t, bare, "--shared")
	runGit(t, bare, "repack", "-adq")
	runGit(t, bare, "pack-refs", "--all")
	for name, dir := range map[string]string{"bare": bare, "work tree": plain, "git directory": filepath.Join(plain, ".git"),
		"linked work tree": linked, "alternates": shared, "file URL": "file://" + bare} {
		r := open(t, dir, Options{})
		branch, commit, _, err := r.DefaultBranch()
		if err != nil || branch != "main" || string(commit) != want {
			t.Errorf("%s: default branch %s at %s, %v; want main at %s", name, branch, commit, err, want)
		}
		entries, tree, err := r.Tree(t.Context(), commit)
		if err != nil || len(entries) != files || string(tree) != runGit(t, bare, "rev-parse", "main^{tree}") {
			t.Errorf("%s: %d entries of tree %s, %v", name, len(entries), tree, err)
		}
		for _, e := range entries {
			if _, err := r.Blob(e); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Reading everything must leave every file of the repository as it was.
func TestNeverWrites(t *testing.T) {
	dir := clone(t, gittest.Sample(t, "python"))
	write(t, filepath.Join(dir, "untracked"), "mine")
	before := snapshot(t, dir)
	r := open(t, dir, Options{})
	if records, _ := collect(t, r, RecordOptions{Commits: true}); len(records) == 0 {
		t.Fatal("no records")
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("files changed: %s", diff)
	}
}

func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = fi.ModTime().String() + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestShallow(t *testing.T) {
	bare := gittest.Sample(t, "go")
	dir := clone(t, "file://"+bare, "--depth=3")
	r := open(t, dir, Options{})
	if !r.Shallow() {
		t.Error("not seen as shallow")
	}
	records, rejections := collect(t, r, RecordOptions{Commits: true})
	if len(records) == 0 {
		t.Error("no records above the boundary")
	}
	if len(rejections) != 1 || !strings.Contains(rejections[0].Detail, "shallow clone") || rejections[0].Stage != model.StageIngest {
		t.Errorf("rejected %v, want one that names the boundary", rejections)
	}
	if r := rejections[0]; r.Infrastructure || r.Reason != model.NotAncestor || r.SourceCommit == "" {
		t.Errorf("%+v: building again does not make the history whole", r)
	}
	if _, err := r.Resolve("HEAD~9"); !errors.Is(err, ErrShallow) {
		t.Errorf("HEAD~9: %v, want ErrShallow", err)
	}
	full := open(t, bare, Options{})
	all, _ := collect(t, full, RecordOptions{Commits: true})
	if len(all) <= len(records) {
		t.Errorf("%d records in full, %d in the shallow clone", len(all), len(records))
	}
}

func TestURLIsMirroredThenFetched(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	bare := gittest.Sample(t, "go")
	runGit(t, bare, "update-server-info")
	root := filepath.Dir(filepath.Dir(bare))
	server := httptest.NewServer(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Dir: root, Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}})
	defer server.Close()
	source := model.Source{Location: server.URL + "/example/sample.git"}
	o := Options{WorkDir: t.TempDir()}
	count := func(o Options) int {
		r, err := Open(t.Context(), source, o)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if r.Source().Repo != "example/sample" {
			t.Errorf("repository %s, want example/sample", r.Source().Repo)
		}
		records, _ := collect(t, r, RecordOptions{})
		if r.Pull(3) == "" {
			t.Error("no reference of pull request 3")
		}
		return len(records)
	}
	pulls := len(sampleio.Expected("go"))
	if n := count(o); n != pulls {
		t.Errorf("%d records, want %d", n, pulls)
	}
	commit := runGit(t, bare, "commit-tree", "main^{tree}", "-p", "main", "-m", "Again (#99)")
	runGit(t, bare, "update-ref", "refs/heads/main", commit)
	if n := count(Options{WorkDir: o.WorkDir, Offline: true}); n != pulls {
		t.Errorf("offline: %d records, want %d", n, pulls)
	}
	if n := count(o); n != pulls+1 {
		t.Errorf("after a fetch: %d records, want %d", n, pulls+1)
	}
	_, err = Open(t.Context(), model.Source{Location: server.URL + "/example/nothing.git"}, o)
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("no such repository: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(cancelled, source, Options{WorkDir: t.TempDir()}); err == nil {
		t.Error("a cancelled clone succeeded")
	}
}

func TestResolve(t *testing.T) {
	bare := gittest.Sample(t, "go")
	runGit(t, bare, "tag", "-a", "-m", "release", "v1", "main~1")
	dir := clone(t, bare)
	runGit(t, dir, "checkout", "-q", "-b", "topic", "v1")
	r := open(t, dir, Options{})
	full := runGit(t, dir, "rev-parse", "main")
	for _, rev := range []string{"main", "HEAD", "v1", "topic", "origin/main", "origin", "refs/heads/main", "refs/tags/v1",
		"main~2", "main^", "main^^", "HEAD~1", full, full[:7], full[:4]} {
		if got, want := resolve(t, r, rev), runGit(t, dir, "rev-parse", rev+"^{commit}"); string(got) != want {
			t.Errorf("%s is %s, git says %s", rev, got, want)
		}
	}
	for _, rev := range []string{"", "nothing", "main~99", "main^2", "0000000", strings.Repeat("0", 40), "~1", "main~x", "../HEAD"} {
		h, err := r.Resolve(rev)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is %s, %v; want one line of error", rev, h, err)
		}
	}
	if _, err := r.Resolve("nothing"); !errors.Is(err, ErrUnknownRevision) {
		t.Errorf("nothing: %v, want ErrUnknownRevision", err)
	}
}

func TestDefaultBranchOrder(t *testing.T) {
	dir := gittest.Repo(t, `
default: stable

-- @commit stable --
Start
-- a --
a
-- @ref refs/heads/develop stable --
-- @ref refs/heads/master stable --
-- @ref refs/remotes/origin/topic stable --
`)
	how := func() string {
		name, _, how, err := open(t, dir, Options{}).DefaultBranch()
		if err != nil {
			t.Fatal(err)
		}
		return name + " by " + how
	}
	if got := how(); got != "master by master" {
		t.Errorf("default branch %s, want master", got)
	}
	write(t, filepath.Join(dir, "refs", "remotes", "origin", "HEAD"), "ref: refs/remotes/origin/topic\n")
	if got := how(); got != "topic by origin/HEAD" {
		t.Errorf("default branch %s, want topic by origin/HEAD", got)
	}
	if err := os.RemoveAll(filepath.Join(dir, "refs", "remotes")); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "update-ref", "-d", "refs/heads/master")
	runGit(t, dir, "update-ref", "-d", "refs/heads/develop")
	if got := how(); got != "stable by HEAD" {
		t.Errorf("default branch %s, want stable by HEAD", got)
	}
}

func TestRepoName(t *testing.T) {
	tests := []struct{ location, origin, override, want string }{
		{"/a/b/c", "", "o/r", "o/r"},
		{"/a/b/c", "https://github.com/o/r.git", "", "o/r"},
		{"/a/b/c", "git@github.com:o/r.git", "", "o/r"},
		{"/a/b/c", "ssh://git@example.com:22/g/sub/r", "", "sub/r"},
		{"/a/b/c.git", "", "", "b/c"},
		{"/a/b/c/.git", "", "", "b/c"},
		{"/c", "", "", "c/c"},
		{"https://example.com/o/r/", "", "", "o/r"},
		{"sample:go", "", "", "sample/go"},
		{"/a b/c\n", "", "", "a-b/c"},
	}
	for _, tt := range tests {
		if got := RepoName(tt.location, tt.origin, tt.override); got != tt.want {
			t.Errorf("RepoName(%q, %q, %q) = %s, want %s", tt.location, tt.origin, tt.override, got, tt.want)
		}
	}
}
