package jvm

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

var (
	record = flag.Bool("record", false, "write what the real runners report to testdata/recorded")
	whole  = flag.Bool("whole", false, "run all recorded units with their real runners, and Gradle")
)

// Without -whole the real runners run these alone: one of each runner, and the ends that a
// process can come to. What all others reported is judged from the recording.
var first = []string{"five-verdicts", "five-setup", "five-exit", "five-only", "four-verdicts", "ng-verdicts", "surefire-groups"}

// A recording is what one real run reported, kept as testdata/recorded/<name>.txtar.
type recording struct {
	name string
	run  model.Run
	wall time.Duration
}

const five, four, ng, groups = "five:com.example.", "four:com.example.four.", "ng:com.example.ng.", "suite:com.example.suite."

var recordings = []recording{
	{name: "five-verdicts", run: model.Run{Unit: five + "VerdictsTest"}},
	{name: "five-setup", run: model.Run{Unit: five + "SetupTest"}},
	{name: "five-teardown", run: model.Run{Unit: five + "TeardownTest"}},
	{name: "five-initial", run: model.Run{Unit: five + "InitialTest"}},
	{name: "five-off", run: model.Run{Unit: five + "OffTest"}},
	{name: "five-exit", run: model.Run{Unit: five + "ExitTest"}},
	{name: "five-halt", run: model.Run{Unit: five + "HaltTest"}},
	{name: "five-hang", run: model.Run{Unit: five + "HangTest"}, wall: 8 * time.Second},
	{name: "five-thread", run: model.Run{Unit: five + "ThreadTest"}},
	{name: "five-none", run: model.Run{Unit: five + "NoneTest"}},
	{name: "five-gone", run: model.Run{Unit: five + "GoneTest"}},
	{name: "five-no-module", run: model.Run{Unit: "six:com.example.CalcTest"}},
	{name: "five-no-match", run: model.Run{Unit: five + "CalcTest", Only: []string{"com.example.CalcTest#gone"}}},
	{name: "five-only", run: model.Run{Unit: five + "VerdictsTest", Only: []string{"com.example.VerdictsTest#given", "com.example.VerdictsTest#made", "com.example.VerdictsTest$Inner#passes"}}},
	{name: "five-skip", run: model.Run{Unit: five + "ExitTest", Skip: []string{"com.example.ExitTest#b"}}},
	{name: "four-verdicts", run: model.Run{Unit: four + "VerdictsTest"}},
	{name: "four-given", run: model.Run{Unit: four + "GivenTest"}},
	{name: "four-setup", run: model.Run{Unit: four + "SetupTest"}},
	{name: "four-old", run: model.Run{Unit: four + "OldTest"}},
	{name: "four-off", run: model.Run{Unit: four + "OffTest"}},
	{name: "four-broken", run: model.Run{Unit: four + "BrokenTest"}},
	{name: "four-exit", run: model.Run{Unit: four + "ExitTest"}},
	{name: "four-only", run: model.Run{Unit: four + "GivenTest", Only: []string{"com.example.four.GivenTest#given"}}},
	{name: "four-no-match", run: model.Run{Unit: four + "GivenTest", Only: []string{"com.example.four.GivenTest#gone"}}},
	{name: "ng-verdicts", run: model.Run{Unit: ng + "VerdictsTest"}},
	{name: "ng-setup", run: model.Run{Unit: ng + "SetupTest"}},
	{name: "ng-exit", run: model.Run{Unit: ng + "ExitTest"}},
	{name: "surefire-groups", run: model.Run{Unit: groups + "GroupTest"}},
	{name: "surefire-only", run: model.Run{Unit: groups + "GroupTest", Only: []string{"com.example.suite.GroupTest#passes", "com.example.suite.GroupTest#fails"}, Skip: []string{"com.example.suite.GroupTest#fails"}}},
	{name: "surefire-exit", run: model.Run{Unit: groups + "ExitTest"}},
	{name: "surefire-none", run: model.Run{Unit: groups + "NoneTest"}},
	{name: "ng-only", run: model.Run{Unit: ng + "VerdictsTest", Only: []string{"com.example.ng.VerdictsTest#given"}}},
}

// told is a result as text, a line each.
func told(r lang.Result) string {
	var b strings.Builder
	for _, f := range []struct {
		name string
		on   bool
	}{{"complete", r.Complete}, {"agrees", r.Agrees}, {"build error", r.BuildError}, {"no match", r.NoMatch}} {
		if f.on {
			b.WriteString(f.name + "\n")
		}
	}
	if r.Running != "" {
		b.WriteString("running " + r.Running + "\n")
	}
	if r.Detail != "" {
		b.WriteString("detail " + r.Detail + "\n")
	}
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%q %s\n", c.ID, c.Verdict)
	}
	for _, d := range r.Diagnostics {
		fmt.Fprintf(&b, "%s:%d %q %v\n", d.Path, d.Line, d.Names, d.FollowUp)
	}
	return b.String()
}

var (
	timings = regexp.MustCompile(`"seconds":[0-9.E+-]+`)
	ended   = regexp.MustCompile(`^(\S+) ended as (\w+) (-?\d+)\n`)
)

