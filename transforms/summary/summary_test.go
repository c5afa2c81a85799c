package summary

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The columns are those of the tables, with their types.
func TestColumnsAreTheTables(t *testing.T) {
	for _, c := range []struct{ narrow, row any }{
		{Change{}, model.ChangeRow{}}, {Task{}, model.Task{}}, {Rejection{}, model.Rejection{}}, {Attempt{}, model.Attempt{}},
		{Run{}, model.RunRow{}}, {Base{}, model.BaseRow{}},
	} {
		want := map[string]reflect.Type{}
		for f := range reflect.TypeOf(c.row).Fields() {
			want[f.Tag.Get("parquet")] = f.Type
		}
		for f := range reflect.TypeOf(c.narrow).Fields() {
			tag := f.Tag.Get("parquet")
			if w := want[tag]; w == nil || w.Kind() != f.Type.Kind() {
				t.Errorf("%T: column %s is %v, the table has %v", c.narrow, tag, f.Type, w)
			}
		}
	}
}

// task is a task of change n with fidelity f.
func task(n int, family, kind string, f float64) Task {
	return Task{
		InstanceID: fmt.Sprintf("o__r-%d", n), Repo: "o/r", BaseCommit: "base-" + kind, RecipeHash: "r", Method: "change", Family: family, Language: "go",
		Level: 1, Mapping: "reversal", BaseKind: kind, SourceCommit: fmt.Sprint("m", n),
		BaseDistanceMerge: model.Distance{Days: int64(10 * n), Commits: int64(n)}, Fidelity: &f, FidelityEqual: new(f / 2),
		FidelityParts: &model.FidelityParts{Lines: f, Hunks: 1, Files: 1, Symbols: 1, Target: 1, Regression: 0},
	}
}

func change(n int, family, end string) Change {
	c := Change{Change: fmt.Sprintf("o__r-%d", n), SourceCommit: fmt.Sprint("m", n), Language: "go", Family: family, Eligible: true, Planned: true, Sampled: true, End: end}
	if stage, reason, ok := strings.Cut(end, " "); ok {
		c.End, c.EndStage, c.EndReason = endRejection, stage, reason
	}
	return c
}

// run is a run of a unit on the newest base.
func run(hash, state string, seconds float64) Run {
	return Run{RunHash: hash, Repo: "o/r", BaseCommit: "base-default", LockHash: "l", State: state, Unit: "u", Seconds: seconds}
}

// newest is a build on the newest base, planned one of the same changes on planned bases.
func newest() Corpus {
	bot := Change{Change: "o__r-9", SourceCommit: "m9", Reason: "bot", End: endRejection, EndStage: "evidence", EndReason: "bot"}
	unread := Change{Change: "o__r-10", SourceCommit: "m10", End: endPending, EndStage: "ingest", EndReason: "infrastructure"}
	pending := change(6, "bug_fix", endPending)
	pending.EndReason = "infrastructure"
	c := Corpus{
		Name: "newest", Folder: "corpora/newest", ConfigHash: "c1", Version: "v1",
		Changes: []Change{
			change(1, "bug_fix", endTask), change(2, "feature", endTask), change(3, "bug_fix", "lifecycle not_discriminating"),
			change(4, "bug_fix", "construction does_not_reverse"), change(5, "feature", "construction does_not_reverse"), pending, bot, unread,
		},
		Tasks:    []Task{task(1, "bug_fix", "default", 1), task(2, "feature", "default", 0.5)},
		Attempts: []Attempt{{"o__r-1", 1, "reversal"}, {"o__r-2", 1, "reversal"}, {"o__r-4", 1, "reversal"}, {"o__r-4", 2, "block"}, {"o__r-4", 2, "block"}},
		Runs:     []Run{run("h1", "H", 2), run("h1", "H", 2), run("h2", "H", 3), run("c1", "C", 4)},
		Bases:    []Base{{Repo: "o/r", BaseCommit: "base-default", BaseKind: "default", Language: "go", RecipeHash: "r", LockHash: "l", Prepared: true, Healthy: true, PrepareSeconds: 60, Bytes: 3_000_000}},
		Costs: []model.Cost{
			{Scope: "base", Key: "o/r@base-default", Condition: "reuse", Seconds: 60, Bytes: 3_000_000},
			{Scope: "task", Key: "o__r-1", Condition: "reuse", Seconds: 4}, {Scope: "task", Key: "o__r-4", Condition: "reuse", Seconds: 1},
			{Scope: "build", Key: "build", Condition: "reuse", Seconds: 65, Bytes: 3_000_000},
			{Scope: "task", Key: "o__r-1", Condition: "per_task", Seconds: 50, Bytes: 6_000_000}, {Scope: "task", Key: "o__r-2", Condition: "per_task", Seconds: 70, Bytes: 3_000_000},
		},
	}
	c.reject()
	return c
}

