package evaluate

import (
	"encoding/json"
	"maps"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// files is a tree by path.
type files map[string]string

// with is f with more files; an empty content deletes.
func (f files) with(more files) files {
	out := maps.Clone(f)
	maps.Copy(out, more)
	maps.DeleteFunc(out, func(_, text string) bool { return text == "" })
	return out
}

func (f files) tree() *tree.Tree {
	var all []model.File
	for p, text := range f {
		all = append(all, model.File{Path: p, Mode: model.ModeFile, Data: []byte(text)})
	}
	return tree.Of(all...)
}

// to is the text of the patch from f to g.
func (f files) to(t *testing.T, g files) string {
	t.Helper()
	p, err := patch.Diff(f.tree(), g.tree(), patch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p.String()
}

// A court is where predictions on one task are judged, with a real toolchain.
type court struct {
	bench *execute.Bench
	place *execute.Place
	task  model.Task
	s     files
}

// newCourt prepares the environment of h and makes the task whose condition is c: the hidden
// tests are what c has more than s. build commands are added to the protocol's own.
func newCourt(t *testing.T, l lang.Language, h, s, c files, failToPass, passToPass []string, build ...model.Command) *court {
	t.Helper()
	sandbox := "local"
	if _, err := exec.LookPath("bwrap"); err == nil {
		sandbox = "bwrap"
	}
	settings := execute.Settings{Work: t.TempDir(), Sandbox: sandbox, Jobs: runtime.NumCPU()}
	settings.Cache = settings.Work
	shop, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := l.Recipe(h.tree())
	if err != nil {
		t.Fatal(err)
	}
	recipe.Protocol.Build = append(recipe.Protocol.Build, build...)
	archive, err := shop.Keep(t.Context(), h.tree())
	if err != nil {
		t.Fatal(err)
	}
	base := model.Base{Repo: "owner/name", Commit: "c0ffee", Tree: h.tree().Hash(), Archive: archive, Language: l.Name(), Recipe: recipe}
	if _, err := shop.Ready(t.Context(), &base, l); err != nil {
		t.Skipf("SKIP: the %s environment cannot be prepared in %s here, predictions are not judged: %v", l.Name(), sandbox, err)
	}
	site := shop.Site(base, l)
	t.Cleanup(func() {
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	})
	task := model.Task{
		InstanceID: "owner__name-1", Language: l.Name(), TaskPatch: h.to(t, s), TestPatch: s.to(t, c), Patch: c.to(t, h),
		TreeS: string(s.tree().Hash()), TreeC: string(c.tree().Hash()), FailToPass: failToPass, PassToPass: passToPass,
	}
	return &court{
		bench: &execute.Bench{Ledger: shop.Ledger, Jobs: settings.Jobs},
		place: &execute.Place{Base: base, Lang: l, Site: site, H: h.tree()}, task: task, s: s,
	}
}

func (c *court) judge(t *testing.T, text string) model.Score {
	t.Helper()
	score, err := Judge(t.Context(), c.bench, c.place, c.task, model.Prediction{InstanceID: c.task.InstanceID, Model: "solver", Patch: text})
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// solver is the prediction that leads from S to S with more files.
func (c *court) solver(t *testing.T, more files) string { return c.s.to(t, c.s.with(more)) }

// wants is what a row says of a prediction.
type wants struct {
	outcome   string
	protected bool
	detail    string // in the row's
}

func (c *court) want(t *testing.T, text string, w wants) {
	t.Helper()
	s := c.judge(t, text)
	if s.Outcome != w.outcome || s.Resolved != (w.outcome == Resolved) || s.ProtectedTouched != w.protected || (s.Weighted == 1) != s.Resolved ||
		!strings.Contains(s.Detail, w.detail) || (s.Detail != "") != (s.Outcome == Invalid || s.Outcome == Forged || s.Outcome == TimedOut || s.ProtectedTouched || c.task.Family == model.FamilyTests && s.Outcome == Unresolved || c.task.Oracle != "" && !s.Resolved) {
		row, _ := json.Marshal(s)
		t.Errorf("want %+v; the row is %s", w, row)
	}
}
