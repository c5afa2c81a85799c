package model

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"
	"time"
)

// Rows of the tables. The struct is the schema; a golden file guards it. A column that does not
// apply is null: the zero value of an optional column.
//
// RowKey of a row decides its shard and its place in the table: rows are sorted by it, equal
// ones by their JSON form, so that a table is a function of the set of its rows.

// A Distance is how far a base is from a commit along the first-parent line.
type Distance struct {
	Days    int64 `parquet:"days"`
	Commits int64 `parquet:"commits"`
}

// A FunctionRef is a production function of a scope.
type FunctionRef struct {
	Path  string `parquet:"path"`
	Name  string `parquet:"name"`
	Start int64  `parquet:"start"`
	End   int64  `parquet:"end"`
	Hash  string `parquet:"hash"`
}

// A ScopeRow is one test file of a trace task.
type ScopeRow struct {
	Name      string        `parquet:"name"`
	TestFile  string        `parquet:"test_file"`
	Functions []FunctionRef `parquet:"functions,list"`
	Lines     int64         `parquet:"lines"`
	Points    []string      `parquet:"points,list"`
	Weight    float64       `parquet:"weight"`
}

// A Link is an edge between two scopes.
type Link struct {
	A      string `parquet:"a"`
	B      string `parquet:"b"`
	Shared int64  `parquet:"shared"`
}

// FidelityParts are the six similarities, 0 to 1.
type FidelityParts struct {
	Lines      float64 `parquet:"lines"`
	Hunks      float64 `parquet:"hunks"`
	Files      float64 `parquet:"files"`
	Symbols    float64 `parquet:"symbols"`
	Target     float64 `parquet:"target"`
	Regression float64 `parquet:"regression"`
}

// A Gate is one gate of a forecast task.
type Gate struct {
	Gate     string `parquet:"gate"`
	Expected string `parquet:"expected"`
	ExitCode int64  `parquet:"exit_code"`
	Passed   bool   `parquet:"passed"`
}

// A LeakFinding is one place where the answer can be read.
type LeakFinding struct {
	Path string `parquet:"path"`
	Kind string `parquet:"kind"` // git, version, told, compiled, release, asset
}

// FamilyTests is the family of a variant that asks for tests of a defect.
const FamilyTests = "test_generation"

