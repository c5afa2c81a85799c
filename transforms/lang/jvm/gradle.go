package jvm

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// Gradle's build files are programs. Only what stands there as plain literals, or by a name that
// script puts a literal for, is read; what is built up by code is not guessed at.
var (
	rootName      = regexp.MustCompile(`(?m)^\s*rootProject\.name\s*=\s*["']([^"'$]+)["']`)
	included      = regexp.MustCompile(`(?m)^\s*include\s*\(?\s*((?:["'][^"'$]+["']\s*,?\s*)+)\)?`)
	literal       = regexp.MustCompile(`["']([^"'$]+)["']`)
	gradleDep     = regexp.MustCompile(`(?m)^\s*(api|implementation|compileOnly|runtimeOnly|testImplementation|testRuntimeOnly|testCompileOnly|annotationProcessor|testAnnotationProcessor|kapt|ksp|testFixturesApi|compile|testCompile)\b\s*\(?\s*(.*)$`)
	coordinates   = regexp.MustCompile(`^["']([\w.\-]+):([\w.\-]+)(?::([\w.\-]+))?["']\s*\)?\s*(?:\{.*)?$`)
	kotlinDep     = regexp.MustCompile(`^kotlin\(\s*["']([\w-]+)["']\s*\)\s*\)?$`)
	bomDep        = regexp.MustCompile(`^(?:platform|enforcedPlatform)\(\s*["']([\w.\-]+):([\w.\-]+):([\w.\-]+)["']\s*\)\s*\)?$`)
	kotlinPlugin  = regexp.MustCompile(`(?:kotlin\(\s*["']jvm["']\s*\)|id\s*\(?\s*["']org\.jetbrains\.kotlin\.jvm["']\s*\)?)\s*version\s*\(?\s*["']([\w.\-]+)["']`)
	otherPlugins  = regexp.MustCompile(`com\.android\.|org\.jetbrains\.kotlin\.(?:android|multiplatform|plugin\.[\w.]+|kapt)|["']kotlin-(?:android|kapt|multiplatform)["']|kotlin\(\s*["'](?:android|multiplatform|plugin\.[\w.]+|kapt)["']|com\.google\.devtools\.ksp|["']antlr["']|com\.google\.protobuf|sourceSets\s*\{|\bsrcDirs?\s*[(=]|org\.springframework\.boot|io\.micronaut`)
	toolchainLine = regexp.MustCompile(`(?:jvmToolchain\s*\(\s*|languageVersion\s*(?:=|\.set\()\s*JavaLanguageVersion\.of\(\s*)(\d+)`)
	targetLine    = regexp.MustCompile(`\b(?:JavaVersion\.VERSION|JvmTarget\.JVM)_(?:1_)?(\d+)`)
)

// gradle adds the projects that the settings name.
func (l *layout) gradle(t lang.Files) {
	l.catalog, l.properties = catalogOf(t, l.root), propertiesOf(t, l.root)
	settings := l.script(t, l.root, "settings.gradle")
	name := "root"
	if m := rootName.FindStringSubmatch(settings); m != nil {
		name = m[1]
	}
	add := func(dir, name string) {
		if l.byDir[dir] == nil && len(l.projects) < maxModules {
			m := &project{dir: dir, name: name}
			l.projects, l.byDir[dir] = append(l.projects, m), m
		}
	}
	add(l.root, name)
	for _, m := range included.FindAllStringSubmatch(settings, maxModules) {
		for _, s := range literal.FindAllStringSubmatch(m[1], maxModules) {
			p := strings.Trim(strings.ReplaceAll(s[1], ":", "/"), "/")
			if p == "" || strings.Contains(p, "..") {
				continue
			}
			add(path.Join(l.root, p), path.Base(p))
		}
	}
}

// script is a build file in either of Gradle's languages, without comments, with literals where it
// names what the catalog, its own constants or gradle.properties hold.
func (l *layout) script(t lang.Files, dir, name string) string {
	for _, n := range []string{name, name + ".kts"} {
		if s, ok := text(t, path.Join(dir, n)); ok {
			return interpolate(l.catalog.expand(plainScript(s)), l.properties)
		}
	}
	return ""
}

