package model

import "time"

// A Source is a repository as the user named it.
type Source struct {
	Repo     string // owner/name
	Location string // path, URL or sample:NAME
}

// A Label is a label of a record and when it was added (zero: unknown).
type Label struct {
	Name    string
	AddedAt time.Time
}

// A Reference is an issue that a text closes.
type Reference struct {
	Repo       string // empty: the record's own repository
	Number     int64
	Confidence float64 // 1 from a service; 0.8 by keyword in text
}

// An Issue is what a source says of an issue that a change closes, or a benchmark's row of the
// problem (then without a number).
type Issue struct {
	Number int64
	Title  string
	Body   string
	Labels []Label
}

// A PathChange is one path that a record touches. Change is added, modified, deleted, renamed,
// mode, binary, symlink, submodule or lfs.
type PathChange struct {
	Path    string
	OldPath string // of a rename
	Kind    Kind
	Change  string
}

// A Record is one merged pull request (or issue) as a source tells it.
type Record struct {
	Source     Source
	Repo       string
	Number     int64  // 0 where the source knows none
	Kind       string // pr, issue, commit
	Title      string
	Body       string
	Messages   []string // messages of the branch's own commits, oldest first
	Labels     []Label
	Author     string
	AuthorKind string // person, maintenance_bot, agent
	CreatedAt  time.Time
	MergedAt   time.Time
	ClosedAt   time.Time
	State      string
	BaseRef    string // target branch
	// Commits. The change is Before..After: merge base to head for a merge, first parent to
	// commit for a squash or a rebase.
	HeadCommit  Hash
	MergeCommit Hash // the commit on the target branch that holds the change
	MergeBase   Hash
	MergeStyle  string // merge, squash, rebase, script, commit
	Before      Hash
	After       Hash
	Closes      []Reference
	BackportOf  int64
	Reverts     int64
	Files       []PathChange
	VisibleAt   time.Time
	TimeCertain bool
	Confidence  float64 // that Number is right
	TextSource  string  // git, api; empty where the source tells no description
	// What sources other than git add.
	Told      string    // the source that tells it: jsonl, parquet, swebench, dump, git
	Sources   []string  // once merged: every telling, by precedence
	UpdatedAt time.Time // of the telling; zero: unknown
	Issues    []Issue   // of those in Closes, what is known of them
	Hints     string    // what was said of the problem before the change
	Patch     Hash      // blob of the patch that makes After of Before, where no commit holds After
}

// Key is the record's identity: owner__repo-N, or owner__repo-<12 hex> without a number.
func (r Record) Key() string { return InstanceID(r.Repo, r.Number, r.MergeCommit) }
