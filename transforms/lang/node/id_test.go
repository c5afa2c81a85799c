package node

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang/ecma"
)

func TestCommand(t *testing.T) {
	r, err := Recipe("javascript", files("package.json", manifestWith(`"test": "jest"`)))
	if err != nil {
		t.Fatal(err)
	}
	run := model.Run{Unit: "src/a+b.test.js", Only: []string{"a > adds %i (x)"}, Skip: []string{"b"}, With: []string{"src/p.test.js > plant"}, Order: 3}
	got := Command(r.Protocol, run).Argv
	want := []string{"node", "{env}/taskmill/run.cjs", "jest", "--ci", "--runInBand", "--reporters={env}/taskmill/jest.cjs", "--coverage=false", "--bail=0", "--testLocationInResults",
		`--testNamePattern=(?!^(?:b)$)^(?:a(?: > | )adds [^]*? \(x\)|plant)$`, "--randomize", "--seed=3", `^{testbed}/src/a\+b\.test\.js$`, `^{testbed}/src/p\.test\.js$`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	long := Command(r.Protocol, model.Run{Unit: "a.test.js", Only: []string{strings.Repeat("x", maxPattern)}})
	for _, a := range long.Argv {
		if len(a) > maxPattern {
			t.Error("a selection that no kernel takes")
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("adds 1 (x) > [y]")
	f.Fuzz(func(t *testing.T, title string) {
		if len(ecma.Pieces(title)) > 1 || strings.Contains(title, "%%") || strings.ToValidUTF8(title, "") != title {
			return
		}
		re, err := regexp.Compile(pattern([]string{title}, separator))
		if err != nil || !re.MatchString(title) {
			t.Errorf("%q does not match itself: %v", title, err)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"event":"begin"}`+"\n"+`{"event":"start","file":"a.js","path":["b"]}`+"\n"+`{"event":"case","file":"a.js","path":["b"],"outcome":"pass"}`+"\n"), 0)
	f.Add([]byte(`{"event":"problem","stage":"load","path":"a.js","line":1}`+"\n"+`{"event":"end"}`+"\n{"), 1)
	f.Add([]byte(`{"event":"case","file":"a.js","path":["b"],"outcome":"pass","seq":2}`+"\n"+`{"event":"case","file":"a.js","path":["b"],"outcome":"fail","seq":1}`+"\n"), 1)
	f.Fuzz(func(t *testing.T, report []byte, exit int) {
		o := model.Outcome{Outcome: model.OutcomeOK, ExitCode: exit, Report: report}
		res := Read(model.Run{Unit: "a.js"}, o)
		seen := map[string]bool{}
		for _, c := range res.Checks {
			if seen[c.ID] || c.Verdict == "" {
				t.Errorf("check %q twice or without verdict", c.ID)
			}
			seen[c.ID] = true
			if u, _ := split(c.ID); u != "a.js" {
				t.Errorf("check %q of another unit", c.ID)
			}
		}
		if res.NoMatch && len(res.Checks) > 0 {
			t.Error("checks although nothing matched")
		}
		if res.Agrees && exit == 0 && res.BuildError {
			t.Error("a build error with status 0 agrees")
		}
	})
}