// A Task is one verified task.
type Task struct {
	InstanceID             string         `parquet:"instance_id"`
	Repo                   string         `parquet:"repo"`
	BaseCommit             string         `parquet:"base_commit"`
	EnvironmentSetupCommit string         `parquet:"environment_setup_commit"`
	Version                string         `parquet:"version"`
	CreatedAt              time.Time      `parquet:"created_at,timestamp(millisecond)"`
	Patch                  string         `parquet:"patch"`
	TestPatch              string         `parquet:"test_patch"`
	TaskPatch              string         `parquet:"task_patch"`
	Gold                   string         `parquet:"gold"`
	SolverCommit           string         `parquet:"solver_commit"`
	TreeH                  string         `parquet:"tree_h"`
	TreeS                  string         `parquet:"tree_s"`
	TreeC                  string         `parquet:"tree_c"`
	TreeRestored           string         `parquet:"tree_restored"`
	ProblemStatement       string         `parquet:"problem_statement"`
	HintsText              string         `parquet:"hints_text"`
	Interface              string         `parquet:"interface,optional"`
	FailToPass             []string       `parquet:"FAIL_TO_PASS,list"`
	PassToPass             []string       `parquet:"PASS_TO_PASS,list"`
	Collateral             []string       `parquet:"collateral,list"`
	ExpectedFailures       []string       `parquet:"expected_failures,list"` // those of both lists that are xfail on H, not pass
	Method                 string         `parquet:"method"`
	Family                 string         `parquet:"family,optional"`
	Level                  int64          `parquet:"level"`
	Mapping                string         `parquet:"mapping"`
	Oracle                 string         `parquet:"oracle,optional"`
	BaseKind               string         `parquet:"base_kind"`
	BaseDistanceMerge      Distance       `parquet:"base_distance_merge"`
	BaseDistanceNewest     Distance       `parquet:"base_distance_newest"`
	RecipeHash             string         `parquet:"recipe_hash"`
	LockHash               string         `parquet:"lock_hash"`
	Protocol               string         `parquet:"protocol"`
	Language               string         `parquet:"language"`
	Scopes                 []ScopeRow     `parquet:"scopes,list,optional"`
	Connectivity           []Link         `parquet:"connectivity,list,optional"`
	Tier                   string         `parquet:"tier,optional"`
	Connected              *bool          `parquet:"connected,optional"`
	Atomic                 *bool          `parquet:"atomic,optional"`
	DroppedFunctions       *int64         `parquet:"dropped_functions,optional"`
	LoadTimeFunctions      *int64         `parquet:"load_time_functions,optional"`
	OverlapMax             *float64       `parquet:"overlap_max,optional"`
	Fidelity               *float64       `parquet:"fidelity,optional"`
	FidelityEqual          *float64       `parquet:"fidelity_equal,optional"`
	FidelityParts          *FidelityParts `parquet:"fidelity_parts,optional"`
	Restoration            string         `parquet:"restoration,optional"`
	Repeats                int64          `parquet:"repeats"`
	FlakeBound             float64        `parquet:"flake_bound"`
	ClockTested            bool           `parquet:"clock_tested"`
	BuildErrorTarget       bool           `parquet:"build_error_target"`
	SourcePR               *int64         `parquet:"source_pr,optional"`
	SourceURL              string         `parquet:"source_url,optional"`
	SourceCommit           string         `parquet:"source_commit,optional"`
	SourceMergedAt         *time.Time     `parquet:"source_merged_at,optional,timestamp(millisecond)"`
	TextSource             string         `parquet:"text_source,optional"`
	ForecastFamily         string         `parquet:"forecast_family,optional"`
	T0                     *time.Time     `parquet:"t0,optional,timestamp(millisecond)"`
	T1                     *time.Time     `parquet:"t1,optional,timestamp(millisecond)"`
	TGen                   *time.Time     `parquet:"t_gen,optional,timestamp(millisecond)"`
	TGenBeforeT1           *bool          `parquet:"tgen_before_t1,optional"`
	EvidenceCutoff         *time.Time     `parquet:"evidence_cutoff,optional,timestamp(millisecond)"`
	Gates                  []Gate         `parquet:"gates,list,optional"`
	PostT0Patches          *bool          `parquet:"post_t0_patches,optional"`
	SpecificationOrigin    string         `parquet:"specification_origin"`
	LeakScore              float64        `parquet:"leak_score"`
	Leaks                  []LeakFinding  `parquet:"leaks,list"`
	Review                 string         `parquet:"review"`
	SkippedSteps           []string       `parquet:"skipped_steps,list"`
	ConfigHash             string         `parquet:"config_hash"`
	TaskmillVersion        string         `parquet:"taskmill_version"`
}

// OnH is the verdict on H of a check in FAIL_TO_PASS or PASS_TO_PASS.
func (t Task) OnH(id string) Verdict {
	if slices.Contains(t.ExpectedFailures, id) {
		return XFail
	}
	return Pass
}

// RowKey sorts tasks by instance id, which is unique.
func (t Task) RowKey() string { return t.InstanceID }

// A BaseLevel records a base at which a change reverses, by mapping.
type BaseLevel struct {
	BaseCommit string `parquet:"base_commit"`
	Level      int64  `parquet:"level"`
	Mapping    string `parquet:"mapping"`
}

