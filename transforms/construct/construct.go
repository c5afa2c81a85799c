// Package construct turns the evidence of a change and a healthy base H into the trees and
// patches of a task: C, where the change is undone; S, which the solver gets; and the patches
// that lead from one to the other.
package construct

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// MappingReversal is the one mapping of level 1: the place of a change on H is where its
// reversed patch applies.
const MappingReversal = "reversal"

// maxNamed bounds how many places a fault's detail names.
const maxNamed = 5

// A Draft is a change undone on a base, before anything has run.
type Draft struct {
	C         *tree.Tree
	D         patch.Patch // from H to C: production and docs
	Level     int
	Mapping   string
	Dropped   []string       // hunks of the change that stay done: "path n"
	Ambiguous []patch.Place  // production hunks that another place matches too
	Removed   []model.Symbol // what D removes, or whose signature it changes, as H holds it
	Gone      []model.Symbol // those of Removed that C does not have at all
	Profile   model.Profile  // of D's production part; checks are counted by Surface
	DocsCut   []Cut
}

// Undo undoes a change on H by a mapping, then its docs. It touches production and docs paths
// only, so check files and manifests are those of H. What Before named may stay named. A change
// that cannot be undone so is a *model.Fault: does_not_reverse, ambiguous_block, no_parse,
// no_build (C is not closed), touches_runner, out_of_scope.
func Undo(m Mapping, in Input, l lang.Language) (Draft, error) {
	if f := Scope(in.Source, l, in.Change.Family); f != nil {
		return Draft{}, f
	}
	skip := left{}
	for {
		u, err := m.run(in, l, skip)
		if err != nil {
			return Draft{}, err
		}
		d := Draft{C: u.tree, Level: m.Level, Mapping: m.Name, Dropped: u.dropped}
		for _, p := range u.places {
			if p.Ambiguous {
				d.Ambiguous = append(d.Ambiguous, p)
			}
		}
		culprits, err := d.check(in.H, in.Before, l)
		if err == nil {
			return d.finish(in, l)
		}
		// What breaks C is left out, symbol by symbol, where a part of the change will do.
		if !m.partial || !u.skip(culprits, skip) {
			return Draft{}, err
		}
	}
}

// finish undoes the docs and takes D from the trees.
func (d Draft) finish(in Input, l lang.Language) (Draft, error) {
	var err error
	if d.C, d.DocsCut, err = undoDocs(in.Docs, d.C, in.Before, l); err != nil {
		return Draft{}, fmt.Errorf("reverse docs of %s: %w", in.Change.ID, err)
	}
	everything := func(string) bool { return true }
	if d.D, err = evidence.Diff(in.H, d.C, evidence.Changed(in.H, d.C), everything); err != nil {
		return Draft{}, fmt.Errorf("construct %s: %w", in.Change.ID, err)
	}
	if f := Scope(d.D, l, in.Change.Family); f != nil {
		return Draft{}, f
	}
	return d, nil
}

// Reverses reports whether a source patch reverses on a tree as level 1 asks for: a cheap
// question to git objects, by which bases are planned. C may still not parse or be closed.
func Reverses(source patch.Patch, t patch.Reader) (bool, error) {
	_, err := patch.Apply(source.Reverse(), t)
	var conflict patch.Conflict
	if errors.As(err, &conflict) {
		return false, nil
	}
	return err == nil, err
}

