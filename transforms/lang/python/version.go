package python

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// unknownVersion stands where no file of the tree tells a version.
const unknownVersion = "1.0.0"

var (
	changelogVersion = regexp.MustCompile(`(?m)^(?:[#=*\-\s]*)(?:\[?[vV]ersion\s+|\[?[A-Za-z][\w.-]*\s+)?\[?v?(\d+\.\d+(?:\.\d+)*)\b`)
	tagBackends      = []string{"setuptools-scm", "hatch-vcs", "pbr", "poetry-dynamic-versioning", "versioningit",
		"setuptools-git-versioning", "flit-scm", "dunamai", "hatch-regex-commit"}
)

// versionEnv gives a version to back ends that read it from tags, since a state has none: the
// newest version that the changelog names.
func versionEnv(t lang.Files, p table, s setup) []string {
	tagged := s.tagged || p.text("tool", "pdm", "version", "source") == "scm" || p.table("tool", "setuptools_scm") != nil
	for _, r := range p.list("build-system", "requires") {
		tagged = tagged || slices.Contains(tagBackends, nameOf(r))
	}
	if !tagged {
		return nil
	}
	v := changelog(t)
	return []string{
		"SETUPTOOLS_SCM_PRETEND_VERSION=" + v,
		"PBR_VERSION=" + v,
		"PDM_BUILD_SCM_VERSION=" + v,
		"POETRY_DYNAMIC_VERSIONING_BYPASS=" + v,
	}
}

// changelog is the first version that a heading of a changelog names.
func changelog(t lang.Files) string {
	for _, p := range t.Paths() {
		name := strings.ToLower(p[strings.LastIndexByte(p, '/')+1:])
		stem, _, _ := strings.Cut(name, ".")
		if strings.Count(p, "/") > 2 || !slices.Contains([]string{"changelog", "changes", "history", "news", "release_notes", "release-notes"}, stem) {
			continue
		}
		data, ok := manifest(t, p)
		if !ok {
			continue
		}
		if m := changelogVersion.FindSubmatch(data); m != nil {
			return string(m[1])
		}
	}
	return unknownVersion
}
