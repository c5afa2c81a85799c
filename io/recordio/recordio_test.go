package recordio

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

// read gives a line for each entry and each fault of a feed.
func read(t *testing.T, feed Feed) ([]string, error) {
	t.Helper()
	var out []string
	err := Read(t.Context(), []Feed{feed}, func(e Entry) error {
		r := e.Record
		var line strings.Builder
		line.WriteString(fmt.Sprintf("%s %s %s#%d %s", r.Told, r.Kind, r.Repo, r.Number, r.State))
		for _, part := range []struct{ name, value string }{
			{"by ", r.Author}, {"text ", r.TextSource}, {"into ", r.BaseRef}, {"merge ", r.MergeCommit.Short(4)}, {"base ", r.Before.Short(4)}} {
			if part.value != "" {
				line.WriteString(" " + part.name + part.value)
			}
		}
		for _, l := range r.Labels {
			line.WriteString(" label " + l.Name)
		}
		for _, c := range r.Closes {
			line.WriteString(fmt.Sprintf(" closes %s#%d %g", c.Repo, c.Number, c.Confidence))
		}
		for _, i := range r.Issues {
			line.WriteString(fmt.Sprintf(" issue %d %q", i.Number, i.Title+i.Body))
		}
		if e.Patch != "" {
			line.WriteString(fmt.Sprintf(" patch %q", e.Patch))
		}
		out = append(out, line.String()+" @"+e.Place)
		return nil
	}, func(f Fault) {
		out = append(out, fmt.Sprintf("%s %s#%d %s @%s", f.Reason, f.Repo, f.Number, f.Detail, f.Place))
	})
	return out, err
}

