// Package build is the main job: from merged pull requests of a git history to verified tasks
// in Parquet.
package build

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taskmill/taskmill/io/recordio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/evidence"
)

// Defaults of a build.
const (
	DefaultRepeats     = 3
	DefaultBaseRepeats = 3
)

// MaxOutputShards bounds the files of a table, ours: each is opened and named in the manifest.
const MaxOutputShards = 1000

// How the ladder maps code: Change2Task's own two steps, or all of them.
const (
	MappingStrict = "strict"
	MappingFull   = "full"
)

// A Config is all that a build needs to know. It travels with the DoFns; secrets do not.
type Config struct {
	Execute  execute.Settings
	Sources  []model.Source
	Since    time.Time // merged at or after; zero: any
	Until    time.Time // merged before; zero: any
	Limit    int       // newest N records a source; 0: all
	Numbers  []int64   // only these pull requests
	Commits  bool      // also commits without a number
	Branches []string  // target branches beside the default one
	Base     string    // declared base revision; empty: the default branch

	Changes     []recordio.Feed // files that tell of changes beside the history
	ChangesOnly bool            // only changes that these name
	Input       model.Hash      // of what these hold

	Bases           string // newest, auto, or how many for each repository and language
	MinTasksPerBase int    // changes not yet covered that a further base is planned for
	BaseAge         int    // days that a base may be older than the newest commit; 0: DefaultAge

	Historical     bool // changes that no base of the plan serves get their own revision as base
	PairHistorical bool // each task on a base of the plan gets a twin on its change's own revision

	Levels  string // of the construction ladder: 1, or 1,2
	Mapping string // strict or full

	Repeats           int
	BaseRepeats       int
	AcceptBuildErrors bool     // for every family, not only feature
	Sample            int      // draw N eligible changes a repository by hash; 0: all
	Families          []string // only tasks of these families; none: all

	MeasureBaseline int // tasks of each repository whose own environment is measured; changes no row but costs

	Out          string
	OutputShards int
	Shards       int // key groups a heavy stage is spread over; 1 where one process works
	Version      string
}

// Families are the families of tasks. The last is never that of a change: it is a further variant
// of a bug fix.
var Families = []string{evidence.BugFix, evidence.Feature, evidence.APIMigration, evidence.SecurityRepair, model.FamilyTests}

// wants reports whether tasks of a family are asked for.
func (cfg Config) wants(family string) bool {
	return len(cfg.Families) == 0 || slices.Contains(cfg.Families, family)
}