var comments = regexp.MustCompile(`(?s)/\*.*?\*/`)

// plainScript drops comments; a // inside a string (a URL) stays.
func plainScript(s string) string {
	s = comments.ReplaceAllString(s, "")
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if cut := strings.Index(line, "//"); cut >= 0 && strings.Count(line[:cut], `"`)%2 == 0 && strings.Count(line[:cut], "'")%2 == 0 {
			line = line[:cut]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// A simple is a Gradle project of one source set whose build file says all that is needed to
// build it otherwise.
type simple struct {
	name         string
	kotlin       string // version of the plugin; "" for Java alone
	release      string
	dependencies []gradleDependency
	boms         []dependency
}

type gradleDependency struct {
	dependency
	kotlin string // kotlin("test"): the artifact without kotlin-
}

// simpleGradle reads such a project; why says what stands in the way.
func (l *layout) simpleGradle(t lang.Files) (s simple, why string) {
	if len(l.projects) != 1 {
		return s, "the build has more than one project"
	}
	build := l.script(t, l.root, "build.gradle")
	if build == "" {
		return s, "the build has no build file"
	}
	if m := otherPlugins.FindString(build); m != "" {
		return s, "the build uses " + m
	}
	s.name = l.projects[0].name
	if strings.Contains(build, "kotlin") {
		// The settings may name the version of a plugin that the build file takes without one.
		m := kotlinPlugin.FindStringSubmatch(build + "\n" + l.script(t, l.root, "settings.gradle"))
		if m == nil {
			return s, "the version of the Kotlin plugin is no literal"
		}
		s.kotlin = m[1]
	}
	s.release = javaRelease(build)
	for _, m := range gradleDep.FindAllStringSubmatch(dependencyBlock(build), 1000) {
		rest := strings.TrimSpace(m[2])
		scope := scopes[m[1]]
		if b := bomDep.FindStringSubmatch(rest); b != nil {
			s.boms = append(s.boms, dependency{Group: b[1], Artifact: b[2], Version: b[3]})
			continue
		}
		if k := kotlinDep.FindStringSubmatch(rest); k != nil {
			s.dependencies = append(s.dependencies, gradleDependency{dependency: dependency{Scope: scope}, kotlin: k[1]})
			continue
		}
		c := coordinates.FindStringSubmatch(rest)
		if c == nil {
			return s, "a dependency is no literal: " + oneLine(m[0])
		}
		s.dependencies = append(s.dependencies, gradleDependency{dependency: dependency{Group: c[1], Artifact: c[2], Version: c[3], Scope: scope}})
	}
	return s, ""
}

// javaRelease is the Java of a build's toolchain, else the one that it compiles for; "" where it
// says neither.
func javaRelease(build string) string {
	for _, re := range []*regexp.Regexp{toolchainLine, targetLine} {
		if m := re.FindStringSubmatch(build); m != nil {
			return m[1]
		}
	}
	return ""
}

var scopes = map[string]string{
	"api": "compile", "implementation": "compile", "compile": "compile", "compileOnly": "provided", "runtimeOnly": "runtime",
	"testImplementation": "test", "testCompile": "test", "testRuntimeOnly": "test", "testCompileOnly": "test", "testFixturesApi": "test",
	"annotationProcessor": "provided", "testAnnotationProcessor": "test", "kapt": "provided", "ksp": "provided",
}

// dependencyBlock is the text of the top-level dependencies block: that of buildscript is no
// dependency of the project.
func dependencyBlock(build string) string {
	at := regexp.MustCompile(`(?m)^dependencies\s*\{`).FindStringIndex(build)
	if at == nil {
		return ""
	}
	open := 0
	for i := at[1] - 1; i < len(build); i++ {
		switch build[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return build[at[1]:i]
			}
		}
	}
	return build[at[1]:]
}

// pom is the pom.xml that builds the same with Maven, laid outside the tree.
func (s simple) pom(junit bool) string {
	var b strings.Builder
	b.WriteString(`<project><modelVersion>4.0.0</modelVersion><groupId>taskmill.gradle</groupId>`)
	b.WriteString("<artifactId>" + escape(s.name) + "</artifactId><version>0</version><properties><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>")
	release := s.release
	if release == "" {
		release = "11"
	}
	target := release // of the Kotlin compiler
	if target == "8" {
		target = "1.8"
	}
	b.WriteString("<maven.compiler.release>" + release + "</maven.compiler.release></properties>\n<dependencyManagement><dependencies>")
	if s.kotlin != "" {
		b.WriteString("<dependency><groupId>org.jetbrains.kotlin</groupId><artifactId>kotlin-bom</artifactId><version>" + s.kotlin + "</version><type>pom</type><scope>import</scope></dependency>")
	}
	for _, d := range s.boms {
		b.WriteString("<dependency><groupId>" + d.Group + "</groupId><artifactId>" + d.Artifact + "</artifactId><version>" + d.Version + "</version><type>pom</type><scope>import</scope></dependency>")
	}
	b.WriteString("</dependencies></dependencyManagement>\n<dependencies>\n")
	deps := slices.Clone(s.dependencies)
	if s.kotlin != "" {
		deps = append(deps, gradleDependency{dependency: dependency{Group: "org.jetbrains.kotlin", Artifact: "kotlin-stdlib", Scope: "compile"}})
	}
	for _, d := range deps {
		if d.kotlin != "" {
			d.Group, d.Artifact = "org.jetbrains.kotlin", "kotlin-"+d.kotlin
			if d.kotlin == "test" && junit {
				d.Artifact = "kotlin-test-junit5" // as the plugin chooses under useJUnitPlatform
			} else if d.kotlin == "test" {
				d.Artifact = "kotlin-test-junit"
			}
		}
		b.WriteString("<dependency><groupId>" + d.Group + "</groupId><artifactId>" + d.Artifact + "</artifactId>")
		if d.Version != "" {
			b.WriteString("<version>" + d.Version + "</version>")
		}
		b.WriteString("<scope>" + d.Scope + "</scope></dependency>\n")
	}
	b.WriteString("</dependencies>\n<build><directory>${taskmill.testbed}/build/taskmill</directory>")
	b.WriteString("<sourceDirectory>${taskmill.testbed}/src/main/java</sourceDirectory><testSourceDirectory>${taskmill.testbed}/src/test/java</testSourceDirectory>")
	b.WriteString("\n<resources><resource><directory>${taskmill.testbed}/src/main/resources</directory></resource></resources>" +
		"<testResources><testResource><directory>${taskmill.testbed}/src/test/resources</directory></testResource></testResources>\n<plugins>")
	if s.kotlin != "" {
		b.WriteString("<plugin><groupId>org.jetbrains.kotlin</groupId><artifactId>kotlin-maven-plugin</artifactId><version>" + s.kotlin + "</version>")
		b.WriteString("<configuration><jvmTarget>" + target + "</jvmTarget></configuration><executions>")
		for _, g := range []struct{ goal, phase, dir string }{{"compile", "process-sources", "main"}, {"test-compile", "process-test-sources", "test"}} {
			b.WriteString("<execution><id>" + g.goal + "</id><phase>" + g.phase + "</phase><goals><goal>" + g.goal + "</goal></goals><configuration><sourceDirs>" +
				"<sourceDir>${taskmill.testbed}/src/" + g.dir + "/kotlin</sourceDir><sourceDir>${taskmill.testbed}/src/" + g.dir + "/java</sourceDir></sourceDirs></configuration></execution>")
		}
		b.WriteString("</executions></plugin>")
	}
	b.WriteString("<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-compiler-plugin</artifactId><version>3.14.0</version></plugin>" +
		"<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>")
	b.WriteString("</plugins></build></project>\n")
	return b.String()
}

func escape(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r == '&' || r == '"' {
			return '_'
		}
		return r
	}, s)
}
