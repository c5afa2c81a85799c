package pairing

// A Comparison is what Compare finds. Rates are 0 to 1; differences are B less A.
type Comparison struct {
	Schema         int      `json:"schema"`
	A              Side     `json:"a"`
	B              Side     `json:"b"`
	Pairs          int      `json:"pairs"`    // of tasks, as given
	Excluded       Excluded `json:"excluded"` // what the figures leave out
	All            Group    `json:"all"`
	Solvers        []Group  `json:"solvers"`
	Families       []Group  `json:"families"` // empty where families are not known
	SolverFamilies []Group  `json:"solver_families"`
	Notes          []string `json:"notes"`
}

// A Side is one evaluation.
type Side struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Tasks  int    `json:"tasks"`
	Scores int    `json:"scores"`
}

// Excluded counts what has no counterpart or no verdict.
type Excluded struct {
	TasksA    int      `json:"tasks_only_a"` // scored tasks that no pair names
	TasksB    int      `json:"tasks_only_b"`
	SolversA  []string `json:"solvers_only_a"`
	SolversB  []string `json:"solvers_only_b"`
	ScoresA   int      `json:"scores_only_a"` // of a solver and attempt that the counterpart lacks
	ScoresB   int      `json:"scores_only_b"`
	NoVerdict int      `json:"no_verdict"` // pairs with an infrastructure outcome on a side
}

// A Group is the paired outcomes of a solver, a family, or both; of all where both are empty.
type Group struct {
	Solver            string    `json:"solver"`
	Family            string    `json:"family"`
	Pairs             int       `json:"pairs"` // of outcomes: a pair of tasks has one for each solver and attempt
	TaskPairs         int       `json:"task_pairs"`
	Both              int       `json:"both"`
	OnlyA             int       `json:"only_a"`
	OnlyB             int       `json:"only_b"`
	Neither           int       `json:"neither"`
	RateA             float64   `json:"rate_a"`
	RateB             float64   `json:"rate_b"`
	Difference        float64   `json:"difference"`
	Wald              Interval  `json:"wald"`      // 95 %, the pairs taken as independent
	Clustered         *Interval `json:"clustered"` // 95 %, by task; null where each task has one outcome
	McNemar           float64   `json:"mcnemar_p"` // exact, two-sided
	Agreement         float64   `json:"agreement"`
	PositiveAgreement *float64  `json:"positive_agreement"` // null where neither side solved anything
	Kappa             *float64  `json:"kappa"`              // null where both sides solved all, or none
	Jaccard           *float64  `json:"jaccard"`            // of the solved sets; null where both are empty
}

// An Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}
