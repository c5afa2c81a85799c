package python

import (
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// outside are the check files beyond a graph, by their words alone: a declaration of the graph
// that one of them could use stays.
type outside struct {
	words map[string]map[string]bool // by path
	texts map[string][]byte
}

func newOutside(t lang.Files, g *graph) *outside {
	o := &outside{words: map[string]map[string]bool{}, texts: map[string][]byte{}}
	for _, p := range t.Paths() {
		if kind(p) != model.CheckFile || g.files[p] != nil {
			continue
		}
		f, ok, err := t.Read(p)
		if err != nil || !ok || f.Mode&0o170000 == 0o120000 {
			continue
		}
		o.texts[p] = f.Data
		o.words[p] = wordsOf(f.Data)
	}
	return o
}

// wordsOf are the identifiers in a text, comments and strings too.
func wordsOf(data []byte) map[string]bool {
	out := map[string]bool{}
	start := -1
	for i := 0; i <= len(data); i++ {
		if i < len(data) && (data[i] == '_' || data[i] >= 0x80 || data[i]|0x20 >= 'a' && data[i]|0x20 <= 'z' || data[i] >= '0' && data[i] <= '9') {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out[string(data[start:i])] = true
			start = -1
		}
	}
	return out
}

// module is the word by which a file is imported.
func module(p string) string {
	if stem := strings.TrimSuffix(path.Base(p), ".py"); stem != "__init__" {
		return stem
	}
	return path.Base(path.Dir(p))
}

// names reports whether a file beyond the graph has the module's word.
func (o *outside) names(p string) bool {
	for _, w := range o.words {
		if w[module(p)] {
			return true
		}
	}
	return false
}

// uses reports whether a file beyond the graph can use d: it has its name and, where d is not
// in a conftest.py above it, the word of d's module.
func (o *outside) uses(d *decl) bool {
	if d.what == isImport && path.Base(d.file.path) != "conftest.py" {
		return false
	}
	dir := path.Dir(d.file.path)
	for p, w := range o.words {
		if path.Base(d.file.path) == "conftest.py" && (dir == "." || strings.HasPrefix(p, dir+"/")) {
		} else if !w[module(d.file.path)] {
			continue
		}
		for _, n := range append([]string{d.fixture}, d.names...) {
			if n != "" && w[n] {
				return true
			}
		}
	}
	return false
}