func planned() Corpus {
	c := newest()
	c.Name, c.Folder, c.ConfigHash = "planned", "corpora/planned", "c2"
	c.Changes[1], c.Changes[3] = change(2, "feature", "leak leak"), change(4, "bug_fix", endTask)
	old := task(4, "bug_fix", "planned", 0.75)
	old.Level, old.Mapping, old.BaseDistanceNewest = 2, "block", model.Distance{Days: 90, Commits: 30}
	c.Tasks = []Task{task(1, "bug_fix", "default", 1), old}
	c.Bases = append(c.Bases, Base{Repo: "o/r", BaseCommit: "base-planned", BaseKind: "planned", Language: "go", RecipeHash: "r", LockHash: "l2", Prepared: true, PrepareSeconds: 30},
		Base{Repo: "o/r", BaseCommit: "lost", BaseKind: "planned", Reason: "environment_failed"}, Base{Repo: "o/r", BaseCommit: "idle", BaseKind: "planned"})
	c.Costs = c.Costs[:4]
	c.Rejections = nil
	c.reject()
	return c
}

// reject makes the table rejections from the ends of the changes.
func (c *Corpus) reject() {
	for _, ch := range c.Changes {
		if ch.End == endRejection {
			c.Rejections = append(c.Rejections, Rejection{ch.Change, "change", ch.EndStage, ch.EndReason})
		}
	}
}

func or(a, b *Section) *Section {
	if a != nil {
		return a
	}
	return b
}

func rate(r Rate) string { return fmt.Sprintf("%d/%d", r.K, r.N) }

func TestOneCorpus(t *testing.T) {
	s := Make([]Corpus{newest()}).Corpora[0]
	want := Funnel{
		Changes: 8, Unread: 1, Ineligible: []Count{{"bot", 1}}, Eligible: 6, Pending: []Count{{"infrastructure", 1}}, Settled: 5,
		Stages: []AtStage{{"construction", 5, 2}, {"lifecycle", 3, 1}}, Tasks: 2,
	}
	if d := cmp.Diff(want, s.Funnel); d != "" {
		t.Error(d)
	}
	got := map[string]string{}
	for _, g := range append(append([]Group{s.Recovery.All}, s.Recovery.Families...), s.Recovery.Languages...) {
		got[g.name()] = rate(g.Recovery) + " " + rate(g.WithoutNotDiscriminating)
	}
	if d := cmp.Diff(map[string]string{"": "2/5 2/4", "bug_fix": "1/3 1/2", "feature": "1/2 1/2", "go": "2/5 2/4"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Terminal{{"construction", "does_not_reverse", 2, new(2. / 3)}, {"lifecycle", "not_discriminating", 1, new(1. / 3)}}, s.Terminal); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Level{{1, 2, new(float64(1)), []Mapping{{"reversal", 3, 2}}}, {2, 0, new(float64(0)), []Mapping{{"block", 1, 0}}}}, s.Levels); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Similarity{"", 0, 2, new(0.75), new(0.375), &SimilarityDimension{0.75, 1, 1, 1, 1, 0}}, s.Fidelity.All); d != "" {
		t.Error(d)
	}
	r := s.Reuse
	if d := cmp.Diff([]float64{2, 60, 3_000_000, 5, 4, 1, 30, 1_500_000, 5, 60, 4_500_000, 0.5},
		[]float64{*r.TasksPerBase, *r.Environment.Seconds, float64(*r.Environment.Bytes), *r.BaseRunSeconds, *r.TaskSeconds, *r.LostSeconds,
			*r.PerTask.EnvironmentSeconds, *r.PerTask.Bytes, *r.PerTask.RunSeconds, *r.OneEnvironment.Seconds, *r.OneEnvironment.Bytes, *r.EnvironmentSaving}); d != "" {
		t.Error(d)
	}
	if *r.StorageSaving < 0.66 || *r.StorageSaving > 0.67 || r.BuildSeconds != nil {
		t.Errorf("storage %v, builds %v: want 2/3 and none", *r.StorageSaving, r.BuildSeconds)
	}
	if d := cmp.Diff([]Method{{"change", 2, 4}}, s.Methods); d != "" {
		t.Error(d)
	}
}

