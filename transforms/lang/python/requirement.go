package python

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

const (
	maxManifest     = 1 << 20 // bytes of a manifest that is read
	maxRequirements = 2000
)

var (
	requirementName = regexp.MustCompile(`^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)`)
	separators      = regexp.MustCompile(`[-_.]+`)
)

// normal is a distribution's name as indexes compare it.
func normal(name string) string { return strings.ToLower(separators.ReplaceAllString(name, "-")) }

// nameOf is the normalised name of a requirement, "" where it has none.
func nameOf(requirement string) string {
	m := requirementName.FindStringSubmatch(requirement)
	if m == nil {
		return ""
	}
	return normal(m[1])
}

// A wish is what tests need: requirements by name, and extras of the project.
type wish struct {
	requirements []string
	extras       []string
}

// add takes one requirement as a person writes it. Options, local paths and the project itself
// are no requirements; the extras of ".[test]" are extras.
func (w *wish) add(line string) {
	line = strings.TrimSpace(line)
	for _, p := range []string{"-e ", "--editable ", "--editable="} {
		line = strings.TrimSpace(strings.TrimPrefix(line, p))
	}
	if m := ownExtras.FindStringSubmatch(line); m != nil {
		for e := range strings.SplitSeq(m[1], ",") {
			if e = strings.TrimSpace(e); e != "" {
				w.extras = append(w.extras, e)
			}
		}
		return
	}
	if line == "" || strings.ContainsAny(line, "{}$\n") || strings.HasPrefix(line, "-") ||
		strings.HasPrefix(line, ".") || strings.HasPrefix(line, "/") || nameOf(line) == "" {
		return
	}
	if i := strings.Index(line, " --hash"); i >= 0 {
		line = strings.TrimSpace(line[:i])
	}
	name, _, _ := strings.Cut(line, "#")
	if len(w.requirements) < maxRequirements && !strings.Contains(line, "file:") {
		w.requirements = append(w.requirements, strings.TrimSpace(name+afterEgg(line)))
	}
}

// afterEgg keeps the fragment of a requirement by address.
func afterEgg(line string) string {
	if i := strings.Index(line, "#"); i >= 0 && strings.Contains(line[:i], "://") {
		return strings.Fields(line[i:] + " ")[0]
	}
	return ""
}

var ownExtras = regexp.MustCompile(`^(?:\{toxinidir\}|\.)/?\[([A-Za-z0-9_.,\s-]+)\]$`)

// file reads a requirements file with those it includes.
func (w *wish) file(t lang.Files, p string, depth int) bool {
	data, ok := manifest(t, p)
	if !ok || depth > 5 {
		return false
	}
	text := strings.ReplaceAll(string(data), "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if i := strings.Index(line, " #"); i >= 0 {
			line = strings.TrimSpace(line[:i])
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		if inc, ok := included(line); ok {
			w.file(t, path.Join(path.Dir(p), inc), depth+1)
			continue
		}
		w.add(line)
	}
	return true
}

// included is the file that a line includes by -r.
func included(line string) (string, bool) {
	for _, p := range []string{"-r", "--requirement"} {
		if rest, ok := strings.CutPrefix(line, p); ok {
			rest = strings.TrimPrefix(strings.TrimSpace(rest), "=")
			rest = strings.TrimPrefix(strings.TrimSpace(rest), "{toxinidir}/")
			return strings.TrimSpace(rest), rest != ""
		}
	}
	return "", false
}

// lines reads requirement lines that stand in a configuration file (tox deps).
func (w *wish) lines(t lang.Files, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if i := strings.Index(line, " #"); i >= 0 || strings.HasPrefix(line, "#") {
			line = strings.TrimSpace(line[:max(i, 0)])
		}
		// A factor stands before a colon: "py37: importlib-metadata". Which factor applies
		// is not known; what a marker may decide is left to the marker.
		if m := toxFactor.FindStringSubmatch(line); m != nil {
			if strings.HasPrefix(m[1], "!") || toxOdd.MatchString(m[1]) {
				continue
			}
			line = m[2]
		}
		if inc, ok := included(line); ok {
			w.file(t, path.Clean(inc), 0)
			continue
		}
		w.add(line)
	}
}

var (
	toxFactor = regexp.MustCompile(`^([A-Za-z0-9_{},!.-]+):\s*(\S.*)$`)
	toxOdd    = regexp.MustCompile(`lint|docs|mypy|pypy|py2|nightly|main|master|lowest|oldest|min|dev`)
)

func (w *wish) merge(o wish) {
	w.requirements = append(w.requirements, o.requirements...)
	w.extras = append(w.extras, o.extras...)
}

// unique sorts and drops what is there twice, and the project itself.
func (w *wish) unique(self []string) {
	w.requirements = slices.DeleteFunc(w.requirements, func(r string) bool { return slices.Contains(self, nameOf(r)) })
	slices.Sort(w.requirements)
	w.requirements = slices.Compact(w.requirements)
	slices.Sort(w.extras)
	w.extras = slices.Compact(w.extras)
}

// manifest reads a regular file of bounded size.
func manifest(t lang.Files, p string) ([]byte, bool) {
	f, ok, err := t.Read(p)
	if err != nil || !ok || len(f.Data) > maxManifest || f.Mode&0o170000 == 0o120000 {
		return nil, false
	}
	return f.Data, true
}
