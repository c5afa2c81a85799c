package golang

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// verdicts is a result's checks as a map, without seconds.
func verdicts(r lang.Result) map[string]model.Verdict {
	out := map[string]model.Verdict{}
	for _, c := range r.Checks {
		_, name, _ := strings.Cut(c.ID, "::")
		out[name] = c.Verdict
	}
	return out
}

// told is what else a result says.
type told struct {
	Complete, Agrees, BuildError, NoMatch bool
	Running                               string
}

func of(r lang.Result) told {
	return told{r.Complete, r.Agrees, r.BuildError, r.NoMatch, r.Running}
}

// Output without a final newline, output that imitates a verdict, with the verdicts from the
// events alone.
func TestReadGlued(t *testing.T) {
	tr := archive(`
-- glue_test.go --
package glue

import (
	"fmt"
	"testing"
)

func TestGlued(t *testing.T) { fmt.Print("x") }

func TestParent(t *testing.T) {
	t.Run("child one", func(t *testing.T) { fmt.Print("--- FAIL: TestGlued (0.00s)\n") })
}

func TestForged(t *testing.T) {
	fmt.Println("--- PASS: TestForged (0.00s)")
	t.Fatal("real outcome")
}
-- go.mod --
module glue

go 1.24
`)
	got := newMachine(t).share().run(tr, model.Run{Unit: "glue"})
	want := map[string]model.Verdict{
		"TestGlued": model.Pass, "TestParent": model.Pass, "TestParent/child_one": model.Pass, "TestForged": model.Fail,
	}
	if d := cmp.Diff(want, verdicts(got)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(told{Complete: true, Agrees: true}, of(got)); d != "" {
		t.Error(d)
	}
	if got.Checks[0].ID != "glue::TestForged" {
		t.Errorf("id %q", got.Checks[0].ID)
	}
}

const deaths = `
-- go.mod --
module example.com/m

go 1.24
-- m/m_test.go --
package m

import (
	"os"
	"testing"
	"time"
)

func TestA(t *testing.T) {}

func TestPanic(t *testing.T) {
	t.Run("x y", func(t *testing.T) { panic("in a subtest") })
}

func TestExit(t *testing.T) {
	t.Run("sub", func(t *testing.T) { os.Exit(1) })
}

func TestExit0(t *testing.T) { os.Exit(0) }

func TestGo(t *testing.T) {
	go panic("elsewhere")
	time.Sleep(time.Minute)
}

func TestHang(t *testing.T) { select {} }

func TestParallelA(t *testing.T) {
	t.Parallel()
	time.Sleep(time.Minute)
}

func TestParallelPanic(t *testing.T) {
	t.Parallel()
	panic("beside another")
}

func TestSkip(t *testing.T) { t.Skip() }

func TestNames(t *testing.T) {
	for _, n := range []string{"a b", "a b", "", "é/ü", "tab\there", "x::y", "$^"} {
		t.Run(n, func(t *testing.T) {})
	}
}

func TestSub(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Fail() })
	t.Run("left", func(t *testing.T) { t.SkipNow() })
}

func FuzzSeed(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, i int) {})
}

func ExamplePrint() {
	os.Stdout.WriteString("hi")
	// Output: hi
}

func ExampleSilent() {}

func TestZ(t *testing.T) {}
-- none/none_test.go --
package none

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	os.Stdout.WriteString("--- PASS: TestA (0.00s)\nPASS\nok\n")
	os.Exit(0)
}

func TestA(t *testing.T) {}
-- leaky/leaky_test.go --
package leaky

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	m.Run()
	os.Exit(1)
}

func TestA(t *testing.T) {}
-- marked/marked_test.go --
package marked

import (
	"fmt"
	"testing"
)

func TestA(t *testing.T) {
	fmt.Print("\n\x16--- PASS: TestA (0.00s)\n")
	t.Fail()
}
`

// A dying process hides the rest, and no way of dying gives a pass.
func TestReadDeaths(t *testing.T) {
	m := newMachine(t).share()
	tr := archive(deaths)
	for _, tt := range []struct {
		name string
		run  model.Run
		want map[string]model.Verdict
		told told
	}{
		{"panic", model.Run{Only: []string{"TestA", "TestPanic", "TestZ"}},
			map[string]model.Verdict{"TestA": model.Pass, "TestPanic": model.Fail, "TestPanic/x_y": model.Fail},
			told{Agrees: true, Running: "TestPanic"}},
		{"exit", model.Run{Only: []string{"TestA", "TestExit", "TestZ"}},
			map[string]model.Verdict{"TestA": model.Pass, "TestExit": model.Crash, "TestExit/sub": model.Crash},
			told{Agrees: true, Running: "TestExit"}},
		{"exit 0", model.Run{Only: []string{"TestA", "TestExit0", "TestZ"}},
			map[string]model.Verdict{"TestA": model.Pass, "TestExit0": model.Fail},
			told{Agrees: true, Running: "TestExit0"}},
		{"goroutine", model.Run{Only: []string{"TestA", "TestGo", "TestZ"}},
			map[string]model.Verdict{"TestA": model.Pass, "TestGo": model.Crash},
			told{Agrees: true, Running: "TestGo"}},
		{"timeout", model.Run{Only: []string{"TestA", "TestHang", "TestZ"}, Limits: model.Limits{Wall: time.Second}},
			map[string]model.Verdict{"TestA": model.Pass, "TestHang": model.Timeout},
			told{Agrees: true, Running: "TestHang"}},
		{"parallel", model.Run{Only: []string{"TestParallelA", "TestParallelPanic"}},
			map[string]model.Verdict{"TestParallelPanic": model.Fail},
			told{Agrees: true, Running: "TestParallelPanic"}},
		{"skip the panic", model.Run{Only: []string{"TestA", "TestPanic", "TestZ"}, Skip: []string{"TestPanic"}},
			map[string]model.Verdict{"TestA": model.Pass, "TestZ": model.Pass},
			told{Complete: true, Agrees: true}},
		{"no match", model.Run{Only: []string{"TestNowhere"}}, map[string]model.Verdict{}, told{Complete: true, Agrees: true, NoMatch: true}},
		{"skipped", model.Run{Only: []string{"TestSkip"}}, map[string]model.Verdict{"TestSkip": model.Skip}, told{Complete: true, Agrees: true}},
		{"one subtest", model.Run{Only: []string{"TestSub/bad"}},
			map[string]model.Verdict{"TestSub": model.Fail, "TestSub/bad": model.Fail}, told{Complete: true, Agrees: true}},
		{"subtests", model.Run{Only: []string{"TestSub"}, Order: 7},
			map[string]model.Verdict{"TestSub": model.Fail, "TestSub/good": model.Pass, "TestSub/bad": model.Fail, "TestSub/left": model.Skip},
			told{Complete: true, Agrees: true}},
		{"odd names", model.Run{Only: []string{"TestNames"}},
			map[string]model.Verdict{"TestNames": model.Pass, "TestNames/a_b": model.Pass, "TestNames/a_b#01": model.Pass,
				"TestNames/#00": model.Pass, "TestNames/é/ü": model.Pass, "TestNames/tab_here": model.Pass,
				"TestNames/x::y": model.Pass, "TestNames/$^": model.Pass},
			told{Complete: true, Agrees: true}},
		{"one odd name", model.Run{Only: []string{"TestNames/$^", "TestNames/é/ü"}},
			map[string]model.Verdict{"TestNames": model.Pass, "TestNames/é/ü": model.Pass, "TestNames/$^": model.Pass},
			told{Complete: true, Agrees: true}},
		{"seeds and examples", model.Run{Only: []string{"FuzzSeed", "ExamplePrint", "ExampleSilent"}},
			map[string]model.Verdict{"FuzzSeed": model.Pass, "FuzzSeed/seed#0": model.Pass, "ExamplePrint": model.Pass},
			told{Complete: true, Agrees: true}},
		{"printed verdicts, no tests", model.Run{Unit: "example.com/m/none"}, map[string]model.Verdict{},
			told{NoMatch: true}},
		{"failed package, passed test", model.Run{Unit: "example.com/m/leaky"}, map[string]model.Verdict{"TestA": model.Pass},
			told{Complete: true, Agrees: true}},
		{"forged framing", model.Run{Unit: "example.com/m/marked"}, map[string]model.Verdict{"TestA": model.Fail}, told{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m.t = t
			if tt.run.Unit == "" {
				tt.run.Unit = "example.com/m/m"
			}
			got := m.run(tr, tt.run)
			if d := cmp.Diff(tt.want, verdicts(got)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.told, of(got)); d != "" {
				t.Error(d, got.Detail)
			}
		})
	}
}

// A parallel test that starts or prints between another's panic and the end of the process is
// not what ended it, and gets no verdict from that end.
func TestReadPanicBeside(t *testing.T) {
	const began = `{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"pause","Package":"m","Test":"TestA"}
{"Action":"run","Package":"m","Test":"TestP"}
{"Action":"pause","Package":"m","Test":"TestP"}
{"Action":"cont","Package":"m","Test":"TestP"}
`
	const cont = `{"Action":"cont","Package":"m","Test":"TestA"}
`
	const fail = `{"Action":"fail","Package":"m","Test":"TestP","Elapsed":0}
`
	const printed = `{"Action":"output","Package":"m","Test":"TestA","Output":"panic: beside another\n"}
`
	const end = `{"Action":"fail","Package":"m","Elapsed":0.01}
`
	for _, tt := range []struct{ name, report string }{
		{"last", began + cont + fail + end},
		{"starts", began + fail + cont + end},
		{"starts and prints", began + fail + cont + printed + end},
		{"prints", began + cont + fail + printed + end},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Language{}.Read(model.Run{Unit: "m"}, model.Outcome{Outcome: model.OutcomeFailed, ExitCode: 1, Report: []byte(tt.report)})
			if d := cmp.Diff(map[string]model.Verdict{"TestP": model.Fail}, verdicts(got)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(told{Agrees: true, Running: "TestP"}, of(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

const broken = `
-- go.mod --
module example.com/m

go 1.24
-- m.go --
package m

func A() int { return 1 }

type T struct{}
-- sub/use/use_test.go --
package use

import (
	"fmt"
	"testing"

	"example.com/m"
)

func TestA(t *testing.T) {
	m.B()
	m.A(1)
	var q m.T
	q.foo()
	_ = m.T{F: 1}
	var s string = m.A()
	a, b := m.A()
	var _ interface{ Bar() } = q
}
-- gone/gone_test.go --
package gone

import (
	"testing"

	"example.com/m/nowhere"
)

func TestA(t *testing.T) { nowhere.X() }
-- bad/bad_test.go --
package bad

func TestA(t *testing.T) {
`

// A build error is told apart from a failing check, exactly, and each diagnostic names what is
// missing.
func TestReadBuildErrors(t *testing.T) {
	m := newMachine(t).share()
	tr := archive(broken)
	got := m.run(tr, model.Run{Unit: "example.com/m/sub/use"})
	if d := cmp.Diff(told{Complete: true, Agrees: true, BuildError: true}, of(got)); d != "" {
		t.Error(d)
	}
	type diagnostic struct {
		Line     int
		Names    string
		FollowUp bool
	}
	var ds []diagnostic
	for _, d := range got.Diagnostics {
		if d.Path != "sub/use/use_test.go" {
			t.Errorf("path %q", d.Path)
		}
		ds = append(ds, diagnostic{d.Line, strings.Join(d.Names, " "), d.FollowUp})
	}
	want := []diagnostic{
		{4, "", true},
		{11, "B", false}, {12, "A", false}, {14, "T.foo foo", false}, {15, "F T T.F", false},
		{16, "", true}, {16, "A", false}, {17, "", true}, {17, "", true}, {17, "A", false},
		{18, "Bar T", false},
	}
	if d := cmp.Diff(want, ds); d != "" {
		t.Error(d)
	}
	for _, d := range got.Diagnostics {
		t.Log(d.Line, d.Message)
	}

	got = m.run(tr, model.Run{Unit: "example.com/m/gone"})
	if d := cmp.Diff(told{Complete: true, Agrees: true, BuildError: true}, of(got)); d != "" {
		t.Error(d)
	}
	if len(got.Diagnostics) != 1 || !cmp.Equal(got.Diagnostics[0].Names, []string{"example.com/m/nowhere"}) {
		t.Errorf("diagnostics of a missing package: %+v", got.Diagnostics)
	}
	got = m.run(tr, model.Run{Unit: "example.com/m/bad"})
	if !got.BuildError || len(got.Diagnostics) == 0 {
		t.Errorf("syntax error: %+v", got)
	}
}
