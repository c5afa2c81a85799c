// Package leak turns what a solver gets of a task (the tree S, its repository, the environment)
// into findings: places that tell the answer. A task without findings has none; every emitted
// task is one.
package leak

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Kinds of a finding.
const (
	KindGit      = "git"      // (a) more than one commit, or a repository inside
	KindVersion  = "version"  // (b) a file equal to H's version of a path that S changes
	KindTold     = "told"     // (c) lines that the change adds
	KindCompiled = "compiled" // (d) a compiled form of a changed file
	KindRelease  = "release"  // (e) another release of the project itself
	KindAsset    = "asset"    // (f) a hidden file, under whatever name
)

// Version is part of the key under which a scan is remembered: it changes with the rules.
const Version = "3"

// Told lines. A line tells something from toldChars non-blank characters on, and if it has a
// letter or a digit: the underline of a heading does not. In code, toldInCode of them in one
// file are a leak; elsewhere, and in comments, one is. A line of checks that idiomFiles check
// files hold, ours, none of which the task changes, is how the project writes its tests (what it
// imports) and tells nothing.
const (
	toldChars  = 25
	toldInCode = 3
	idiomFiles = 5
)

// A Subject is one task under the scan.
type Subject struct {
	S, H   *tree.Tree
	Before *tree.Tree // the tree before the source change: what it holds is public
	Kind   func(path string) model.Kind

	// Lines are those that the source change adds to production and docs, and that patch
	// adds; CheckLines those that it adds to checks, and that test_patch adds.
	Lines, CheckLines []string
	// Checks are the paths, on H, of the source change's check patch. What S keeps of them
	// belongs to checks that stay visible by rule, so CheckLines tell nothing there; nor in
	// the check files that S changes.
	Checks []string
	// Assets are hidden texts whole: patch, test_patch, hidden test files.
	Assets [][]byte
	// Self are the names of the project: distribution, Go module path, npm package,
	// group:artifact.
	Self []string
	// Roots are prefixes, with a final slash, under which compiled forms name the tree's
	// files; /testbed/ is always one.
	Roots []string
}

// A Scan is a subject made ready: what would tell its answer, by hash. Safe for concurrent
// reading.
type Scan struct {
	subject  Subject
	before   map[model.Hash]bool // blobs of Before
	changed  map[string]bool     // paths of H that S changes or lacks
	versions map[model.Hash]bool // their blobs, less what Before holds and what is too small
	sizes    map[int64]bool      // the sizes of versions
	whole    map[uint64]string   // fingerprints of assets and versions: kind
	told     map[uint64]bool     // fingerprints of lines
	hidden   map[uint64]bool     // fingerprints of lines that only checks add
	sources  []source            // what compiled forms are looked for
	modules  map[string]bool     // importable names in the top folder of site-packages
	self     map[string]bool
	checks   map[string]bool
}

// New reads what the scan of a subject needs: H's versions of what S changes, and all of
// Before, whose lines are not told.
func New(s Subject) (*Scan, error) {
	c := &Scan{
		subject: s, before: map[model.Hash]bool{}, changed: map[string]bool{}, versions: map[model.Hash]bool{}, sizes: map[int64]bool{},
		whole: map[uint64]string{}, modules: map[string]bool{}, self: map[string]bool{}, checks: map[string]bool{},
	}
	for _, p := range s.Before.Paths() {
		e, _ := s.Before.Entry(p)
		c.before[e.Hash] = true
	}
	for _, p := range s.Checks {
		c.checks[p] = true
	}
	for _, n := range s.Self {
		c.self[normal(n)] = true
	}
	if err := c.addVersions(); err != nil {
		return nil, err
	}
	for _, a := range s.Assets {
		if n, sum := fingerprint(a); n >= toldChars {
			c.whole[sum] = KindAsset
		}
	}
	return c, c.addTold()
}

