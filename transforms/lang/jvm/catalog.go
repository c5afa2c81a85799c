package jvm

import (
	"path"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/taskmill/taskmill/transforms/lang"
)

// A catalog is what gradle/libs.versions.toml names, by alias as build files write it (words
// joined by points): a version, group:name:version, a plugin, or the libraries of a bundle.
type catalog struct {
	versions, libraries, plugins map[string]string
	bundles                      map[string][]string // libraries as literals
}

// catalogOf reads the default catalog of the build in a folder; without one, or with one that is
// no TOML, it names nothing.
func catalogOf(t lang.Files, dir string) catalog {
	s, _ := text(t, path.Join(dir, "gradle/libs.versions.toml"))
	var file struct {
		Versions, Libraries, Plugins map[string]any
		Bundles                      map[string][]string
	}
	if _, err := toml.Decode(s, &file); err != nil {
		return catalog{}
	}
	c := catalog{versions: map[string]string{}, libraries: map[string]string{}, plugins: map[string]string{}, bundles: map[string][]string{}}
	for alias, v := range file.Versions {
		if v := fixedVersion(v); v != "" {
			c.versions[pointed(alias)] = v
		}
	}
	for alias, v := range file.Libraries {
		if l := c.library(v); l != "" {
			c.libraries[pointed(alias)] = l
		}
	}
	for alias, v := range file.Plugins {
		if p := c.plugin(v); p != "" {
			c.plugins[pointed(alias)] = p
		}
	}
	for alias, names := range file.Bundles {
		for _, n := range names {
			l := c.libraries[pointed(n)]
			if l == "" {
				delete(c.bundles, pointed(alias))
				break
			}
			c.bundles[pointed(alias)] = append(c.bundles[pointed(alias)], l)
		}
	}
	return c
}

// pointed is an alias as Gradle's accessors have it.
func pointed(alias string) string { return strings.NewReplacer("-", ".", "_", ".").Replace(alias) }

var plainVersion = regexp.MustCompile(`^\w[\w.\-]*$`)

// fixedVersion is the one version that a value names: a text, or the strictest word of a table.
// A range or a prefix names none.
func fixedVersion(v any) string {
	switch v := v.(type) {
	case string:
		if plainVersion.MatchString(v) {
			return v
		}
	case map[string]any:
		for _, key := range []string{"strictly", "require", "prefer"} {
			if v := fixedVersion(v[key]); v != "" {
				return v
			}
		}
	}
	return ""
}

// version is that of a library or plugin; ok says that it names none or a fixed one.
func (c catalog) version(entry map[string]any) (version string, ok bool) {
	v, has := entry["version"]
	if !has {
		return "", true
	}
	if table, is := v.(map[string]any); is {
		if ref, is := table["ref"].(string); is {
			version = c.versions[pointed(ref)]
			return version, version != ""
		}
	}
	version = fixedVersion(v)
	return version, version != ""
}

// library is group:name or group:name:version; "" where that cannot be said.
func (c catalog) library(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		module, _ := v["module"].(string)
		if group, is := v["group"].(string); is && module == "" {
			name, _ := v["name"].(string)
			module = group + ":" + name
		}
		version, ok := c.version(v)
		switch {
		case module == "" || !ok:
			return ""
		case version == "":
			return module
		}
		return module + ":" + version
	}
	return ""
}

// plugin is how a build file would write it without a catalog.
func (c catalog) plugin(v any) string {
	var id, version string
	switch v := v.(type) {
	case string:
		id, version, _ = strings.Cut(v, ":")
	case map[string]any:
		id, _ = v["id"].(string)
		version, _ = c.version(v)
	}
	switch {
	case id == "":
		return ""
	case version == "":
		return `id("` + id + `")`
	}
	return `id("` + id + `") version "` + version + `"`
}

var (
	versionAccess = regexp.MustCompile(`\blibs\.versions\.([\w.]+?)\.get\(\)(\.toInt\(\)|\.toInteger\(\))?`)
	pluginAlias   = regexp.MustCompile(`\balias\s*\(?\s*libs\.plugins\.([\w.]+)\s*\)?`)
	bundleLine    = regexp.MustCompile(`(?m)^(.*)\blibs\.bundles\.([\w.]+)(.*)$`)
	libraryAccess = regexp.MustCompile(`\blibs\.([\w.]+)`)
)

// expand puts literals where a build file names what the catalog holds; a bundle's line becomes
// a line for each of its libraries. What is not known stays as it is.
func (c catalog) expand(build string) string {
	if len(c.versions)+len(c.libraries)+len(c.plugins) == 0 {
		return build
	}
	build = replaced(versionAccess, build, func(m []string) string {
		v := c.versions[m[1]]
		if v == "" || m[2] != "" {
			return v
		}
		return `"` + v + `"`
	})
	build = replaced(pluginAlias, build, func(m []string) string { return c.plugins[m[1]] })
	build = replaced(bundleLine, build, func(m []string) string {
		var lines []string
		for _, l := range c.bundles[m[2]] {
			lines = append(lines, m[1]+`"`+l+`"`+m[3])
		}
		return strings.Join(lines, "\n")
	})
	return replaced(libraryAccess, build, func(m []string) string {
		if l := c.libraries[m[1]]; l != "" {
			return `"` + l + `"`
		}
		return ""
	})
}

// replaced puts with's text where an expression matches; an empty one leaves the match.
func replaced(re *regexp.Regexp, s string, with func(groups []string) string) string {
	return re.ReplaceAllStringFunc(s, func(match string) string {
		if out := with(re.FindStringSubmatch(match)); out != "" {
			return out
		}
		return match
	})
}
