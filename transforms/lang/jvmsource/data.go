package jvmsource

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

const minName = 4 // bytes of a data file's name that is looked for in string literals

// data lists what goes of the check data: files that removed code names by a string and no check
// file that stays does, neither by their name nor by their folder; and snapshots that are named
// after a hidden test.
func (r *removal) data(gone map[*decl]bool, changes []model.TreeChange) []model.TreeChange {
	var literals []string
	for d := range gone {
		for l := range d.refs.literals {
			literals = append(literals, l)
		}
	}
	var left [][]byte
	var out []model.TreeChange
	for _, p := range r.g.t.Paths() {
		if Kind(p, "") != model.CheckData {
			continue
		}
		if r.snapshotOf(p) {
			out = append(out, model.TreeChange{Path: p, Delete: true})
			continue
		}
		base, dir := path.Base(p), path.Base(path.Dir(p))
		if len(base) < minName || !slices.ContainsFunc(literals, func(l string) bool { return l == base || strings.HasSuffix(l, "/"+base) }) {
			continue
		}
		if left == nil {
			left = r.left(changes)
		}
		if dir == "resources" || dir == "test" || len(dir) < minName {
			dir = ""
		}
		if !contains(left, base) && (dir == "" || !folder(left, dir)) {
			out = append(out, model.TreeChange{Path: p, Delete: true})
		}
	}
	return out
}

// snapshotOf reports whether a file is an approved or received text of a hidden test:
// Class.method.approved.txt.
func (r *removal) snapshotOf(p string) bool {
	if !snapshot(path.Base(p)) {
		return false
	}
	for d := range r.hidden {
		if strings.HasPrefix(path.Base(p), d.owner.name()+"."+d.name()+".") && path.Dir(p) == path.Dir(d.file.path) {
			return true
		}
	}
	return false
}

// left are the texts of the check files that stay.
func (r *removal) left(changes []model.TreeChange) [][]byte {
	out := [][]byte{}
	for _, p := range r.g.layout.files {
		i := slices.IndexFunc(changes, func(c model.TreeChange) bool { return c.Path == p })
		switch {
		case i < 0:
			if f, ok, err := r.g.t.Read(p); err == nil && ok {
				out = append(out, f.Data)
			}
		case !changes[i].Delete:
			out = append(out, changes[i].Data)
		}
	}
	return out
}

func contains(texts [][]byte, word string) bool {
	return slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Contains(t, []byte(word)) })
}

// folder reports whether a string of a text names a folder as such, not as a part of a longer
// path: "x/folder", "folder/" + name.
func folder(texts [][]byte, dir string) bool {
	for _, t := range texts {
		for i := bytes.Index(t, []byte(dir)); i >= 0; {
			rest := t[i+len(dir):]
			open := i > 0 && (t[i-1] == '"' || t[i-1] == '/')
			if open && len(rest) > 0 && (rest[0] == '"' || rest[0] == '/' && len(rest) > 1 && (rest[1] == '"' || rest[1] == '$' || rest[1] == '%' || rest[1] == '*')) {
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