// check compares C's production with H's: it must differ, parse, be closed, and leave the
// runner's sections alone. culprits are the parts of D that a fault comes from.
func (d *Draft) check(h, before *tree.Tree, l lang.Language) (culprits []culprit, err error) {
	paths := evidence.Changed(h, d.C)
	production, err := evidence.Diff(h, d.C, paths, func(p string) bool { return l.Kind(p) == model.Production })
	if err != nil {
		return nil, fmt.Errorf("compare C with H: %w", err)
	}
	if len(production.Files) == 0 {
		return nil, nowhere(paths, l)
	}
	for _, p := range paths {
		if err := parses(d.C, l, p, before, h); err != nil {
			return []culprit{{path: p}}, err
		}
		if l.Protected(p) {
			if err := runnerKept(h, d.C, l, p); err != nil {
				return nil, err
			}
		}
	}
	symbols, err := evidence.SymbolsOf(production.Reverse(), d.C, h, l)
	if err != nil {
		return nil, fmt.Errorf("compare symbols of C and H: %w", err)
	}
	d.Removed, d.Gone = symbols.Removed, symbols.Gone
	d.Profile.Symbols = symbols.Changed
	d.Profile.Files, d.Profile.Hunks, d.Profile.Lines = production.Profile()
	open, err := l.Open(d.C, d.Gone, before)
	if err != nil {
		return nil, fmt.Errorf("look for removed names: %w", err)
	}
	if len(open) == 0 {
		return nil, nil
	}
	for _, place := range open {
		_, name, _ := strings.Cut(place, " ")
		for _, s := range d.Gone {
			if s.Name == name || evidence.LastName(s.Name) == evidence.LastName(name) {
				culprits = append(culprits, culprit{s.Path, s.Name})
			}
		}
	}
	return culprits, reject(model.StageConstruct, model.NoBuild, "names what the change added: %s", listed(open))
}

// nowhere is why a C whose production is H's is none: the place of the change is no production any
// more, or nothing of it is left.
func nowhere(paths []string, l lang.Language) *model.Fault {
	for _, p := range paths {
		if k := l.Kind(p); k != model.Docs {
			return reject(model.StageScope, model.OutOfScope, "%s is %s by now", p, k)
		}
	}
	return reject(model.StageConstruct, model.DoesNotReverse, "the reversal changes nothing")
}

// parses rejects a production file of c that has a syntax error; in an approximate language only
// where none of the other trees has one in it.
func parses(c *tree.Tree, l lang.Language, p string, others ...*tree.Tree) error {
	wrong, err := syntax(c, l, p)
	if err != nil || wrong == nil {
		return err
	}
	if _, ok := l.(lang.Approximate); ok {
		for _, o := range others {
			if had, err := syntax(o, l, p); err != nil || had != nil {
				return err
			}
		}
	}
	return reject(model.StageSyntax, model.NoParse, "%s: %v", p, wrong)
}

// syntax is the syntax error of a production file, nil where it has none or is absent.
func syntax(t *tree.Tree, l lang.Language, p string) (wrong, err error) {
	f, ok, err := t.Read(p)
	if err != nil || !ok || l.Kind(p) != model.Production || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule {
		return nil, err
	}
	return l.Syntax(p, f.Data), nil
}

// runnerKept rejects a reversal that changes a section of a file that steers the runner.
func runnerKept(h, c *tree.Tree, l lang.Language, p string) error {
	was, hadIt, err := h.Read(p)
	if err != nil {
		return err
	}
	is, hasIt, err := c.Read(p)
	if err != nil {
		return err
	}
	kept := l.Restore(p, was.Data, is.Data)
	if hadIt != hasIt || string(kept) != string(is.Data) {
		return reject(model.StageScope, model.TouchesRunner, "%s", p)
	}
	return nil
}

// Scope rejects a patch that touches what no family's specification permits: D and G of every
// family but test_generation may hold production and docs paths alone.
func Scope(d patch.Patch, l lang.Language, family string) *model.Fault {
	for _, p := range d.Paths() {
		if k := l.Kind(p); k != model.Production && k != model.Docs {
			return reject(model.StageScope, model.OutOfScope, "%s is %s, family %s", p, k, family)
		}
	}
	return nil
}

func reject(stage model.Stage, reason model.Reason, format string, args ...any) *model.Fault {
	return &model.Fault{Stage: stage, Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// conflictDetail names the hunk as the source patch numbers it.
func conflictDetail(c patch.Conflict, source patch.Patch) string {
	for _, f := range source.Files {
		if (f.New == c.Path || f.Old == c.Path) && c.Hunk >= 0 {
			return fmt.Sprintf("%s: hunk %d of %d", c.Path, c.Hunk+1, len(f.Hunks))
		}
	}
	return c.Path + ": " + c.Detail
}

func listed(places []string) string {
	if len(places) > maxNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(places[:maxNamed], ", "), len(places)-maxNamed)
	}
	return strings.Join(places, ", ")
}