// A ChangeRow is one merged change: the denominator of every recovery figure.
type ChangeRow struct {
	Change          string      `parquet:"change"`
	Repo            string      `parquet:"repo"`
	SourcePR        *int64      `parquet:"source_pr,optional"`
	SourceCommit    string      `parquet:"source_commit"`
	SourceMergedAt  time.Time   `parquet:"source_merged_at,timestamp(millisecond)"`
	Language        string      `parquet:"language,optional"`
	Family          string      `parquet:"family,optional"`
	Eligible        bool        `parquet:"eligible"`
	Reason          string      `parquet:"reason,optional"`
	Planned         bool        `parquet:"planned"`
	Sampled         bool        `parquet:"sampled"`
	ProductionFiles int64       `parquet:"production_files"`
	Hunks           int64       `parquet:"hunks"`
	Lines           int64       `parquet:"lines"`
	Symbols         int64       `parquet:"symbols"`
	TargetChecks    int64       `parquet:"target_checks"`
	TextSource      string      `parquet:"text_source"`
	TextWords       int64       `parquet:"text_words"`
	Bases           []BaseLevel `parquet:"bases,list"`
	End             string      `parquet:"end"` // task, rejection, pending
	EndStage        string      `parquet:"end_stage,optional"`
	EndReason       string      `parquet:"end_reason,optional"`
}

// RowKey sorts changes by id, which is unique.
func (c ChangeRow) RowKey() string { return c.Change }

// A LabelRow is a label of a record.
type LabelRow struct {
	Name    string     `parquet:"name" json:"name"`
	AddedAt *time.Time `parquet:"added_at,optional,timestamp(millisecond)" json:"added_at,omitempty"`
}

// A ClosesRow is an issue that a record closes. Repo is set for one of another repository.
type ClosesRow struct {
	Number     int64   `parquet:"number" json:"number"`
	Confidence float64 `parquet:"confidence" json:"confidence"`
	Repo       string  `parquet:"repo,optional" json:"repo,omitempty"`
}

// A PathRow is one path that a record touches.
type PathRow struct {
	Path   string `parquet:"path" json:"path"`
	Kind   string `parquet:"kind,optional" json:"kind,omitempty"`
	Change string `parquet:"change" json:"change"`
}

// An IssueRow is what a record's own source says of the problem; number 0 is a benchmark's text.
type IssueRow struct {
	Number int64      `parquet:"number" json:"number"`
	Title  string     `parquet:"title,optional" json:"title,omitempty"`
	Body   string     `parquet:"body,optional" json:"body,omitempty"`
	Labels []LabelRow `parquet:"labels,list" json:"labels,omitempty"`
}

