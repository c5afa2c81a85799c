package model

// A Recipe says how an environment is prepared and how units run in it. It is plain data; its
// hash is the environment's identity before the lock.
type Recipe struct {
	Language  string
	Toolchain string // e.g. go1.26.8, python3.11; the minimum the project asks for
	BaseImage string // for docker; empty: the configured one of the language
	// Manifests are the files of the tree that decide dependencies, with content: laid in
	// the preparing folder in place of the whole tree where Whole is false.
	Manifests []File
	Whole     bool      // preparing needs the whole tree at {testbed} (a build back end)
	Files     []File    // support files of ours, laid under {env}/taskmill (a pytest plugin)
	Prepare   []Command // network on, once, in {testbed}; writes only below {env}
	Lock      Command   // prints the lock on stdout: resolved versions, sorted
	FromLock  []Command // used instead of Prepare when {env}/lock holds an earlier lock
	Strip     []string  // globs under {env} of what is derived from the project's own tree: deleted after preparing
	Self      []string  // distribution names of the project itself
	Probe     Command   // network off, over H's tree: exit 0 when tests load production code from {testbed}
	Protocol  Protocol
}

// ID is the recipe's hash.
func (r Recipe) ID() Hash { return Digest(r) }

// A Protocol is the frozen way to build and run, the same in H, S, C, H' and evaluation.
type Protocol struct {
	Language  string    `json:"language"`
	Cwd       string    `json:"cwd"`
	Roots     []Root    `json:"roots,omitempty"` // where units run, when not all run in Cwd
	Env       []string  `json:"env"`
	Prepare   []string  `json:"prepare,omitempty"` // for the reader; the recipe has the commands
	Build     []Command `json:"build"`             // network off, once a state, before its units
	Test      []string  `json:"test"`              // argv with {unit}, {check}, {report}
	Unit      string    `json:"unit"`              // package, file, class
	Isolation string    `json:"isolation"`         // unit, check
	Report    Report    `json:"report"`
	Protected []string  `json:"protected"` // globs of runner configuration
	Limits    Limits    `json:"limits"`
	Network   string    `json:"network"` // none
}

// A Root says that the units whose name is Unit, or begins with Unit and a slash, run in the
// folder Dir of the tree. The longest Unit counts. Test is their argv where it is not the
// protocol's.
type Root struct {
	Unit string   `json:"unit"`
	Dir  string   `json:"dir"`
	Test []string `json:"test,omitempty"`
}

// ID is the protocol's hash.
func (p Protocol) ID() Hash { return Digest(p) }

// A Report says what the runner writes.
type Report struct {
	Format  string `json:"format"`  // go-test-json, taskmill-pytest-jsonl
	Path    string `json:"path"`    // - is stdout
	Version int    `json:"version"` // of our parser
}

// A Slot is one base of a plan: its commit, and alternates tried in order.
type Slot struct {
	Repo       string
	Source     Source
	Language   string // of the changes: a repository of two languages has a slot for each
	Kind       string // declared, target, default, planned, historical
	Commit     Hash
	Alternates []Hash
	Changes    []string // keys of the changes planned for it, sorted
	Why        string   // newest, tag, date; empty where no plan was made
	Covers     int      // of Changes: those that reverse on Commit, by git objects alone
}

// A Plan is the frozen choice of bases of one repository.
type Plan struct {
	Repo  string
	Slots []Slot
}

// ID is the plan's hash.
func (p Plan) ID() Hash { return Digest(p) }

// A Base is a commit with the environment that its tree is prepared in.
type Base struct {
	Repo     string
	Source   Source
	Commit   Hash
	Kind     string
	Tree     Hash // git tree id; its archive is in the blob store
	Archive  Hash // SHA-256 of trees/<Tree>.tar.zst
	Language string
	Recipe   Recipe
	Lock     Hash
	Clock    bool // its processes can be given another time
}

// Key is the base's identity: repository, commit, recipe.
func (b Base) Key() string { return b.Repo + "@" + string(b.Commit) + "#" + string(b.Recipe.ID()) }
