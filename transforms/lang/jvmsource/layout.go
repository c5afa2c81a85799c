package jvmsource

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// A layout finds the check files that may declare a name of a package. Java's file names tell;
// where they do not (Kotlin, a second class in a file), the files of the folder are looked at.
type layout struct {
	t     lang.Files
	files []string            // check files, sorted
	stems map[string][]string // by name without extension
	dirs  map[string][]string // by folder
	of    map[string][]string // folders of a package
	heads map[string]map[string]bool
}

func newLayout(t lang.Files) *layout {
	l := &layout{t: t, stems: map[string][]string{}, dirs: map[string][]string{}, of: map[string][]string{}, heads: map[string]map[string]bool{}}
	for _, p := range t.Paths() {
		if !text(path.Base(p)) || !Test(p) {
			continue
		}
		l.files = append(l.files, p)
		stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
		l.stems[stem] = append(l.stems[stem], p)
		l.dirs[path.Dir(p)] = append(l.dirs[path.Dir(p)], p)
	}
	return l
}

// find lists the check files that may declare name in a package.
func (l *layout) find(pkg, name string) []string {
	var out []string
	for _, p := range l.stems[name] {
		if holds(path.Dir(p), pkg) {
			out = append(out, p)
		}
	}
	for _, d := range l.folders(pkg) {
		for _, p := range l.dirs[d] {
			if !slices.Contains(out, p) && l.head(p)[name] {
				out = append(out, p)
			}
		}
	}
	return out
}

// folders are the folders of check files that a package may have.
func (l *layout) folders(pkg string) []string {
	if out, ok := l.of[pkg]; ok {
		return out
	}
	out := []string{}
	for d := range l.dirs {
		if holds(d, pkg) {
			out = append(out, d)
		}
	}
	slices.Sort(out)
	l.of[pkg] = out
	return out
}

// holds reports whether a folder may be that of a package: it ends in the package's path, or, as
// Kotlin projects have it, the path below the source root is an end of the package's.
func holds(dir, pkg string) bool {
	want := strings.ReplaceAll(pkg, ".", "/")
	if want == "" {
		return roots[path.Base(dir)] || !lang.In(strings.Split(dir, "/"), "java", "kotlin")
	}
	if dir == want || strings.HasSuffix(dir, "/"+want) {
		return true
	}
	for _, root := range []string{"/kotlin", "/java"} {
		i := strings.LastIndex("/"+dir+"/", root+"/")
		if i < 0 {
			continue
		}
		rest := strings.Trim(("/" + dir + "/")[i+len(root):], "/")
		if rest == "" || strings.HasSuffix(want, "/"+rest) {
			return true
		}
	}
	return false
}

// topLevel matches what may declare a name at a file's top level: a line that is not indented.
var topLevel = regexp.MustCompile("(?m)^(?:@[\\w.]+(?:\\([^\\n]*\\))?[ \\t]+)*(?:[a-z-]+[ \\t]+)*(?:class|interface|enum|record|object|fun|val|var|typealias)[ \\t]+(?:<[^\\n]*?>[ \\t]*)?(?:[\\w.<>?, ]+\\.)?(?:([\\p{L}_$][\\p{L}\\p{N}_$]*)|`([^`\\n]+)`)")

// head are the names that a file may declare at its top level.
func (l *layout) head(p string) map[string]bool {
	if out, ok := l.heads[p]; ok {
		return out
	}
	out := map[string]bool{}
	if f, ok, err := l.t.Read(p); err == nil && ok && f.Mode&0o170000 != 0o120000 {
		for _, m := range topLevel.FindAllSubmatch(f.Data, -1) {
			out[string(m[1])+string(m[2])] = true
		}
	}
	l.heads[p] = out
	return out
}
