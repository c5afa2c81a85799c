package leak

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// Tree scans S itself for b, c, d and f, and for repositories inside it. Sorted; nil when
// clean. What Before holds byte for byte is public.
func (c *Scan) Tree() ([]model.LeakFinding, error) {
	var found []model.LeakFinding
	for _, p := range c.subject.S.Paths() {
		if slices.Contains(strings.Split(p, "/"), ".git") {
			found = append(found, model.LeakFinding{Path: p, Kind: KindGit})
		}
		e, _ := c.subject.S.Entry(p)
		if c.before[e.Hash] || e.Mode == model.ModeSubmodule {
			continue
		}
		if !c.changed[p] && c.compiledInTree(p) {
			found = append(found, model.LeakFinding{Path: p, Kind: KindCompiled})
		}
		if c.versions[e.Hash] {
			found = append(found, model.LeakFinding{Path: p, Kind: KindVersion})
		}
		f, _, err := c.subject.S.Read(p)
		if err != nil {
			return nil, fmt.Errorf("scan for leaks: %w", err)
		}
		for _, kind := range c.content(p, f.Data, true) {
			found = append(found, model.LeakFinding{Path: p, Kind: kind})
		}
		eachEntry(f.Data, func(name string, data []byte) {
			if c.before[blob(data)] {
				return
			}
			for _, kind := range c.entry(name, data) {
				found = append(found, model.LeakFinding{Path: p + "!/" + name, Kind: kind})
			}
		})
	}
	return sorted(found), nil
}

// entry are the kinds of finding of one file inside an archive.
func (c *Scan) entry(name string, data []byte) []string {
	kinds := c.content(name, data, false)
	if c.versions[blob(data)] && !slices.Contains(kinds, KindVersion) {
		kinds = append(kinds, KindVersion)
	}
	if compiledExtension(name) && c.compiled(name) && !slices.Contains(kinds, KindCompiled) {
		kinds = append(kinds, KindCompiled)
	}
	return kinds
}

// content are the kinds of finding that a file's bytes give. own says that p is a path of S.
func (c *Scan) content(p string, data []byte, own bool) []string {
	if binary(data) {
		if c.namesSource(data) {
			return []string{KindCompiled}
		}
		return nil
	}
	var kinds []string
	if _, sum := fingerprint(data); c.whole[sum] != "" {
		kinds = append(kinds, c.whole[sum])
	}
	tally := tally{code: codeExtension(p), quiet: own && c.checks[p]}
	if own {
		tally.code = c.code(p)
	}
	eachLine(data, func(sum uint64, line []byte) {
		if c.told[sum] || c.hidden[sum] {
			tally.add(c, sum, line)
		}
	})
	if tally.leaks() {
		kinds = append(kinds, KindTold)
	}
	return kinds
}

// A tally counts the told lines of one file for one subject.
type tally struct {
	code  bool
	quiet bool // lines of checks tell nothing here
	lines map[uint64]bool
	plain bool // a told line outside code
}

func (t *tally) add(c *Scan, sum uint64, line []byte) {
	if t.quiet && !c.told[sum] {
		return
	}
	if t.lines == nil {
		t.lines = map[uint64]bool{}
	}
	t.lines[sum] = true
	t.plain = t.plain || !t.code || comment(line)
}

func (t *tally) leaks() bool { return t.plain || len(t.lines) >= toldInCode }
