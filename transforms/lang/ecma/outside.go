package ecma

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// outside are the check files beyond a graph, data that is code, and the project's
// configuration, by their text alone: a declaration of the graph that one of them could use
// stays.
type outside struct {
	words map[string]map[string]bool // by path
	texts map[string][]byte
	named map[string][]string // file of the graph → files beyond it that name it
}

const (
	maxOutside = 1 << 20 // bytes of one check file; longer ones are data
	maxConfig  = 1 << 16 // of one file of configuration; longer ones are programs put beside
)

func newOutside(g *graph) *outside {
	o := &outside{words: map[string]map[string]bool{}, texts: map[string][]byte{}, named: map[string][]string{}}
	for _, p := range g.t.Paths() {
		k := g.dialect.Kind(p)
		if g.files[p] != nil || k != model.CheckFile && k != model.Configuration && !(k == model.CheckData && isSource(p)) {
			continue
		}
		f, ok, err := g.t.Read(p)
		if err != nil || !ok || f.Mode == model.ModeSymlink || len(f.Data) > maxOutside || k == model.Configuration && len(f.Data) > maxConfig || locks(path.Base(p)) {
			continue
		}
		o.texts[p] = f.Data
	}
	for _, p := range sorted(o.texts) {
		for f := range o.mentioned(g, p) {
			o.named[f] = append(o.named[f], p)
		}
	}
	return o
}

// quoted are the strings of a text, as far as quotes tell.
var quoted = regexp.MustCompile("'([^'\n]{1,300})'|\"([^\"\n]{1,300})\"|`([^`\n]{1,300})`")

// mentioned are the files of the graph that a text names in a string: as a module that leads
// there, or by the end of its path.
func (o *outside) mentioned(g *graph, from string) map[string]bool {
	out := map[string]bool{}
	seen := map[string]bool{}
	for _, m := range quoted.FindAllSubmatch(o.texts[from], -1) {
		lit := string(m[1]) + string(m[2]) + string(m[3])
		if seen[lit] {
			continue
		}
		seen[lit] = true
		if strings.HasPrefix(lit, ".") && isSource(from) {
			if f, ok := g.layout.find(from, lit); ok && g.files[f] != nil {
				out[f] = true
			}
			continue
		}
		base := path.Base(lit)
		for _, f := range g.order {
			name := path.Base(f)
			stem := strings.TrimSuffix(name, path.Ext(name))
			switch {
			case base == name && suffix(f, lit), strings.Contains(lit, "/") && base == stem && suffix(strings.TrimSuffix(f, path.Ext(f)), lit):
				out[f] = true
			case strings.Contains(lit, f): // "node --test test/a.js"
				out[f] = true
			case stem == "index" || strings.Contains(lit, stem):
				if t, ok := g.layout.find(from, lit); ok && t == f {
					out[f] = true
				}
			}
		}
	}
	return out
}

// suffix reports whether one of two paths ends in the other, whatever leads there.
func suffix(p, lit string) bool {
	lit = path.Clean("/" + strings.TrimPrefix(lit, "<rootDir>"))
	for strings.HasPrefix(lit, "/../") {
		lit = lit[3:]
	}
	return strings.HasSuffix("/"+p, lit) || strings.HasSuffix(lit, "/"+p)
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

// names reports whether a file beyond the graph names p.
func (o *outside) names(p string) bool { return len(o.named[p]) > 0 }

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

// uses reports whether a file beyond the graph can use d: it names d's file and has d's name.
func (o *outside) uses(d *decl) bool {
	if d.owner != nil || d.what == isImport || d.what == isMock || d.what == isAttach {
		return false
	}
	names := d.names
	if d.what == isExport {
		names = []string{d.exp.name}
	}
	for _, p := range o.named[d.file.path] {
		if o.words[p] == nil {
			o.words[p] = wordsOf(o.texts[p])
		}
		for _, n := range names {
			if n == "" || n == "default" || n == "*" || o.words[p][n] {
				return true
			}
		}
	}
	return false
}