// Validate reports the first setting that cannot be.
func (cfg Config) Validate() error {
	switch {
	case len(cfg.Sources) == 0:
		return fmt.Errorf("no repository: name one with --repo")
	case cfg.Out == "":
		return fmt.Errorf("no output folder: name one with --out")
	case cfg.Repeats < 1:
		return fmt.Errorf("--repeats %d: want 1 or more", cfg.Repeats)
	case cfg.BaseRepeats < 1:
		return fmt.Errorf("--base-repeats %d: want 1 or more", cfg.BaseRepeats)
	case cfg.OutputShards < 1 || cfg.OutputShards > MaxOutputShards:
		return fmt.Errorf("--output-shards %d: want 1 to %d files a table", cfg.OutputShards, MaxOutputShards)
	case cfg.Execute.Jobs < 1:
		return fmt.Errorf("--jobs %d: want 1 or more", cfg.Execute.Jobs)
	case cfg.Limit < 0:
		return fmt.Errorf("--limit %d: want 0 (no limit) or more", cfg.Limit)
	case slices.Contains(cfg.Families, model.FamilyTests) && !slices.Contains(cfg.Families, evidence.BugFix):
		return fmt.Errorf("--families %s: a test_generation task is a variant of a bug_fix one: name bug_fix too", strings.Join(cfg.Families, ","))
	case cfg.MeasureBaseline < 0:
		return fmt.Errorf("--measure-baseline %d: want 0 (none) or more", cfg.MeasureBaseline)
	case cfg.Sample < 0:
		return fmt.Errorf("--sample %d: want 0 (all) or more", cfg.Sample)
	case !cfg.Since.IsZero() && !cfg.Until.IsZero() && !cfg.Since.Before(cfg.Until):
		return fmt.Errorf("--since %s is later than --until %s", cfg.Since.Format(time.DateOnly), cfg.Until.Add(-time.Nanosecond).Format(time.DateOnly))
	case cfg.MinTasksPerBase < 1:
		return fmt.Errorf("--min-tasks-per-base %d: want 1 or more", cfg.MinTasksPerBase)
	case cfg.BaseAge < 0:
		return fmt.Errorf("--base-age %d: want 0 (the default) or more days", cfg.BaseAge)
	case cfg.Base != "" && cfg.Bases != BasesNewest:
		return fmt.Errorf("--base %s with --bases %s: a declared base is the only one", cfg.Base, cfg.Bases)
	case cfg.Base != "" && len(cfg.Sources) > 1:
		return fmt.Errorf("--base names a commit of one repository, but %d are given", len(cfg.Sources))
	}
	for _, f := range cfg.Families {
		if !slices.Contains(Families, f) {
			return fmt.Errorf("--families %s: want some of %s", f, strings.Join(Families, ","))
		}
	}
	if cfg.Levels != "1" && cfg.Levels != "1,2" {
		return fmt.Errorf("--levels %s: want 1 (patch reversal) or 1,2 (code mapping too)", cfg.Levels)
	}
	if cfg.Mapping != MappingStrict && cfg.Mapping != MappingFull {
		return fmt.Errorf("--mapping %s: want strict or full", cfg.Mapping)
	}
	if err := checkBases(cfg.Bases); err != nil {
		return err
	}
	seen := map[string]string{}
	for _, s := range cfg.Sources {
		if s.Repo == "" {
			continue // not opened yet
		}
		if other, dup := seen[s.Repo]; dup {
			return fmt.Errorf("%s and %s are both named %s: tell them apart with --name", other, s.Location, s.Repo)
		}
		seen[s.Repo] = s.Location
	}
	return nil
}

// Hash is the config_hash: a digest of the settings that can change a row. Where the work is
// kept, by which runner, how wide and from which copy of a repository changes none.
func (cfg Config) Hash() string {
	repos := make([]string, len(cfg.Sources))
	for i, s := range cfg.Sources {
		repos[i] = s.Repo
	}
	slices.Sort(repos)
	numbers := slices.Sorted(slices.Values(cfg.Numbers))
	branches := slices.Sorted(slices.Values(cfg.Branches))
	images := cfg.Execute.BaseImages
	if len(images) == 0 {
		images = nil
	}
	return string(model.Digest(struct {
		Repos             []string
		Since, Until      time.Time
		Limit             int
		Numbers           []int64
		Commits           bool
		Branches          []string
		Base              string
		Bases             string
		MinTasksPerBase   int
		BaseAge           int
		Levels, Mapping   string
		Repeats           int
		BaseRepeats       int
		AcceptBuildErrors bool
		Sample            int
		Families          []string
		Sandbox           string
		BaseImages        map[string]string
		OutputShards      int
		Input             model.Hash `json:",omitempty"` // as it was, where there is none
		ChangesOnly       bool       `json:",omitempty"`
		Historical        bool       `json:",omitempty"`
		PairHistorical    bool       `json:",omitempty"`
	}{repos, cfg.Since.UTC(), cfg.Until.UTC(), cfg.Limit, numbers, cfg.Commits, branches, cfg.Base, cfg.Bases, cfg.MinTasksPerBase, cfg.BaseAge, cfg.Levels, cfg.Mapping, cfg.Repeats,
		cfg.BaseRepeats, cfg.AcceptBuildErrors, cfg.Sample, slices.Compact(slices.Sorted(slices.Values(cfg.Families))), cfg.Execute.Sandbox, images, cfg.OutputShards, cfg.Input, cfg.ChangesOnly, cfg.Historical, cfg.PairHistorical}))
}
