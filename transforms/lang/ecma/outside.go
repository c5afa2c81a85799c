package ecma

import (
	"bytes"
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// outside are the check files beyond a graph, data that is code, and the project's
// configuration, by their text alone: a declaration of the graph that one of them could use
// stays.
type outside struct {
	words map[string]map[string]bool // by path
	texts map[string][]byte
}

const maxOutside = 1 << 20 // bytes of one file; longer ones are data

func newOutside(g *graph) *outside {
	o := &outside{words: map[string]map[string]bool{}, texts: map[string][]byte{}}
	for _, p := range g.t.Paths() {
		k := g.dialect.Kind(p)
		if g.files[p] != nil || k != model.CheckFile && k != model.Configuration && !(k == model.CheckData && isSource(p)) {
			continue
		}
		f, ok, err := g.t.Read(p)
		if err != nil || !ok || f.Mode == model.ModeSymlink || len(f.Data) > maxOutside || locks(path.Base(p)) {
			continue
		}
		o.texts[p] = f.Data
	}
	return o
}

// locks reports whether a file lists what is installed: it names everything and uses nothing.
func locks(name string) bool {
	return name == "package-lock.json" || name == "yarn.lock" || name == "pnpm-lock.yaml" || name == "npm-shrinkwrap.json"
}

// module is what names a file in an import: its name without the extension, or its folder's
// where it is an index.
func module(p string) string {
	name := path.Base(p)
	stem := strings.TrimSuffix(name, path.Ext(name))
	if stem == "index" {
		return path.Base(path.Dir(p))
	}
	return stem
}

// names reports whether a file beyond the graph has the module's name in a path.
func (o *outside) names(p string) bool {
	for _, t := range o.texts {
		if inPath(t, module(p)) {
			return true
		}
	}
	return false
}

// inPath reports whether a text has a word as the last part of a path or module name.
func inPath(text []byte, stem string) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(stem))
		if i < 0 || stem == "" {
			return false
		}
		start := at + i
		end := start + len(stem)
		if start > 0 && strings.IndexByte("/\"'`", text[start-1]) >= 0 && end < len(text) && strings.IndexByte("/.\"'` ", text[end]) >= 0 {
			return true
		}
		at = start + 1
	}
}

// uses reports whether a file beyond the graph can use d: it names d's module, or a folder whose
// index that is, and d's name.
func (o *outside) uses(d *decl) bool {
	if d.owner != nil || d.what == isImport || d.what == isMock || d.what == isAttach {
		return false
	}
	names := d.names
	if d.what == isExport {
		names = []string{d.exp.name}
	}
	index := strings.HasPrefix(path.Base(d.file.path), "index.")
	for p, text := range o.texts {
		if !index && !inPath(text, module(d.file.path)) {
			continue
		}
		if o.words[p] == nil {
			o.words[p] = wordsOf(text)
		}
		for _, n := range names {
			if n == "" || n == "default" || n == "*" || o.words[p][n] {
				return true
			}
		}
	}
	return false
}
