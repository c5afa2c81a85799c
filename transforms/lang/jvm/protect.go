package jvm

import (
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

var protectedGlobs = []string{"**/pom.xml", "**/*.gradle", "**/*.gradle.kts", "**/gradle.properties", "gradle/**", "buildSrc/**", ".mvn/**",
	"**/junit-platform.properties", "**/testng*.xml", "**/META-INF/services/org.junit.*", "**/META-INF/services/org.testng.*"}

// Protected reports whether a path steers the build or the runner: build files, which decide
// what is compiled and how tests are run, the runners' own settings, and services that the
// runners load: listeners, engines, extensions, interceptors. A pom is protected whole: each of
// its sections can change what runs.
func (r Runner) Protected(p string) bool {
	dirs, name := lang.Split(p)
	switch {
	case buildFile(dirs, name), name == "junit-platform.properties", strings.HasPrefix(name, "testng") && strings.HasSuffix(name, ".xml"),
		strings.HasSuffix(name, ".argfile") && len(dirs) == 0:
		return true
	case len(dirs) >= 2 && dirs[len(dirs)-1] == "services" && dirs[len(dirs)-2] == "META-INF":
		return strings.HasPrefix(name, "org.junit.") || strings.HasPrefix(name, "org.testng.") || strings.HasPrefix(name, "javax.annotation.processing.") ||
			strings.HasPrefix(name, "java.util.spi.") || strings.HasPrefix(name, "java.nio.file.spi.")
	case len(dirs) > 0 && (dirs[0] == ".taskmill" || lang.In(dirs, "taskmill")) && sourceName(name):
		// A class of our launchers' package would be loaded in their place.
		return true
	}
	// Sources in the runners' packages would be loaded in their place.
	path := strings.Join(dirs, "/") + "/"
	return sourceName(name) && (strings.Contains(path, "/org/junit/") || strings.Contains(path, "/org/testng/") || strings.Contains(path, "/org/opentest4j/") || strings.Contains(path, "/junit/framework/"))
}

func sourceName(name string) bool {
	return strings.HasSuffix(name, ".java") || strings.HasSuffix(name, ".kt") || strings.HasSuffix(name, ".class")
}

// Restore is want: a build file steers as a whole.
func (Runner) Restore(p string, want, have []byte) []byte { return want }