// A change in both corpora is one change of the union: recovered where either recovered it.
func TestUnionCountsOnce(t *testing.T) {
	r := Make([]Corpus{newest(), planned()})
	u := r.Union
	if u == nil || !r.SameEligibleSet || u.EligibleSet != r.Corpora[0].EligibleSet {
		t.Fatalf("union %v of equal sets %v", u, r.SameEligibleSet)
	}
	if d := cmp.Diff([]int{8, 6, 5, 3}, []int{u.Funnel.Changes, u.Funnel.Eligible, u.Funnel.Settled, u.Funnel.Tasks}); d != "" {
		t.Error(d)
	}
	if got := rate(u.Bases.Newest.Recovery) + " " + rate(u.Bases.Plan.Recovery); got != "2/5 3/5" || u.Bases.NewestIsLowerBound {
		t.Errorf("newest and plan %s, lower bound %v; want 2/5 3/5 and the figure itself", got, u.Bases.NewestIsLowerBound)
	}
	if got := rate(r.Corpora[1].Bases.Newest.Recovery); got != "1/5" || !r.Corpora[1].Bases.NewestIsLowerBound {
		t.Errorf("the planned build alone: newest %s, lower bound %v", got, r.Corpora[1].Bases.NewestIsLowerBound)
	}
	if d := cmp.Diff([]float64{20, 45}, []float64{*u.Bases.Plan.MergeDays, *u.Bases.Plan.NewestDays + 45}); d != "" {
		t.Error(d)
	}
	reuse := u.Reuse
	if d := cmp.Diff([]float64{2, 1, 1, 1, 90, 3_000_000, 1, 5, 2},
		[]float64{float64(reuse.BasesPrepared), float64(reuse.BasesHealthy), float64(reuse.BasesFailed), float64(reuse.BasesWithTasks) - 1, *reuse.Environment.Seconds,
			float64(*reuse.Environment.Bytes), float64(reuse.Environment.BytesUnmeasured), *reuse.BaseRunSeconds, float64(reuse.OneEnvironment.Measured)}); d != "" {
		t.Error(d)
	}
	if reuse.PerTask.Bytes != nil || reuse.StorageSaving != nil {
		t.Error("a base's size is unknown, yet a task's share of the sizes is told")
	}
	if d := cmp.Diff([]Method{{"change", 3, 3}}, u.Methods); d != "" {
		t.Error(d)
	}
}

// Changes of other repositories, and of another repository of the same name, are other changes.
func TestUnionOfOtherChanges(t *testing.T) {
	other := newest()
	for i := range other.Changes {
		other.Changes[i].SourceCommit = "x" + other.Changes[i].SourceCommit
	}
	for i := range other.Tasks {
		other.Tasks[i].SourceCommit = "x" + other.Tasks[i].SourceCommit
	}
	r := Make([]Corpus{newest(), other})
	if r.SameEligibleSet || r.Union.Funnel.Eligible != 12 || r.Union.Funnel.Tasks != 4 {
		t.Errorf("same set %v, %d eligible, %d tasks; want false, 12, 4", r.SameEligibleSet, r.Union.Funnel.Eligible, r.Union.Funnel.Tasks)
	}
	if len(r.Notes) == 0 || r.Notes[0] != noteSets {
		t.Errorf("notes %q", r.Notes)
	}
}

