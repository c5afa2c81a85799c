package jvm

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// files makes a tree of path, content, path, content …
func files(pairs ...string) *tree.Tree {
	var out []model.File
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, model.File{Path: pairs[i], Mode: model.ModeFile, Data: []byte(pairs[i+1])})
	}
	return tree.Of(out...)
}

func TestFunction(t *testing.T) {
	for id, want := range map[string][2]string{
		"core:a.B#m":                                {"core:a.B", "a.B#m"},
		"core:a.B$C$D#m":                            {"core:a.B", "a.B$C$D#m"},
		"core:B#m(int, String)[2]":                  {"core:B", "B#m"},
		"core:a.B#m[0: f(1)=[x] (y)]":               {"core:a.B", "a.B#m"},
		"core:a.B#made[2][1]":                       {"core:a.B", "a.B#made"},
		"core:a.B#m{String}[1]":                     {"core:a.B", "a.B#m"},
		"core:a.B#reads a name (with care)()":       {"core:a.B", "a.B#reads a name (with care)"},
		"core:a.B#reads a name (with care)(int)[1]": {"core:a.B", "a.B#reads a name (with care)"},
		"core:a.B#a # b":                            {"core:a.B", "a.B#a # b"},
		"core:a.B#[class]":                          {"core:a.B", "a.B#[class]"},
		"core:com.example.FooTest#baz[1] a, b":      {"core:com.example.FooTest", "com.example.FooTest#baz"},
		"core:a.$Gen#m":                             {"core:a.$Gen", "a.$Gen#m"},
		"core:a.B":                                  {"core:a.B", ""},
		"":                                          {"", ""},
	} {
		unit, function := Runner{}.Function(id)
		if got := [2]string{unit, function}; got != want {
			t.Errorf("Function(%q) = %q, want %q", id, got, want)
		}
	}
}

const parentPom = `<project><groupId>org.x</groupId><artifactId>parent</artifactId><packaging>pom</packaging>
<modules><module>core</module><module>../out</module><module>gone</module></modules>
<profiles><profile><id>p</id><activation><activeByDefault>true</activeByDefault></activation><modules><module>more</module></modules></profile></profiles>
<properties><java.version>17</java.version><maven.compiler.release>${java.version}</maven.compiler.release><a>${b}</a><b>${a}</b></properties>
<build><pluginManagement><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>
<includes><include>**/*Spec.java</include><include>%regex[.*Check.*]</include></includes><excludes><exclude>**/slow/**</exclude></excludes></configuration></plugin></plugins></pluginManagement></build></project>`

func TestUnits(t *testing.T) {
	in := files(
		"pom.xml", parentPom,
		"core/pom.xml", `<project><parent><groupId>org.x</groupId><artifactId>parent</artifactId></parent><artifactId>core-${a}</artifactId></project>`,
		"more/pom.xml", `<project><parent><groupId>org.x</groupId><artifactId>parent</artifactId></parent><artifactId>more</artifactId></project>`,
		"side/pom.xml", `<project><artifactId>side</artifactId></project>`,
		"more/src/test/java/a/FooSpec.java", "/* package no; class No {} */\npackage a;\n@A(\"class X {\")\npublic class FooSpec { class In {} }\nclass Two {}\n",
		"more/src/test/java/a/FooTest.java", "package a; class FooTest {}",
		"more/src/test/java/a/OneChecks.java", "package a; final class OneChecks {}",
		"more/src/test/java/a/slow/FooSpec.java", "package a.slow; class FooSpec {}",
		"more/src/test/java/a/BaseSpec.java", "package a;\npublic abstract class BaseSpec { static class In {} }",
		"more/src/test/kotlin/Odd.kt", "@file:JvmName(\"x\")\npackage a.`in`\n\nfun f() = \"\"\"class Q { \"\"\"\n\nprivate val x = object { }\ninternal class OddSpec(val a: Int) { val q = '\"' }\n",
		"more/src/integrationTest/java/a/ItSpec.java", "package a; class ItSpec {}",
		"side/src/test/java/a/SideSpec.java", "package a; class SideSpec {}",
		"src/test/java/RootSpec.java", "class RootSpec {}",
	)
	want := map[string]string{
		"more/src/test/java/a/FooSpec.java":   "more:a.FooSpec",
		"more/src/test/java/a/OneChecks.java": "more:a.OneChecks",
		"more/src/test/kotlin/Odd.kt":         "more:a.in.OddSpec",
		"src/test/java/RootSpec.java":         "parent:RootSpec",
	}
	got := map[string]string{}
	r := Runner{Language: "kotlin"}
	for _, p := range in.Paths() {
		if unit, ok := r.Unit(in, p); ok {
			got[p] = unit
			if diff := cmp.Diff([]string{p}, r.UnitFiles(in, unit)); diff != "" {
				t.Errorf("files of %s (-want +got):\n%s", unit, diff)
			}
		}
	}
	// A folder with a pom.xml that no module names is not built.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	l, err := layoutOf(in)
	if err != nil {
		t.Fatal(err)
	}
	if n := l.release(in); n != 17 {
		t.Errorf("release %d, want 17", n)
	}
}

