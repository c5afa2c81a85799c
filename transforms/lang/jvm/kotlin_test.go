package jvm

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

// A Gradle project of one source set is built by Maven with the Kotlin compiler, and run like
// any other.
func TestKotlin(t *testing.T) {
	in := archive(t, "testdata/gradle.txtar")
	r := Runner{Language: "kotlin"}
	b, recipe := newBox(t, r, in)
	if o := b.build(recipe.Protocol); o.ExitCode != 0 {
		t.Fatalf("build ended with %d:\n%s", o.ExitCode, o.Log)
	}
	if o := b.run(recipe.Probe, ""); o.ExitCode != 0 {
		t.Errorf("probe ended with %d:\n%s", o.ExitCode, o.Log)
	}
	words, ok := r.Unit(in, "src/test/kotlin/com/example/WordsTest.kt")
	shout, also := r.Unit(in, "src/test/kotlin/com/example/Shouting.kt")
	if !ok || !also || words != "words:com.example.WordsTest" || shout != "words:com.example.ShoutTest" {
		t.Fatalf("units %q, %q", words, shout)
	}
	want := "complete\nagrees\n" +
		"\"words:com.example.WordsTest#counts words (with care)()\" pass\n" +
		"\"words:com.example.WordsTest#fails\" fail\n" +
		"\"words:com.example.WordsTest#resources\" pass\n" +
		"\"words:com.example.WordsTest#the longest # is found\" pass\n"
	got, o := b.execute(recipe.Protocol, model.Run{Unit: words})
	if diff := cmp.Diff(want, told(got)); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, o.Log)
	}
	got, o = b.execute(recipe.Protocol, model.Run{Unit: words, Only: []string{"com.example.WordsTest#counts words (with care)"}})
	if want := "complete\nagrees\n\"words:com.example.WordsTest#counts words (with care)()\" pass\n"; told(got) != want {
		t.Errorf("%s\n%s", told(got), o.Log)
	}
	// A planted class is Java; the build does not compile it, the run does.
	g, err := r.Guard(in, words, "k3x")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(b.testbed, g.Files[0].Path), g.Files[0].Data)
	got, o = b.execute(recipe.Protocol, model.Run{Unit: words, With: g.With})
	if len(got.Checks) != 6 || !got.Agrees {
		t.Errorf("with %s:\n%s\n%s", g.Files[0].Data, told(got), o.Log)
	}
	// One file names what is gone; the other is run.
	f, _, err := in.Read("src/main/kotlin/com/example/Words.kt")
	if err != nil {
		t.Fatal(err)
	}
	b.lay(in.With(model.TreeChange{Path: f.Path, Mode: model.ModeFile, Data: bytes.ReplaceAll(f.Data, []byte("shout"), []byte("cry"))}))
	if o := b.build(recipe.Protocol); o.ExitCode != 0 {
		t.Fatalf("build ended with %d:\n%s", o.ExitCode, o.Log)
	}
	got, o = b.execute(recipe.Protocol, model.Run{Unit: shout})
	if want := "complete\nagrees\nbuild error\ndetail the file of com.example.ShoutTest does not compile\nsrc/test/kotlin/com/example/Shouting.kt:8 [\"shout\"] false\n"; told(got) != want {
		t.Errorf("(-want +got):\n%s\n%s", cmp.Diff(want, told(got)), o.Log)
	}
	if got, o = b.execute(recipe.Protocol, model.Run{Unit: words}); told(got) != want {
		t.Errorf("(-want +got):\n%s\n%s", cmp.Diff(want, told(got)), o.Log)
	}
}