// Of two rejections that of the later stage tells more of the change: another base hosted it.
func TestUnionKeepsTheFurthestEnd(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"construction does_not_reverse", "lifecycle not_discriminating", "lifecycle not_discriminating"},
		{"leak leak", "base not_ancestor", "leak leak"},
		{"lifecycle flaky", "lifecycle regression_broken", "lifecycle flaky"},
		{"unheard of", endTask, endTask},
		{endPending, "evidence x", "evidence x"},
	} {
		u := Union([]Corpus{{Changes: []Change{change(1, "bug_fix", c.a)}}, {Changes: []Change{change(1, "bug_fix", c.b)}}})
		if d := cmp.Diff([]Change{change(1, "bug_fix", c.want)}, u.Changes); d != "" {
			t.Errorf("%s and %s: %s", c.a, c.b, d)
		}
	}
}

// Every change is counted in one place, whatever became of it.
func TestFunnelAddsUp(t *testing.T) {
	ends := []string{endTask, endPending, "base not_ancestor", "lifecycle flaky", "unheard of"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var corpora []Corpus
		for range 1 + random.IntN(3) {
			c := Corpus{Name: "c"}
			for n := range random.IntN(12) {
				ch := change(n, "bug_fix", ends[random.IntN(len(ends))])
				ch.Eligible = ch.End == endTask || random.IntN(4) > 0
				ch.Planned = ch.End == endTask || random.IntN(4) > 0
				ch.Sampled = ch.Planned && (ch.End != endPending || random.IntN(2) > 0)
				c.Changes = append(c.Changes, ch)
				if ch.End == endTask {
					c.Tasks = append(c.Tasks, task(n, "bug_fix", []string{"default", "planned", "historical"}[random.IntN(3)], 1))
				}
			}
			c.reject()
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			corpora = append(corpora, c)
		}
		r := Make(corpora)
		for _, s := range append(r.Corpora, *or(r.Union, &r.Corpora[0])) {
			f := s.Funnel
			sum := func(counts []Count) (n int) {
				for _, c := range counts {
					n += c.Count
				}
				return n
			}
			lost := 0
			for _, at := range f.Stages {
				lost += at.Lost
			}
			terminal := 0
			for _, e := range s.Terminal {
				terminal += e.Count
			}
			all := s.Recovery.All
			got := []int{f.Unread + sum(f.Ineligible) + f.Eligible, f.NotDrawn + f.BeforeDraw + sum(f.Pending) + f.Settled, lost + f.Tasks + f.Historical, terminal, all.Recovery.K, all.Recovery.N, all.WithHistorical.K, s.Bases.Plan.Recovery.K}
			want := []int{f.Changes, f.Eligible, f.Settled, lost, f.Tasks, f.Settled, f.Tasks + f.Historical, f.Tasks}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%+v: %s", f, d)
			}
		}
	}
}

// In a sampled build rates are of the changes drawn.
func TestSample(t *testing.T) {
	c := newest()
	c.Changes[3].Sampled, c.Changes[3].End, c.Changes[3].EndStage, c.Changes[3].EndReason = false, endPending, "", ""
	c.Changes[4].Planned, c.Changes[4].Sampled, c.Changes[4].EndStage, c.Changes[4].EndReason = false, false, "base", "not_ancestor"
	s := Make([]Corpus{c}).Corpora[0]
	f := s.Funnel
	if d := cmp.Diff([]int{6, 1, 1, 3, 2}, []int{f.Eligible, f.NotDrawn, f.BeforeDraw, f.Settled, f.Tasks}); d != "" {
		t.Error(d)
	}
	if got := rate(s.Recovery.All.Recovery); got != "2/3" {
		t.Errorf("recovery %s, want 2/3", got)
	}
}

