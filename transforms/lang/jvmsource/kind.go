package jvmsource

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Kind says what a path is for in the language of an extension (".java", ".kt"), by its segments
// and names alone.
//
// Check files and check data of a source set are those of both languages, since one module's
// tests may be written in both and one runner runs them. Production code is that of the language
// alone, with the text resources beside it. In this order:
//
//   - vendored code as everywhere; snapshots and testdata folders are check_data;
//   - buildSrc, build-logic and Gradle scripts are configuration, build output is generated;
//   - below src, the source set decides: test, it, testFixtures and every set with the word test
//     in its name (integrationTest, jvmTest, androidTest) hold checks, with everything that is
//     not Java or Kotlin text as their data; site and changes are docs, as are examples and
//     benchmarks (jmh); generated is generated; every other set (main, jvmMain, debug) is
//     production, whatever its classes are called;
//   - without a source set, a test, tests or javatests folder above the sources, and class names
//     as runners know them (FooTest, TestFoo, FooTests, FooTestCase, FooIT), are checks.
func Kind(p, ext string) model.Kind {
	dirs, name := lang.Split(p)
	general := lang.Kind(p)
	switch {
	case general == model.Vendored:
		return general
	case lang.In(dirs, "testdata", "testData", "test-data", "__snapshots__", "test-fixtures"), snapshot(name):
		return model.CheckData
	case lang.In(dirs, "buildSrc", "build-logic", "buildLogic"), script(name):
		return model.Configuration
	case output(dirs):
		return model.Generated
	}
	if i := sourceSet(dirs); i >= 0 {
		return inSet(dirs, i, name, ext, general)
	}
	return loose(dirs, name, ext, general)
}

// Test reports whether the path is a Java or Kotlin check file.
func Test(p string) bool { return Kind(p, path.Ext(p)) == model.CheckFile }

func text(name string) bool { e := path.Ext(name); return e == ".java" || e == ".kt" }

func script(name string) bool {
	return strings.HasSuffix(name, ".gradle") || strings.HasSuffix(name, ".gradle.kts") || strings.HasSuffix(name, ".versions.toml")
}

// snapshot knows the files that approval and snapshot libraries write beside the tests.
func snapshot(name string) bool {
	parts := strings.Split(name, ".")
	return strings.HasSuffix(name, ".snap") || strings.HasSuffix(name, ".ss") ||
		len(parts) > 2 && slices.Contains([]string{"approved", "received"}, parts[len(parts)-2])
}

// output reports whether a build wrote the file: target, build or out above all sources.
func output(dirs []string) bool {
	for _, d := range dirs {
		switch d {
		case "src":
			return false
		case "target", "build", "out", "bin", ".gradle", ".kotlin":
			return true
		}
	}
	return false
}

// SourceSet is the source set that a path lies in, src/<set>/…; "" where it lies in none.
func SourceSet(p string) string {
	dirs, _ := lang.Split(p)
	if i := sourceSet(dirs); i >= 0 {
		return dirs[i]
	}
	return ""
}

// sourceSet is the index of the folder that names the source set, behind the first src; -1 where
// there is none.
func sourceSet(dirs []string) int {
	i := slices.Index(dirs, "src")
	if i < 0 || i+1 >= len(dirs) {
		return -1
	}
	set := dirs[i+1]
	if standard(set) || i+2 < len(dirs) && (roots[dirs[i+2]] || strings.HasPrefix(dirs[i+2], "java")) {
		return i + 1
	}
	return -1
}

// roots are the folders that a source set divides its files into.
var roots = map[string]bool{"java": true, "kotlin": true, "groovy": true, "scala": true, "resources": true, "generated": true, "proto": true, "antlr4": true, "webapp": true}

func standard(set string) bool {
	return set == "main" || checks(set) || strings.HasSuffix(set, "Main") || slices.Contains(docSets, set) || slices.Contains(confSets, set) ||
		set == "generated" || set == "gen"
}

var (
	docSets  = []string{"site", "changes", "docs", "doc", "samples", "sample", "example", "examples", "demo", "jmh", "benchmark", "benchmarks", "perf"}
	confSets = []string{"conf", "assembly", "checkstyle", "config", "etc", "license", "eclipse", "spotbugs"}
)

// checks reports whether a source set's name has the word test.
func checks(set string) bool {
	if set == "it" || set == "itest" || set == "its" {
		return true
	}
	for _, w := range camel(set) {
		if w == "test" || w == "tests" {
			return true
		}
	}
	return false
}

