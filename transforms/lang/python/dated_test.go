package python

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/model"
)

var midsummer = time.Date(2022, 6, 21, 12, 0, 0, 0, time.FixedZone("x", 7200))

// Dependencies are resolved as of a time; the units run as they did.
func TestAsOfRevision(t *testing.T) {
	l, in := Language{}, files(project...)
	now, err := l.Recipe(in)
	if err != nil {
		t.Fatal(err)
	}
	id := now.ID()
	r, err := l.AsOfRevision(now, midsummer)
	if err != nil {
		t.Fatal(err)
	}
	if now.ID() != id {
		t.Error("the recipe that was given is changed")
	}
	for _, steps := range [][]model.Command{r.Prepare, r.FromLock} {
		if len(steps) != 2 || !strings.HasPrefix(strings.Join(steps[1].Argv[1:], " "), "{env}/taskmill/taskmill_dated.py 2022-06-22T00:00:00Z ") {
			t.Errorf("steps %v", steps)
		}
	}
	if r.Protocol.ID() != now.Protocol.ID() || !slices.ContainsFunc(r.Files, func(f model.File) bool { return f.Path == "taskmill_dated.py" }) {
		t.Error("the protocol differs, or the script is missing")
	}
}

// An old revision gets the releases of its day.
func TestPrepareAsOfRevision(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no environment of a project is prepared")
	}
	in := files(project...)
	b := newBox(t, in)
	if out, err := exec.Command("python3", "-m", "pip", "download", "--no-deps", "-d", t.TempDir(), "iniconfig").CombinedOutput(); err != nil {
		t.Skipf("pip reaches no index: preparing is not tested:\n%s", out)
	}
	r, err := Language{}.Recipe(in)
	if err == nil {
		r, err = Language{}.AsOfRevision(r, midsummer)
	}
	if err != nil {
		t.Fatal(err)
	}
	lock := string(b.prepare(r, nil))
	if !strings.Contains(lock, "iniconfig==1.1.1\n") || !strings.Contains(lock, "pytest==7.1.2\n") {
		t.Errorf("lock:\n%s", lock)
	}
}
