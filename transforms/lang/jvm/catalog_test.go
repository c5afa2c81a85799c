package jvm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const versionsTOML = `[versions]
kotlin = "2.0.21"
junit = { strictly = "[5.0, 6.0[", prefer = "5.11.4" }
java-level = "17"
moving = "1.+"

[libraries]
core-lib = "org.a:core:1.2"
core_io = { module = "org.a:io", version = "3" }
junit-bom = { group = "org.junit", name = "junit-bom", version.ref = "junit" }
junit-jupiter = { module = "org.junit.jupiter:junit-jupiter" }
moved = { module = "org.b:moved", version.ref = "moving" }

[bundles]
core = ["core-lib", "core_io"]
half = ["core-lib", "moved"]

[plugins]
kotlin-jvm = { id = "org.jetbrains.kotlin.jvm", version.ref = "kotlin" }
short = "org.c.plugin:4"
bare = { id = "org.d" }
open = { id = "org.jetbrains.kotlin.plugin.allopen", version.ref = "kotlin" }
`

func TestCatalog(t *testing.T) {
	c := catalogOf(files("gradle/libs.versions.toml", versionsTOML), "")
	for build, want := range map[string]string{
		`alias(libs.plugins.kotlin.jvm)`:                       `id("org.jetbrains.kotlin.jvm") version "2.0.21"`,
		`alias libs.plugins.short`:                             `id("org.c.plugin") version "4"`,
		`alias(libs.plugins.bare)`:                             `id("org.d")`,
		`kotlin("jvm") version libs.versions.kotlin.get()`:     `kotlin("jvm") version "2.0.21"`,
		`jvmToolchain(libs.versions.java.level.get().toInt())`: `jvmToolchain(17)`,
		`    api(libs.core.io)`:                                `    api("org.a:io:3")`,
		`implementation libs.core.lib`:                         `implementation "org.a:core:1.2"`,
		`testImplementation(platform(libs.junit.bom))`:         `testImplementation(platform("org.junit:junit-bom:5.11.4"))`,
		`testImplementation(libs.junit.jupiter)`:               `testImplementation("org.junit.jupiter:junit-jupiter")`,
		`  api(libs.bundles.core)`:                             "  api(\"org.a:core:1.2\")\n  api(\"org.a:io:3\")",
		// What names no one version, or nothing, stays and is no literal.
		`api(libs.moved)`:          `api(libs.moved)`,
		`api(libs.bundles.half)`:   `api(libs.bundles.half)`,
		`api(libs.absent)`:         `api(libs.absent)`,
		`alias(libs.plugins.none)`: `alias(libs.plugins.none)`,
		`files("libs/a.jar")`:      `files("libs/a.jar")`,
	} {
		if got := c.expand(build); got != want {
			t.Errorf("%s becomes %s, want %s", build, got, want)
		}
	}
	if got := catalogOf(files("gradle/libs.versions.toml", "[versions"), "").expand("api(libs.core.io)"); got != "api(libs.core.io)" {
		t.Errorf("with a broken catalog: %s", got)
	}
}

// A build that takes all from the catalog is as simple as one of literals.
func TestSimpleGradleWithCatalog(t *testing.T) {
	build := `plugins {
    alias(libs.plugins.kotlin.jvm)
}
dependencies {
    api(libs.bundles.core)
    testImplementation(platform(libs.junit.bom))
    testImplementation(libs.junit.jupiter)
}
java { targetCompatibility = JavaVersion.VERSION_1_8 }
`
	read := func(build string) (simple, string) {
		in := files("settings.gradle.kts", "", "build.gradle.kts", build, "gradle/libs.versions.toml", versionsTOML)
		l, err := layoutOf(in)
		if err != nil {
			t.Fatal(err)
		}
		return l.simpleGradle(in)
	}
	got, why := read(build)
	want := simple{name: "root", kotlin: "2.0.21", release: "8", boms: []dependency{{"org.junit", "junit-bom", "5.11.4", ""}}, dependencies: []gradleDependency{
		{dependency: dependency{"org.a", "core", "1.2", "compile"}}, {dependency: dependency{"org.a", "io", "3", "compile"}},
		{dependency: dependency{"org.junit.jupiter", "junit-jupiter", "", "test"}},
	}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(simple{}, gradleDependency{})); diff != "" || why != "" {
		t.Errorf("%s (-want +got):\n%s", why, diff)
	}
	const settings = `pluginManagement { plugins { kotlin("jvm") version "2.1.0" } }`
	in := files("settings.gradle.kts", settings, "build.gradle.kts", "plugins { kotlin(\"jvm\") }\n")
	l, err := layoutOf(in)
	if err != nil {
		t.Fatal(err)
	}
	if s, why := l.simpleGradle(in); s.kotlin != "2.1.0" {
		t.Errorf("a version in the settings is %q: %s", s.kotlin, why)
	}
	for _, more := range []string{"kotlin { sourceSets[\"main\"].apply { kotlin.srcDir(generated) } }\n", "tasks.x { main.java.srcDirs = ['src'] }\n",
		"apply plugin: 'kotlin-kapt'\n", "plugins { alias(libs.plugins.open) }\n"} {
		if _, why := read(build + more); why == "" {
			t.Errorf("simple with %s", more)
		}
	}
}
