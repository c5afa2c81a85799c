package jvm

import (
	"path"
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

var (
	propertyLine  = regexp.MustCompile(`(?m)^[ \t]*([A-Za-z_]\w*)[ \t]*[=:][ \t]*([\w.\-]+)[ \t]*\r?$`)
	constant      = regexp.MustCompile(`(?m)^\s*(?:(?:private\s+|const\s+)*val\s+|def\s+|final\s+String\s+|(?:project\.)?ext\.)([A-Za-z_]\w*)(?:\s*:\s*String)?\s*=\s*["']([\w.\-]+)["']\s*;?\s*$`)
	interpolation = regexp.MustCompile(`\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))`)
)

// propertiesOf are the plain values of the build's gradle.properties, by name.
func propertiesOf(t lang.Files, dir string) map[string]string {
	s, _ := text(t, path.Join(dir, "gradle.properties"))
	out := map[string]string{}
	for _, m := range propertyLine.FindAllStringSubmatch(s, 1000) {
		out[m[1]] = m[2]
	}
	return out
}

// interpolate puts the values of a build file's own text constants, else of its properties, where
// its strings name them. A constant that gets two values is none.
func interpolate(build string, properties map[string]string) string {
	if !strings.Contains(build, "$") {
		return build
	}
	own := map[string]string{}
	for _, m := range constant.FindAllStringSubmatch(build, 1000) {
		if v, had := own[m[1]]; had && v != m[2] {
			m[2] = ""
		}
		own[m[1]] = m[2]
	}
	return replaced(interpolation, build, func(m []string) string {
		name := m[1] + m[2]
		if v, is := own[name]; is {
			return v
		}
		return properties[name]
	})
}
