package jvm

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// kind knows the standard layout, src/<set>/<language>, in any module; sets whose name speaks
// of tests hold checks. A tree of the older layout has test or tests at the root of a module.
// Sources of the other of the two languages are production of theirs alone: a change belongs to
// one language.
func kind(language, p string) model.Kind {
	dirs, name := lang.Split(p)
	ext := path.Ext(name)
	source := ext == ".java" || ext == ".kt"
	switch general := lang.Kind(p); {
	case general == model.Vendored:
		return general
	case name == "":
		return model.Other
	case buildFile(dirs, name):
		return model.Configuration
	case produced(dirs):
		return model.Generated
	}
	switch set, rest := sourceSet(dirs); {
	case testSet(set):
		if source {
			return model.CheckFile
		}
		return model.CheckData
	case set == "main" && len(rest) > 0 && rest[0] == "resources":
		return model.Production
	case set == "jmh" || set == "site":
		return model.Docs
	case set == "" && source && (lang.In(dirs, "test", "tests")) && !lang.In(dirs, "main"):
		return model.CheckFile
	case set == "" && len(dirs) > 0 && (dirs[0] == "test" || dirs[0] == "tests") && lang.Kind(p) == model.Other:
		return model.CheckData
	case set == "main" && source, lang.Kind(p) == model.Other && source:
		if ext == extension(language) {
			return model.Production
		}
		return model.Other
	}
	return lang.Kind(p)
}

func extension(language string) string {
	if language == "kotlin" {
		return ".kt"
	}
	return ".java"
}

// buildFile knows what describes a build.
func buildFile(dirs []string, name string) bool {
	switch name {
	case "pom.xml", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "gradle.properties", "lombok.config", "testng.xml":
		return true
	}
	return strings.HasSuffix(name, ".gradle") || strings.HasSuffix(name, ".gradle.kts") || strings.HasSuffix(name, ".versions.toml") ||
		lang.In(dirs, ".mvn", "buildSrc", "build-logic") || len(dirs) > 0 && dirs[0] == "gradle"
}

// produced knows the folders of tools' output.
func produced(dirs []string) bool {
	for i, d := range dirs {
		switch d {
		case "target", "build", "out", "bin":
			if !slices.Contains(dirs[:i], "src") {
				return true
			}
		case "generated", "generated-sources", "generated-test-sources", "src-gen":
			return true
		}
	}
	return false
}

// sourceSet is the source set of src/<set>/<language>/…, and the folders below it; "" where
// the folders have no such form.
func sourceSet(dirs []string) (set string, rest []string) {
	for i, d := range dirs {
		if d == "src" && i+2 < len(dirs) {
			switch dirs[i+2] {
			case "java", "kotlin", "resources", "groovy", "scala", "proto", "resources-filtered", "antlr4":
				return dirs[i+1], dirs[i+2:]
			}
		}
		if d == "src" && i+1 < len(dirs) && (dirs[i+1] == "test" || dirs[i+1] == "main" || dirs[i+1] == "site") {
			return dirs[i+1], dirs[i+2:]
		}
	}
	return "", nil
}

// testSet reports whether a source set holds tests: test, integrationTest, commonTest, it,
// testFixtures.
func testSet(set string) bool {
	lower := strings.ToLower(set)
	return lower == "it" || strings.HasPrefix(lower, "test") || strings.HasSuffix(lower, "test") || strings.HasSuffix(lower, "tests")
}
