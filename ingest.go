package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/io/recordio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/pipelines/ingest"
)

type ingestFlags struct {
	kind    string
	in      list
	repos   list
	names   list
	work    string
	numbers numbers
	branch  list
	runner  runnerFlags
	config  ingest.Config
	dryRun  bool
}

func (f *ingestFlags) register(c *call) {
	o := &f.config.Reading.Options
	c.flags.StringVar(&f.kind, "source", recordio.Auto, "what --in holds: jsonl or parquet (taskmill's tables), dump (GitHub objects), swebench, or auto (told by each object); git reads --repo alone")
	c.flags.Var(&f.in, "in", "`files` or folders to read; may be given several times")
	c.flags.Var(&f.in, "path", "the same as --in")
	c.flags.Var(&f.repos, "repo", "`repository` whose history is read too, and in which patches are tried")
	c.flags.Var(&f.names, "name", "`owner/repo` of objects that name none; of --repo")
	c.flags.StringVar(&f.config.Out, "out", "", "`folder` of the tables records and rejections")
	c.flags.StringVar(&f.work, "work", "", "folder of caches (default: the user's cache folder)")
	c.flags.Var(date{at: &o.Since}, "since", "only records merged (else closed, else opened) on or after this `date`")
	c.flags.Var(date{at: &o.Until, end: true}, "until", "only records merged (else closed, else opened) up to this `date`, inclusive")
	c.flags.Var(&f.numbers, "pr", "only these `numbers`")
	c.flags.BoolVar(&o.Commits, "commits", false, "take commits of --repo without a pull request number too")
	c.flags.Var(&f.branch, "branch", "also take changes merged into this `branch` of --repo")
	c.flags.IntVar(&f.config.OutputShards, "output-shards", 1, "files a table is written in")
	c.flags.BoolVar(&f.dryRun, "dry-run", false, "read everything, print the counts and write nothing")
	f.runner.register(c.flags)
}

func runIngest(ctx context.Context, c *call) error {
	var f ingestFlags
	f.register(c)
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.args) > 0 {
		return usagef("unexpected argument %q: name files with --in", c.args[0])
	}
	cfg, err := f.resolve(ctx, c)
	if err != nil {
		return err
	}
	start := time.Now()
	if f.dryRun {
		return f.tellDry(ctx, c, cfg, start)
	}
	release, err := parquetio.CheckOut(ctx, cfg.Out, model.Hash(cfg.Hash()))
	if err != nil {
		return err
	}
	defer release()
	stop := showProgress(c.err)
	err = f.runner.launch(ctx, c.err, func(s beam.Scope) { ingest.Build(s, cfg) })
	stop()
	if err != nil {
		return err
	}
	if _, err := parquetio.Commit(ctx, cfg.Out, model.Hash(cfg.Hash()), cfg.Version); err != nil {
		return err
	}
	sum, err := sumRecords(
		parquetio.ReadTable[model.RecordRow](ctx, cfg.Out, "records"),
		parquetio.ReadTable[model.Rejection](ctx, cfg.Out, "rejections"))
	if err != nil {
		return err
	}
	sum.print(c.out, time.Since(start))
	sum.tellRejected(c.err)
	if sum.records() == 0 {
		return fmt.Errorf("no record in it: the table rejections in %s says why of each object", cfg.Out)
	}
	fmt.Fprintf(c.err, "build with them: taskmill build --repo PATH --changes %s\n", cfg.Out)
	return nil
}

// resolve turns flags into a valid configuration.
func (f *ingestFlags) resolve(ctx context.Context, c *call) (ingest.Config, error) {
	cfg := f.config
	if err := f.runner.adopt(c.flags); err != nil {
		return cfg, err
	}
	kinds := append(slices.Clone(recordio.Sources), model.ToldGit)
	switch {
	case !slices.Contains(kinds, f.kind):
		return cfg, usagef("--source %s: want %s", f.kind, strings.Join(kinds, ", "))
	case f.kind == model.ToldGit && len(f.in) > 0:
		return cfg, usagef("--source git with --in: a history is read with --repo")
	case len(f.repos) == 0 && len(f.names) > 1:
		return cfg, usagef("%d --name without --repo: give one, for objects that name none", len(f.names))
	}
	cfg.Version = version()
	cfg.Reading.Options.Numbers, cfg.Reading.Options.Branches = f.numbers, f.branch
	if cfg.Out == "" && f.dryRun {
		cfg.Out = "-"
	}
	var err error
	repo := ""
	if len(f.repos) > 0 {
		if cfg.Sources, err = (&sourceFlags{repos: f.repos, names: f.names}).sources(); err != nil {
			return cfg, err
		}
	} else if len(f.names) == 1 {
		if repo = f.names[0]; !ownerRepo(repo) {
			return cfg, usagef("--name %q: want owner/repo, of letters, digits, '-', '_' and '.'", repo)
		}
	}
	if cfg.Reading.Feeds, err = feedsOf("--in", f.in, f.kind, repo); err != nil {
		return cfg, err
	}
	if err := cfg.Validate(); err != nil {
		return cfg, usageError{err}
	}
	if cfg.Out != "-" {
		if cfg.Out, err = absolute("--out", cfg.Out); err != nil {
			return cfg, err
		}
	}
	if cfg.Input, err = digest(ctx, "--in", cfg.Reading.Feeds); err != nil {
		return cfg, err
	}
	if len(cfg.Sources) == 0 {
		return cfg, nil
	}
	if err := f.open(ctx, &cfg); err != nil {
		return cfg, err
	}
	if len(cfg.Sources) == 1 {
		for i := range cfg.Reading.Feeds {
			cfg.Reading.Feeds[i].Repo = cfg.Sources[0].Repo
		}
	}
	return cfg, nil
}