// addVersions takes up H's content of every path that S changes.
func (c *Scan) addVersions() error {
	for _, p := range c.subject.H.Paths() {
		onH, _ := c.subject.H.Entry(p)
		onS, kept := c.subject.S.Entry(p)
		if kept && onS.Hash == onH.Hash || onH.Mode == model.ModeSubmodule {
			continue
		}
		c.changed[p] = true
		if c.subject.Kind != nil && (c.subject.Kind(p) == model.CheckFile || c.subject.Kind(p) == model.CheckData) {
			c.checks[p] = true
		}
		c.addSource(p)
		if c.before[onH.Hash] {
			continue
		}
		f, _, err := c.subject.H.Read(p)
		if err != nil {
			return fmt.Errorf("scan for leaks: %w", err)
		}
		n, sum := fingerprint(f.Data)
		if n < toldChars {
			continue
		}
		if kept {
			own, _, err := c.subject.S.Read(p)
			if err != nil {
				return fmt.Errorf("scan for leaks: %w", err)
			}
			if _, same := fingerprint(own.Data); same == sum {
				continue // only blanks differ
			}
		}
		c.versions[onH.Hash] = true
		c.sizes[int64(len(f.Data))] = true
		c.whole[sum] = KindVersion
	}
	return nil
}

// addTold keeps the added lines that Before holds nowhere, and drops from whole what Before
// holds in another layout of blanks. It reads Before once.
func (c *Scan) addTold() error {
	c.told, c.hidden = lineSet(c.subject.Lines), lineSet(c.subject.CheckLines)
	for l := range c.told {
		delete(c.hidden, l)
	}
	for _, p := range c.subject.Before.Paths() {
		if len(c.told)+len(c.hidden)+len(c.whole) == 0 {
			return nil
		}
		f, ok, err := c.readText(c.subject.Before, p)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		_, sum := fingerprint(f.Data)
		delete(c.whole, sum)
		eachLine(f.Data, func(sum uint64, _ []byte) {
			delete(c.told, sum)
			delete(c.hidden, sum)
		})
	}
	return c.dropIdioms()
}

// dropIdioms takes the lines of hidden checks that idiomFiles other check files hold out of
// hidden.
func (c *Scan) dropIdioms() error {
	if c.subject.Kind == nil {
		return nil
	}
	files := map[uint64]int{}
	for _, p := range c.subject.H.Paths() {
		if len(c.hidden) == 0 {
			return nil
		}
		if c.changed[p] || c.subject.Kind(p) != model.CheckFile {
			continue
		}
		f, ok, err := c.readText(c.subject.H, p)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		seen := map[uint64]bool{}
		eachLine(f.Data, func(sum uint64, _ []byte) {
			if c.hidden[sum] && !seen[sum] {
				seen[sum] = true
				files[sum]++
			}
		})
		for sum := range seen {
			if files[sum] >= idiomFiles {
				delete(c.hidden, sum)
			}
		}
	}
	return nil
}

// readText is a regular file of a tree; false for links, submodules and binary content.
func (c *Scan) readText(t *tree.Tree, p string) (model.File, bool, error) {
	e, ok := t.Entry(p)
	if !ok || e.Mode == model.ModeSubmodule || e.Mode == model.ModeSymlink {
		return model.File{}, false, nil
	}
	f, ok, err := t.Read(p)
	if err != nil {
		return f, false, fmt.Errorf("scan for leaks: %w", err)
	}
	return f, ok && !binary(f.Data), nil
}

// sorted orders findings, each once.
func sorted(found []model.LeakFinding) []model.LeakFinding {
	slices.SortFunc(found, func(a, b model.LeakFinding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.Compact(found)
}

// code reports whether the content of a path is program text.
func (c *Scan) code(p string) bool {
	if c.subject.Kind != nil {
		switch c.subject.Kind(p) {
		case model.Production, model.CheckFile:
			return true
		case model.Docs, model.CheckData, model.Configuration:
			return false
		}
	}
	return codeExtension(p)
}

func codeExtension(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".go", ".py", ".pyi", ".pyx", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".java", ".kt", ".kts", ".c", ".h", ".cc", ".cpp", ".hpp", ".rs", ".rb", ".sh":
		return true
	}
	return false
}
