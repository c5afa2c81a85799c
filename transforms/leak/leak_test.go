package leak

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// The change adds slugify to pkg/text.py with a test and a changelog entry. H has it, S not.
const (
	before = "def shout(s):\n    return s.upper() + '!' * len(s.split())\n"
	added  = "def slugify(value, separator='-'):\n    parts = [p for p in re.split(r'\\W+', value.lower()) if p]\n    return separator.join(parts[:max_parts_of_a_slug])\n"
	entry  = "* New function slugify turns a title into a part of an address.\n"
	test   = "def test_slugify_lowers_and_joins():\n    assert slugify('Hello, World Again') == 'hello-world-again'\n    assert slugify('many    blanks', separator='_') == 'many_blanks'\n    assert slugify('Trailing punctuation!!!') == 'trailing-punctuation'\n"
	shown  = "def test_shout_marks_each_word_once():\n    assert shout('one two three') == 'ONE TWO THREE!!!'\n    assert shout('another sentence here') != 'another sentence'\n    assert shout('a third of these lines') == 'A THIRD OF THESE LINES!!!!!'\n"
	remark = "# a slug never has more parts than its title has words\n"
	patch  = "--- a/pkg/text.py\n+++ b/pkg/text.py\n@@ -2,0 +3,3 @@\n+the hidden patch as it is written\n"
)

func file(p, data string) model.File { return model.File{Path: p, Data: []byte(data)} }

func kind(p string) model.Kind {
	switch {
	case strings.HasSuffix(p, "_test.py"):
		return model.CheckFile
	case strings.HasSuffix(p, ".py"):
		return model.Production
	case strings.HasSuffix(p, ".md"):
		return model.Docs
	}
	return model.Other
}

// subject is the task with further files in S and H alike.
func subject(extra ...model.File) Subject {
	common := append([]model.File{file("pkg/__init__.py", ""), file("README.md", "A library of small text functions.\n")}, extra...)
	h := tree.Of(append([]model.File{
		file("pkg/text.py", before+added), file("pkg/text_test.py", shown+test), file("CHANGES.md", entry)}, common...)...)
	s := tree.Of(append([]model.File{
		file("pkg/text.py", before), file("pkg/text_test.py", shown), file("CHANGES.md", "")}, common...)...)
	b := tree.Of(file("pkg/text.py", before), file("pkg/old.py", "# a line that was public before the change came\n"))
	return Subject{
		S: s, H: h, Before: b, Kind: kind,
		Lines:      slices.Concat(strings.Split(added, "\n"), strings.Split(entry, "\n"), []string{remark, "# a line that was public before the change came", strings.Repeat("=", 60)}),
		CheckLines: strings.Split(shown+test, "\n"),
		Checks:     []string{"pkg/text_test.py"},
		Assets:     [][]byte{[]byte(patch), []byte(test)},
		Self:       []string{"Text.Tools", "github.com/Own/texttools/v2", "@own/texttools", "org.own:texttools"},
		Roots:      []string{"github.com/Own/texttools/v2/"},
	}
}

