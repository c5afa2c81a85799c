package summary

import (
	"cmp"
	"slices"
)

// A Reuse is what the bases cost and carried. Only what the tables hold is counted: environments
// from bases, candidates' runs and model use from costs, runs of the bases from runs. One
// environment a task is the other condition, measured on some tasks where the build did that.
type Reuse struct {
	Tasks             int             `json:"tasks"`
	BasesPrepared     int             `json:"bases_prepared"` // unhealthy and taskless too
	BasesHealthy      int             `json:"bases_healthy"`
	BasesWithTasks    int             `json:"bases_with_tasks"`
	BasesFailed       int             `json:"bases_failed"` // not prepared, for a fault; their time is in no table
	TasksPerBase      *float64        `json:"tasks_per_base"`
	Environment       Amount          `json:"environment"`
	BaseRunSeconds    *float64        `json:"base_run_seconds"`     // of H
	BuildSeconds      *float64        `json:"build_seconds"`        // of the states, where runs has them
	TaskSeconds       *float64        `json:"task_seconds"`         // runs of the candidates that gave tasks
	LostSeconds       *float64        `json:"lost_seconds"`         // runs of the candidates that did not
	ModelUSD          *float64        `json:"model_usd"`            // null: no candidate has a cost row
	ModelTokens       *int64          `json:"model_tokens"`         // in and out
	PerTask           PerTask         `json:"per_task"`             // with reuse
	OneEnvironment    *OneEnvironment `json:"one_environment_each"` // null: not measured
	EnvironmentSaving *float64        `json:"environment_saving"`   // of seconds a task, 0 to 1
	StorageSaving     *float64        `json:"storage_saving"`       // of bytes a task, 0 to 1
	Families          []FamilyReuse   `json:"families"`
}

// An Amount is what preparing the bases took. Unmeasured bases have no figure in the table.
type Amount struct {
	Seconds           *float64 `json:"seconds"`
	SecondsUnmeasured int      `json:"bases_without_seconds"`
	Bytes             *int64   `json:"bytes"`
	BytesUnmeasured   int      `json:"bases_without_bytes"`
}

// PerTask is shares of the above for one accepted task.
type PerTask struct {
	EnvironmentSeconds *float64 `json:"environment_seconds"`
	Bytes              *float64 `json:"bytes"`
	RunSeconds         *float64 `json:"run_seconds"` // of bases and all candidates
}

// OneEnvironment is the mean of the tasks whose own environment was prepared to measure it.
type OneEnvironment struct {
	Measured int      `json:"measured"` // tasks
	Seconds  *float64 `json:"seconds"`
	Bytes    *float64 `json:"bytes"`
}

// A FamilyReuse is the bases that carry the tasks of a family.
type FamilyReuse struct {
	Family       string  `json:"family"`
	Tasks        int     `json:"tasks"`
	Bases        int     `json:"bases"`
	TasksPerBase float64 `json:"tasks_per_base"`
}

func reuseOf(c Corpus, tasks []Task) Reuse {
	r := Reuse{Tasks: len(tasks)}
	carry := map[string]bool{}
	for _, t := range tasks {
		carry[t.base()] = true
	}
	for _, b := range c.prepared() {
		if !b.Prepared {
			r.BasesFailed += btoi(b.Reason != "")
			continue
		}
		r.BasesPrepared++
		r.BasesHealthy += btoi(b.Healthy)
		r.BasesWithTasks += btoi(carry[b.key()])
		r.Environment.add(b)
	}
	r.TasksPerBase = share(float64(r.Tasks), float64(r.BasesPrepared))
	r.spent(c, tasks)
	n := float64(r.Tasks)
	if e := r.Environment; e.Seconds != nil && e.SecondsUnmeasured == 0 {
		r.PerTask.EnvironmentSeconds = share(*e.Seconds, n)
	}
	if e := r.Environment; e.Bytes != nil && e.BytesUnmeasured == 0 {
		r.PerTask.Bytes = share(float64(*e.Bytes), n)
	}
	if r.BaseRunSeconds != nil && r.TaskSeconds != nil {
		r.PerTask.RunSeconds = share(*r.BaseRunSeconds+*r.TaskSeconds+*r.LostSeconds, n)
	}
	r.compare(c)
	r.Families = familiesOf(tasks)
	return r
}

