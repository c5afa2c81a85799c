package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/io/recordio"
	"github.com/taskmill/taskmill/io/sampleio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/build"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/base"
)

// sourceFlags name repositories and the changes wanted of them.
type sourceFlags struct {
	repos list
	names list
	base  string
}

type buildFlags struct {
	source  sourceFlags
	sandbox sandboxFlags
	runner  runnerFlags
	config  build.Config
	numbers numbers
	branch  list
	changes list
	methods string
	infra   int
	dryRun  bool
}

func (f *sourceFlags) register(c *call) {
	c.flags.Var(&f.repos, "repo", "`repository`: a path, a URL, or sample:NAME; may be given several times")
	c.flags.Var(&f.names, "name", "`owner/repo` to call the repository; once for each --repo")
	c.flags.StringVar(&f.base, "base", "", "`revision` to build all tasks on (default: as --bases says)")
}

// sources are the repositories as they were named; one without --name gets its name when it is
// opened.
func (f *sourceFlags) sources() ([]model.Source, error) {
	if len(f.repos) == 0 {
		return nil, usagef("no repository: name one with --repo, for instance --repo sample:go")
	}
	if len(f.names) > 0 && len(f.names) != len(f.repos) {
		return nil, usagef("%d --name for %d --repo: give one for each", len(f.names), len(f.repos))
	}
	var out []model.Source
	for i, location := range f.repos {
		name := ""
		if len(f.names) > 0 {
			name = f.names[i]
			if !ownerRepo(name) {
				return nil, usagef("--name %q: want owner/repo, of letters, digits, '-', '_' and '.'", name)
			}
		}
		location, err := locate(location)
		if err != nil {
			return nil, err
		}
		out = append(out, model.Source{Repo: name, Location: location})
	}
	return out, nil
}

var namePart = regexp.MustCompile(`^[\w.-]+$`)

// ownerRepo reports whether a name is two plain words.
func ownerRepo(name string) bool {
	owner, repo, ok := strings.Cut(name, "/")
	for _, part := range []string{owner, repo} {
		ok = ok && namePart.MatchString(part) && strings.Trim(part, ".") != "" && part[0] != '-'
	}
	return ok
}

