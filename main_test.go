package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/io/sampleio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/evaluate"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"taskmill": main})
}

// shared is a corpus of sample:go and the work folder that it was built with: building it once
// is most of what the scripts cost.
type shared struct {
	once         sync.Once
	corpus, work string
	task         model.Task // the first one
	fault        error
}

func (s *shared) build(dir string) {
	s.corpus, s.work = filepath.Join(dir, "corpus"), filepath.Join(dir, "work")
	cmd := exec.Command("taskmill", "build", "--repo", "sample:go", "--sandbox", "local", "--out", s.corpus, "--work", s.work)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.fault = fmt.Errorf("build the shared corpus: %w\n%s", err, out)
		return
	}
	corpus, err := execute.ReadCorpus(context.Background(), s.corpus)
	if err == nil && len(corpus.Tasks) == 0 {
		err = errors.New("the shared corpus has no task")
	}
	if s.fault = err; err == nil {
		s.task = corpus.Tasks[0]
	}
}

// Each script of testdata/script says what it shows. CORPUS and LEDGER are the shared corpus and
// its work folder, TASK and PR its first task and that one's pull request; scripts that need none of it are in testdata/script/plain.
func TestScripts(t *testing.T) {
	var s shared
	dir := t.TempDir()
	for _, set := range []string{"plain", "corpus"} {
		t.Run(set, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir: filepath.Join("testdata", "script", set),
				Setup: func(e *testscript.Env) error {
					e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
					e.Setenv("GOTOOLCHAIN", "local")
					if strings.HasSuffix(e.WorkDir, "full") && !small(e.WorkDir, e.Defer) {
						e.T().Skip("no small file system can be mounted here (root may): a full disk is not tried")
					}
					if set != "corpus" {
						return nil
					}
					s.once.Do(func() { s.build(dir) })
					e.Setenv("CORPUS", s.corpus)
					e.Setenv("LEDGER", s.work)
					e.Setenv("TASK", s.task.InstanceID)
					if s.task.SourcePR != nil {
						e.Setenv("PR", fmt.Sprint(*s.task.SourcePR))
					}
					return s.fault
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"usage": ends(exitUsage), "failed": ends(exitFailed), "predictions": predictions, "damage": damage, "plant": plant, "rejected": rejected,
				},
				Condition: func(c string) (bool, error) {
					switch c {
					case "root":
						return os.Geteuid() == 0, nil
					}
					return false, fmt.Errorf("unknown condition %q", c)
				},
			})
		})
	}
}

// ends is `usage COMMAND… -- TEXT…` and `failed COMMAND… -- TEXT…`: the command ends with the
// code, prints nothing on stdout, and its stderr is one line (beside the warning of the local
// sandbox) that begins with taskmill and holds each text.
func ends(code int) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		i := slices.Index(args, "--")
		if neg || i < 1 {
			ts.Fatalf("want COMMAND… -- TEXT…")
		}
		err := ts.Exec(args[0], args[1:i]...)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != code {
			ts.Fatalf("%v: want exit status %d", err, code)
		}
		if out := ts.ReadFile("stdout"); out != "" {
			ts.Fatalf("stdout is for data: %s", out)
		}
		oneClearLine(ts, ts.ReadFile("stderr"), args[i+1:])
	}
}

func oneClearLine(ts *testscript.TestScript, text string, want []string) {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "sandbox local: repositories") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "taskmill") {
		ts.Fatalf("want one line of taskmill's, got %d:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for _, noise := range []string{"DoFn", "goroutine", "caused by"} {
		if strings.Contains(lines[0], noise) {
			ts.Fatalf("the line talks of %s: %s", noise, lines[0])
		}
	}
	for _, text := range want {
		if !strings.Contains(lines[0], text) {
			ts.Fatalf("the line does not say %q: %s", text, lines[0])
		}
	}
}

// predictions FORM FILE: the gold patches of the shared corpus in one of SWE-bench's forms.
func predictions(ts *testscript.TestScript, _ bool, args []string) {
	corpus, err := execute.ReadCorpus(context.Background(), ts.Getenv("CORPUS"))
	ts.Check(err)
	wanted := evaluate.Gold(corpus.Tasks)
	for i := range wanted {
		wanted[i].Model = "own"
	}
	var text []byte
	switch args[0] {
	case "list":
		text, err = json.Marshal(wanted)
	case "dict":
		byID := map[string]model.Prediction{}
		for _, p := range wanted {
			byID[p.InstanceID] = p
		}
		text, err = json.Marshal(byID)
	case "lines":
		for _, p := range wanted {
			line, e := json.Marshal(p)
			err = errors.Join(err, e)
			text = append(append(text, line...), '\n')
		}
	case "twice": // a patch that is none, then the gold one of the same task
		for _, patch := range []string{"no patch", wanted[0].Patch} {
			line, e := json.Marshal(model.Prediction{InstanceID: wanted[0].InstanceID, Model: "own", Patch: patch})
			err = errors.Join(err, e)
			text = append(append(text, line...), '\n')
		}
	default:
		ts.Fatalf("unknown form %s", args[0])
	}
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o644))
}