func write(t *testing.T, name, text string) Feed {
	t.Helper()
	at := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Feed{Source: Auto, Path: at, Name: name, Repo: "o/r"}
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Real objects of GitHub's interfaces: a body of null is told and empty, none at all is not told;
// a deleted user has no name; a transferred issue is no record.
func TestRealDump(t *testing.T) {
	got, err := read(t, Feed{Source: model.ToldDump, Path: "testdata/github", Name: "github", Repo: "networkx/networkx"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`dump issue networkx/networkx#307 closed label New feature label Needs PR @github/networkx_issues.json:1 element 1`,
		`dump issue networkx/networkx#417 closed label Enhancement label Needs PR @github/networkx_issues.json:1 element 2`,
		`dump issue networkx/networkx#526 closed label New feature label Needs PR @github/networkx_issues.json:1 element 3`,
		`dump pr networkx/networkx#1 closed by rutsky into master @github/networkx_prs.json:1 element 1`,
		`dump pr networkx/networkx#2 closed by drewconway into master @github/networkx_prs.json:1 element 2`,
		`dump pr networkx/networkx#3 closed by rafguns into master @github/networkx_prs.json:1 element 3`,
		`dump pr networkx/networkx#4 closed by larsmans into master @github/networkx_prs.json:1 element 4`,
		`dump pr networkx/networkx#5 closed by adelbertc into master @github/networkx_prs.json:1 element 5`,
		`dump pr networkx/networkx#6 closed by conradlee into master @github/networkx_prs.json:1 element 6`,
		`dump pr networkx/networkx#7 merged by bwreilly into master @github/networkx_prs.json:1 element 7`,
		`dump pr networkx/networkx#2753 merged into master @github/networkx_prs.json:1 element 8`,
		`dump issue Codertocat/Hello-World#1 open by Codertocat text api label bug @github/webhook-issues-opened.json:1`,
		`dump issue Codertocat/Hello-World#1 open by Codertocat text api label bug @github/webhook-issues-opened.with-empty-body.json:1`,
		`not_merged octo-org/octo-repo#1 issue 1 was transferred to Codertocat/Hello-World @github/webhook-issues-transferred.json:1`,
		`dump pr Codertocat/Hello-World#2 closed by Codertocat text api into master label bug @github/webhook-pull_request-closed.json:1`,
		`dump pr Codertocat/Hello-World#2 open by Codertocat text api into master label bug @github/webhook-pull_request-opened.with-null-body.json:1`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

const sha = "0123456789abcdef0123456789abcdef01234567"

// One object that is none costs itself alone, in each form of file and by each kind of fault.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"lines", "a.jsonl", "\n{\"number\": 1, \"title\": \"x\"}\nnot json\n[1]\n{\"number\": 3, \"body\": null}", []string{
			"dump issue o/r#1  @a.jsonl:2", "no_parse o/r#0 the line is no JSON @a.jsonl:3", "no_parse o/r#0 it is no JSON object @a.jsonl:4",
			"dump issue o/r#3  text api @a.jsonl:5"}},
		{"a first line that is none", "a.jsonl", "{\"number\":\n{\"number\": 1}\n", []string{"no_parse o/r#0 the line is no JSON @a.jsonl:1", "dump issue o/r#1  @a.jsonl:2"}},
		{"zipped lines, by content", "a", zipped(t, "{\"number\": 1}\r\n{\"number\": 2}\r\n"), []string{"dump issue o/r#1  @a:1", "dump issue o/r#2  @a:2"}},
		{"one object over lines", "a.json", "{\n \"number\": 1\n}\n", []string{"dump issue o/r#1  @a.json:1"}},
		{"an array over lines", "a.json", "[\n{\"number\": 1},\n7,\n{\"number\": 2}\n]", []string{
			"dump issue o/r#1  @a.json:2 element 1", "no_parse o/r#0 it is no JSON object @a.json:3 element 2", "dump issue o/r#2  @a.json:4 element 3"}},
		{"an array cut off", "a.json", `[{"number": 1}, {"num`, []string{
			"dump issue o/r#1  @a.json:1 element 1", "no_parse o/r#0 the rest of the file cannot be read: it is cut off @a.json:1 element 2"}},
		{"an array without end", "a.json", `[{"number": 1}`, []string{
			"dump issue o/r#1  @a.json:1 element 1", "no_parse o/r#0 the end of the list is missing: it is cut off @a.json"}},
		{"an empty array", "a.json", `[]`, nil},
		{"wrong types", "a.jsonl", `{"number": "1"}` + "\n" + `{"number": 2, "title": 7}` + "\n" + `{"number": 3, "labels": 7}` + "\n" + `{"number": 4, "created_at": "soon"}` + "\n" +
			`{"number": 5, "body": {}}` + "\n" + `{"number": -1}` + "\n" + `{"number": 6, "user": null, "unknown": [{}]}`, []string{
			"no_parse #0 number is string: want a number @a.jsonl:1", "no_parse #2 title is number: want text @a.jsonl:2",
			"no_parse #3 labels is no list of labels @a.jsonl:3", `no_parse #4 "soon" is no time @a.jsonl:4`, "no_parse #5 body is no text @a.jsonl:5",
			"no_parse #0 number -1: want 1 or more @a.jsonl:6", "dump issue o/r#6  @a.jsonl:7"}},
		{"neither", "a.json", `{"action": "created", "starred_at": "x", "repository": {"full_name": "a/b"}}`, []string{
			"no_parse a/b#0 it is neither a pull request nor an issue: it has no number @a.json:1"}},
		{"an answer with pages", "a.json", `{"data": {"repository": {"nameWithOwner": "a/b", "pullRequests": {"nodes": [{"number": 1, "mergedAt": "2025-01-02T03:04:05Z", "mergeCommit": {"oid": "` + sha + `"},
			"closingIssuesReferences": {"nodes": [{"number": 7, "title": "T", "body": "B"}, null]}, "body": "Fixes #7, fixes #8"}, null]}, "issues": {"edges": [{"node": {"number": 7}}]}}}}`, []string{
			`dump pr a/b#1 merged text api merge 0123 closes #7 1 closes #8 0.8 issue 7 "TB" @a.json:1`, "no_parse a/b#0 an element is no object @a.json:1", "dump issue a/b#7  @a.json:1"}},
		{"an archive's event", "a.json", `{"type": "PullRequestEvent", "repo": {"name": "a/b"}, "payload": {"action": "closed", "pull_request": {"number": 3, "merged_at": "2025-01-02T03:04:05Z", "user": {"login": "x", "type": "Bot"}, "base": {"ref": "main"}, "merge_commit_sha": "` + sha + `", "head": null}}}`, []string{
			"dump pr a/b#3 merged by x into main merge 0123 @a.json:1"}},
		{"a search's page, with a pull request seen as issue", "a.json", `{"total_count": 1, "items": [{"number": 5, "state": "closed", "repository_url": "https://api.example.org/repos/a/b", "pull_request": {"merged_at": "2025-01-02T03:04:05Z"}}]}`, []string{
			"dump pr a/b#5 merged @a.json:1"}},
		{"rows of a benchmark", "rows.jsonl", `{"instance_id": "a__b-12", "base_commit": "` + sha + `", "patch": "P", "test_patch": "T\n", "problem_statement": "It fails", "FAIL_TO_PASS": "[\"x\"]", "PASS_TO_PASS": ["y"], "created_at": "2025-01-02 03:04:05"}` + "\n" +
			`{"instance_id": "a__b-x", "repo": "a/b", "base_commit": "` + sha + `", "patch": "P"}` + "\n" + `{"instance_id": "a__b-1", "base_commit": "main", "patch": "P"}` + "\n" +
			`{"instance_id": "a__b-2", "base_commit": "` + sha + `", "patch": null}` + "\n" + `{"instance_id": "a__b-3", "base_commit": "` + sha + `", "patch": "P", "FAIL_TO_PASS": "x"}`, []string{
			`swebench pr a/b#12 merged base 0123 issue 0 "It fails" patch "P\nT\n" @rows.jsonl:1`,
			`no_parse a/b#0 instance_id "a__b-x" ends in no pull request's number, and there is no pull_number @rows.jsonl:2`,
			`no_parse a/b#1 commit "main": want 40 hexadecimal digits @rows.jsonl:3`, "no_parse a/b#2 it has no patch @rows.jsonl:4",
			"no_parse #0 FAIL_TO_PASS and PASS_TO_PASS: want lists of check ids, or such a list as JSON in a text @rows.jsonl:5"}},
		{"rows of ours", "rows.jsonl", `{"change": "a__b-1", "repo": "a/b", "source_pr": 1, "source_commit": "` + sha + `", "source_merged_at": "2025-01-02T03:04:05Z", "eligible": true}` + "\n" +
			`{"repo": "a/b", "number": 2, "kind": "pr", "body": "", "state": "merged", "labels": [{"name": "bug"}], "closes": [{"number": 3, "confidence": 1}], "colour": 1}` + "\n" +
			`{"repo": "a/b", "number": 2, "kind": "push"}` + "\n" + `{"repo": "a/b", "number": "2", "kind": "pr"}` + "\n" + `{"repo": "b", "number": 2, "kind": "pr"}` + "\n" + `{"repo": "a/b", "number": 2, "kind": "pr", "patch": "P"}`, []string{
			"jsonl pr a/b#1 merged merge 0123 @rows.jsonl:1", "jsonl pr a/b#2 merged text api label bug closes #3 1 @rows.jsonl:2",
			`no_parse a/b#2 kind "push": want pr, issue or commit @rows.jsonl:3`, "no_parse a/b#0 number is string: want a number @rows.jsonl:4",
			`no_parse b#2 repository "b": want owner/repo @rows.jsonl:5`, "no_parse a/b#2 it has a patch and no base_commit @rows.jsonl:6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(t, write(t, c.file, c.text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A source that was asked for refuses objects of another.
func TestSourceAskedFor(t *testing.T) {
	for source, want := range map[string]string{model.ToldJSONL: "no row of ours", model.ToldSWEBench: "no benchmark row"} {
		feed := write(t, "a.json", `{"number": 1}`)
		feed.Source = source
		if got, err := read(t, feed); err != nil || len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %v, %v, want %q", source, got, err, want)
		}
	}
}

// A file that is wholly wrong is one error that names it; nothing comes out.
func TestWrongFiles(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.json", "hello", "it is no JSON: it begins with 'h'"}, {"a.json", "", "the file is empty"}, {"a.json", " \n", "the file is empty"},
		{"a.json", `{"number":`, "it is no JSON: it is cut off"}, {"a.jsonl", "x\ny\n", "no line of it is JSON"}, {"a.json.gz", "{}", "it is no gzip file"},
		{"a.gz", "\x1f\x8bxxxxxxxxxxxx", "it is no gzip file"}, {"a.json.gz", zipped(t, `[{"number": 1}`)[:20], "cut off"}, {"a.parquet", "PAR1xxx", "it is no whole Parquet file"}, {"a.parquet", "PAR1xxxxxxPAR1", "a footer of 2021161080 bytes in a file of 14"}, {"a.parquet", "hello", "it is no Parquet file"},
		{"a.parquet", "PAR1xxxx\x04\x00\x00\x00PAR1", "its footer cannot be read"},
	} {
		feed := write(t, c.file, c.text)
		_, check := Check(t.Context(), []Feed{feed})
		got, err := read(t, feed)
		var of *FileError
		if !errors.As(err, &of) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file) || len(got) > 0 {
			t.Errorf("%s %q: %v, %v, want %q", c.file, c.text, got, err, c.want)
		}
		if check == nil {
			t.Errorf("%s %q: not seen beforehand", c.file, c.text)
		}
	}
	for path, want := range map[string]string{"nosuch": ErrMissing.Error(), t.TempDir(): "no file that ends in .json"} {
		if _, err := read(t, Feed{Source: Auto, Path: path, Name: "x"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// A record survives being written as a row and read again.
func TestRowAndBack(t *testing.T) {
	feed := write(t, "a.json", `{"number": 1, "title": "T", "body": "Fixes #7", "user": {"login": "x"}, "labels": [{"name": "bug"}], "created_at": "2025-01-01T00:00:00Z", "merged_at": "2025-01-02T03:04:05Z", "base": {"ref": "main"}, "merge_commit_sha": "`+sha+`"}`)
	err := Read(t.Context(), []Feed{feed}, func(e Entry) error {
		want := e.Record
		if d := cmp.Diff(want, want.Row("").Record(model.ToldDump)); d != "" {
			t.Error(d)
		}
		return nil
	}, func(f Fault) { t.Error(f) })
	if err != nil {
		t.Error(err)
	}
}

// A list of many large objects is not held: the heap stays small while it is read.
func TestStreams(t *testing.T) {
	at := filepath.Join(t.TempDir(), "a.json")
	f, err := os.Create(at)
	if err != nil {
		t.Fatal(err)
	}
	filler := strings.Repeat("x", 1<<20)
	fmt.Fprint(f, "[")
	const n = 100
	for i := range n {
		fmt.Fprintf(f, `%s{"number": %d, "body": "b", "filler": %q}`, map[bool]string{true: ","}[i > 0], i+1, filler)
	}
	fmt.Fprint(f, "]")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	seen, most := 0, uint64(0)
	err = Read(context.Background(), []Feed{{Source: Auto, Path: at, Name: "a.json", Repo: "o/r"}}, func(Entry) error {
		if seen++; seen%50 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		return nil
	}, func(f Fault) { t.Error(f) })
	if err != nil || seen != n || most > 60<<20 {
		t.Errorf("%d objects, at most %d MB held, %v", seen, most>>20, err)
	}
}

// Whatever a file holds, reading it ends, and each object is an entry or a fault.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"number": 1}`, `[{"number": 1}, 7]`, "{}\n{}\n", `{"data": {"repository": {"issues": {"nodes": [null]}}}}`, `{"instance_id": "a__b-1"}`,
		`{"action": "closed", "pull_request": {"number": 1, "labels": [null]}}`, `{"change": 1, "repo": "a/b"}`, "\xef\xbb\xbf[", `{"node":{"node":{"node":{}}}}`} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		at := filepath.Join(dir, "a.json")
		if err := os.WriteFile(at, text, 0o644); err != nil {
			t.Fatal(err)
		}
		err := Read(context.Background(), []Feed{{Source: Auto, Path: at, Name: "a.json", Repo: "o/r"}}, func(e Entry) error {
			if e.Record.Repo == "" || e.Record.Kind == "" || e.Record.Number <= 0 && e.Record.MergeCommit == "" {
				t.Errorf("not a record: %+v", e)
			}
			return nil
		}, func(f Fault) {
			if f.Place == "" || f.Reason == "" || f.Detail == "" {
				t.Errorf("a fault without a place: %+v", f)
			}
		})
		var of *FileError
		if err != nil && !errors.As(err, &of) {
			t.Errorf("%v", err)
		}
	})
}
