package model

import "time"

// A Symbol is a function, method, class, type or exported constant by qualified name.
type Symbol struct {
	Path      string
	Name      string // qualified within the file's package or module: T.Method, Class.method
	Kind      string // function, method, class, type, constant, variable
	Exported  bool
	Start     int    // first line, 1-based, doc comment and decorators included
	End       int    // last line, inclusive
	Signature string // declaration without the body, one line
	Doc       string
	Digest    Hash // of the text from Start to End
}

// A Surface is one test function (or titled case) with the text that decides what it checks:
// itself, its fixtures, parameters and same-file helpers.
type Surface struct {
	Path     string // file that holds it
	Function string // as in a check id: TestX, TestClass::test_m
	Unit     string
	Start    int
	End      int
	Title    string   // words a person reads
	Digest   Hash     // of all the text that decides it
	Uses     []string // production symbols it names, directly or through check-side helpers
}

// Key is the surface's identity over states.
func (s Surface) Key() string { return s.Path + "::" + s.Function }

// A Profile counts a change's footprint.
type Profile struct {
	Files            int
	Hunks            int
	Lines            int // added + removed
	Symbols          int
	TargetChecks     int // test functions
	RegressionChecks int
}

// A Change is the evidence of one merged change: a small value whose patches lie in the blob
// store.
type Change struct {
	ID                  string // as Record.Key
	Record              Record
	Repo                string
	Language            string
	Family              string // primary
	Eligible            bool
	Reason              Reason // when not eligible
	Detail              string
	SourcePatch         Hash // blobs: git patches from Before to After
	DocsPatch           Hash
	CheckPatch          Hash
	Profile             Profile
	Removed             []Symbol  // symbols that After has and Before lacks, or whose signature differs: what reversal removes
	Touched             []Surface // touched checks, as After holds them
	Text                string    // cleaned public text
	TextWords           int       // content words
	SpecificationOrigin string    // human, deterministic
	MergedAt            time.Time
	OldAPI              string // callee that the change replaces by NewAPI, as its call sites write them; empty where it does not
	NewAPI              string
}

// A Candidate is a change on a base, for one family.
type Candidate struct {
	ID      string // instance id
	Change  Change
	BaseKey string // Base.Key
	Base    Hash   // blob: the Base as JSON
	Family  string
	Method  string
	Merge   Distance // from the merge to the base
	Newest  Distance // from the base to the newest commit
	Try     int      // 0, 1 on the next covering base, 2 on the change's own revision
}