// damage KIND DIR copies the shared corpus to DIR and breaks it.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[1])
	ts.Check(os.CopyFS(dir, os.DirFS(ts.Getenv("CORPUS"))))
	each := func(pattern string, do func(name string) error) {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		ts.Check(err)
		if len(found) == 0 {
			ts.Fatalf("no %s in the corpus", pattern)
		}
		for _, f := range found {
			ts.Check(do(f))
		}
	}
	spoil := func(name string) error { return os.WriteFile(name, []byte("spoiled"), 0o644) }
	switch args[0] {
	case "manifest":
		each("manifest.json", spoil)
	case "tasks":
		each("tasks/*.parquet", spoil)
	case "bases-gone":
		each("bases/*.parquet", os.Remove)
	case "tree":
		each("trees/*", spoil)
	case "tree-gone":
		each("trees/*", os.Remove)
	case "none": // a copy
	case "empty", "schema", "contradiction":
		retable(ts, args[0], dir)
	default:
		ts.Fatalf("unknown damage %s", args[0])
	}
}

// small mounts a file system of 64 KiB at DIR/disk and says whether it could.
func small(dir string, unmount func(func())) bool {
	disk := filepath.Join(dir, "disk")
	if os.Geteuid() != 0 || os.MkdirAll(disk, 0o755) != nil {
		return false
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		return false
	}
	unmount(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	return true
}

// plant KIND DIR copies the shared work folder to DIR, but for what was scanned for leaks, and
// puts what the tasks hide into the prepared environments.
func plant(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[1])
	for _, part := range []string{"blobs", "runs", "locks", "values/prepared", "trees", "environments"} { // no states: other scripts are at work in theirs
		ts.Check(os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(ts.Getenv("LEDGER"), part))))
	}
	corpus, err := execute.ReadCorpus(context.Background(), ts.Getenv("CORPUS"))
	ts.Check(err)
	task, err := corpus.Task(ts.Getenv("TASK"))
	ts.Check(err)
	gold, err := patch.Parse([]byte(task.Patch))
	ts.Check(err)
	fixed := newest(ts, gold.Files[0].Path())
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err = z.Write([]byte(task.Patch))
	ts.Check(errors.Join(err, z.Close()))
	name, text := map[string]string{"patch": "notes.txt", "test-patch": "share/x", "file": "mod/other/name.txt", "zipped": "cache/patch.gz"}[args[0]], []byte(nil)
	switch args[0] {
	case "patch":
		text = []byte(task.Patch)
	case "test-patch":
		text = []byte(task.TestPatch)
	case "file":
		text = fixed
	case "zipped":
		text = zipped.Bytes()
	}
	found, err := filepath.Glob(filepath.Join(dir, "environments", "*-local", "env"))
	ts.Check(err)
	if len(found) == 0 || name == "" {
		ts.Fatalf("no environment to plant %q in", args[0])
	}
	for _, env := range found {
		ts.Check(os.MkdirAll(filepath.Dir(filepath.Join(env, name)), 0o755))
		ts.Check(os.WriteFile(filepath.Join(env, name), text, 0o644))
	}
}

// newest is a file of sample:go at its newest commit.
func newest(ts *testscript.TestScript, path string) []byte {
	ctx := context.Background()
	repo, err := gitio.Open(ctx, model.Source{Repo: "a/b", Location: "sample:go"}, gitio.Options{WorkDir: ts.MkAbs("mirrors")})
	ts.Check(err)
	_, head, _, err := repo.DefaultBranch()
	ts.Check(err)
	entries, _, err := repo.Tree(ctx, head)
	ts.Check(err)
	f, ok, err := tree.New(entries, repo.Blob).Read(path)
	ts.Check(err)
	if !ok {
		ts.Fatalf("sample:go has no %s", path)
	}
	return f.Data
}