var shorthand = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[\w.-]+$`)

// locate makes a path absolute and owner/name, where no such path is, a GitHub address.
func locate(location string) (string, error) {
	if name, ok := strings.CutPrefix(location, "sample:"); ok && !slices.Contains(sampleio.Names(), name) {
		return "", usagef("--repo %s: no such sample: there are sample:%s", location, strings.Join(sampleio.Names(), ", sample:"))
	}
	if strings.Contains(location, "://") || strings.HasPrefix(location, "sample:") || strings.HasPrefix(location, "git@") {
		return location, nil
	}
	if _, err := os.Stat(location); err == nil {
		return filepath.Abs(location)
	}
	if shorthand.MatchString(location) {
		return "https://github.com/" + location, nil
	}
	return "", usagef("--repo %s: no such path: give a path, a URL, owner/name or sample:NAME", location)
}

// named opens the sources that were given no name and takes what they say of themselves.
func named(ctx context.Context, settings execute.Settings, sources []model.Source) error {
	shop, err := settings.Open(ctx)
	if err != nil {
		return err
	}
	for i, src := range sources {
		if src.Repo != "" {
			continue
		}
		repo, err := shop.Repository(ctx, src)
		if err != nil {
			return fmt.Errorf("--repo %s: %w", src.Location, err)
		}
		sources[i].Repo = repo.Source().Repo
	}
	return nil
}

func (f *buildFlags) register(c *call) {
	f.source.register(c)
	f.sandbox.register(c.flags)
	cfg := &f.config
	c.flags.StringVar(&cfg.Out, "out", "", "`folder` of the corpus")
	c.flags.Var(date{at: &cfg.Since}, "since", "only changes merged on or after this `date`")
	c.flags.Var(date{at: &cfg.Until, end: true}, "until", "only changes merged up to this `date`, inclusive")
	c.flags.IntVar(&cfg.Limit, "limit", 0, "only the newest N changes of each repository")
	c.flags.Var(&f.numbers, "pr", "only these pull request `numbers`")
	c.flags.BoolVar(&cfg.Commits, "commits", false, "take commits without a pull request number too")
	c.flags.Var(&f.branch, "branch", "also take changes merged into this `branch`")
	c.flags.Var(&f.changes, "changes", "`files` or folders that tell of changes beside the history: records or changes of taskmill, a GitHub dump, SWE-bench rows")
	c.flags.BoolVar(&cfg.ChangesOnly, "changes-only", false, "take only the changes that --changes names")
	c.flags.StringVar(&f.methods, "methods", "change", "methods to build tasks by: change")
	c.flags.BoolVar(&cfg.Historical, "historical", false, "build the changes that no base serves on their own revisions, each with an environment of its own; counted apart")
	c.flags.BoolVar(&cfg.PairHistorical, "pair-historical", false, "make the twin of each task on the original branch too, and pairs.tsv for compare; each has an environment of its own")
	c.flags.StringVar(&cfg.Levels, "levels", "1,2", "`levels` of the construction ladder: 1 (patch reversal), or 1,2 (code mapping too)")
	c.flags.StringVar(&cfg.Mapping, "mapping", build.MappingFull, "`which` mappings level 2 has: strict (Change2Task's one), or full")
	c.flags.StringVar(&cfg.Bases, "bases", "", "`which` commits serve as bases: newest, auto (as many as a plan of coverage wants), or a number (default auto; newest with --base)")
	c.flags.IntVar(&cfg.MinTasksPerBase, "min-tasks-per-base", base.DefaultMinTasks, "changes, not yet covered, that a further base is planned for")
	c.flags.IntVar(&cfg.BaseAge, "base-age", int(base.DefaultAge.Hours()/24), "days that a base may be older than the newest commit")
	c.flags.IntVar(&cfg.Repeats, "repeats", build.DefaultRepeats, "complete runs of H and C that an accepted task rests on")
	c.flags.IntVar(&cfg.BaseRepeats, "base-repeats", build.DefaultBaseRepeats, "runs of each unit of H that look for unstable checks")
	c.flags.BoolVar(&cfg.AcceptBuildErrors, "accept-build-errors", false, "accept a build error as the failure of a target in every family, not only in features")
	c.flags.IntVar(&cfg.Sample, "sample", 0, "draw N eligible changes of each repository by hash")
	c.flags.Var((*list)(&cfg.Families), "families", "only tasks of these `families`: "+strings.Join(build.Families, ", ")+" (default all)")
	c.flags.IntVar(&cfg.MeasureBaseline, "measure-baseline", 0, "prepare an environment of their own for N tasks of each repository, drawn by hash, and write what it took into costs")
	c.flags.IntVar(&cfg.OutputShards, "output-shards", 1, "files a table is written in")
	c.flags.IntVar(&f.infra, "allow-infrastructure", 0, "rejections for infrastructure that still count as done")
	c.flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan with its counts and run nothing")
	f.runner.register(c.flags)
}

func runBuild(ctx context.Context, c *call) error {
	var f buildFlags
	f.register(c)
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.args) > 0 {
		return usagef("unexpected argument %q", c.args[0])
	}
	cfg, err := f.resolve(ctx, c)
	if err != nil {
		return err
	}
	if f.dryRun {
		return dryRun(ctx, c, cfg)
	}
	if f.runner.describes() {
		return f.runner.launch(ctx, c.err, func(s beam.Scope) { build.Build(s, cfg) })
	}
	if err := probe(ctx, cfg, c.err); err != nil { // before the folder is marked as this build's
		return err
	}
	release, err := parquetio.CheckOut(ctx, cfg.Out, model.Hash(cfg.Hash()))
	if err != nil {
		return err
	}
	defer release()
	start := time.Now()
	stop := showProgress(c.err)
	err = f.runner.launch(ctx, c.err, func(s beam.Scope) { build.Build(s, cfg) })
	stop()
	if err != nil {
		return err
	}
	if _, err := parquetio.Commit(ctx, cfg.Out, model.Hash(cfg.Hash()), cfg.Version); err != nil {
		return err
	}
	sum, err := summarize(ctx, cfg.Out)
	if err != nil {
		return err
	}
	sum.print(c.out, time.Since(start))
	tellUnread(c.err, sum.unread)
	for _, line := range sum.unhealthy {
		fmt.Fprintln(c.err, printable(line))
	}
	if sum.first == "" {
		fmt.Fprintf(c.err, "no task in %s: the table rejections there says why of each change\n", cfg.Out)
	} else {
		fmt.Fprintf(c.err, "%s in %s; read one with: taskmill show %s %s\n", many(sum.tasks+sum.historical, "task"), cfg.Out, cfg.Out, sum.first)
	}
	if cfg.PairHistorical {
		fmt.Fprintf(c.err, "their twins are paired in %s/%s, for taskmill compare\n", cfg.Out, build.PairsFile)
	}
	if sum.infrastructure > f.infra {
		return sum.pending(f.infra)
	}
	return nil
}

// resolve turns flags into a valid configuration.
func (f *buildFlags) resolve(ctx context.Context, c *call) (build.Config, error) {
	cfg := f.config
	var err error
	if err = f.runner.adopt(c.flags); err != nil {
		return cfg, err
	}
	if f.methods != "change" {
		return cfg, usagef("--methods %s: this version builds tasks by the method change", f.methods)
	}
	if cfg.Sources, err = f.source.sources(); err != nil {
		return cfg, err
	}
	cfg.Base, cfg.Numbers, cfg.Branches = f.source.base, f.numbers, f.branch
	switch {
	case cfg.Bases != "" && cfg.Base != "":
		return cfg, usagef("--base %s with --bases %s: a declared base is the only one: leave out one of the two", cfg.Base, cfg.Bases)
	case cfg.Bases == "":
		cfg.Bases = build.BasesAuto
		if cfg.Base != "" {
			cfg.Bases = build.BasesNewest
		}
	}
	cfg.Shards, cfg.Version = f.runner.shards, version()
	cfg.Execute.Jobs = f.sandbox.jobs
	if cfg.Out == "" && f.dryRun {
		cfg.Out = "-"
	}
	if err := cfg.Validate(); err != nil {
		return cfg, usageError{err}
	}
	if cfg.Out != "-" {
		if cfg.Out, err = absolute("--out", cfg.Out); err != nil {
			return cfg, err
		}
	}
	work, err := f.sandbox.folder()
	if err != nil {
		return cfg, err
	}
	if err := checkFolders(c.err, []folder{{"--work", work}, {"--out", cfg.Out}}, cfg.Sources); err != nil {
		return cfg, err
	}
	if cfg.Execute, err = f.sandbox.settings(ctx); err != nil {
		return cfg, err
	}
	near := cfg.Execute
	if f.runner.describes() {
		near.Work = near.Cache
	}
	if err := named(ctx, near, cfg.Sources); err != nil {
		return cfg, err
	}
	if err := cfg.Validate(); err != nil {
		return cfg, usageError{err}
	}
	if err := f.feeds(ctx, c, &cfg); err != nil {
		return cfg, err
	}
	if f.runner.remote() {
		return cfg, f.checkRemote(cfg)
	}
	return cfg, nil
}

// feeds finds the files of --changes. Objects that name no repository are of the one that is
// built, where there is one.
func (f *buildFlags) feeds(ctx context.Context, c *call, cfg *build.Config) error {
	if len(f.changes) == 0 {
		if cfg.ChangesOnly {
			return usagef("--changes-only without --changes: name the files that name the changes")
		}
		return nil
	}
	repo := ""
	if len(cfg.Sources) == 1 {
		repo = cfg.Sources[0].Repo
	}
	var err error
	if cfg.Changes, err = feedsOf("--changes", f.changes, recordio.Auto, repo); err != nil {
		return err
	}
	if cfg.Input, err = digest(ctx, "--changes", cfg.Changes); err != nil {
		return err
	}
	return tellFeeds(ctx, c.err, *cfg)
}

// checkRemote refuses places that workers on other machines cannot reach.
func (f *buildFlags) checkRemote(cfg build.Config) error {
	if f.runner.runner != "dataflow" {
		return nil
	}
	for _, p := range []struct{ flag, value string }{{"--work", cfg.Execute.Work}, {"--out", cfg.Out}, {"--changes", onDisk(cfg.Changes)}} {
		if p.value != "" && !strings.HasPrefix(p.value, "gs://") {
			return usagef("%s %s: Dataflow's workers are other machines and reach gs:// only", p.flag, p.value)
		}
	}
	return nil
}