// A task on the change's own revision is no recovery; it is told apart.
func TestHistorical(t *testing.T) {
	c := newest()
	c.Tasks[1].BaseKind = "historical"
	s := Make([]Corpus{c}).Corpora[0]
	all := s.Recovery.All
	if got := rate(all.Recovery) + " " + rate(all.WithHistorical); got != "1/5 2/5" || s.Funnel.Historical != 1 || s.Reuse.Tasks != 1 {
		t.Errorf("%s, %d historical, %d tasks", got, s.Funnel.Historical, s.Reuse.Tasks)
	}
}

// Twins are counted, and change no other figure of a corpus; nor does what they were run on.
func TestTwins(t *testing.T) {
	want := Make([]Corpus{newest()})
	c := newest()
	other := task(1, "bug_fix", "historical", 1)
	other.InstanceID, other.BaseCommit = "o__r-1.historical", "m1"
	variant := other
	variant.InstanceID, variant.Family = "o__r-1.historical.test_generation", "test_generation"
	c.Tasks = append(c.Tasks, other, variant)
	c.Rejections = append(c.Rejections, Rejection{"o__r-2.historical", "change", "environment", "environment_failed"})
	c.Attempts = append(c.Attempts, Attempt{"o__r-1.historical", 1, "reversal"})
	c.Bases = append(c.Bases, Base{Repo: "o/r", BaseCommit: "m1", BaseKind: "historical", Language: "go", RecipeHash: "q", LockHash: "q", Prepared: true, Healthy: true, PrepareSeconds: 9, Bytes: 9})
	c.Runs = append(c.Runs, Run{RunHash: "h9", Repo: "o/r", BaseCommit: "m1", LockHash: "q", State: "H", Unit: "u", Seconds: 100})
	c.Costs = append(c.Costs, model.Cost{Scope: "task", Key: "o__r-1.historical", Condition: "reuse", Seconds: 100})
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	got := Make([]Corpus{c})
	if got.Corpora[0].Funnel.Twins != 2 {
		t.Errorf("%d twins, want 2", got.Corpora[0].Funnel.Twins)
	}
	got.Corpora[0].Funnel.Twins = 0
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// An alternate of the newest base is not the newest base.
func TestAlternateIsNotNewest(t *testing.T) {
	c := newest()
	c.Tasks[0].BaseDistanceNewest.Commits = 3
	b := Make([]Corpus{c}).Corpora[0].Bases
	if got := rate(b.Newest.Recovery) + " " + rate(b.Plan.Recovery); got != "1/5 2/5" {
		t.Errorf("newest and plan %s, want 1/5 2/5", got)
	}
}

// The published counts give the published shares.
func TestChange2Task(t *testing.T) {
	var c Corpus
	for n := range 1130 {
		c.Changes = append(c.Changes, change(n, "bug_fix", "lifecycle flaky"))
		if n >= 900 {
			continue
		}
		c.Changes[n] = change(n, "bug_fix", endTask)
		task := task(n, "bug_fix", "default", 1)
		switch {
		case n < 615:
			task.Level, task.Mapping = 3, "agent"
		case n < 805:
			task.Level, task.Mapping = 2, "block"
		}
		c.Tasks = append(c.Tasks, task)
	}
	c.reject()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	s := Make([]Corpus{c}).Corpora[0]
	if got := s.Recovery.All.Recovery.String(); got != "900/1130  79.6% [77.2, 81.9]" {
		t.Errorf("recovery %s", got)
	}
	var got []string
	for _, l := range s.Levels {
		got = append(got, fmt.Sprint(l.Tasks, " ", percent(l.Share)))
	}
	if d := cmp.Diff([]string{"95 10.6%", "190 21.1%", "615 68.3%"}, got); d != "" {
		t.Error(d)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Corpus)
		want  string
	}{
		{"good", func(*Corpus) {}, ""},
		{"no task", func(c *Corpus) { c.Tasks = c.Tasks[1:] }, "says that o__r-1 is a task, the table tasks lacks it"},
		{"a task more", func(c *Corpus) { c.Tasks = append(c.Tasks, task(4, "bug_fix", "default", 1)) }, "the table tasks has o__r-4"},
		{"no rejection", func(c *Corpus) { c.Rejections = nil }, "o__r-3 ended at lifecycle as not_discriminating"},
		{"twice", func(c *Corpus) { c.Changes = append(c.Changes, c.Changes[0]) }, "o__r-1 twice"},
		{"unknown end", func(c *Corpus) { c.Changes[3].End = "lost" }, `o__r-4 ended as "lost"`},
	} {
		corpus := newest()
		c.spoil(&corpus)
		err := corpus.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Each run, build and preparation counts once, for the languages of the base that it names.
func TestLanguageCosts(t *testing.T) {
	base := func(language, commit, lock string, seconds float64) Base {
		return Base{Repo: "o/r", BaseCommit: commit, Language: language, RecipeHash: language, LockHash: lock, Prepared: true, PrepareSeconds: seconds}
	}
	on := func(hash, commit, lock, unit string, seconds float64) Run {
		return Run{RunHash: hash, Repo: "o/r", BaseCommit: commit, LockHash: lock, Unit: unit, Seconds: seconds}
	}
	c := Corpus{
		Bases: []Base{
			base("go", "a", "1", 10), base("go", "b", "2", 20), base("go", "b", "2", 20), base("python", "b", "3", 0),
			base("javascript", "c", "4", 5), base("typescript", "c", "4", 7),
			{Repo: "o/r", BaseCommit: "d", Language: "java", Reason: "environment_failed"},
		},
		Runs: []Run{
			on("1", "a", "1", "", 3), on("1", "a", "1", "", 3), on("2", "a", "1", "", 5), on("3", "a", "1", "u", 1), on("4", "b", "2", "u", 2),
			on("5", "b", "3", "u", 4), on("6", "c", "4", "u", 8), on("7", "d", "5", "u", 100),
		},
	}
	want := []LanguageCost{
		{Language: "go", Prepare: Spent{2, 30}, Build: Spent{2, 8}, Run: Spent{2, 3}},
		{Language: "javascript", Prepare: Spent{1, 5}},
		{Language: "javascript+typescript", Run: Spent{1, 8}},
		{Language: "python", Run: Spent{1, 4}},
		{Language: "typescript", Prepare: Spent{1, 7}},
	}
	if d := cmp.Diff(want, languageCosts(c)); d != "" {
		t.Error(d)
	}
	var text strings.Builder
	if err := (Report{Corpora: []Section{{Corpus: "corpus", Languages: want[:1]}}}).Text(&text); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(text.String(), "cost by language, means")
	if d := cmp.Diff("corpus go: prepare a base 15s of 2 go: build a tree 4s of 2 go: run a unit 1.5s of 2", strings.Join(strings.Fields(got), " ")); d != "" {
		t.Error(d)
	}
}

// The two forms of a report of two corpora, and of one without a task.
func TestForms(t *testing.T) {
	bare := Corpus{Name: "bare", Folder: "bare", Changes: []Change{change(1, "bug_fix", "base not_ancestor")}}
	for name, r := range map[string]Report{"two": Make([]Corpus{newest(), planned()}), "bare": Make([]Corpus{bare})} {
		var text strings.Builder
		if err := r.Text(&text); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/"+name+".txt", text.String())
		form, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/"+name+".json", string(form)+"\n")
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// A variant that asks for tests is a further task of a change: it counts in no rate.
func TestVariantsAreCountedApart(t *testing.T) {
	c := Corpus{
		Changes: []Change{{Change: "o__r-1", SourceCommit: "a", Family: "bug_fix", Eligible: true, Planned: true, Sampled: true, End: endTask}},
		Tasks: []Task{
			{InstanceID: "o__r-1", SourceCommit: "a", Family: "bug_fix", Level: 1, Mapping: "reversal", BaseKind: "default"},
			{InstanceID: "o__r-1.test_generation", SourceCommit: "a", Family: model.FamilyTests, Level: 1, Mapping: "reversal", BaseKind: "default"},
		},
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	f := endsOf(c).funnel()
	if n := len(c.modern()); f.Tasks != 1 || f.Variants != 1 || f.Settled != 1 || n != 1 {
		t.Errorf("funnel %+v, %d modern tasks", f, n)
	}
}
