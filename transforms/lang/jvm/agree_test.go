package jvm

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// What a syntax tree names a test, what the build's files name its unit and what a real runner
// reports it as are one name: each check that was reported belongs to a surface.
func TestAgree(t *testing.T) {
	in := archive(t, "testdata/project.txtar")
	surfaces, files := map[string]bool{}, 0
	for _, p := range in.Paths() {
		found, err := Java.Surfaces(in, p)
		if err != nil {
			t.Fatal(err)
		}
		unit, ok := Java.Unit(in, p)
		for _, s := range found {
			surfaces[s.Unit+" "+s.Function] = true
			if ok && s.Unit != unit {
				t.Errorf("%s: %s is of %s, the file of %s", p, s.Function, s.Unit, unit)
			}
		}
		if ok && len(found) > 0 {
			files++
			if got := Java.UnitFiles(in, unit); len(got) != 1 || got[0] != p {
				t.Errorf("the files of %s are %q, not %s", unit, got, p)
			}
		}
	}
	if files < 15 {
		t.Errorf("%d files are of units", files)
	}
	seen := 0
	for _, c := range recordings {
		a, err := txtar.ParseFile(filepath.Join("testdata/recorded", c.name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(a.Files[1].Data)) {
			if !strings.HasPrefix(line, `"`) {
				continue
			}
			quoted, _ := strconv.QuotedPrefix(line)
			id, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatal(err)
			}
			unit, function := Java.Function(id)
			if strings.HasSuffix(function, "#[class]") || strings.HasSuffix(function, "#initializationError") {
				continue // of no function: a class that could not be set up
			}
			seen++
			if unit != c.run.Unit || !surfaces[unit+" "+function] {
				t.Errorf("%s: %q is %s of %s, which no surface is", c.name, id, function, unit)
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d checks were reported", seen)
	}
}

// Names that only Kotlin has.
func TestAgreeKotlin(t *testing.T) {
	in := archive(t, "testdata/gradle.txtar")
	const unit = "words:com.example.WordsTest"
	p := "src/test/kotlin/com/example/WordsTest.kt"
	found, err := Kotlin.Surfaces(in, p)
	if err != nil {
		t.Fatal(err)
	}
	surfaces := map[string]bool{}
	for _, s := range found {
		surfaces[s.Unit+" "+s.Function] = true
	}
	for _, name := range []string{"counts words (with care)()", "fails", "resources", "the longest # is found"} {
		u, f := Kotlin.Function(unit + "#" + name)
		if u != unit || !surfaces[u+" "+f] {
			t.Errorf("%s is %s of %s, which no surface is of %v", name, f, u, found)
		}
	}
}
