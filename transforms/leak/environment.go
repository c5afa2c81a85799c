package leak

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// maxFileBytes is how much of a file in the environment is read.
const maxFileBytes = 128 << 20

// An Environment scans the files that all solvers of a base see, once for all its subjects.
// It is not safe for concurrent use.
type Environment struct {
	scans    []*Scan
	lines    map[uint64][]int // line to the subjects that it tells something
	whole    map[uint64][]int
	versions map[model.Hash][]int
	sizes    map[int64]bool
	roots    []string
	found    [][]model.LeakFinding
	byCode   [][]candidate   // compiled forms that a source beside them may explain
	sources  map[string]bool // program texts seen
	releases []map[string]bool
	editable map[string]bool // descriptions of development installs
}

// A candidate is a compiled form by path, and the path of the source that it may stem from.
type candidate struct{ path, source string }

// NewEnvironment indexes what would tell the answers of scans.
func NewEnvironment(scans ...*Scan) *Environment {
	e := &Environment{
		scans: scans, lines: map[uint64][]int{}, whole: map[uint64][]int{}, versions: map[model.Hash][]int{}, sizes: map[int64]bool{},
		found: make([][]model.LeakFinding, len(scans)), byCode: make([][]candidate, len(scans)),
		sources: map[string]bool{}, releases: make([]map[string]bool, len(scans)), editable: map[string]bool{},
	}
	for i, s := range scans {
		e.releases[i] = map[string]bool{}
		for _, r := range s.roots() {
			if !slices.Contains(e.roots, r) {
				e.roots = append(e.roots, r)
			}
		}
		for l := range s.told {
			e.lines[l] = append(e.lines[l], i)
		}
		for l := range s.hidden {
			e.lines[l] = append(e.lines[l], i)
		}
		for w := range s.whole {
			e.whole[w] = append(e.whole[w], i)
		}
		for v := range s.versions {
			e.versions[v] = append(e.versions[v], i)
		}
		for n := range s.sizes {
			e.sizes[n] = true
		}
	}
	return e
}

// File looks at one regular file: path is slash-separated, size in bytes. Of a file larger
// than maxFileBytes only the first are read. An error is the reader's.
func (e *Environment) File(p string, size int64, open func() (io.ReadCloser, error)) error {
	p = strings.TrimPrefix(p, "/")
	e.name(p)
	r, err := open()
	if err != nil {
		return fmt.Errorf("open %s: %w", p, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes))
	if cerr := r.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", p, err)
	}
	if path.Base(p) == "direct_url.json" && bytes.Contains(bytes.ReplaceAll(data, []byte(" "), nil), []byte(`"editable":true`)) {
		e.editable[path.Dir(p)] = true
	}
	if e.sizes[int64(len(data))] {
		for _, i := range e.versions[blob(data)] {
			e.add(i, p, KindVersion)
		}
	}
	e.content(p, data)
	if isArchive(data[:min(len(data), 512)]) {
		eachEntry(data, func(name string, entry []byte) {
			at := p + "!/" + name
			if e.sizes[int64(len(entry))] {
				for _, i := range e.versions[blob(entry)] {
					e.add(i, at, KindVersion)
				}
			}
			e.content(at, entry)
			if compiledExtension(name) {
				for i, s := range e.scans {
					if s.compiled(name) {
						e.add(i, at, KindCompiled)
					}
				}
			}
		})
	}
	return nil
}

// name looks at a path alone: repositories, compiled forms, releases.
func (e *Environment) name(p string) {
	git := strings.HasSuffix("/"+p, "/.git/HEAD")
	compiled := compiledExtension(p)
	if codeExtension(p) {
		e.sources[strings.TrimSuffix(p, path.Ext(p))] = true
	}
	for i, s := range e.scans {
		if git {
			e.add(i, path.Dir(p), KindGit)
		}
		if compiled && s.compiled(p) {
			base, _, _ := strings.Cut(path.Base(p), ".")
			e.byCode[i] = append(e.byCode[i], candidate{p, path.Join(strings.TrimSuffix(path.Dir(p), "__pycache__"), base)})
		}
		if at, info := s.release(p); at != "" {
			e.releases[i][at] = info
		}
	}
}

// content looks at bytes for all subjects at once.
func (e *Environment) content(p string, data []byte) {
	if binary(data) {
		for named := range laidPaths(data, e.roots) {
			for i, s := range e.scans {
				if s.changed[named] {
					e.add(i, p, KindCompiled)
				}
			}
		}
		return
	}
	if len(e.whole) > 0 {
		_, sum := fingerprint(data)
		for _, i := range e.whole[sum] {
			e.add(i, p, e.scans[i].whole[sum])
		}
	}
	var tallies map[int]*tally
	code := codeExtension(p)
	eachLine(data, func(sum uint64, line []byte) {
		for _, i := range e.lines[sum] {
			if tallies == nil {
				tallies = map[int]*tally{}
			}
			if tallies[i] == nil {
				tallies[i] = &tally{code: code}
			}
			tallies[i].add(e.scans[i], sum, line)
		}
	})
	for i, t := range tallies {
		if t.leaks() {
			e.add(i, p, KindTold)
		}
	}
}

func (e *Environment) add(i int, p, kind string) {
	e.found[i] = append(e.found[i], model.LeakFinding{Path: p, Kind: kind})
}

// Findings are those of each scan, in the order given to NewEnvironment; nil where clean.
// A compiled form beside its source tells what the source tells, and that was looked at.
func (e *Environment) Findings() [][]model.LeakFinding {
	out := make([][]model.LeakFinding, len(e.scans))
	for i := range e.scans {
		found := append([]model.LeakFinding(nil), e.found[i]...)
		for _, c := range e.byCode[i] {
			if !e.sources[c.source] {
				found = append(found, model.LeakFinding{Path: c.path, Kind: KindCompiled})
			}
		}
		for at, info := range e.releases[i] {
			if !info || !e.editable[at] {
				found = append(found, model.LeakFinding{Path: at, Kind: KindRelease})
			}
		}
		out[i] = sorted(found)
	}
	return out
}
