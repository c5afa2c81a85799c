package golang

import (
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Protected reports whether a path steers go test: go.mod's language version, replacements and
// exclusions, workspaces, vendored code, and the Makefile that a project's own test command may
// be in. Of check files Steers tells.
func (Language) Protected(p string) bool {
	dirs, name := lang.Split(p)
	switch name {
	case "go.mod", "go.work", "go.work.sum", "Makefile", "makefile", "GNUmakefile":
		return true
	}
	return lang.In(dirs, "vendor")
}

// Restore sets of a go.mod the module, go, toolchain, godebug, replace, exclude, ignore and
// tool lines to those of want, and leaves the requirements as have has them: a dependency may
// be added where the cache holds it. Of every other path the whole file steers.
func (Language) Restore(p string, want, have []byte) []byte {
	_, name := lang.Split(p)
	if name != "go.mod" || want == nil || have == nil || len(have) > maxSource {
		return want
	}
	w, errW := modfile.Parse(p, want, nil)
	h, errH := modfile.Parse(p, have, nil)
	if errW != nil || errH != nil || h.Module == nil || w.Module == nil {
		return want
	}
	if steering(w) == steering(h) {
		return have
	}
	var reqs []*modfile.Require
	for _, r := range h.Require {
		reqs = append(reqs, &modfile.Require{Mod: r.Mod, Indirect: r.Indirect})
	}
	w.SetRequireSeparateIndirect(reqs)
	w.Cleanup()
	out, err := w.Format()
	if err != nil {
		return want
	}
	return out
}

// steering is the part of a go.mod that the runner goes by, in one form.
func steering(f *modfile.File) model.Hash {
	var s struct {
		Module, Go, Toolchain string
		Replace               [][2]string
		Other                 []string
	}
	s.Module = f.Module.Mod.Path
	if f.Go != nil {
		s.Go = f.Go.Version
	}
	if f.Toolchain != nil {
		s.Toolchain = f.Toolchain.Name
	}
	for _, r := range f.Replace {
		s.Replace = append(s.Replace, [2]string{r.Old.String(), r.New.String()})
	}
	for _, e := range f.Exclude {
		s.Other = append(s.Other, "exclude "+e.Mod.String())
	}
	for _, g := range f.Godebug {
		s.Other = append(s.Other, "godebug "+g.Key+"="+g.Value)
	}
	for _, i := range f.Ignore {
		s.Other = append(s.Other, "ignore "+i.Path)
	}
	for _, i := range f.Tool {
		s.Other = append(s.Other, "tool "+i.Path)
	}
	slices.Sort(s.Other)
	return model.Digest(s)
}
