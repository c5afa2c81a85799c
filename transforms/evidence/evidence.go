// Package evidence turns a record of a merged change and its two trees into the evidence that
// every later step rests on: what the change did to production code, docs and checks, what it
// is about, and whether a task can be made of it.
package evidence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// MaxFiles is the most changed files of an eligible change, ours.
const MaxFiles = 40

// MinWords is the least number of content words of a text that needs no specification, ours.
const MinWords = 12

// Of is the evidence of a merged change. put stores a patch and returns its hash; patches of
// ineligible changes are not stored. The error is ours or the world's; what is wrong with the
// change is data: Eligible, Reason and Detail. The first reason that applies is told, in this
// order: not_merged, bot, too_large, submodule, lfs, binary, generated, no_production, no_tests,
// inseparable, no_description.
//
// lfs and binary concern production and check files only: docs are reversed where they can be,
// data stays as it is. generated is a change whose only code is generated or vendored.
// no_description applies only where the source carries descriptions: git alone does not know
// whether there was one.
func Of(rec model.Record, before, after *tree.Tree, languages []lang.Language, put func([]byte) (model.Hash, error)) (model.Change, error) {
	c := model.Change{ID: rec.Key(), Record: rec, Repo: rec.Repo, MergedAt: rec.MergedAt, SpecificationOrigin: "human"}
	c.Text = recordText(rec, nil)
	c.TextWords = len(Words(c.Text))
	paths := Changed(before, after)
	if c.Reason, c.Detail = byRecord(rec, len(paths)); c.Reason != "" {
		return c, nil
	}
	s, err := splitFor(before, after, paths, languages)
	if err != nil {
		return c, fmt.Errorf("split %s: %w", c.ID, err)
	}
	if len(s.source.Files) > 0 {
		c.Language = s.language.Name()
	}
	c.Record.Files = pathChanges(rec.Files, s, before, after)
	c.Profile.Files, c.Profile.Hunks, c.Profile.Lines = s.source.Profile()
	if c.Reason, c.Detail, err = s.byEntries(before, after); err != nil || c.Reason != "" {
		return c, wrap(err, "read", c.ID)
	}
	if err := compare(&c, s, before, after); err != nil {
		return c, err
	}
	if c.Reason, c.Detail, err = byContent(c, s, after); err != nil || c.Reason != "" {
		return c, wrap(err, "compare hunks of", c.ID)
	}
	if c.TextWords < MinWords {
		c.Text = strings.TrimSpace(c.Text + "\n\n" + Specification(c.Removed, c.Touched))
		c.SpecificationOrigin = "deterministic"
	}
	c.Eligible = true
	return c, wrap(store(&c, s, put), "store patches of", c.ID)
}

func wrap(err error, verb, id string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", verb, id, err)
}

// byRecord excludes by what the record and the number of changed files say.
func byRecord(rec model.Record, files int) (model.Reason, string) {
	switch {
	case rec.Kind == "issue" || rec.MergedAt.IsZero() || rec.State == "open":
		return model.NotMerged, ""
	case rec.AuthorKind == "maintenance_bot":
		return model.Bot, rec.Author
	case files > MaxFiles:
		return model.TooLarge, fmt.Sprintf("%d files, at most %d", files, MaxFiles)
	}
	return "", ""
}

// byEntries excludes by the entries of the trees: what no patch of lines holds, and a change
// without production code.
func (s split) byEntries(before, after *tree.Tree) (model.Reason, string, error) {
	submodule, lfs, binary, err := s.special(before, after)
	switch {
	case err != nil:
		return "", "", err
	case submodule != "":
		return model.SubmoduleChange, submodule, nil
	case lfs != "":
		return model.LFS, lfs, nil
	case binary != "":
		return model.Binary, binary, nil
	case len(s.source.Files) > 0:
		return "", "", nil
	}
	for _, p := range s.paths {
		if k := s.language.Kind(p); k == model.Generated || k == model.Vendored {
			return model.GeneratedOnly, p, nil
		}
	}
	return model.NoProduction, "", nil
}

// compare fills in what the change did to symbols and checks, its text and its family.
func compare(c *model.Change, s split, before, after *tree.Tree) error {
	symbols, err := SymbolsOf(s.source, before, after, s.language)
	if err != nil {
		return fmt.Errorf("compare symbols of %s: %w", c.ID, err)
	}
	c.Removed, c.Profile.Symbols = symbols.Removed, symbols.Changed
	if c.Touched, c.Profile.RegressionChecks, err = touched(s.checks, before, after, s.language); err != nil {
		return fmt.Errorf("compare checks of %s: %w", c.ID, err)
	}
	c.Profile.TargetChecks = len(c.Touched)
	c.Text = recordText(c.Record, changelog(s.docs), c.Touched...)
	c.TextWords = len(Words(c.Text))
	m, migrates, err := MigrationOf(s.source, symbols, before, after)
	if err != nil {
		return fmt.Errorf("look for a migration in %s: %w", c.ID, err)
	}
	if migrates {
		c.OldAPI, c.NewAPI = m.Old, m.New
	}
	if c.Family, err = family(c.Record, migrates, s.source, symbols, c.Touched, before, after); err != nil {
		return fmt.Errorf("name family of %s: %w", c.ID, err)
	}
	return nil
}

// byContent excludes by what the comparison showed.
func byContent(c model.Change, s split, after *tree.Tree) (model.Reason, string, error) {
	if len(c.Touched) == 0 {
		return model.NoTests, "", nil
	}
	mixed, err := inseparable(s.source, after, s.language)
	if err != nil {
		return "", "", err
	}
	rec := c.Record
	carries := rec.TextSource != "git" && rec.TextSource != ""
	switch {
	case mixed != "":
		return model.Inseparable, mixed, nil
	case carries && len(rec.Closes) == 0 && len(rec.Issues) == 0 && len(Words(Clean(rec.Body))) == 0:
		return model.NoDescription, "", nil
	}
	return "", "", nil
}

func store(c *model.Change, s split, put func([]byte) (model.Hash, error)) error {
	for _, p := range []struct {
		into *model.Hash
		text string
	}{{&c.SourcePatch, s.source.String()}, {&c.DocsPatch, s.docs.String()}, {&c.CheckPatch, s.checks.String()}} {
		if p.text == "" {
			continue
		}
		var err error
		if *p.into, err = put([]byte(p.text)); err != nil {
			return err
		}
	}
	return nil
}

// pathChanges are a record's files with their kinds in the language of the change; where the
// source tells no files, those of the trees.
func pathChanges(files []model.PathChange, s split, before, after *tree.Tree) []model.PathChange {
	out := slices.Clone(files)
	if len(out) == 0 {
		for _, p := range s.paths {
			change := "modified"
			if _, ok := before.Entry(p); !ok {
				change = "added"
			} else if _, ok := after.Entry(p); !ok {
				change = "deleted"
			}
			out = append(out, model.PathChange{Path: p, Change: change})
		}
	}
	for i := range out {
		out[i].Kind = s.language.Kind(out[i].Path)
	}
	return out
}

// EligibleSetHash names the set of eligible changes: two builds are compared only where it is
// equal.
func EligibleSetHash(changes []model.Change) model.Hash {
	ids := []string{}
	for _, c := range changes {
		if c.Eligible {
			ids = append(ids, c.ID+" "+string(c.Record.MergeCommit))
		}
	}
	slices.Sort(ids)
	return model.Digest(slices.Compact(ids))
}
