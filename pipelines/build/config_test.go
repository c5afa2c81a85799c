package build

import (
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/model"
)

func valid() Config {
	c := Config{Sources: []model.Source{{Repo: "o/r", Location: "/r"}}, Out: "/out", Repeats: 3, BaseRepeats: 3, OutputShards: 1, Bases: BasesNewest, MinTasksPerBase: 4, Levels: "1", Mapping: MappingFull}
	c.Execute.Jobs, c.Execute.Sandbox = 2, "local"
	return c
}

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestValidate(t *testing.T) {
	if err := valid().Validate(); err != nil {
		t.Fatal(err)
	}
	two := []model.Source{{Repo: "o/r", Location: "/r"}, {Repo: "o/r", Location: "/other"}}
	for want, change := range map[string]func(*Config){
		"--repo":                  func(c *Config) { c.Sources = nil },
		"--out":                   func(c *Config) { c.Out = "" },
		"--repeats 0":             func(c *Config) { c.Repeats = 0 },
		"--base-repeats -1":       func(c *Config) { c.BaseRepeats = -1 },
		"--output-shards 0":       func(c *Config) { c.OutputShards = 0 },
		"--jobs 0":                func(c *Config) { c.Execute.Jobs = 0 },
		"--limit -1":              func(c *Config) { c.Limit = -1 },
		"--measure-baseline -1":   func(c *Config) { c.MeasureBaseline = -1 },
		"--sample -2":             func(c *Config) { c.Sample = -2 },
		"--until 2025-01-01":      func(c *Config) { c.Since, c.Until = day("2025-02-01"), day("2025-01-02") },
		"--since 2025-01-02":      func(c *Config) { c.Since, c.Until = day("2025-01-02"), day("2025-01-02") },
		"--base":                  func(c *Config) { c.Base = "v1"; c.Sources = []model.Source{{Repo: "a/b"}, {Repo: "c/d"}} },
		"--families bugfix":       func(c *Config) { c.Families = []string{"bugfix"} },
		"name bug_fix too":        func(c *Config) { c.Families = []string{"feature", "test_generation"} },
		"both named o/r":          func(c *Config) { c.Sources = two },
		"/r and /other are both ": func(c *Config) { c.Sources = two },
	} {
		c := valid()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: want one line with %q", err, want)
		}
	}
	c := valid()
	c.Sources = []model.Source{{Location: "/r"}, {Location: "/other"}} // not opened yet
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

func TestHashIsOfSettingsThatChangeARow(t *testing.T) {
	first := valid().Hash()
	for name, change := range map[string]func(*Config){
		"out": func(c *Config) { c.Out = "/elsewhere" }, "shards": func(c *Config) { c.Shards = 32 }, "version": func(c *Config) { c.Version = "v9" },
		"work": func(c *Config) { c.Execute.Work = "gs://b" }, "cache": func(c *Config) { c.Execute.Cache = "/c" }, "jobs": func(c *Config) { c.Execute.Jobs = 64 },
		"build": func(c *Config) { c.Execute.BuildID = "x" }, "place of the repository": func(c *Config) { c.Sources[0].Location = "https://example.org/r" },
		"time zone": func(c *Config) { c.Since = c.Since.In(time.FixedZone("x", 3600)) },
	} {
		c := valid()
		change(&c)
		if c.Hash() != first {
			t.Errorf("%s changes the hash", name)
		}
	}
	seen := map[string]string{first: "nothing"}
	for name, change := range map[string]func(*Config){
		"repository": func(c *Config) { c.Sources[0].Repo = "o/s" }, "since": func(c *Config) { c.Since = day("2025-01-01") }, "until": func(c *Config) { c.Until = day("2025-01-01") },
		"limit": func(c *Config) { c.Limit = 5 }, "numbers": func(c *Config) { c.Numbers = []int64{7} }, "commits": func(c *Config) { c.Commits = true },
		"branches": func(c *Config) { c.Branches = []string{"v1"} }, "base": func(c *Config) { c.Base = "HEAD~1" }, "repeats": func(c *Config) { c.Repeats = 4 },
		"base repeats": func(c *Config) { c.BaseRepeats = 4 }, "build errors": func(c *Config) { c.AcceptBuildErrors = true }, "sample": func(c *Config) { c.Sample = 2 },
		"sandbox": func(c *Config) { c.Execute.Sandbox = "bwrap" }, "images": func(c *Config) { c.Execute.BaseImages = map[string]string{"go": "x"} }, "output shards": func(c *Config) { c.OutputShards = 2 },
		"historical": func(c *Config) { c.Historical = true }, "twins": func(c *Config) { c.PairHistorical = true },
	} {
		c := valid()
		change(&c)
		if other, dup := seen[c.Hash()]; dup {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[c.Hash()] = name
	}
}

func TestHashIsOfSets(t *testing.T) {
	a, b := valid(), valid()
	a.Sources, b.Sources = []model.Source{{Repo: "a/a"}, {Repo: "b/b"}}, []model.Source{{Repo: "b/b"}, {Repo: "a/a"}}
	a.Numbers, b.Numbers = []int64{1, 2}, []int64{2, 1}
	a.Branches, b.Branches = []string{"v1", "v2"}, []string{"v2", "v1"}
	if a.Hash() != b.Hash() {
		t.Error("the order in which repositories, numbers or branches are named changes the hash")
	}
	c := valid()
	c.Execute.BaseImages = map[string]string{}
	if c.Hash() != valid().Hash() {
		t.Error("no image and no images differ")
	}
	if len(a.Branches) != 2 || a.Branches[0] != "v1" || b.Branches[0] != "v2" {
		t.Error("hashing sorts the caller's lists")
	}
}
