// Package build is the main job: from merged pull requests of a git history to verified tasks
// in Parquet.
package build

import (
	"fmt"
	"slices"
	"time"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
)

// Defaults of a build.
const (
	DefaultRepeats     = 3
	DefaultBaseRepeats = 3
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

	Repeats           int
	BaseRepeats       int
	AcceptBuildErrors bool // for every family, not only feature
	Sample            int  // draw N eligible changes a repository by hash; 0: all

	Out          string
	OutputShards int
	Shards       int // key groups a heavy stage is spread over; 1 where one process works
	Version      string
}

// Validate reports the first setting that cannot be.
func (c Config) Validate() error {
	switch {
	case len(c.Sources) == 0:
		return fmt.Errorf("no repository: name one with --repo")
	case c.Out == "":
		return fmt.Errorf("no output folder: name one with --out")
	case c.Repeats < 1:
		return fmt.Errorf("--repeats %d: want 1 or more", c.Repeats)
	case c.BaseRepeats < 1:
		return fmt.Errorf("--base-repeats %d: want 1 or more", c.BaseRepeats)
	case c.OutputShards < 1:
		return fmt.Errorf("--output-shards %d: want 1 or more", c.OutputShards)
	case c.Execute.Jobs < 1:
		return fmt.Errorf("--jobs %d: want 1 or more", c.Execute.Jobs)
	case c.Limit < 0:
		return fmt.Errorf("--limit %d: want 0 (no limit) or more", c.Limit)
	case c.Sample < 0:
		return fmt.Errorf("--sample %d: want 0 (all) or more", c.Sample)
	case !c.Since.IsZero() && !c.Until.IsZero() && !c.Since.Before(c.Until):
		return fmt.Errorf("--since %s is later than --until %s", c.Since.Format(time.DateOnly), c.Until.Add(-time.Nanosecond).Format(time.DateOnly))
	case c.Base != "" && len(c.Sources) > 1:
		return fmt.Errorf("--base names a commit of one repository, but %d are given", len(c.Sources))
	}
	seen := map[string]string{}
	for _, s := range c.Sources {
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
func (c Config) Hash() string {
	repos := make([]string, len(c.Sources))
	for i, s := range c.Sources {
		repos[i] = s.Repo
	}
	slices.Sort(repos)
	numbers := slices.Sorted(slices.Values(c.Numbers))
	branches := slices.Sorted(slices.Values(c.Branches))
	images := c.Execute.BaseImages
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
		Repeats           int
		BaseRepeats       int
		AcceptBuildErrors bool
		Sample            int
		Sandbox           string
		BaseImages        map[string]string
		OutputShards      int
	}{repos, c.Since.UTC(), c.Until.UTC(), c.Limit, numbers, c.Commits, branches, c.Base, c.Repeats,
		c.BaseRepeats, c.AcceptBuildErrors, c.Sample, c.Execute.Sandbox, images, c.OutputShards}))
}