func TestNearby(t *testing.T) {
	in := files("pom.xml", "<project><artifactId>m</artifactId></project>",
		"src/main/java/a/Foo.java", "package a; public class Foo {}",
		"src/main/java/b/Bar.java", "package b; public class Bar {}",
		"src/test/java/a/FooTest.java", "package a; class FooTest {}",
		"src/test/java/a/OtherTest.java", "package a; class OtherTest {}",
		"src/test/java/c/UseTest.java", "package c; import a.Foo; class UseTest { Foo f; }",
		"src/test/java/c/CommentTest.java", "package c; class CommentTest { /* Foo */ }",
		"src/test/java/b/BarTest.java", "package b; class BarTest {}")
	got := Runner{Language: "java"}.Nearby(in, []string{"src/main/java/a/Foo.java", "README.md", "gone.java"})
	if diff := cmp.Diff([]string{"m:a.FooTest", "m:c.UseTest", "m:a.OtherTest"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProtected(t *testing.T) {
	for p, want := range map[string]bool{
		"pom.xml": true, "core/pom.xml": true, "build.gradle": true, "gradle.properties": true, "settings.gradle.kts": true, ".mvn/jvm.config": true,
		"gradle/wrapper/gradle-wrapper.jar": true, "src/test/resources/junit-platform.properties": true, "src/main/resources/junit-platform.properties": true,
		"src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener": true,
		"src/main/resources/META-INF/services/org.testng.ITestNGListener":                        true,
		"src/main/resources/META-INF/services/com.example.Spi":                                   false,
		"src/main/java/org/junit/platform/launcher/Launcher.java":                                true,
		"src/main/java/taskmill/Platform.java":                                                   true, "src/test/resources/testng-all.xml": true,
		"src/main/java/a/B.java": false, "src/main/resources/a.properties": false,
	} {
		if got := (Runner{Language: "java"}).Protected(p); got != want {
			t.Errorf("Protected(%q) = %v", p, got)
		}
	}
}

func TestUnfit(t *testing.T) {
	test := "import org.junit.jupiter.api.Test;\nclass ATest { @Test void a() {} }"
	for name, c := range map[string]struct {
		files  []string
		reason model.Reason
		detail string
	}{
		"no build":   {[]string{"src/test/java/ATest.java", test}, model.EnvironmentFailed, "no pom.xml and no build.gradle"},
		"no tests":   {[]string{"pom.xml", "<project/>", "src/main/java/A.java", "class A {}"}, model.EnvironmentFailed, "no tests"},
		"bad pom":    {[]string{"pom.xml", "<project>", "src/test/java/ATest.java", test}, model.EnvironmentFailed, "parse pom.xml"},
		"kotest":     {[]string{"pom.xml", "<project/>", "src/test/kotlin/A.kt", "import io.kotest.core.spec.style.StringSpec\nclass A : StringSpec()"}, model.EnvironmentFailed, "io.kotest"},
		"spock":      {[]string{"pom.xml", "<project/>", "src/test/groovy/A.groovy", "import spock.lang.Specification\nclass A extends Specification {}"}, model.EnvironmentFailed, "spock.lang"},
		"containers": {[]string{"pom.xml", "<project/>", "src/test/java/ATest.java", "import org.testcontainers.containers.GenericContainer;\n" + test}, model.NeedsService, "containers"},
		"android":    {[]string{"build.gradle", "plugins { id 'com.android.library' }", "src/test/java/ATest.java", test}, model.EnvironmentFailed, "Android"},
	} {
		_, err := Runner{Language: "kotlin"}.Recipe(files(c.files...))
		var f *model.Fault
		if !errors.As(err, &f) || f.Reason != c.reason || !strings.Contains(f.Detail, c.detail) {
			t.Errorf("%s: %v, want %s: %s", name, err, c.reason, c.detail)
		}
	}
}

func TestSimpleGradle(t *testing.T) {
	in := files("settings.gradle.kts", "// rootProject.name = \"no\"\nrootProject.name = \"calc\"\n",
		"build.gradle.kts", `plugins {
    kotlin("jvm") version "2.2.0"
}
repositories { mavenCentral() } // https://x
dependencies {
    api("org.a:b:1.0")
    implementation(platform("org.c:bom:2"))
    implementation("org.c:d") {
        exclude("x")
    }
    testImplementation(kotlin("test"))
    /* testImplementation("org.no:no:1") */
    testRuntimeOnly("org.e:f:3")
}
tasks.test { useJUnitPlatform() }
kotlin { jvmToolchain(17) }
`)
	l, err := layoutOf(in)
	if err != nil {
		t.Fatal(err)
	}
	s, why := l.simpleGradle(in)
	if why != "" {
		t.Fatal(why)
	}
	want := simple{name: "calc", kotlin: "2.2.0", release: "17", boms: []dependency{{"org.c", "bom", "2", ""}}, dependencies: []gradleDependency{
		{dependency: dependency{"org.a", "b", "1.0", "compile"}}, {dependency: dependency{"org.c", "d", "", "compile"}},
		{dependency: dependency{Scope: "test"}, kotlin: "test"}, {dependency: dependency{"org.e", "f", "3", "test"}},
	}}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(simple{}, gradleDependency{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p, err := parsePom([]byte(s.pom(true)))
	if err != nil || len(p.Dependencies) != 5 || p.Dependencies[2].Artifact != "kotlin-test-junit5" {
		t.Errorf("%v: %+v", err, p)
	}
	more := in.With(model.TreeChange{Path: "settings.gradle.kts", Mode: model.ModeFile, Data: []byte("rootProject.name = \"calc\"\ninclude(\":core\", \":web:ui\")\n")})
	if l, err = layoutOf(more); err != nil || len(l.projects) != 3 || l.byDir["web/ui"].name != "ui" {
		t.Errorf("%v: %+v", err, l.projects)
	}
}

// A console in which a note is glued to a status word is not read; the XML report is.
func TestParseXML(t *testing.T) {
	got, err := ParseXML("core", []byte(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.example.FooTest" tests="3" skipped="1" failures="0" errors="1" time="0.1">
  <testcase name="bar" classname="com.example.FooTest" time="0.01"/>
  <testcase name="baz[1] a, b" classname="com.example.FooTest" time="1,000.5"><error message="boom" type="java.lang.IllegalStateException">at x</error></testcase>
  <testcase name="off" classname="com.example.FooTest" time="0"><skipped/></testcase>
</testsuite>`))
	want := []model.Check{
		{ID: "core:com.example.FooTest#bar", Verdict: model.Pass, Seconds: 0.01},
		{ID: "core:com.example.FooTest#baz[1] a, b", Verdict: model.Error, Seconds: 1000.5},
		{ID: "core:com.example.FooTest#off", Verdict: model.Skip},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"", "<a/>", "<testsuite", `<testsuite failures="1"><testcase name="a" classname="B"/></testsuite>`, strings.Repeat("<testsuite>", 100) + strings.Repeat("</testsuite>", 100)} {
		if got, err := ParseXML("m", []byte(bad)); err == nil {
			t.Errorf("%.40q gives %v", bad, got)
		}
	}
}

func FuzzSource(f *testing.F) {
	f.Add("package a; import static b.C.d; class E { String s = \"}\"; }")
	f.Add("package a\nimport b.c as d\nval x = \"\"\"\"q\"\"\"\"\nclass `E f`")
	f.Fuzz(func(t *testing.T, src string) {
		if b := blank(src); len(b) != len(src) || strings.Count(b, "\n") != strings.Count(src, "\n") {
			t.Errorf("%q becomes %q", src, b)
		}
		readSource(src)
	})
}

func FuzzBuildFiles(f *testing.F) {
	f.Add(parentPom, "include 'a'")
	f.Fuzz(func(t *testing.T, pom, settings string) {
		if l, err := layoutOf(files("pom.xml", pom, "a/pom.xml", pom)); err == nil {
			for _, m := range l.projects {
				m.group()
				m.plugins("maven-surefire-plugin")
			}
		}
		if l, err := layoutOf(files("settings.gradle", settings, "build.gradle", settings)); err == nil {
			if s, why := l.simpleGradle(files("build.gradle", settings)); why == "" {
				s.pom(true)
			}
		}
	})
}
