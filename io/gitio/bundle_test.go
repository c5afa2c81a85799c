package gitio

import (
	"archive/tar"
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/io/gitio/gittest"
	"github.com/taskmill/taskmill/model"
)

// A bundle of a clone that borrows its objects reads as the clone does, apart from it.
func TestBundleReadsAsTheRepository(t *testing.T) {
	bare := gittest.Sample(t, "go")
	runGit(t, bare, "repack", "-adq")
	for name, dir := range map[string]string{"bare": bare, "borrowing": clone(t, bare, "--shared"),
		"shallow": clone(t, "file://"+bare, "--depth=3"), "mirror": clone(t, bare, "--mirror"),
		"other default": otherDefault(t, bare)} {
		source := model.Source{Location: dir, Repo: "o/r"}
		r, err := Open(t.Context(), source, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		for _, w := range []*bytes.Buffer{&first, &second} {
			if err := r.Bundle(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two bundles differ", name)
		}
		want, wantRejected := collect(t, r, RecordOptions{Commits: true})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		laid := filepath.Join(t.TempDir(), "laid.git")
		for range 2 {
			if err := Unbundle(t.Context(), bytes.NewReader(first.Bytes()), laid, 1<<20); err != nil {
				t.Fatal(err)
			}
		}
		l, err := Open(t.Context(), model.Source{Location: laid, Repo: "o/r"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, gotRejected := collect(t, l, RecordOptions{Commits: true})
		for k := range got {
			got[k].Source = source
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-repository +bundle):\n%s", name, diff)
		}
		if diff := cmp.Diff(wantRejected, gotRejected); diff != "" {
			t.Errorf("%s: rejected (-repository +bundle):\n%s", name, diff)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Unbundle(t.Context(), bytes.NewReader(first.Bytes()), filepath.Join(t.TempDir(), "x"), 1000); err == nil {
			t.Errorf("%s: a bundle over the limit was laid", name)
		}
	}
}

// otherDefault is a clone whose upstream's HEAD is not the first name of the fixed order.
func otherDefault(t *testing.T, bare string) string {
	t.Helper()
	dir := clone(t, bare)
	runGit(t, dir, "update-ref", "refs/remotes/origin/topic", "HEAD~2")
	runGit(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/topic")
	return dir
}

func TestUnbundleRefusesOtherNames(t *testing.T) {
	for _, name := range []string{"../HEAD", "config", "hooks/post-checkout", "/etc/x", "objects/pack/../../config", "objects/zz/" + strings.Repeat("0", 38)} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := addFile(w, name, 1, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "d")
		if err := Unbundle(t.Context(), &b, dir, 1<<20); err == nil {
			t.Errorf("%s was laid", name)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*")); len(left) > 0 {
			t.Errorf("%s left %v", name, left)
		}
	}
}
