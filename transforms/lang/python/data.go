package python

import (
	"bytes"
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// data lists what goes of the check data: snapshot entries of hidden tests, and files that
// removed code names by a string and no check file that stays does, neither by their name nor
// by their folder.
func (r *removal) data(gone map[*decl]bool, changes []model.TreeChange) []model.TreeChange {
	var out []model.TreeChange
	left := r.left(changes)
	var literals []string
	for d := range gone {
		for l := range d.refs.literals {
			literals = append(literals, l)
		}
	}
	for _, p := range r.g.t.Paths() {
		if kind(p) != model.CheckData {
			continue
		}
		if path.Ext(p) == ".ambr" {
			if c, ok := r.snapshot(p); ok {
				out = append(out, c)
			}
			continue
		}
		base, dir := path.Base(p), path.Base(path.Dir(p))
		if len(base) < 4 || dir == "tests" || dir == "test" {
			dir = ""
		}
		if named(literals, base) && !contains(left, base) && (dir == "" || !folder(left, dir)) {
			out = append(out, model.TreeChange{Path: p, Delete: true})
		}
	}
	return out
}

// left are the texts of the check files that stay.
func (r *removal) left(changes []model.TreeChange) [][]byte {
	changed := map[string]model.TreeChange{}
	for _, c := range changes {
		changed[c.Path] = c
	}
	var out [][]byte
	for p, s := range r.g.files {
		if c, ok := changed[p]; !ok {
			out = append(out, s.src)
		} else if !c.Delete {
			out = append(out, c.Data)
		}
	}
	for _, text := range r.outside.texts {
		out = append(out, text)
	}
	return out
}

// named reports whether a literal is the name, or a path that ends in it.
func named(literals []string, base string) bool {
	for _, l := range literals {
		if l == base || strings.HasSuffix(l, "/"+base) {
			return true
		}
	}
	return false
}

func contains(texts [][]byte, word string) bool {
	for _, t := range texts {
		if bytes.Contains(t, []byte(word)) {
			return true
		}
	}
	return false
}

// folder reports whether a text names a folder as such, not as a part of a longer path.
func folder(texts [][]byte, dir string) bool {
	for _, t := range texts {
		for i := bytes.Index(t, []byte(dir)); i >= 0; {
			rest := t[i+len(dir):]
			if len(rest) < 2 || rest[0] != '/' || rest[1] == '"' || rest[1] == '\'' || rest[1] == '{' || rest[1] == '*' {
				return true
			}
			next := bytes.Index(rest, []byte(dir))
			if next < 0 {
				break
			}
			i += len(dir) + next
		}
	}
	return false
}

// snapshot removes the entries of hidden tests from an .ambr file beside their file: blocks
// from "# name: test" to "# ---".
func (r *removal) snapshot(p string) (model.TreeChange, bool) {
	unit := path.Join(path.Dir(path.Dir(p)), strings.TrimSuffix(path.Base(p), ".ambr")+".py")
	s := r.g.files[unit]
	if s == nil || path.Base(path.Dir(p)) != "__snapshots__" {
		return model.TreeChange{}, false
	}
	if r.doomed[s] {
		return model.TreeChange{Path: p, Delete: true}, true
	}
	hidden := map[string]bool{}
	for d := range r.hidden {
		if d.file == s {
			hidden[strings.ReplaceAll(d.test, "::", ".")] = true
		}
	}
	f, ok, err := r.g.t.Read(p)
	if err != nil || !ok {
		return model.TreeChange{}, false
	}
	var out []byte
	cut, entries := false, 0
	for line := range bytes.Lines(f.Data) {
		if name, ok := bytes.CutPrefix(line, []byte("# name: ")); ok {
			n, _, _ := strings.Cut(strings.TrimSpace(string(name)), "[")
			// A second snapshot of a test is test.1, a named one test[name].
			if i := strings.LastIndexByte(n, '.'); i >= 0 && strings.Trim(n[i+1:], "0123456789") == "" {
				n = n[:i]
			}
			cut = hidden[n]
			if !cut {
				entries++
			}
		}
		if !cut {
			out = append(out, line...)
		}
		if bytes.HasPrefix(line, []byte("# ---")) {
			cut = false
		}
	}
	switch {
	case bytes.Equal(out, f.Data):
		return model.TreeChange{}, false
	case entries == 0:
		return model.TreeChange{Path: p, Delete: true}, true
	}
	return model.TreeChange{Path: p, Mode: f.Mode, Data: out}, true
}