// camel cuts a name into its words, in lower case: integrationTest, test-unit.
func camel(name string) []string {
	var out []string
	start := 0
	runes := []rune(name)
	for i, r := range runes {
		cut := i > start && unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1])
		if r == '-' || r == '_' || cut {
			if i > start {
				out = append(out, strings.ToLower(string(runes[start:i])))
			}
			start = i
			if !cut {
				start++
			}
		}
	}
	if start < len(runes) {
		out = append(out, strings.ToLower(string(runes[start:])))
	}
	return out
}

func inSet(dirs []string, i int, name, ext string, general model.Kind) model.Kind {
	set := dirs[i]
	rest := dirs[i+1:]
	switch {
	case checks(set):
		// The projects of an invoker plugin are data of the tests that build them.
		if !text(name) || lang.In(rest, "src") || len(rest) > 0 && rest[0] == "resources" {
			return model.CheckData
		}
		return model.CheckFile
	case slices.Contains(docSets, set):
		return model.Docs
	case slices.Contains(confSets, set):
		return model.Configuration
	case set == "generated", set == "gen", lang.In(rest, "generated", "generated-sources"), general == model.Generated:
		return model.Generated
	case benchmark(dirs[:i]):
		return model.Docs
	case path.Ext(name) == ext:
		return model.Production
	case text(name):
		return model.Other
	case len(rest) > 0 && rest[0] == "resources" && textResource(rest, name):
		return model.Production
	case name == "package.html", name == "overview.html", lang.In(rest, "doc-files", "javadoc"):
		return model.Docs
	}
	return other(dirs, name, general)
}

// benchmark reports whether a module is one of examples or benchmarks.
func benchmark(dirs []string) bool {
	for _, d := range dirs {
		for _, w := range camel(d) {
			switch w {
			case "example", "examples", "sample", "samples", "demo", "demos", "benchmark", "benchmarks", "jmh":
				return true
			}
		}
	}
	return false
}

// textResource reports whether a resource of production code is text that its code reads.
// Pictures and archives are none: no patch of lines can hold them.
func textResource(dirs []string, name string) bool {
	if lang.In(dirs, "services") {
		return true
	}
	switch path.Ext(name) {
	case ".properties", ".xml", ".yml", ".yaml", ".json", ".conf", ".xsd", ".dtd", ".sql", ".factories", ".imports", ".csv", ".pro", ".ftl":
		return true
	}
	return false
}

// loose decides where there is no source set.
func loose(dirs []string, name, ext string, general model.Kind) model.Kind {
	inTests := false
	for _, d := range dirs {
		if d == "src" || d == "java" || d == "kotlin" {
			break
		}
		switch d {
		case "test", "tests", "javatests", "kotlintests", "testsrc", "testSrc", "src-test", "unittest", "unittests", "integration-tests", "integrationTests":
			inTests = true
		}
	}
	switch {
	case text(name) && (inTests || className(strings.TrimSuffix(name, path.Ext(name)))):
		return model.CheckFile
	case inTests && other(dirs, name, general) == model.Other:
		return model.CheckData
	case general == model.Docs || benchmark(dirs) && text(name):
		return model.Docs
	case lang.In(dirs, "generated", "generated-sources", "src-gen"), general == model.Generated:
		return model.Generated
	case path.Ext(name) == ext:
		return model.Production
	}
	return other(dirs, name, general)
}

// other adds what is of a general kind in JVM projects alone.
func other(dirs []string, name string, general model.Kind) model.Kind {
	lower := strings.ToLower(name)
	stem := strings.TrimSuffix(lower, path.Ext(lower))
	switch {
	case general != model.Other:
		return general
	case lang.In(dirs, "release-notes"), stem == "release-notes", stem == "releasenotes":
		return model.Docs
	case len(dirs) > 0 && (dirs[0] == "gradle" || dirs[0] == "config"), lower == "lombok.config", lower == "detekt.yml",
		strings.HasPrefix(lower, "checkstyle"), strings.HasPrefix(lower, "spotbugs"), strings.HasPrefix(lower, "proguard"),
		lower == "testng.xml", lower == "junit-platform.properties":
		return model.Configuration
	}
	return model.Other
}

// className reports whether runners take a class of this name for one of tests.
func className(stem string) bool {
	if rest, ok := strings.CutPrefix(stem, "Test"); ok && rest != "" && unicode.IsUpper([]rune(rest)[0]) {
		return true
	}
	for _, suffix := range []string{"Test", "Tests", "TestCase", "IT", "ITCase"} {
		if rest, ok := strings.CutSuffix(stem, suffix); ok && rest != "" {
			r := []rune(rest)
			if l := r[len(r)-1]; suffix[:2] != "IT" || unicode.IsLower(l) || unicode.IsDigit(l) {
				return true
			}
		}
	}
	return false
}
