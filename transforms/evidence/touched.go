package evidence

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// maxSearched bounds how many check files are searched for a change in a shared helper or in
// data, ours.
const maxSearched = 500

// touched lists the test functions whose deciding text the change added or edited, as after
// holds them, and counts the other test functions of their files.
//
// A changed check file is compared with itself before, under its old name where it was renamed.
// A changed check file that no unit runs (conftest.py, a helper module) is compared through all
// check files below its folder. A changed snapshot touches the test functions of its file whose
// entries are others than before; another data file all those of the check files that name it,
// or, from a folder above it, its folder.
func touched(checks patch.Patch, before, after *tree.Tree, l lang.Language) (surfaces []model.Surface, others int, err error) {
	s := search{before: before, after: after, l: l, old: map[string]string{}, found: map[string]model.Surface{}, listed: map[listing][]model.Surface{}}
	for _, f := range checks.Files {
		s.old[f.New] = f.Old
	}
	for _, f := range checks.Files {
		switch {
		case f.Binary && l.Kind(f.Path()) == model.CheckFile:
		case l.Kind(f.Path()) == model.CheckData:
			err = s.data(f)
		case f.New == "":
		default:
			err = s.file(f.New)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	files := map[string]bool{}
	for _, surface := range s.found {
		surfaces = append(surfaces, surface)
		files[surface.Path] = true
	}
	SortSurfaces(surfaces)
	for p := range files {
		all, err := s.surfaces(after, p)
		if err != nil {
			return nil, 0, err
		}
		others += len(all)
	}
	return surfaces, others - len(surfaces), nil
}

// SortSurfaces sorts by path, line and function.
func SortSurfaces(s []model.Surface) {
	slices.SortFunc(s, func(a, b model.Surface) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return strings.Compare(a.Function, b.Function)
	})
}

// Surfaces lists the test functions of a check file; a file that is absent or does not parse
// has none.
func Surfaces(t *tree.Tree, l lang.Language, p string) ([]model.Surface, error) {
	e, ok := t.Entry(p)
	if !ok || e.Mode == model.ModeSymlink || e.Mode == model.ModeSubmodule {
		return nil, nil
	}
	out, err := l.Surfaces(t, p)
	if err == nil {
		return out, nil
	}
	f, _, readErr := t.Read(p)
	if readErr != nil {
		return nil, readErr
	}
	if l.Syntax(p, f.Data) != nil {
		return nil, nil
	}
	return nil, fmt.Errorf("list test functions of %s: %w", p, err)
}

type search struct {
	before, after *tree.Tree
	l             lang.Language
	old           map[string]string // of changed check files: the path before, empty when added
	found         map[string]model.Surface
	listed        map[listing][]model.Surface // parsing is most of the cost of evidence
}

type listing struct {
	tree *tree.Tree
	path string
}

func (s *search) surfaces(t *tree.Tree, p string) ([]model.Surface, error) {
	at := listing{t, p}
	if out, ok := s.listed[at]; ok {
		return out, nil
	}
	out, err := Surfaces(t, s.l, p)
	s.listed[at] = out
	return out, err
}

// file compares a check file with itself before; a helper through the files that may use it.
func (s *search) file(p string) error {
	if err := s.compare(p); err != nil {
		return err
	}
	if _, ok := s.l.Unit(s.after, p); ok {
		return nil
	}
	for _, q := range s.checkFiles(path.Dir(p)) {
		if err := s.compare(q); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) compare(p string) error {
	old, changed := s.old[p]
	if !changed {
		old = p
	}
	news, err := s.surfaces(s.after, p)
	if err != nil || len(news) == 0 {
		return err
	}
	olds, err := s.surfaces(s.before, old)
	if err != nil {
		return err
	}
	digests := map[string]model.Hash{}
	for _, o := range olds {
		digests[o.Function] = o.Digest
	}
	for _, n := range news {
		if d, ok := digests[n.Function]; !ok || d != n.Digest {
			s.found[n.Key()] = n
		}
	}
	return nil
}

// data takes the test functions of the check files that name a data file or its folder; of a
// snapshot those whose entries changed.
func (s *search) data(f patch.File) error {
	if l, ok := s.l.(lang.Snapshotter); ok {
		if file, ok := l.Snapshot(f.Path()); ok {
			return s.compare(file)
		}
	}
	name := mentions(path.Base(f.Path()))
	folder := mentions(path.Base(path.Dir(f.Path())))
	for _, p := range s.checkFiles(".") {
		if _, ok := s.l.Unit(s.after, p); !ok {
			continue
		}
		file, _, err := s.after.Read(p)
		if err != nil {
			return err
		}
		above := below(path.Dir(f.Path()), path.Dir(p)) && path.Dir(f.Path()) != path.Dir(p)
		if !name.Match(file.Data) && !(above && folder.Match(file.Data)) {
			continue
		}
		surfaces, err := s.surfaces(s.after, p)
		if err != nil {
			return err
		}
		for _, n := range surfaces {
			s.found[n.Key()] = n
		}
	}
	return nil
}

// mentions matches a file name inside a string or path of source text.
func mentions(name string) *regexp.Regexp {
	return regexp.MustCompile("[\"'`/]" + regexp.QuoteMeta(name) + "[\"'`/]")
}

// below reports whether folder a is b or lies under it.
func below(a, b string) bool { return b == "." || a == b || strings.HasPrefix(a, b+"/") }

// checkFiles lists the check files below a folder after the change.
func (s *search) checkFiles(folder string) []string {
	var out []string
	for _, p := range s.after.Paths() {
		if below(path.Dir(p), folder) && s.l.Kind(p) == model.CheckFile && len(out) < maxSearched {
			out = append(out, p)
		}
	}
	return out
}

// inseparable finds a production file that holds test functions and a hunk that changes both a
// test function and other lines.
func inseparable(source patch.Patch, after *tree.Tree, l lang.Language) (string, error) {
	for _, f := range source.Files {
		if f.New == "" || f.Binary {
			continue
		}
		if _, ok := l.Unit(after, f.New); !ok {
			continue // no runner looks for test functions here
		}
		surfaces, err := Surfaces(after, l, f.New)
		if err != nil {
			return "", err
		}
		for _, h := range f.Hunks {
			if in, out := sides(h, surfaces); in && out {
				return f.New, nil
			}
		}
	}
	return "", nil
}

// sides reports whether a hunk adds lines inside and outside of test functions.
func sides(h patch.Hunk, surfaces []model.Surface) (in, out bool) {
	line := h.NewStart
	for _, l := range h.Lines {
		if l.Op == '-' {
			continue
		}
		if l.Op == '+' && len(bytes.TrimSpace([]byte(l.Text))) > 0 {
			if slices.ContainsFunc(surfaces, func(s model.Surface) bool { return s.Start <= line && line <= s.End }) {
				in = true
			} else {
				out = true
			}
		}
		line++
	}
	return in, out
}
