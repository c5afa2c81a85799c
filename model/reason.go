package model

// A Stage is the step of the flow at which a candidate ended.
type Stage string

// Stages.
const (
	StageIngest      Stage = "ingest"
	StageEvidence    Stage = "evidence"
	StageBase        Stage = "base"
	StageEnvironment Stage = "environment"
	StageAlignment   Stage = "alignment"
	StageConstruct   Stage = "construction"
	StageScope       Stage = "scope"
	StageSyntax      Stage = "syntax"
	StageLifecycle   Stage = "lifecycle"
	StageFidelity    Stage = "fidelity"
	StageLeak        Stage = "leak"
	StageReview      Stage = "review"
	StageSelection   Stage = "selection"
	StageTrace       Stage = "trace"
	StageMask        Stage = "mask"
	StageComposition Stage = "composition"
	StageForecast    Stage = "forecast"
	StageAudit       Stage = "audit"
	StageExport      Stage = "export"
)

// A Reason says why a candidate ended. The list is closed.
type Reason string

// Reasons.
const (
	NotMerged            Reason = "not_merged"
	NoTests              Reason = "no_tests"
	NoProduction         Reason = "no_production"
	NoDescription        Reason = "no_description"
	TooLarge             Reason = "too_large"
	Inseparable          Reason = "inseparable"
	GeneratedOnly        Reason = "generated"
	SubmoduleChange      Reason = "submodule"
	LFS                  Reason = "lfs"
	Binary               Reason = "binary"
	Bot                  Reason = "bot"
	NotAncestor          Reason = "not_ancestor"
	EnvironmentFailed    Reason = "environment_failed"
	BaseUnhealthy        Reason = "base_unhealthy"
	NeedsService         Reason = "needs_service"
	SelfDependency       Reason = "self_dependency"
	NotWorkTree          Reason = "not_work_tree"
	HostGone             Reason = "host_gone"
	TargetAbsent         Reason = "target_absent"
	TargetFailsOnH       Reason = "target_fails_on_h"
	TargetUnstable       Reason = "target_unstable"
	UnstableID           Reason = "unstable_id"
	DoesNotReverse       Reason = "does_not_reverse"
	AmbiguousBlock       Reason = "ambiguous_block"
	NoParse              Reason = "no_parse"
	NoBuild              Reason = "no_build"
	AttemptsExhausted    Reason = "attempts_exhausted"
	Budget               Reason = "budget"
	OutOfScope           Reason = "out_of_scope"
	TouchesRunner        Reason = "touches_runner"
	TestsEntangled       Reason = "tests_entangled"
	NotDiscriminating    Reason = "not_discriminating"
	BuildErrorOnly       Reason = "build_error_only"
	TargetTimeout        Reason = "target_timeout"
	RegressionBroken     Reason = "regression_broken"
	NotRestored          Reason = "not_restored"
	ConditionUnmet       Reason = "condition_unmet"
	Flaky                Reason = "flaky"
	OrderDependent       Reason = "order_dependent"
	ClockDependent       Reason = "clock_dependent"
	Collapse             Reason = "collapse"
	Inflation            Reason = "inflation"
	LowFidelity          Reason = "low_fidelity"
	ReviewRejected       Reason = "review_rejected"
	AwaitingAdjudication Reason = "awaiting_adjudication"
	Leak                 Reason = "leak"
	SandboxRequired      Reason = "sandbox_required"
	NoFootprint          Reason = "no_footprint"
	LoadTimeOnly         Reason = "load_time_only"
	MaskNoBuild          Reason = "mask_no_build"
	MaskSurvives         Reason = "mask_survives"
	Overlap              Reason = "overlap"
	NoTarget             Reason = "no_target"
	TooBroad             Reason = "too_broad"
	AlreadySolved        Reason = "already_solved"
	NotTestable          Reason = "not_testable"
	PassesBefore         Reason = "passes_before"
	FailsAfter           Reason = "fails_after"
	Infrastructure       Reason = "infrastructure"
)

// A Fault is an element's fault on its way to becoming a Rejection: it carries the stage and
// the closed reason. It is an error so that functions can return it as one.
type Fault struct {
	Stage  Stage
	Reason Reason
	Detail string // normalised text: no times, absolute paths, addresses or pids
}

func (f *Fault) Error() string {
	if f.Detail == "" {
		return string(f.Stage) + ": " + string(f.Reason)
	}
	return string(f.Stage) + ": " + string(f.Reason) + ": " + f.Detail
}