// rejected CORPUS CANDIDATE STAGE REASON TEXT… : the candidate has one terminal row, as said, and
// is no task.
func rejected(ts *testscript.TestScript, _ bool, args []string) {
	dir, n := ts.MkAbs(args[0]), 0
	for r, err := range parquetio.ReadTable[model.Rejection](context.Background(), dir, "rejections") {
		ts.Check(err)
		if r.Candidate != args[1] {
			continue
		}
		n++
		if string(r.Stage) != args[2] || string(r.Reason) != args[3] {
			ts.Fatalf("%s ended in %s as %s: %s", r.Candidate, r.Stage, r.Reason, r.Detail)
		}
		for _, text := range args[4:] {
			if !strings.Contains(r.Detail, text) {
				ts.Fatalf("the detail of %s does not say %q: %s", r.Candidate, text, r.Detail)
			}
		}
	}
	corpus, err := execute.ReadCorpus(context.Background(), dir)
	ts.Check(err)
	if _, err := corpus.Task(args[1]); n != 1 || err == nil {
		ts.Fatalf("%s: %d rejections, and a task: %v", args[1], n, err == nil)
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		"while executing Process for Plan[stage-006]:\n1: DataSource[x]\n\tcaused by:\nsource failed\n\tcaused by:\nDoFn[UID:4, PID:e6, Name: a/b.fn] failed:\nopen x:\nno such file": "open x: no such file",
		"DoFn[UID:12, PID:evaluate.scoreFn, Name: a/b.fn] failed:\nbroken":                          "broken",
		"panic: index out of range [1] goroutine 12 [running]:\nruntime/debug.Stack()\n\t/usr/x.go": "panic: index out of range [1]",
		"panic: oh\nFull error:\nwhile executing\ngoroutine 1 [running]:\nx":                        "panic: oh",
	} {
		if got := oneLine(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Each change stands once in the table: what reading rejected is one of the changes.
func TestTableCountsEachChangeOnce(t *testing.T) {
	s := endTable{changes: 3, eligible: 1, drawn: 1, tasks: 1, infrastructure: 2, unread: make([]model.Rejection, 1),
		byStage: map[model.Stage]map[model.Reason]int{model.StageIngest: {model.Infrastructure: 1}, model.StageEvidence: {model.Bot: 1}}}
	var out strings.Builder
	s.print(&out, 0)
	var got [][]string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Fields(line))
	}
	want := [][]string{{"ingest", "3", "2", "1", "infrastructure"}, {"evidence", "2", "1", "1", "bot"}, {"base", "1", "1"}, {"lifecycle", "1", "1"}}
	if d := cmp.Diff(want, got[1:5]); d != "" || !strings.HasPrefix(strings.Join(got[5], " "), "3 changes, 1 eligible") {
		t.Errorf("%s\n%s", out.String(), d)
	}
	for _, text := range []string{"1 change could not be read", "git fsck", "1 candidate ended for infrastructure", "run the same command again", "allowed: 0"} {
		if err := s.pending(0); !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

func TestPrintable(t *testing.T) {
	if d := cmp.Diff("a\tb\ufffd[31mc\ufffd\ufffdé\u240d\ufffd", printable("a\tb\x1b[31mc\x9b\n\u00e9\r\u202e")); d != "" {
		t.Error(d)
	}
}

func TestHelpNamesEverything(t *testing.T) {
	var out, errw strings.Builder
	if code := Main([]string{"help"}, &out, &errw); code != 0 || errw.Len() > 0 {
		t.Fatalf("exit %d, %s", code, errw.String())
	}
	for _, c := range commands {
		if !strings.Contains(out.String(), "\n  "+c.name) {
			t.Errorf("help does not name %s", c.name)
		}
		var page strings.Builder
		if code := Main([]string{"help", c.name}, &page, &errw); code != 0 || errw.Len() > 0 {
			t.Errorf("help %s: exit %d, %s", c.name, code, errw.String())
		}
		if !strings.HasPrefix(page.String(), "taskmill "+c.name) || !strings.Contains(page.String(), c.summary) {
			t.Errorf("help %s: %s", c.name, page.String())
		}
	}
}

func TestSamplesAreLocated(t *testing.T) {
	for _, name := range sampleio.Names() {
		if got, err := locate("sample:" + name); got != "sample:"+name || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for in, want := range map[string]string{
		"https://example.org/a.git": "https://example.org/a.git", "git@example.org:a/b": "git@example.org:a/b",
		"owner/no-such-folder-here": "https://github.com/owner/no-such-folder-here",
	} {
		if got, err := locate(in); got != want || err != nil {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
}