// TestRecorded judges what real runners reported.
func TestRecorded(t *testing.T) {
	for _, c := range recordings {
		t.Run(c.name, func(t *testing.T) {
			a, err := txtar.ParseFile(filepath.Join("testdata/recorded", c.name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			m := ended.FindSubmatch(a.Comment)
			if m == nil || string(m[1]) != c.run.Unit {
				t.Fatalf("no outcome of %s in %q", c.run.Unit, a.Comment)
			}
			exit, err := strconv.Atoi(string(m[3]))
			if err != nil {
				t.Fatal(err)
			}
			got := Runner{}.Read(c.run, model.Outcome{Outcome: string(m[2]), ExitCode: exit, Report: a.Files[0].Data})
			if diff := cmp.Diff(string(a.Files[1].Data), told(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRunners runs units of the project with their real runners and demands what was recorded.
func TestRunners(t *testing.T) {
	b, recipe := newBox(t, Runner{Language: "java"}, archive(t, "testdata/project.txtar"))
	if o := b.build(recipe.Protocol); o.ExitCode != 0 {
		t.Fatalf("build ended with %d:\n%s", o.ExitCode, o.Log)
	}
	if o := b.run(recipe.Probe, ""); o.ExitCode != 0 {
		t.Errorf("probe ended with %d:\n%s", o.ExitCode, o.Log)
	}
	if o := b.run(recipe.FromLock[len(recipe.FromLock)-1], ""); o.ExitCode != 0 {
		t.Errorf("the environment is not as it is locked: %d\n%s", o.ExitCode, o.Log)
	}
	for _, c := range recordings {
		t.Run(c.name, func(t *testing.T) {
			if !*whole && !*record && !slices.Contains(first, c.name) {
				t.Skip("not asked for with -whole: its real runner was not run")
			}
			b := *b
			b.t = t
			if c.wall > 0 {
				b.wall = c.wall
			}
			got, o := b.execute(recipe.Protocol, c.run)
			name := filepath.Join("testdata/recorded", c.name+".txtar")
			if *record {
				report := timings.ReplaceAll(o.Report, []byte(`"seconds":0`))
				if len(report) > 0 && !bytes.HasSuffix(report, []byte("\n")) {
					report = append(report, '\n')
				}
				write(t, name, txtar.Format(&txtar.Archive{
					Comment: fmt.Appendf(nil, "%s ended as %s %d\n", c.run.Unit, o.Outcome, o.ExitCode),
					Files:   []txtar.File{{Name: "report", Data: report}, {Name: "want", Data: []byte(told(got))}},
				}))
			}
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(a.Files[1].Data), told(got)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, o.Log)
			}
		})
	}
}

// A test file that names what is gone is a build error; the others are run.
func TestPartial(t *testing.T) {
	in := archive(t, "testdata/project.txtar")
	b, recipe := newBox(t, Runner{Language: "java"}, in)
	with := func(p, from, to string) {
		f, _, err := in.Read(p)
		if err != nil || !bytes.Contains(f.Data, []byte(from)) {
			t.Fatalf("%s lacks %q", p, from)
		}
		in = in.With(model.TreeChange{Path: p, Mode: model.ModeFile, Data: bytes.ReplaceAll(f.Data, []byte(from), []byte(to))})
	}
	with("five/src/main/java/com/example/Calc.java", "twice", "double_")
	with("four/src/test/java/com/example/four/OldTest.java", "junit.framework.TestCase;", "junit.framework.TestCase;\nimport com.gone.Missing;")
	b.lay(in)
	if o := b.build(recipe.Protocol); o.ExitCode != 0 {
		t.Fatalf("production code compiles, yet the build ended with %d:\n%s", o.ExitCode, o.Log)
	}
	for unit, want := range map[string]string{
		five + "TwiceTest": "complete\nagrees\nbuild error\ndetail the file of com.example.TwiceTest does not compile\n" +
			"five/src/test/java/com/example/TwiceTest.java:10 [\"twice\" \"Calc.twice\"] false\n",
		five + "CalcTest": "complete\nagrees\n\"five:com.example.CalcTest#add\" pass\n",
		four + "OldTest": "complete\nagrees\nbuild error\ndetail the file of com.example.four.OldTest does not compile\n" +
			"four/src/test/java/com/example/four/OldTest.java:4 [\"com.gone\"] false\n",
		four + "OffTest": "complete\nagrees\n\"four:com.example.four.OffTest#[class]\" skip\n",
	} {
		got, o := b.execute(recipe.Protocol, model.Run{Unit: unit})
		if diff := cmp.Diff(want, told(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", unit, diff, o.Log)
		}
	}
	// A helper that does not compile takes those that need it along.
	with("five/src/main/java/com/example/Calc.java", "double_", "twice")
	with("five/src/test/java/com/example/Shared.java", "abstract class Shared {", "abstract class Shared {\n    Gone gone;")
	with("four/src/test/java/com/example/four/OldTest.java", "\nimport com.gone.Missing;", "")
	b.lay(in)
	if o := b.build(recipe.Protocol); o.ExitCode != 0 {
		t.Fatalf("build ended with %d:\n%s", o.ExitCode, o.Log)
	}
	got, _ := b.execute(recipe.Protocol, model.Run{Unit: five + "TwiceTest"})
	if want := "complete\nagrees\nbuild error\ndetail the file of com.example.TwiceTest does not compile\n" +
		"five/src/test/java/com/example/Shared.java:4 [\"Gone\" \"Shared.Gone\"] false\n" +
		"five/src/test/java/com/example/TwiceTest.java:7 [\"Shared\"] true\n"; told(got) != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, told(got)))
	}
	// Production code that does not compile is a build error of all that need it.
	with("five/src/main/java/com/example/Calc.java", "return a + b;", "return a + c;")
	b.lay(in)
	if o := b.build(recipe.Protocol); o.ExitCode == 0 {
		t.Error("production code does not compile, yet the build is well")
	}
	for unit, want := range map[string]string{
		five + "CalcTest": "complete\nagrees\nbuild error\ndetail production code of five does not compile\nfive/src/main/java/com/example/Calc.java:5 [\"c\" \"Calc.c\"] false\n",
	} {
		if got, _ := b.execute(recipe.Protocol, model.Run{Unit: unit}); told(got) != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, told(got)))
		}
	}
	if err := os.Remove(filepath.Join(b.testbed, ".taskmill/ended")); err != nil {
		t.Fatal(err)
	}
	if got, _ := b.execute(recipe.Protocol, model.Run{Unit: four + "CalcTest"}); told(got) != "complete\nagrees\nbuild error\ndetail the build did not end\n" {
		t.Errorf("after a build that was killed: %s", told(got))
	}
	write(t, filepath.Join(b.testbed, ".taskmill/ended"), nil)
	if got, _ := b.execute(recipe.Protocol, model.Run{Unit: four + "OffTest"}); !got.BuildError || len(got.Diagnostics) == 0 {
		t.Errorf("a module that needs broken production code: %s", told(got))
	}
}

// TestPlanted: both planted checks show, in every framework, also where the build has not
// compiled their class.
func TestPlanted(t *testing.T) {
	in := archive(t, "testdata/project.txtar")
	r := Runner{Language: "java"}
	b, recipe := newBox(t, r, in)
	if o := b.build(recipe.Protocol); o.ExitCode != 0 {
		t.Fatalf("build ended with %d:\n%s", o.ExitCode, o.Log)
	}
	for _, unit := range []string{five + "CalcTest", four + "VerdictsTest", ng + "SetupTest"} {
		g, err := r.Guard(in, unit, "k3x")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range g.Files {
			write(t, filepath.Join(b.testbed, f.Path), f.Data)
		}
		got, o := b.execute(recipe.Protocol, model.Run{Unit: unit, With: g.With, Order: 7})
		seen := map[string]model.Verdict{}
		for _, c := range got.Checks {
			seen[c.ID] = c.Verdict
		}
		if seen[g.Pass] != model.Pass || seen[g.Fail] != model.Fail || len(seen) < 3 || !got.Agrees {
			t.Errorf("%s:\n%s%s\n%s", unit, g.Files[0].Data, told(got), o.Log)
		}
		_, f := r.Function(g.Pass)
		if got, _ := b.execute(recipe.Protocol, model.Run{Unit: unit, With: g.With, Only: []string{"x#y"}}); len(got.Checks) != 2 {
			t.Errorf("%s: a selection leaves planted checks out: %s %s", unit, f, told(got))
		}
	}
	if _, err := r.Guard(in, five+"CalcTest", "../x"); err == nil {
		t.Error("a token that is a path is taken")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"event":"start","class":"A","name":"m[1]"}`+"\n"+`{"event":"end","class":"A","name":"m[1]","outcome":"pass"}`+"\n"+`{"event":"finish","exit":0}`+"\n"), 0)
	f.Add([]byte(`{"event":"finish","exit":0}`+"\n{"), 1)
	f.Add([]byte(`{"event":"document","document":"<testsuite tests='1'><testcase name='a' classname='B'/></testsuite>"}`+"\n"), 0)
	f.Add([]byte(`{"event":"build_error","message":"x"}`+"\n"), 3)
	f.Fuzz(func(t *testing.T, report []byte, exit int) {
		res := Runner{}.Read(model.Run{Unit: "m:A"}, model.Outcome{Outcome: model.OutcomeFailed, ExitCode: exit, Report: report})
		seen := map[string]bool{}
		for _, c := range res.Checks {
			if seen[c.ID] || c.Verdict == "" {
				t.Errorf("check %q twice or without verdict", c.ID)
			}
			seen[c.ID] = true
			unit, f := split(c.ID)
			if !strings.Contains(f, "#") || unit == "" {
				t.Errorf("%q is %q of %q", c.ID, f, unit)
			}
		}
		if res.NoMatch && len(res.Checks) > 0 {
			t.Error("checks although nothing matched")
		}
	})
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}
