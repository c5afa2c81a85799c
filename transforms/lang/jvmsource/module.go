package jvmsource

import (
	"bytes"
	"encoding/xml"
	"path"
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

const maxManifest = 1 << 20 // bytes of a manifest that are read

// Module is the name of the module that a path belongs to: the artifact of the nearest pom.xml,
// or the name of the nearest Gradle project. Without either it is "root".
func Module(t lang.Files, p string) string {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if data, ok := manifest(t, path.Join(dir, "pom.xml")); ok {
			if name := artifact(data); name != "" {
				return name
			}
		}
		for _, n := range []string{"build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"} {
			if _, ok := manifest(t, path.Join(dir, n)); ok {
				return gradleName(t, dir)
			}
		}
		if dir == "." {
			return "root"
		}
	}
}

func manifest(t lang.Files, p string) ([]byte, bool) {
	f, ok, err := t.Read(p)
	if err != nil || !ok || f.Mode&0o170000 == 0o120000 || len(f.Data) > maxManifest {
		return nil, false
	}
	return f.Data, true
}

// artifact is the artifactId of a project; "" where there is none.
func artifact(pom []byte) string {
	var project struct {
		XMLName    xml.Name `xml:"project"`
		ArtifactID string   `xml:"artifactId"`
	}
	if xml.NewDecoder(bytes.NewReader(pom)).Decode(&project) != nil {
		return ""
	}
	return strings.TrimSpace(project.ArtifactID)
}

var rootName = regexp.MustCompile(`(?m)^\s*rootProject\.name\s*=\s*["']([^"'$]+)["']`)

func gradleName(t lang.Files, dir string) string {
	if dir != "." {
		return path.Base(dir)
	}
	for _, n := range []string{"settings.gradle.kts", "settings.gradle"} {
		if data, ok := manifest(t, n); ok {
			if m := rootName.FindSubmatch(data); m != nil {
				return string(m[1])
			}
		}
	}
	return "root"
}