// A RecordRow is one pull request or issue as its sources tell it. The JSON names are those of
// the columns: a line of JSON is a row.
type RecordRow struct {
	Repo        string      `parquet:"repo" json:"repo"`
	Number      int64       `parquet:"number" json:"number"`
	Kind        string      `parquet:"kind" json:"kind"` // pr, issue, commit
	Title       string      `parquet:"title,optional" json:"title,omitempty"`
	Body        *string     `parquet:"body,optional" json:"body,omitempty"` // null: no source tells it
	Labels      []LabelRow  `parquet:"labels,list" json:"labels,omitempty"`
	Author      string      `parquet:"author,optional" json:"author,omitempty"`
	AuthorKind  string      `parquet:"author_kind,optional" json:"author_kind,omitempty"`
	CreatedAt   *time.Time  `parquet:"created_at,optional,timestamp(millisecond)" json:"created_at,omitempty"`
	MergedAt    *time.Time  `parquet:"merged_at,optional,timestamp(millisecond)" json:"merged_at,omitempty"`
	ClosedAt    *time.Time  `parquet:"closed_at,optional,timestamp(millisecond)" json:"closed_at,omitempty"`
	TitleAt     *time.Time  `parquet:"title_at,optional,timestamp(millisecond)" json:"title_at,omitempty"`
	BodyAt      *time.Time  `parquet:"body_at,optional,timestamp(millisecond)" json:"body_at,omitempty"`
	State       string      `parquet:"state,optional" json:"state,omitempty"` // open, closed, merged
	BaseRef     string      `parquet:"base_ref,optional" json:"base_ref,omitempty"`
	HeadCommit  string      `parquet:"head_commit,optional" json:"head_commit,omitempty"`
	MergeCommit string      `parquet:"merge_commit,optional" json:"merge_commit,omitempty"`
	MergeBase   string      `parquet:"merge_base,optional" json:"merge_base,omitempty"`
	MergeStyle  string      `parquet:"merge_style,optional" json:"merge_style,omitempty"`
	Closes      []ClosesRow `parquet:"closes,list" json:"closes,omitempty"`
	BackportOf  int64       `parquet:"backport_of,optional" json:"backport_of,omitempty"`
	Reverts     int64       `parquet:"reverts,optional" json:"reverts,omitempty"`
	Files       []PathRow   `parquet:"files,list" json:"files,omitempty"`
	Source      string      `parquet:"source" json:"source,omitempty"` // the first of sources
	Sources     []string    `parquet:"sources,list" json:"sources,omitempty"`
	VisibleAt   *time.Time  `parquet:"visible_at,optional,timestamp(millisecond)" json:"visible_at,omitempty"`
	TimeCertain bool        `parquet:"time_certain" json:"time_certain,omitempty"`
	Confidence  float64     `parquet:"confidence" json:"confidence,omitempty"`
	BaseCommit  string      `parquet:"base_commit,optional" json:"base_commit,omitempty"` // what patch applies to
	Patch       string      `parquet:"patch,optional" json:"patch,omitempty"`             // the whole change, tests too
	Issues      []IssueRow  `parquet:"issues,list" json:"issues,omitempty"`
	HintsText   string      `parquet:"hints_text,optional" json:"hints_text,omitempty"`
}

// RowKey sorts records by repository and number, those without one by commit.
func (r RecordRow) RowKey() string {
	return fmt.Sprintf("%s\x00%012d\x00%s", r.Repo, r.Number, r.MergeCommit)
}

// A Rejection is the terminal row of a candidate that gave no task.
type Rejection struct {
	Repo           string     `parquet:"repo"`
	BaseCommit     string     `parquet:"base_commit,optional"`
	Method         string     `parquet:"method"`
	Family         string     `parquet:"family,optional"`
	Language       string     `parquet:"language,optional"`
	SourcePR       *int64     `parquet:"source_pr,optional"`
	SourceCommit   string     `parquet:"source_commit,optional"`
	SourceMergedAt *time.Time `parquet:"source_merged_at,optional,timestamp(millisecond)"`
	Candidate      string     `parquet:"candidate"`
	Level          int64      `parquet:"level"`
	Mapping        string     `parquet:"mapping,optional"`
	Attempts       int64      `parquet:"attempts"`
	Stage          Stage      `parquet:"stage"`
	Reason         Reason     `parquet:"reason"`
	Detail         string     `parquet:"detail"`
	Infrastructure bool       `parquet:"infrastructure"`
	LogHash        string     `parquet:"log_hash,optional"`
}

// RowKey sorts rejections by candidate.
func (r Rejection) RowKey() string { return r.Candidate }

// NoChange reports whether what was rejected is no merged change at all: an object of a source
// that is no record, or none of a change.
func (r Rejection) NoChange() bool {
	return r.Stage == StageIngest && (r.Reason == NoParse || r.Reason == NotMerged)
}

// An Attempt is one try at a candidate before its terminal row.
type Attempt struct {
	Candidate string  `parquet:"candidate"`
	Level     int64   `parquet:"level"`
	Mapping   string  `parquet:"mapping"`
	Number    int64   `parquet:"number"`
	Outcome   string  `parquet:"outcome"` // accepted, rejected
	Reason    string  `parquet:"reason,optional"`
	Detail    string  `parquet:"detail,optional"`
	PatchHash string  `parquet:"patch_hash,optional"`
	USD       float64 `parquet:"usd"`
	TokensIn  int64   `parquet:"tokens_in"`
	TokensOut int64   `parquet:"tokens_out"`
	Seconds   float64 `parquet:"seconds"`
}

