package build

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/base"
)

// searched is how far before its commit a slot looks for alternates, in first-parent commits.
const searched = 16

// How bases are chosen: Config.Bases is one of these, or a number of bases for each repository
// and language.
const (
	BasesNewest = "newest"
	BasesAuto   = "auto"
)

// A bases is what the plan of one repository is made from.
type bases struct {
	cfg     Config
	repo    *gitio.Repository
	source  model.Source
	commit  model.Hash // declared, or the newest
	kind    string
	line    []gitio.Stop
	points  []base.Point
	covered *reversals
}

func newBases(ctx context.Context, shop *execute.Shop, cfg Config, repo *gitio.Repository, source model.Source, changes []model.Change) (*bases, error) {
	b := &bases{cfg: cfg, repo: repo, source: source}
	var err error
	if b.commit, b.kind, err = BaseRevision(ctx, repo, cfg.Base); err != nil {
		return nil, err
	}
	if b.line, err = repo.Line(ctx, b.commit); err != nil && (len(b.line) == 0 || !gitio.Damaged(err)) {
		return nil, err
	}
	b.points = b.choices()
	b.covered, err = newReversals(ctx, shop, repo, b.line, changes, len(cfg.ladder()) > 2)
	return b, err
}

// choices are the points that bases are chosen from.
func (b *bases) choices() []base.Point {
	line := make([]base.Point, len(b.line))
	for i, s := range b.line {
		line[i] = base.Point{Commit: s.Commit, At: i, When: s.When}
	}
	if b.kind == base.Declared || b.cfg.Bases == BasesNewest {
		line[0].Why = base.WhyNewest
		return line[:1]
	}
	tagged := map[model.Hash]bool{}
	for name, commit := range b.repo.Tags() {
		if base.Release(name) {
			tagged[commit] = true
		}
	}
	return base.Points(line, tagged, b.cfg.age(), base.MaxPoints)
}

func (cfg Config) age() time.Duration {
	if cfg.BaseAge == 0 {
		return base.DefaultAge
	}
	return time.Duration(cfg.BaseAge) * 24 * time.Hour
}

// matrix asks each change for each point.
func (b *bases) matrix(ctx context.Context, changes []model.Change) (base.Matrix, error) {
	m := base.Matrix{Points: b.points, Cells: make([][]bool, len(changes))}
	var faults []error
	type row struct {
		change int
		cells  []bool
		err    error
	}
	err := execute.Each(ctx, b.cfg.Execute.Jobs, allOf(len(changes)), func(ctx context.Context, i int) row {
		r := row{change: i, cells: make([]bool, len(b.points))}
		for p, point := range b.points {
			if r.cells[p], r.err = b.covered.covers(ctx, changes[i], point.Commit); r.err != nil {
				break
			}
		}
		return r
	}, func(r row) {
		m.Cells[r.change] = r.cells
		if r.err != nil {
			faults = append(faults, r.err)
		}
	})
	return m, errors.Join(append(faults, err)...)
}

func allOf(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// An assignment is a change's slot, and the one to try next.
type assignment struct {
	slot, next model.Slot
}

// plan makes the slots of one language's changes, which are sorted by id, and assigns each
// change to the one that first covers it, or to the newest where none does.
func (b *bases) plan(ctx context.Context, repo, language string, changes []model.Change) ([]model.Slot, []assignment, error) {
	m, err := b.matrix(ctx, changes)
	if err != nil {
		return nil, nil, err
	}
	picks := m.WithNewest(m.Choose(b.cfg.most(), b.least()))
	slots := make([]model.Slot, len(picks))
	out := make([]assignment, len(changes))
	for i, p := range picks {
		point := m.Points[p.Point]
		slots[i] = model.Slot{Repo: repo, Source: b.source, Language: language, Kind: b.kindOf(point), Commit: point.Commit, Why: point.Why, Covers: len(p.Changes)}
		own := make([]model.Change, len(p.Changes))
		for k, c := range p.Changes {
			own[k] = changes[c]
		}
		if slots[i].Alternates, err = b.alternates(ctx, point, own); err != nil {
			return nil, nil, err
		}
	}
	for i, p := range picks {
		for _, c := range p.Changes {
			out[c].slot = slots[i]
			if n, ok := m.Next(picks, i, c); ok {
				out[c].next = slots[n]
			}
		}
		if p.Point == 0 {
			for _, c := range m.Uncovered(picks) {
				out[c].slot = slots[i]
			}
		}
	}
	for i := range slots {
		for c := range changes {
			if out[c].slot.Commit == slots[i].Commit {
				slots[i].Changes = append(slots[i].Changes, changes[c].ID)
			}
		}
	}
	return slots, out, nil
}

func (b *bases) kindOf(p base.Point) string {
	if p.At > 0 {
		return base.Planned
	}
	return b.kind
}

// least is the least number of changes of a base; the one base that was asked for takes what
// there is.
func (b *bases) least() int {
	if len(b.points) == 1 {
		return 1
	}
	return b.cfg.MinTasksPerBase
}

// alternates are the nearest commits before a point that cover nearly as much. A base that the
// user declared has none.
func (b *bases) alternates(ctx context.Context, p base.Point, covered []model.Change) ([]model.Hash, error) {
	if b.kind == base.Declared {
		return nil, nil
	}
	var older []model.Hash
	for _, s := range b.line[p.At+1 : min(len(b.line), p.At+1+searched)] {
		older = append(older, s.Commit)
	}
	return base.Alternates(covered, older, func(c model.Change, commit model.Hash) (bool, error) {
		return b.covered.covers(ctx, c, commit)
	})
}

// byLanguage groups changes, each group sorted by id; languages are sorted.
func byLanguage(changes []model.Change) ([]string, map[string][]model.Change) {
	groups := map[string][]model.Change{}
	for _, c := range changes {
		groups[c.Language] = append(groups[c.Language], c)
	}
	for l, g := range groups {
		slices.SortFunc(g, func(a, b model.Change) int { return strings.Compare(a.ID, b.ID) })
		groups[l] = slices.CompactFunc(g, func(a, b model.Change) bool { return a.ID == b.ID })
	}
	return slices.Sorted(maps.Keys(groups)), groups
}

// severalBases reports whether a repository may get more than one base.
func (cfg Config) severalBases() bool { return cfg.Base == "" && cfg.Bases != BasesNewest }

// checkBases reports a value of --bases that is none.
func checkBases(value string) error {
	if value == BasesNewest || value == BasesAuto {
		return nil
	}
	if n, err := strconv.Atoi(value); err != nil || n < 1 {
		return fmt.Errorf("--bases %s: want newest, auto, or a number of bases", value)
	}
	return nil
}

// most is the greatest number of bases for a repository and language; 0 is no limit.
func (cfg Config) most() int {
	n, _ := strconv.Atoi(cfg.Bases) // auto is no number
	return n
}
