package jvm

import (
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

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
