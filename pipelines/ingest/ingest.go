package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/io/recordio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/sources"
)

func init() {
	beam.RegisterType(reflect.TypeFor[recordio.Feed]())
	beam.RegisterType(reflect.TypeFor[Told]())
	beam.RegisterType(reflect.TypeFor[model.Source]())
	beam.RegisterDoFn(&readFeedFn{})
	beam.RegisterDoFn(&readRepositoryFn{})
	beam.RegisterDoFn(&mergeFn{})
	register.Emitter1[model.Rejection]()
	register.Emitter1[model.RecordRow]()
	register.Emitter2[string, Told]()
	register.Iter1[Told]()
}

// A Config is all that an ingest needs to know.
type Config struct {
	Execute      execute.Settings
	Sources      []model.Source // repositories, whose history is read too
	Reading      Reading
	Out          string
	OutputShards int
	Version      string
	Input        model.Hash // of what the feeds hold
}

// Validate reports the first setting that cannot be.
func (cfg Config) Validate() error {
	o := cfg.Reading.Options
	switch {
	case len(cfg.Reading.Feeds) == 0 && len(cfg.Sources) == 0:
		return errors.New("no input: name files or folders with --in, or a repository with --repo")
	case cfg.Out == "":
		return errors.New("no output folder: name one with --out")
	case cfg.OutputShards < 1:
		return fmt.Errorf("--output-shards %d: want 1 or more", cfg.OutputShards)
	case !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until):
		return errors.New("--since is later than --until")
	}
	return nil
}

// Hash is the config_hash: a digest of what can change a row.
func (cfg Config) Hash() string {
	repos := make([]string, len(cfg.Sources))
	for i, s := range cfg.Sources {
		repos[i] = s.Repo
	}
	o := cfg.Reading.Options
	slices.Sort(repos)
	return string(model.Digest([]any{"ingest", repos, cfg.Input, o.Since.UTC(), o.Until.UTC(), o.Numbers, o.Commits, o.Branches, cfg.OutputShards}))
}

// Told is what one object of one source tells.
type Told struct {
	Record model.Record // its Patch is the hash of the text
	Patch  string
}

// Build adds the job: records of files and histories, merged by key, to the tables records and
// rejections.
func Build(s beam.Scope, cfg Config) {
	merged, rejected := Merged(s, cfg)
	out := parquetio.Config{Dir: cfg.Out, Shards: cfg.OutputShards, Creator: "taskmill"}
	w := s.Scope("write")
	parquetio.Collect(w, out,
		parquetio.Write[model.RecordRow](w, "records", out, merged),
		parquetio.Write[model.Rejection](w, "rejections", out, rejected))
}

// Merged are the RecordRow and Rejection of a configuration.
func Merged(s beam.Scope, cfg Config) (rows, rejected beam.PCollection) {
	s = s.Scope("ingest")
	var told, faults []beam.PCollection
	if len(cfg.Reading.Feeds) > 0 {
		t, f := beam.ParDo2(s, &readFeedFn{cfg}, beam.Reshuffle(s, beam.CreateList(s, cfg.Reading.Feeds)))
		told, faults = append(told, t), append(faults, f)
	}
	if len(cfg.Sources) > 0 {
		t, f := beam.ParDo2(s, &readRepositoryFn{cfg}, beam.Reshuffle(s, beam.CreateList(s, cfg.Sources)))
		told, faults = append(told, t), append(faults, f)
	}
	rows, unfit := beam.ParDo2(s, &mergeFn{cfg}, beam.GroupByKey(s, beam.Flatten(s, told...)))
	return rows, beam.Flatten(s, append(faults, unfit)...)
}

// readFeedFn turns a Feed into KV<record, Told> and Rejection.
type readFeedFn struct{ Config Config }

func (f *readFeedFn) ProcessElement(ctx context.Context, feed recordio.Feed, emit func(string, Told), reject func(model.Rejection)) error {
	return f.Config.read(ctx, feed, emit, reject)
}

func (cfg Config) read(ctx context.Context, feed recordio.Feed, emit func(string, Told), reject func(model.Rejection)) error {
	return recordio.Read(ctx, []recordio.Feed{feed}, func(e recordio.Entry) error {
		r := e.Record
		for _, s := range cfg.Sources { // hosts do not tell names apart by case
			if strings.EqualFold(s.Repo, r.Repo) {
				r.Repo = s.Repo
			}
		}
		if !cfg.Reading.keeps(r) {
			return nil
		}
		if e.Patch != "" {
			r.Patch = model.Sum([]byte(e.Patch))
		}
		execute.Progress.Records.Add(1)
		emit(key(r), Told{r, e.Patch})
		return nil
	}, func(f recordio.Fault) { reject(f.Rejection()) })
}

