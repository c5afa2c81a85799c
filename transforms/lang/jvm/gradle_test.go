package jvm

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

// A build of several projects is compiled by Gradle; its units run as all others do.
func TestGradle(t *testing.T) {
	if _, err := exec.LookPath("gradle"); err != nil {
		t.Skip("gradle is not installed: no Gradle build of several projects is tested")
	}
	if !*whole {
		t.Skip("not asked for with -whole: no Gradle build of several projects is tested")
	}
	in := archive(t, "testdata/projects.txtar")
	b, recipe := newBox(t, Runner{Language: "java"}, in)
	if o := b.build(recipe.Protocol); o.ExitCode != 0 {
		t.Fatalf("build ended with %d:\n%s", o.ExitCode, o.Log)
	}
	if o := b.run(recipe.Probe, ""); o.ExitCode != 0 {
		t.Errorf("probe ended with %d:\n%s", o.ExitCode, o.Log)
	}
	want := map[string]string{
		"core:com.example.CalcTest":      "complete\nagrees\n\"core:com.example.CalcTest#adds\" pass\n\"core:com.example.CalcTest#configured\" pass\n",
		"app:com.example.app.AppTest":    "complete\nagrees\n\"app:com.example.app.AppTest#twice\" pass\n",
		"app:com.example.app.OtherTest":  "complete\nagrees\n\"app:com.example.app.OtherTest#fails\" fail\n",
		"app:com.example.app.AbsentTest": "complete\nagrees\nno match\ndetail no test matched\n",
	}
	check := func() {
		t.Helper()
		for unit, text := range want {
			got, o := b.execute(recipe.Protocol, model.Run{Unit: unit})
			if diff := cmp.Diff(text, told(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s\n%s", unit, diff, o.Log)
			}
		}
	}
	check()
	f, _, err := in.Read("app/src/test/java/com/example/app/OtherTest.java")
	if err != nil {
		t.Fatal(err)
	}
	b.lay(in.With(model.TreeChange{Path: f.Path, Mode: model.ModeFile, Data: bytes.ReplaceAll(f.Data, []byte("twice(2)"), []byte("thrice(2)"))}))
	if o := b.build(recipe.Protocol); o.ExitCode != 0 {
		t.Fatalf("only a test does not compile, yet the build ended with %d:\n%s", o.ExitCode, o.Log)
	}
	want["app:com.example.app.OtherTest"] = "complete\nagrees\nbuild error\ndetail the file of com.example.app.OtherTest does not compile\n" +
		"app/src/test/java/com/example/app/OtherTest.java:10 [\"thrice\" \"App.thrice\"] false\n"
	check()
}
