package ecma

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// data adds what goes of the check data: snapshot entries of hidden tests, snapshots of files
// that go, and files that removed code names by a string and no check file that stays does,
// neither by their name nor by their folder.
func (r *removal) data(gone map[*decl]bool, changes []model.TreeChange) ([]model.TreeChange, error) {
	var literals []string
	for d := range gone {
		for l := range d.refs.literals {
			literals = append(literals, l)
		}
	}
	left := r.left(changes)
	for _, p := range r.g.order {
		s := r.g.files[p]
		for _, snap := range snapshotFiles(r.g.t, p) {
			c, err := r.snapshot(s, snap)
			if err != nil {
				return nil, err
			}
			if c.Path != "" {
				changes = append(changes, c)
			}
		}
	}
	for _, p := range r.g.t.Paths() {
		if r.g.dialect.Kind(p) != model.CheckData {
			continue
		}
		dirs, base := lang.Split(p)
		if snapshot(dirs, strings.ToLower(base)) {
			continue
		}
		folder := path.Base(path.Dir(p))
		if len(base) < 4 || testFolder([]string{folder}) {
			folder = ""
		}
		stem := strings.TrimSuffix(base, path.Ext(base))
		if (named(literals, base) || isSource(base) && named(literals, stem)) && !contains(left, stem) && (folder == "" || !inFolder(left, folder)) {
			changes = append(changes, model.TreeChange{Path: p, Delete: true})
		}
	}
	return changes, nil
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
	return slices.ContainsFunc(literals, func(l string) bool { return l == base || strings.HasSuffix(l, "/"+base) })
}

func contains(texts [][]byte, word string) bool {
	return slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Contains(t, []byte(word)) })
}

// inFolder reports whether a text names a folder as such, not as a part of a longer path.
func inFolder(texts [][]byte, dir string) bool {
	return slices.ContainsFunc(texts, func(t []byte) bool {
		for at := 0; ; {
			i := bytes.Index(t[at:], []byte(dir))
			if i < 0 {
				return false
			}
			at += i + len(dir)
			rest := t[at:]
			if len(rest) < 2 || rest[0] != '/' || strings.IndexByte("\"'`{*$", rest[1]) >= 0 {
				return true
			}
		}
	})
}

// snapshotFiles are the snapshots that a runner writes for the test file at p: of Jest and
// Vitest, and of node:test.
func snapshotFiles(t lang.Files, p string) []string {
	var out []string
	for _, s := range []string{path.Join(path.Dir(p), "__snapshots__", path.Base(p)+".snap"), p + ".snapshot"} {
		if _, ok, err := t.Read(s); ok && err == nil {
			out = append(out, s)
		}
	}
	return out
}

// Snapshot is the test file of a snapshot that Jest, Vitest or node:test wrote beside it.
func (Dialect) Snapshot(p string) (file string, ok bool) {
	if rest, ok := strings.CutSuffix(p, ".snap"); ok && path.Base(path.Dir(p)) == "__snapshots__" && isSource(rest) {
		return path.Join(path.Dir(path.Dir(p)), path.Base(rest)), true
	}
	if rest, ok := strings.CutSuffix(p, ".snapshot"); ok && isSource(rest) {
		return rest, true
	}
	return "", false
}

// An entry is one expectation of a snapshot file, with the number of the test that it is of, -1
// where no test is known.
type entry struct {
	node *node
	test int
	text string
}

// entries reads a snapshot file: statements "exports[`title 1`] = …". Jest joins titles by a
// space, Vitest and node:test by " > "; a hint follows after ": ", the number of the call last.
func entries(p string, data []byte, tests []titled) ([]entry, *node, error) {
	root, bad, err := parse("a.js", data)
	if err != nil {
		return nil, nil, err
	}
	if bad > 0 {
		return nil, nil, fmt.Errorf("parse %s: syntax error at line %d", p, bad)
	}
	var out []entry
	for _, c := range root.All("expression_statement") {
		e := entry{node: c, test: -1, text: c.Text(data)}
		if k := code(c); len(k) == 1 && k[0].Kind == "assignment_expression" {
			if left := k[0].Get("left"); left != nil && left.Kind == "subscript_expression" {
				if key, ok := literal(left.Get("index"), data); ok {
					e.test = entryOf(key, tests)
				}
			}
		}
		out = append(out, e)
	}
	return out, root, nil
}

// entryOf is the test of a key, by its titles: an exact one first, then by the most fixed text.
func entryOf(key string, tests []titled) int {
	i := strings.LastIndexByte(key, ' ')
	if i < 0 || strings.Trim(key[i+1:], "0123456789") != "" {
		return -1
	}
	key = key[:i]
	best, length := -1, -1
	for n, t := range tests {
		name := unnumbered(t.function)
		for _, f := range []string{name, strings.ReplaceAll(name, separator, " ")} {
			fixed := matches(f, key)
			switch {
			case key == f:
				fixed = 1 << 30
			case strings.HasPrefix(key, f+": ") || strings.HasPrefix(key, f+separator):
				fixed = 1<<20 + len(f)
			}
			if fixed > length {
				best, length = n, fixed
			}
		}
	}
	return best
}

// snapshots are the entries of each test of a file, for its digest.
func snapshots(t lang.Files, s *source, tests []titled) map[int][]string {
	out := map[int][]string{}
	for _, p := range snapshotFiles(t, s.path) {
		f, ok, err := t.Read(p)
		if err != nil || !ok || f.Mode == model.ModeSymlink {
			continue
		}
		found, _, err := entries(p, f.Data, tests)
		if err != nil {
			continue // its entries are nobody's
		}
		for _, e := range found {
			if e.test >= 0 {
				out[e.test] = append(out[e.test], e.text)
			}
		}
	}
	return out
}

// snapshot removes the entries of hidden tests from a snapshot file.
func (r *removal) snapshot(s *source, p string) (model.TreeChange, error) {
	if r.doomed[s] {
		return model.TreeChange{Path: p, Delete: true}, nil
	}
	f, ok, err := r.g.t.Read(p)
	if err != nil || !ok || f.Mode == model.ModeSymlink {
		return model.TreeChange{}, err
	}
	tests := s.tests()
	if !slices.ContainsFunc(tests, func(t titled) bool { return r.hidden[t.decl] || r.hidden[t.at] }) {
		return model.TreeChange{}, nil
	}
	found, root, err := entries(p, f.Data, tests)
	if err != nil {
		return model.TreeChange{}, fmt.Errorf("hide snapshot entries: %w", err)
	}
	e := &editor{src: f.Data, parent: map[*node]*node{}, dead: map[*node]bool{}}
	for _, c := range root.Children {
		e.parent[c] = root
	}
	left := 0
	for _, x := range found {
		if x.test >= 0 && (r.hidden[tests[x.test].decl] || r.hidden[tests[x.test].at]) {
			e.dead[x.node] = true
		} else {
			left++
		}
	}
	if len(e.dead) == 0 {
		return model.TreeChange{}, nil
	}
	if left == 0 {
		return model.TreeChange{Path: p, Delete: true}, nil
	}
	var edits []syntax.Edit
	for _, x := range found {
		if e.dead[x.node] {
			edits = append(edits, e.statement(x.node))
		}
	}
	return model.TreeChange{Path: p, Mode: f.Mode, Data: syntax.Apply(f.Data, edits)}, nil
}