// RowKey sorts attempts by candidate, then in the order they were made.
func (a Attempt) RowKey() string { return fmt.Sprintf("%s\x00%08d", a.Candidate, a.Number) }

// A RunRow is one run that a row rests on.
type RunRow struct {
	RunHash       string  `parquet:"run_hash"`
	BaseCommit    string  `parquet:"base_commit"`
	Repo          string  `parquet:"repo"`
	TreeHash      string  `parquet:"tree_hash"`
	State         string  `parquet:"state"` // H, S, C, H', none
	Unit          string  `parquet:"unit"`
	Candidate     string  `parquet:"candidate,optional"`
	Repeat        int64   `parquet:"repeat"`
	Order         int64   `parquet:"order"`
	ClockShift    float64 `parquet:"clock_shift"` // seconds
	LockHash      string  `parquet:"lock_hash"`
	Sandbox       string  `parquet:"sandbox"`
	Command       string  `parquet:"command"`
	Outcome       string  `parquet:"outcome"`
	ExitCode      int64   `parquet:"exit_code"`
	Checks        []Check `parquet:"checks,list"`
	ParserVersion int64   `parquet:"parser_version"`
	Seconds       float64 `parquet:"seconds"`
	FromLedger    bool    `parquet:"from_ledger"`
	Executions    int64   `parquet:"executions"`
	LogHash       string  `parquet:"log_hash,optional"`

	Deferred Hash `parquet:"-"` // of the checks, where they wait in the store
}

// maxInline is how many checks a run's row carries itself through the pipeline.
const maxInline = 256

// Defer puts the checks of a long row into a store until it is written: suites have units of
// 100,000 checks.
func (r RunRow) Defer(put func([]byte) (Hash, error)) (RunRow, error) {
	if len(r.Checks) <= maxInline {
		return r, nil
	}
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(r.Checks)
	if err != nil {
		return r, err
	}
	r.Deferred, err = put(text.Bytes())
	r.Checks = nil
	return r, err
}

// Restore takes back what Defer put into the store.
func (r RunRow) Restore(get func(Hash) ([]byte, error)) (RunRow, error) {
	if r.Deferred == "" {
		return r, nil
	}
	text, err := get(r.Deferred)
	if err != nil {
		return r, fmt.Errorf("read the checks of run %s: %w", r.RunHash, err)
	}
	r.Deferred = ""
	return r, gob.NewDecoder(bytes.NewReader(text)).Decode(&r.Checks)
}

// RowKey sorts runs by base, unit and state; equal ones in the order of their repeats.
func (r RunRow) RowKey() string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%s\x00%08d", r.Repo, r.BaseCommit, r.Unit, r.State, r.Candidate, r.Repeat)
}

// An UnstableCheck is a check of a base that flips between runs.
type UnstableCheck struct {
	ID    string `parquet:"id"`
	Cause string `parquet:"cause"` // flaky, order, clock
}

// A StepRow is one step of resolving or preparing a base.
type StepRow struct {
	Step    string `parquet:"step"`
	Outcome string `parquet:"outcome"`
}