func (t Task) base() string {
	return Base{Repo: t.Repo, BaseCommit: t.BaseCommit, RecipeHash: t.RecipeHash}.key()
}

// prepared are the bases, each once; of equal ones the row that came furthest.
func (c Corpus) prepared() []Base {
	rank := func(b Base) int { return btoi(b.Prepared) + btoi(b.Healthy) }
	sorted := slices.SortedStableFunc(slices.Values(c.Bases), func(a, b Base) int { return cmp.Compare(rank(b), rank(a)) })
	return once(sorted, Base.key)
}

func (a *Amount) add(b Base) {
	if b.PrepareSeconds > 0 {
		if a.Seconds == nil {
			a.Seconds = new(float64)
		}
		*a.Seconds += b.PrepareSeconds
	} else {
		a.SecondsUnmeasured++
	}
	if b.Bytes > 0 {
		if a.Bytes == nil {
			a.Bytes = new(int64)
		}
		*a.Bytes += b.Bytes
	} else {
		a.BytesUnmeasured++
	}
}

// spent sums runs and model use.
func (r *Reuse) spent(c Corpus, tasks []Task) {
	for _, run := range once(c.Runs, func(r Run) string { return r.RunHash }) {
		switch {
		case run.Unit == "":
			add(&r.BuildSeconds, run.Seconds)
		case run.State == "H":
			add(&r.BaseRunSeconds, run.Seconds)
		}
	}
	accepted := map[string]bool{}
	for _, t := range tasks {
		accepted[t.InstanceID] = true
	}
	for _, cost := range c.Costs {
		if cost.Condition != "reuse" || cost.Scope == "build" { // the build's row is the sum of the others
			continue
		}
		if r.ModelTokens == nil {
			r.ModelTokens = new(int64)
		}
		*r.ModelTokens += cost.TokensIn + cost.TokensOut
		add(&r.ModelUSD, cost.USD)
		if cost.Scope != "task" {
			continue
		}
		add(&r.TaskSeconds, 0)
		add(&r.LostSeconds, 0)
		if accepted[cost.Key] {
			*r.TaskSeconds += cost.Seconds
		} else {
			*r.LostSeconds += cost.Seconds
		}
	}
}

func add(sum **float64, v float64) {
	if *sum == nil {
		*sum = new(float64)
	}
	**sum += v
}

// compare sets the measured condition of one environment a task beside reuse.
func (r *Reuse) compare(c Corpus) {
	var measured int
	var seconds, bytes float64
	for _, cost := range c.Costs {
		if cost.Scope == "task" && cost.Condition == "per_task" {
			measured++
			seconds += cost.Seconds
			bytes += float64(cost.Bytes)
		}
	}
	if measured == 0 {
		return
	}
	one := OneEnvironment{Measured: measured}
	if seconds > 0 {
		one.Seconds = share(seconds, float64(measured))
	}
	if bytes > 0 {
		one.Bytes = share(bytes, float64(measured))
	}
	r.OneEnvironment = &one
	r.EnvironmentSaving, r.StorageSaving = saving(r.PerTask.EnvironmentSeconds, one.Seconds), saving(r.PerTask.Bytes, one.Bytes)
}

func saving(reuse, other *float64) *float64 {
	if reuse == nil || other == nil {
		return nil
	}
	v := 1 - *reuse / *other
	return &v
}

func familiesOf(tasks []Task) []FamilyReuse {
	n, bases := map[string]int{}, map[string]map[string]bool{}
	for _, t := range tasks {
		if bases[t.Family] == nil {
			bases[t.Family] = map[string]bool{}
		}
		bases[t.Family][t.base()] = true
		n[t.Family]++
	}
	out := []FamilyReuse{}
	for _, f := range sortedKeys(n) {
		out = append(out, FamilyReuse{f, n[f], len(bases[f]), float64(n[f]) / float64(len(bases[f]))})
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
