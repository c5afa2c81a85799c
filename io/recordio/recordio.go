// Package recordio turns files that others keep (rows of our own tables, objects of GitHub's
// services, rows of benchmarks) into records of pull requests and issues.
//
// Files are read as streams: what is held is one object at a time, at most MaxObject. A fault of
// one object is data; only a file that is wholly wrong is an error.
package recordio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// MaxObject bounds one object of a file, in bytes, ours.
const MaxObject = 32 << 20

// maxText bounds a title, a body or hints, in bytes, ours: what evidence reads of a text.
const maxText = 64 << 10

// Auto tells the source of each object by its shape.
const Auto = "auto"

// Sources are the kinds that can be asked for.
var Sources = []string{Auto, model.ToldJSONL, model.ToldParquet, model.ToldDump, model.ToldSWEBench}

// A Feed is a file or folder as the user named it, and what its objects are.
type Feed struct {
	Source string // one of Sources
	Path   string // absolute; or gs://, a corpus
	Name   string // how places in it are told: no absolute path
	Repo   string // owner/name of objects that name none; may be empty
}

// An Entry is what one object of a file tells.
type Entry struct {
	Record model.Record
	Patch  string // of a benchmark's row: from Record.Before to the change merged
	Place  string // file:line
}

// A Fault is an object that is no record.
type Fault struct {
	Place  string
	Source string
	Repo   string // as far as it is known
	Number int64
	Reason model.Reason
	Detail string
}

// Rejection is the fault as a row: one without a number is called by its place.
func (f Fault) Rejection() model.Rejection {
	r := model.Rejection{Repo: f.Repo, Method: "change", Stage: model.StageIngest, Reason: f.Reason,
		Candidate: f.Place, Detail: f.Place + ": " + f.Detail}
	if f.Number > 0 {
		r.SourcePR = &f.Number
	}
	return r
}

// A FileError is a file that cannot be read as any source at all.
type FileError struct {
	Name string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("read %s: %v", e.Name, e.Err) }
func (e *FileError) Unwrap() error { return e.Err }

// ErrMissing is in the error of a path that is not there.
var ErrMissing = errors.New("no such file or folder")

// Read gives the entries and the faults of feeds in the order of their files and lines. entry's
// error ends the reading.
func Read(ctx context.Context, feeds []Feed, entry func(Entry) error, fault func(Fault)) error {
	for _, feed := range feeds {
		files, err := feed.files(ctx)
		if err != nil {
			return err
		}
		r := reader{feed: feed, entry: entry, fault: fault}
		for _, f := range files {
			if err := r.file(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// errEnough ends a look at a file's first object.
var errEnough = errors.New("enough")

// Check looks at the first object of each file, so that a wrong one is told before any work, and
// counts the files.
func Check(ctx context.Context, feeds []Feed) (int, error) {
	n := 0
	for _, feed := range feeds {
		files, err := feed.files(ctx)
		if err != nil {
			return n, err
		}
		for _, f := range files {
			r := reader{feed: feed, entry: func(Entry) error { return nil }, fault: func(Fault) {}, one: true}
			if err := r.file(ctx, f); err != nil && !errors.Is(err, errEnough) {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// A reader reads the files of one feed.
type reader struct {
	feed  Feed
	entry func(Entry) error
	fault func(Fault)
	one   bool // the first object is enough
}

// reject is an object's fault.
func (r *reader) reject(place string, source, repo string, number int64, reason model.Reason, format string, args ...any) {
	r.fault(Fault{Place: place, Source: source, Repo: repo, Number: number, Reason: reason, Detail: fmt.Sprintf(format, args...)})
}

var (
	objectName = regexp.MustCompile(`^[0-9a-f]{40}$`)
	repoName   = regexp.MustCompile(`^[\w.-]+/[\w.-]+$`)
)

// emit checks what every record must have and hands it on.
func (r *reader) emit(e Entry) error {
	rec := &e.Record
	if rec.Repo == "" {
		rec.Repo = r.feed.Repo
	}
	fail := func(format string, args ...any) error {
		r.reject(e.Place, rec.Told, rec.Repo, rec.Number, model.NoParse, format, args...)
		return nil
	}
	switch {
	case rec.Repo == "":
		return fail("it names no repository: give its owner/repo with --name")
	case !repoName.MatchString(rec.Repo):
		return fail("repository %q: want owner/repo", short(rec.Repo))
	case rec.Number < 0 || rec.Number == 0 && rec.MergeCommit == "":
		return fail("it has no number")
	case !slices.Contains([]string{"pr", "issue", "commit"}, rec.Kind):
		return fail("kind %q: want pr, issue or commit", short(rec.Kind))
	}
	for _, h := range []model.Hash{rec.Before, rec.MergeCommit, rec.HeadCommit} {
		if h != "" && !objectName.MatchString(string(h)) {
			return fail("commit %q: want 40 hexadecimal digits", short(string(h)))
		}
	}
	rec.Title, rec.Body, rec.Hints = bound(rec.Title), bound(rec.Body), bound(rec.Hints)
	for i := range rec.Issues {
		rec.Issues[i].Title, rec.Issues[i].Body = bound(rec.Issues[i].Title), bound(rec.Issues[i].Body)
	}
	return r.entry(e)
}

func bound(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	return s
}

// short is a hostile text as a message may hold it.
func short(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return s
}

// typeFault words the error of a JSON value that is not what a column or field is.
func typeFault(err error) string {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		return fmt.Sprintf("%s is %s: want %s", typed.Field, typed.Value, wanted(typed.Type.String()))
	}
	return err.Error()
}

func wanted(goType string) string {
	switch goType {
	case "string":
		return "text"
	case "int64", "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "a list or an object"
}