// A BaseRow is one base: prepared, replaced or left.
type BaseRow struct {
	Repo           string          `parquet:"repo"`
	BaseCommit     string          `parquet:"base_commit"`
	BaseKind       string          `parquet:"base_kind"`
	ReplacedBy     string          `parquet:"replaced_by,optional"`
	Source         string          `parquet:"source"`
	TreeHash       string          `parquet:"tree_hash,optional"`
	TreeBlob       string          `parquet:"tree_blob,optional"`
	Language       string          `parquet:"language"`
	Recipe         string          `parquet:"recipe,optional"`
	RecipeHash     string          `parquet:"recipe_hash,optional"`
	LockHash       string          `parquet:"lock_hash,optional"`
	Lock           string          `parquet:"lock,optional"` // its text: a corpus stands alone
	Image          string          `parquet:"image,optional"`
	ImageDigest    string          `parquet:"image_digest,optional"`
	Prepared       bool            `parquet:"prepared"`
	Healthy        bool            `parquet:"healthy"`
	Reason         string          `parquet:"reason,optional"`
	Unstable       []UnstableCheck `parquet:"unstable,list"`
	PrepareSeconds float64         `parquet:"prepare_seconds"`
	Bytes          int64           `parquet:"bytes"`
	ChangesPlanned int64           `parquet:"changes_planned"`
	Tasks          int64           `parquet:"tasks"`
	Steps          []StepRow       `parquet:"steps,list"`
}

// RowKey sorts bases by repository and commit.
func (b BaseRow) RowKey() string { return b.Repo + "\x00" + b.BaseCommit }

// A Cost is what one task, base or build took.
type Cost struct {
	Scope     string  `parquet:"scope"` // task, base, build
	Key       string  `parquet:"key"`
	Condition string  `parquet:"condition"` // reuse, per_task
	Seconds   float64 `parquet:"seconds"`
	Bytes     int64   `parquet:"bytes"`
	TokensIn  int64   `parquet:"tokens_in"`
	TokensOut int64   `parquet:"tokens_out"`
	USD       float64 `parquet:"usd"`
}

// RowKey sorts costs by scope and key.
func (c Cost) RowKey() string { return c.Scope + "\x00" + c.Key + "\x00" + c.Condition }

// A Split counts checks that succeeded and failed.
type Split struct {
	Success []string `parquet:"success,list" json:"success"`
	Failure []string `parquet:"failure,list" json:"failure"`
}

// A Score is one prediction's verdict.
type Score struct {
	InstanceID       string  `parquet:"instance_id"`
	Solver           string  `parquet:"solver"`
	Attempt          int64   `parquet:"attempt"`
	Resolved         bool    `parquet:"resolved"`
	Weighted         float64 `parquet:"weighted"`
	Fractional       float64 `parquet:"fractional"`
	Outcome          string  `parquet:"outcome"` // resolved, unresolved, empty, invalid, forged, timeout, infrastructure
	FailToPass       Split   `parquet:"fail_to_pass"`
	PassToPass       Split   `parquet:"pass_to_pass"`
	ProtectedTouched bool    `parquet:"protected_touched"`
	Seconds          float64 `parquet:"seconds"`
	ToolCalls        *int64  `parquet:"tool_calls,optional"`
	FilesModified    int64   `parquet:"files_modified"`
	Detail           string  `parquet:"detail,optional"` // why it is invalid or forged, which limit ended a unit, which protected paths were set back
}

// RowKey sorts scores by task, solver and attempt.
func (s Score) RowKey() string {
	return fmt.Sprintf("%s\x00%s\x00%08d", s.InstanceID, s.Solver, s.Attempt)
}

// A Prediction is one solver's answer to a task, in SWE-bench's names.
type Prediction struct {
	InstanceID string `json:"instance_id"`
	Model      string `json:"model_name_or_path"`
	Patch      string `json:"model_patch"`
}

// A Drift is one check that did not do in a verification what its task says. Check is empty
// where the whole state differs.
type Drift struct {
	InstanceID string `parquet:"instance_id"`
	State      string `parquet:"state"` // H, S, C, H'
	Check      string `parquet:"check,optional"`
	Repeat     int64  `parquet:"repeat"`
	Want       string `parquet:"want"`
	Got        string `parquet:"got"`
	Cause      string `parquet:"cause"` // flaky (other repeats agree with the task), changed (none does), trees, infrastructure
}

// RowKey sorts drifts by task, state and check, then in the order of the repeats.
func (d Drift) RowKey() string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%08d", d.InstanceID, d.State, d.Check, d.Repeat)
}