func scan(t *testing.T, s Subject) *Scan {
	t.Helper()
	c, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pack(t testing.TB, form string, files ...model.File) string {
	t.Helper()
	var b bytes.Buffer
	var closers []io.Closer
	var w io.Writer = &b
	if strings.HasSuffix(form, "gz") {
		g := gzip.NewWriter(w)
		closers, w = append(closers, g), g
	}
	switch {
	case form == "gz":
		w.Write(files[0].Data)
	case form == "zip":
		z := zip.NewWriter(w)
		for _, f := range files {
			e, err := z.Create(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			e.Write(f.Data)
		}
		closers = append(closers, z)
	default:
		a := tar.NewWriter(w)
		for _, f := range files {
			if err := a.WriteHeader(&tar.Header{Name: f.Path, Mode: 0o644, Size: int64(len(f.Data)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}); err != nil {
				t.Fatal(err)
			}
			a.Write(f.Data)
		}
		closers = append(closers, a)
	}
	for _, c := range slices.Backward(closers) {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func found(ff []model.LeakFinding) string {
	var out []string
	for _, f := range ff {
		out = append(out, f.Kind+" "+f.Path)
	}
	return strings.Join(out, "; ")
}

func TestTree(t *testing.T) {
	two := strings.Join(strings.Split(added, "\n")[:2], "\n")
	for _, tt := range []struct {
		name string
		file model.File
		want string
	}{
		{"clean", file("pkg/more.py", "x = 1\n"), ""},
		{"repository inside", file("sub/.git", "gitdir: elsewhere\n"), "git sub/.git"},
		{"copy of the answer", file("old/copy.bak", before+added), "told old/copy.bak; version old/copy.bak"},
		{"copy with other line endings", file("old/copy.py", strings.ReplaceAll(before+added, "\n", "\r\n")), "told old/copy.py; version old/copy.py"},
		{"copy of what was public", file("old/text.py", before), ""},
		{"docs tell one line", file("docs/guide.md", "Intro.\n   "+entry), "told docs/guide.md"},
		{"docs tell a line of checks", file("docs/guide.md", strings.Split(test, "\n")[1]), "told docs/guide.md"},
		{"docs reword it", file("docs/guide.md", "slugify makes addresses of titles, a new function.\n"), ""},
		{"heading underline", file("docs/guide.md", strings.Repeat("=", 60)+"\n"), ""},
		{"public line", file("docs/guide.md", "# a line that was public before the change came\n"), ""},
		{"code with three lines", file("pkg/copy.py", added), "told pkg/copy.py"},
		{"code with two lines", file("pkg/copy.py", two), ""},
		{"code with a comment", file("pkg/copy.py", "x = 1\n    "+remark), "told pkg/copy.py"},
		{"code commented out", file("pkg/copy.py", "x = 1\n#"+strings.Split(added, "\n")[1]), "told pkg/copy.py"},
		{"an item of another list", file("docs/guide.md", strings.Replace(entry, "* ", "> - ", 1)), "told docs/guide.md"},
		{"check file elsewhere with hidden lines", file("pkg/copy_test.py", "x = 2\n"+test), "told pkg/copy_test.py"},
		{"byte code in the cache folder", file("pkg/__pycache__/text.cpython-311.pyc", "\x00\x01code"), "compiled pkg/__pycache__/text.cpython-311.pyc"},
		{"byte code of the hidden check", file("pkg/__pycache__/text_test.cpython-311-pytest-8.pyc", "\x00\x01code"), "compiled pkg/__pycache__/text_test.cpython-311-pytest-8.pyc"},
		{"byte code of another file", file("pkg/__pycache__/other.cpython-311.pyc", "\x00\x01code"), ""},
		{"extension module", file("pkg/text.cpython-311-x86_64-linux-gnu.so", "\x7fELF\x00"), "compiled pkg/text.cpython-311-x86_64-linux-gnu.so"},
		{"built copy", file("build/lib/pkg/text.py", "minified=1"), "compiled build/lib/pkg/text.py"},
		{"type checker's cache", file(".mypy_cache/3.11/pkg/text.data.json", "{}"), "compiled .mypy_cache/3.11/pkg/text.data.json"},
		{"a folder that only looks so", file("builder/pkg/text.txt", "nothing"), ""},
		{"binary that names the file", file("blob.bin", "\x00\x00/testbed/pkg/text.py\x00"), "compiled blob.bin"},
		{"binary that names another", file("blob.bin", "\x00\x00/testbed/pkg/text.pyx\x00/testbed/README.md\x00"), ""},
		{"binary by module path", file("blob.bin", "\x00 github.com/Own/texttools/v2/pkg/text.py\x00"), "compiled blob.bin"},
		{"patch under another name", file("data/notes.dat", patch), "asset data/notes.dat"},
		{"patch compressed", file("data/x.bin", pack(t, "gz", file("", patch))), "asset data/x.bin!/content"},
		{"patch in a zip", file("data/x", pack(t, "zip", file("a", "1"), file("b/c", patch))), "asset data/x!/b/c"},
		{"hidden test in a tarball", file("data/t.tgz", pack(t, "tar.gz", file("q.txt", test))), "asset data/t.tgz!/q.txt; told data/t.tgz!/q.txt"},
		{"class in a jar", file("lib/x.jar", pack(t, "zip", file("pkg/text$1.class", "\xca\xfe\x00"))), "compiled lib/x.jar!/pkg/text$1.class"},
		{"clean archive", file("data/x.zip", pack(t, "zip", file("a", "nothing to see"))), ""},
		{"broken archive", file("data/x.zip", "PK\x03\x04 no more of it"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := scan(t, subject(tt.file)).Tree()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, found(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTreeKeepsWhatWasPublic(t *testing.T) {
	s := subject(file("build/lib/pkg/text.py", "made long ago"), file("data/x.gz", pack(t, "gz", file("", patch))))
	files := []model.File{file("build/lib/pkg/text.py", "made long ago"), file("data/x.gz", pack(t, "gz", file("", patch)))}
	s.Before = tree.Of(append(files, file("pkg/text.py", before))...)
	got, err := scan(t, s).Tree()
	if err != nil || got != nil {
		t.Errorf("%v, %v", found(got), err)
	}
}

func walk(t *testing.T, e *Environment, files ...model.File) {
	t.Helper()
	for _, f := range files {
		if err := e.File(f.Path, int64(len(f.Data)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.Data)), nil }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	site := "venv/lib/python3.11/site-packages/"
	for _, tt := range []struct {
		name  string
		files []model.File
		want  string
	}{
		{"clean", []model.File{file(site+"six.py", "x = 1\n"), file(site+"six-1.dist-info/METADATA", "Name: six\n")}, ""},
		{"another release", []model.File{file(site+"text_tools-1.0.dist-info/METADATA", "Name: text-tools\n"), file(site+"text_tools-1.0.dist-info/RECORD", "")}, "release " + site + "text_tools-1.0.dist-info"},
		{"development install", []model.File{file(site+"text_tools-1.0.dist-info/METADATA", "Name: text-tools\n"), file(site+"text_tools-1.0.dist-info/direct_url.json", `{"dir_info": {"editable": true}, "url": "file:///testbed"}`)}, ""},
		{"development install that tells", []model.File{file(site+"text_tools-1.0.dist-info/METADATA", "Name: text-tools\n\n"+entry), file(site+"text_tools-1.0.dist-info/direct_url.json", `{"dir_info":{"editable":true}}`)}, "told " + site + "text_tools-1.0.dist-info/METADATA"},
		{"its module", []model.File{file(site+"pkg/__init__.py", "")}, "release " + site + "pkg"},
		{"a module of a like name", []model.File{file(site+"pkg2/__init__.py", ""), file(site+"other/pkg/__init__.py", "")}, ""},
		{"egg-info", []model.File{file(site+"Text_Tools-2-py3.11.egg-info/PKG-INFO", "x")}, "release " + site + "Text_Tools-2-py3.11.egg-info"},
		{"a distribution of a like name", []model.File{file(site+"text_tools_extra-1.0.dist-info/METADATA", "x")}, ""},
		{"go module cache", []model.File{file("go/pkg/mod/github.com/!own/texttools/v2@v2.1.0/a.go", "package a\n")}, "release go/pkg/mod/github.com/!own/texttools/v2@v2.1.0"},
		{"go download", []model.File{file("go/pkg/mod/cache/download/github.com/!own/texttools/v2/@v/v2.1.0.zip", "x")}, "release go/pkg/mod/cache/download/github.com/!own/texttools/v2/@v/v2.1.0.zip"},
		{"go module below the same owner", []model.File{file("go/pkg/mod/github.com/!own/texttools2@v2.1.0/a.go", "package a\n")}, ""},
		{"npm package", []model.File{file("node_modules/@own/texttools/index.js", "x")}, "release node_modules/@own/texttools"},
		{"npm package of the owner", []model.File{file("node_modules/@own/other/index.js", "x")}, ""},
		{"jar", []model.File{file("m2/org/own/texttools/1.2/texttools-1.2.jar", "x"), file("m2/texttools-core-1.2.jar", "x")}, "release m2/org/own/texttools/1.2/texttools-1.2.jar"},
		{"repository", []model.File{file("src/dep/.git/HEAD", "ref: refs/heads/main\n")}, "git src/dep/.git"},
		{"installed copy", []model.File{file("lib/vendor/text.py", before+added)}, "told lib/vendor/text.py; version lib/vendor/text.py"},
		{"three lines", []model.File{file("lib/vendor/a.py", "import re\n"+added)}, "told lib/vendor/a.py"},
		{"two lines", []model.File{file("lib/vendor/a.py", strings.Join(strings.Split(added, "\n")[:2], "\n"))}, ""},
		{"hidden test compressed", []model.File{file("cache/0a1b", pack(t, "gz", file("", test)))}, "asset cache/0a1b!/content; told cache/0a1b!/content"},
		{"wheel with the module", []model.File{file("cache/x.whl", pack(t, "zip", file("pkg/text.py", before+added)))}, "told cache/x.whl!/pkg/text.py; version cache/x.whl!/pkg/text.py"},
		{"byte code alone", []model.File{file("cache/pkg/__pycache__/text.cpython-311.pyc", "\x00")}, "compiled cache/pkg/__pycache__/text.cpython-311.pyc"},
		{"byte code beside a clean source", []model.File{file("pip/pkg/__pycache__/text.cpython-311.pyc", "\x00"), file("pip/pkg/text.py", "x = 1\n")}, ""},
		{"build cache", []model.File{file("go-build/00/00ff-d", "\x00/testbed/pkg/text.py\x00")}, "compiled go-build/00/00ff-d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := NewEnvironment(scan(t, subject()))
			walk(t, e, tt.files...)
			if diff := cmp.Diff(tt.want, found(e.Findings()[0])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again := NewEnvironment(scan(t, subject()))
			backwards := slices.Clone(tt.files)
			slices.Reverse(backwards)
			walk(t, again, backwards...)
			if diff := cmp.Diff(e.Findings(), again.Findings()); diff != "" {
				t.Errorf("another order of the walk:\n%s", diff)
			}
		})
	}
}

// TestOracleInside is an environment that holds a hidden asset under another name, compressed,
// in what a lower layer left.
func TestOracleInside(t *testing.T) {
	e := NewEnvironment(scan(t, subject()))
	walk(t, e, file("layers/0/var/tmp/.x", pack(t, "tar.gz", file("../../etc/\x1b[2Jgold", patch))))
	if diff := cmp.Diff("asset layers/0/var/tmp/.x!/etc/?[2Jgold", found(e.Findings()[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEnvironmentTellsSubjectsApart(t *testing.T) {
	other := subject()
	other.Lines, other.CheckLines, other.Assets = []string{"another change adds just this line of docs"}, nil, [][]byte{[]byte("another hidden patch, of another change")}
	other.S, other.Self = other.H, nil
	e := NewEnvironment(scan(t, subject()), scan(t, other))
	walk(t, e, file("a.md", "Intro.\n"+entry), file("b.md", "another change adds just this line of docs\n"), file("c", "another hidden patch, of another change\n"), file("d", patch))
	want := []string{"told a.md; asset d", "told b.md; asset c"}
	var got []string
	for _, f := range e.Findings() {
		got = append(got, found(f))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEnvironmentReturnsTheReadersError(t *testing.T) {
	e := NewEnvironment(scan(t, subject()))
	if err := e.File("x", 1, func() (io.ReadCloser, error) { return nil, io.ErrClosedPipe }); err == nil {
		t.Error("no error")
	}
}

func TestGit(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    Repository
		want string
	}{
		{"one commit", Repository{Commits: 1, Refs: []string{"refs/heads/main"}}, ""},
		{"detached", Repository{Commits: 1}, ""},
		{"two commits", Repository{Commits: 2, Refs: []string{"refs/heads/main"}}, "git .git/objects"},
		{"no commit", Repository{}, "git .git/objects"},
		{"loose blob", Repository{Commits: 1, Unreachable: 1}, "git .git/objects"},
		{"tag, note, stash, branch", Repository{Commits: 1, Refs: []string{"refs/tags/v1", "refs/notes/commits", "refs/stash", "refs/heads/main", "refs/heads/z"}},
			"git .git/refs/heads/z; git .git/refs/notes/commits; git .git/refs/stash; git .git/refs/tags/v1"},
		{"reflog", Repository{Commits: 1, Reflogs: []string{"logs/HEAD"}}, "git .git/logs/HEAD"},
		{"alternates and nested", Repository{Commits: 1, Alternates: true, Nested: []string{"vendor/x/.git"}}, "git .git/objects/info/alternates; git vendor/x/.git"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, found(Git(tt.r))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimitsOfArchives(t *testing.T) {
	var files []model.File
	for i := range 30 {
		files = append(files, file(fmt.Sprint(i), strings.Repeat("0", 1000)))
	}
	for _, form := range []string{"zip", "tar", "tar.gz"} {
		for _, tt := range []struct {
			name string
			l    limits
			want string
		}{
			{"none met", limits{100, 1000, 30_000}, "30 entries of 30000 bytes"},
			{"entries", limits{10, 1000, 30_000}, "10 entries of 10000 bytes"},
			{"entry", limits{100, 10, 1 << 20}, "30 entries of 300 bytes"},
		} {
			n, total := 0, 0
			tt.l.each([]byte(pack(t, form, files...)), func(_ string, data []byte) { n++; total += len(data) })
			if got := fmt.Sprintf("%d entries of %d bytes", n, total); got != tt.want && !(form == "tar.gz" && tt.name == "none met") {
				t.Errorf("%s, %s: %s, want %s", form, tt.name, got, tt.want)
			}
		}
		total := 0
		limits{100, 1000, 5000}.each([]byte(pack(t, form, files...)), func(_ string, data []byte) { total += len(data) })
		if total > 5000 || total < 2000 {
			t.Errorf("%s: %d bytes of at most 5000", form, total)
		}
	}
	total := 0
	limits{1, 100, 1 << 20}.each([]byte(pack(t, "gz", files...)), func(_ string, data []byte) { total += len(data) })
	if total != 100 {
		t.Errorf("gz: %d bytes, want 100", total)
	}
}

func FuzzEachEntry(f *testing.F) {
	for _, form := range []string{"zip", "tar", "tar.gz", "gz"} {
		f.Add([]byte(pack(f, form, file("a/b", patch), file("c", test))))
	}
	f.Add([]byte("BZh91AY&SY"))
	f.Fuzz(func(t *testing.T, data []byte) {
		names := map[string]int{}
		eachEntry(data, func(name string, content []byte) {
			names[name]++
			if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "../") || strings.ContainsAny(name, "\n\x1b") || int64(len(content)) > generous.entryBytes {
				t.Errorf("entry %q of %d bytes", name, len(content))
			}
		})
		again := map[string]int{}
		eachEntry(data, func(name string, _ []byte) { again[name]++ })
		if !maps.Equal(names, again) {
			t.Errorf("%v, then %v", names, again)
		}
	})
}

// What many check files hold that the task leaves alone is no answer; what few hold may be.
func TestIdioms(t *testing.T) {
	const lines = "from pkg.text import shorten, widen\nfrom pkg.testing import compare, Recorder\nimport unittest, pkg.fixtures as fixtures\n"
	for n, want := range map[int]int{idiomFiles - 1: idiomFiles - 1, idiomFiles: 0} {
		var extra []model.File
		for i := range n {
			extra = append(extra, file(fmt.Sprintf("pkg/more%d_test.py", i), lines))
		}
		s := subject(extra...)
		s.CheckLines = append(s.CheckLines, strings.Split(lines, "\n")...)
		got, err := scan(t, s).Tree()
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != want {
			t.Errorf("in %d files: %s", n, found(got))
		}
	}
}
