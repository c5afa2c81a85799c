package golang

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

// Reports that the runner would not write.
func TestReadOddReports(t *testing.T) {
	ok := `{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"pass","Package":"m","Test":"TestA"}
{"Action":"output","Package":"m","Output":"PASS\n"}
{"Action":"pass","Package":"m","Elapsed":0.1}
`
	fail := strings.Replace(ok, `"pass"`, `"fail"`, 1)
	for _, tt := range []struct {
		name    string
		outcome string
		code    int
		report  string
		large   bool
		agrees  bool
		want    map[string]model.Verdict
	}{
		{"well", model.OutcomeOK, 0, ok, false, true, map[string]model.Verdict{"TestA": model.Pass}},
		{"exit status differs", model.OutcomeFailed, 1, ok, false, false, map[string]model.Verdict{"TestA": model.Pass}},
		{"package passes, test fails", model.OutcomeOK, 0, fail, false, false, map[string]model.Verdict{"TestA": model.Fail}},
		{"empty", model.OutcomeOK, 0, "", false, false, map[string]model.Verdict{}},
		{"too large", model.OutcomeOK, 0, "", true, false, map[string]model.Verdict{}},
		{"other package", model.OutcomeOK, 0, strings.ReplaceAll(ok, `"m"`, `"n"`), false, false, map[string]model.Verdict{}},
		{"malformed line", model.OutcomeOK, 0, "PASS\n" + ok, false, false, map[string]model.Verdict{"TestA": model.Pass}},
		{"cut by a kill", model.OutcomeTimeout, -1, ok[:80], false, true, map[string]model.Verdict{"TestA": model.Timeout}},
		{"killed", model.OutcomeKilled, -1, ok[:46], false, true, map[string]model.Verdict{}},
		{"end without begin", model.OutcomeOK, 0, ok[46:], false, false, map[string]model.Verdict{}},
		{"parent of a failed one passes", model.OutcomeFailed, 1, `{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"run","Package":"m","Test":"TestA/x"}
{"Action":"fail","Package":"m","Test":"TestA/x"}
` + strings.Replace(ok[46:], `"Elapsed"`, `"X"`, 1), false, false, map[string]model.Verdict{"TestA": model.Fail, "TestA/x": model.Fail}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Language{}.Read(model.Run{Unit: "m"}, model.Outcome{
				Outcome: tt.outcome, ExitCode: tt.code, Report: []byte(tt.report), ReportTooLarge: tt.large,
			})
			if d := cmp.Diff(tt.want, verdicts(got)); d != "" {
				t.Error(d)
			}
			if got.Agrees != tt.agrees {
				t.Errorf("agrees = %v (%s)", got.Agrees, got.Detail)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"Action":"run","Package":"m","Test":"TestA/x"}`+"\n"+`{"Action":"fail","Package":"m","Elapsed":1,"FailedBuild":"m"}`), 1)
	f.Add([]byte(`{"Action":"build-output","ImportPath":"m","Output":"a.go:1:2: undefined: x.Y\n\thave (int)\n"}`), 0)
	f.Fuzz(func(t *testing.T, report []byte, code int) {
		outcome := model.OutcomeOK
		if code != 0 {
			outcome = model.OutcomeFailed
		}
		got := Language{}.Read(model.Run{Unit: "m"}, model.Outcome{Outcome: outcome, ExitCode: code, Report: report})
		for _, c := range got.Checks {
			if got.Agrees && got.Complete && code == 0 && c.Verdict.Fails() {
				t.Errorf("%s fails in a report that agrees with exit status 0", c.ID)
			}
		}
		if got.BuildError && len(got.Checks) > 0 {
			t.Error("checks beside a build error")
		}
	})
}