// open opens the repositories, for their names.
func (f *ingestFlags) open(ctx context.Context, cfg *ingest.Config) error {
	work, err := (&sandboxFlags{work: f.work}).folder()
	if err != nil {
		return err
	}
	if err := checkFolders(io.Discard, []folder{{"--work", work}, {"--out", cfg.Out}}, cfg.Sources); err != nil {
		return err
	}
	cache := work
	if strings.HasPrefix(work, "gs://") {
		if cache, err = cacheFolder(); err != nil {
			return err
		}
	}
	cfg.Execute = execute.Settings{Work: work, Cache: cache, Jobs: 1, Sandbox: "local"}
	return named(ctx, cfg.Execute, cfg.Sources)
}

// tellDry reads all that an ingest would and prints the counts.
func (f *ingestFlags) tellDry(ctx context.Context, c *call, cfg ingest.Config, start time.Time) error {
	var rows []model.RecordRow
	var rejected []model.Rejection
	if err := cfg.Each(ctx, func(r model.RecordRow) { rows = append(rows, r) }, func(r model.Rejection) { rejected = append(rejected, r) }); err != nil {
		return err
	}
	sum, err := sumRecords(all(rows), all(rejected))
	if err != nil {
		return err
	}
	sum.print(c.out, time.Since(start))
	sum.tellRejected(c.err)
	fmt.Fprintln(c.out, "nothing was written")
	return nil
}

func all[T any](values []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// A recordSum is what the end table of an ingest tells.
type recordSum struct {
	pulls, merged, issues, commits int
	repos                          map[string]bool
	told                           map[string]int // by source
	shared                         int            // records that several sources or objects tell
	rejected                       map[model.Reason]int
	first                          []model.Rejection
}

func sumRecords(rows iter.Seq2[model.RecordRow, error], rejected iter.Seq2[model.Rejection, error]) (*recordSum, error) {
	s := &recordSum{repos: map[string]bool{}, told: map[string]int{}, rejected: map[model.Reason]int{}}
	for r, err := range rows {
		if err != nil {
			return nil, err
		}
		s.repos[r.Repo] = true
		for _, source := range r.Sources {
			s.told[source]++
		}
		s.shared += btoi(len(r.Sources) > 1)
		switch r.Kind {
		case "issue":
			s.issues++
		case "commit":
			s.commits++
		default:
			s.pulls++
			s.merged += btoi(r.State == "merged")
		}
	}
	for r, err := range rejected {
		if err != nil {
			return nil, err
		}
		s.rejected[r.Reason]++
		if len(s.first) < maxUnread {
			s.first = append(s.first, r)
		}
	}
	return s, nil
}

func (s *recordSum) records() int { return s.pulls + s.issues + s.commits }

// print writes the end table: what was read, what of it was merged into others, and by source.
func (s *recordSum) print(w io.Writer, took time.Duration) {
	told := 0
	for _, n := range s.told {
		told += n
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "stage\tin\taccepted\trejected\ttime")
	fmt.Fprintf(t, "ingest\t%d\t%d\t%s\t%s\n", told+total(s.rejected), told, reasons(s.rejected), took.Round(100*time.Millisecond))
	for _, source := range slices.SortedFunc(maps.Keys(s.told), byPrecedence) {
		fmt.Fprintf(t, "  %s\t\t%d\t\t\n", source, s.told[source])
	}
	t.Flush()
	commits := ""
	if s.commits > 0 {
		commits = ", " + many(s.commits, "commit")
	}
	fmt.Fprintf(w, "%s of %s: %s (%d merged), %s%s; %d told more than once\n", many(s.records(), "record"),
		repositories(len(s.repos)), many(s.pulls, "pull request"), s.merged, many(s.issues, "issue"), commits, s.shared)
}

func repositories(n int) string {
	if n == 1 {
		return "1 repository"
	}
	return fmt.Sprintf("%d repositories", n)
}

func byPrecedence(a, b string) int {
	return slices.Index(model.Precedence, a) - slices.Index(model.Precedence, b)
}

// tellRejected names the first rejections.
func (s *recordSum) tellRejected(w io.Writer) {
	for _, r := range s.first {
		fmt.Fprintln(w, printable(fmt.Sprintf("rejected: %s: %s", r.Reason, r.Detail)))
	}
	if n := total(s.rejected); n > len(s.first) {
		fmt.Fprintf(w, "rejected: %d more\n", n-len(s.first))
	}
}