// keeps reports whether a record has one of the numbers asked for, and was not merged, or closed
// or opened where it was never merged, outside the window.
func (c Reading) keeps(r model.Record) bool {
	if len(c.Options.Numbers) > 0 && !slices.Contains(c.Options.Numbers, r.Number) {
		return false
	}
	at := r.MergedAt
	if at.IsZero() {
		at = r.ClosedAt
	}
	if at.IsZero() {
		at = r.CreatedAt
	}
	o := c.Options
	return at.IsZero() || (o.Since.IsZero() || !at.Before(o.Since)) && (o.Until.IsZero() || !at.After(o.Until))
}

// key is a record's identity over sources: its repository and number, else its commit.
func key(r model.Record) string {
	if r.Number > 0 {
		return fmt.Sprintf("%s#%d", strings.ToLower(r.Repo), r.Number)
	}
	return strings.ToLower(r.Repo) + "@" + string(r.MergeCommit)
}

// readRepositoryFn turns a Source into KV<record, Told> and Rejection.
type readRepositoryFn struct{ Config Config }

func (f *readRepositoryFn) ProcessElement(ctx context.Context, src model.Source, emit func(string, Told), reject func(model.Rejection)) error {
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	repo, err := shop.Repository(ctx, src)
	if err != nil {
		return err
	}
	return repo.Records(ctx, f.Config.Reading.Options, func(r model.Record) error {
		r.Told = model.ToldGit
		execute.Progress.Records.Add(1)
		emit(key(r), Told{Record: r})
		return nil
	}, reject)
}

// mergeFn turns a record's tellings into one row. A patch is tried on the clone, where there is
// one.
type mergeFn struct{ Config Config }

func (f *mergeFn) ProcessElement(ctx context.Context, _ string, next func(*Told) bool, emit func(model.RecordRow), reject func(model.Rejection)) error {
	var told []Told
	for {
		var t Told
		if !next(&t) {
			break
		}
		told = append(told, t)
	}
	// Groups come in no fixed order.
	slices.SortFunc(told, func(a, b Told) int {
		return cmp.Compare(model.Digest(a), model.Digest(b))
	})
	patches := map[model.Hash]string{}
	records := make([]model.Record, len(told))
	for i, t := range told {
		records[i], patches[t.Record.Patch] = t.Record, t.Patch
	}
	r := sources.Merge(records)
	text := patches[r.Patch]
	fault, err := f.Config.tried(ctx, r, text)
	if err != nil {
		return err
	}
	if fault != nil {
		reject(rejection(r, fault))
		return nil
	}
	emit(r.Row(text))
	return nil
}

// tried is the fault of a patch that does not apply in the clone of its repository.
func (cfg Config) tried(ctx context.Context, r model.Record, text string) (*model.Fault, error) {
	if text == "" {
		return nil, nil
	}
	at := slices.IndexFunc(cfg.Sources, func(s model.Source) bool { return s.Repo == r.Repo })
	if at < 0 {
		return nil, nil
	}
	shop, err := cfg.Execute.Open(ctx)
	if err != nil {
		return nil, err
	}
	repo, err := shop.Repository(ctx, cfg.Sources[at])
	if err != nil {
		return nil, err
	}
	_, _, err = Patched(ctx, shop, repo, r.Before, []byte(text))
	var fault *model.Fault
	if errors.As(err, &fault) {
		return fault, nil
	}
	return nil, err
}

// Each does without a runner what Build does, and writes nothing.
func (cfg Config) Each(ctx context.Context, row func(model.RecordRow), reject func(model.Rejection)) error {
	groups := map[string][]Told{}
	keep := func(k string, t Told) { groups[k] = append(groups[k], t) }
	for _, feed := range cfg.Reading.Feeds {
		if err := cfg.read(ctx, feed, keep, reject); err != nil {
			return err
		}
	}
	for _, src := range cfg.Sources {
		if err := (&readRepositoryFn{cfg}).ProcessElement(ctx, src, keep, reject); err != nil {
			return err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		next := func(t *Told) bool {
			if len(groups[k]) == 0 {
				return false
			}
			*t, groups[k] = groups[k][0], groups[k][1:]
			return true
		}
		if err := (&mergeFn{cfg}).ProcessElement(ctx, k, next, row, reject); err != nil {
			return err
		}
	}
	return nil
}
