package lifecycle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/model"
)

// naming reads ids of the form unit::Function/sub or unit::Function[param].
type naming struct{}

func (naming) Function(id string) (string, string) {
	unit, rest, _ := strings.Cut(id, "::")
	if i := strings.IndexAny(rest, "/["); i >= 0 {
		rest = rest[:i]
	}
	return unit, rest
}

func (naming) Kind(path string) model.Kind {
	if strings.HasSuffix(path, "_test.go") {
		return model.CheckFile
	}
	return model.Production
}

// A world answers runs by table and keeps what was asked.
type world struct {
	t      *testing.T
	rows   []row
	draw   func(state string, hidden map[string]bool, p Planned) model.Observation // instead of rows
	seen   map[model.Hash]model.Observation
	trees  map[model.Hash]string
	hidden map[model.Hash]map[string]bool // by tree of S: ids' unit::Function
	log    []string
}

// A row says what the unit shows on a state. repeat -1 is every repeat. The last row that
// matches a run decides.
type row struct {
	state, unit string
	repeat      int
	confirm     bool
	o           model.Observation
}

func (w *world) Of(key model.Hash) (model.Observation, bool) {
	o, ok := w.seen[key]
	return o, ok
}

// make executes a planned run; a run that the table does not foresee, or that was made before,
// fails the test.
func (w *world) make(p Planned) {
	key := p.Run.Key()
	if _, twice := w.seen[key]; twice {
		w.t.Fatalf("run asked twice: %+v", p)
	}
	state := w.trees[p.Run.Tree]
	if base := strings.TrimRight(state, "23456789"); p.State != base {
		w.t.Fatalf("run of tree %s is said to be of state %s", state, p.State)
	}
	confirm := p.Run.Limits.Wall != template.Limits.Wall
	if confirm != p.Alone || confirm && p.Run.Limits.Wall != 2*template.Limits.Wall {
		w.t.Fatalf("confirmation: %+v", p)
	}
	if w.draw != nil {
		o := w.draw(p.State, w.hidden[p.Run.Tree], p)
		o.Run = p.Run
		w.seen[key] = o
		return
	}
	for _, r := range slices.Backward(w.rows) {
		if r.state == state && r.unit == p.Run.Unit && (r.repeat < 0 || r.repeat == p.Run.Repeat) && r.confirm == confirm {
			r.o.Run = p.Run
			w.seen[key] = r.o
			return
		}
	}
	w.t.Fatalf("unforeseen run: %s %s %d confirm=%v", state, p.Run.Unit, p.Run.Repeat, confirm)
}

var template = model.Run{Lock: "lock", Protocol: "protocol", Sandbox: "bwrap", Limits: model.Limits{Wall: time.Minute}}

// drive calls Next to the end and returns the verdict with the hidden sets asked for.
func (w *world) drive(c Case) *Verdict {
	if w.seen == nil {
		w.seen = map[model.Hash]model.Observation{}
	}
	w.log, w.hidden = nil, map[model.Hash]map[string]bool{}
	w.trees = map[model.Hash]string{c.H: "H", c.C: "C"}
	if c.Restored != c.H {
		w.trees[c.Restored] = "H'"
	}
	for range 200 {
		s := Next(c, w)
		set := 0
		for _, is := range []bool{len(s.Runs) > 0, len(s.Hidden) > 0, s.Verdict != nil} {
			if is {
				set++
			}
		}
		if set != 1 {
			w.t.Fatalf("step sets %d fields: %+v", set, s)
		}
		switch {
		case s.Verdict != nil:
			return s.Verdict
		case len(s.Hidden) > 0:
			name := "S"
			if n := len(c.Built) + 1; n > 1 {
				name += strconv.Itoa(n)
			}
			tree := model.Hash("tree " + name)
			w.trees[tree] = name
			w.hidden[tree] = map[string]bool{}
			for _, h := range s.Hidden {
				w.hidden[tree][h.Unit+"::"+h.Function] = true
			}
			c.Built = append(c.Built, Built{S: tree, Hidden: s.Hidden})
			w.log = append(w.log, "build "+name+" without "+functions(s.Hidden))
		default:
			var line []string
			for _, p := range s.Runs {
				w.make(p)
				alone := ""
				if p.Alone {
					alone = "!"
				}
				line = append(line, fmt.Sprintf("%s:%s:%d%s", w.trees[p.Run.Tree], p.Run.Unit, p.Run.Repeat, alone))
			}
			w.log = append(w.log, "run "+strings.Join(line, " "))
		}
	}
	w.t.Fatal("Next does not end")
	return nil
}

func functions(ss []model.Surface) string {
	var out []string
	for _, s := range ss {
		out = append(out, s.Unit+":"+s.Function)
	}
	return strings.Join(out, " ")
}

// parseRow reads "STATE UNIT REPEAT[!] [build_error] [outcome=…] [seconds=…] [diag=path,name,followup] Test=verdict …".
func parseRow(line string) (row, error) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return row{}, fmt.Errorf("row %q is short", line)
	}
	r := row{state: f[0], unit: f[1], repeat: -1, o: model.Observation{Outcome: model.OutcomeOK}}
	at, confirm := strings.CutSuffix(f[2], "!")
	r.confirm = confirm
	if at != "*" {
		n, err := strconv.Atoi(at)
		if err != nil {
			return row{}, err
		}
		r.repeat = n
	}
	for _, w := range f[3:] {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "build_error":
			r.o.BuildError, r.o.Outcome = true, model.OutcomeFailed
		case "outcome":
			r.o.Outcome = v
		case "seconds":
			r.o.Seconds, _ = strconv.ParseFloat(v, 64)
		case "diag":
			d := strings.Split(v, ",")
			x := model.Diagnostic{Path: d[0], Message: "about " + strings.Join(d[1:], " ")}
			for _, n := range d[1:] {
				if n == "followup" {
					x.FollowUp = true
				} else {
					x.Names = append(x.Names, n)
				}
			}
			r.o.Diagnostics = append(r.o.Diagnostics, x)
		default:
			verdict := model.Verdict(v)
			if verdict.Fails() && r.o.Outcome == model.OutcomeOK {
				r.o.Outcome = model.OutcomeFailed
			}
			r.o.Checks = append(r.o.Checks, model.Check{ID: r.unit + "::" + k, Verdict: verdict})
		}
	}
	return r, nil
}

// parseCase reads the head of a case: one setting a line.
func parseCase(head string) (Case, error) {
	c := Case{ID: "o__r-1", Family: "bug_fix", Naming: naming{}, H: "tree H", C: "tree C", Restored: "tree H", Repeats: 2, Template: template,
		Surfaces: map[string][]model.Surface{}, RemovedUses: map[string][]string{}}
	for line := range strings.Lines(head) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		switch f[0] {
		case "family":
			c.Family = f[1]
		case "sandbox":
			c.Template.Sandbox = f[1]
		case "accept":
			c.AcceptBuildErrors = true
		case "reversal":
			c.Reversal = true
		case "own":
			c.Restored = "tree H'"
		case "repeats":
			c.Repeats, _ = strconv.Atoi(f[1])
		case "targets", "surfaces":
			for _, w := range f[1:] {
				p := strings.Split(w, ":")
				s := model.Surface{Unit: p[0], Path: p[1], Function: p[2]}
				c.Surfaces[s.Unit] = append(c.Surfaces[s.Unit], s)
				if f[0] == "targets" {
					c.Targets = append(c.Targets, s)
				}
			}
		case "nearby":
			c.NearbyUnits = f[1:]
		case "all":
			c.AllUnits = f[1:]
		case "removed":
			for _, n := range f[1:] {
				file, name, ok := strings.Cut(n, ":")
				if !ok {
					file, name = "p.go", n
				}
				c.Removed = append(c.Removed, model.Symbol{Path: file, Name: name})
			}
		case "uses":
			c.RemovedUses[f[1]] = f[2:]
		case "unstable":
			c.Unstable = append(c.Unstable, model.UnstableCheck{ID: f[1], Cause: f[2]})
		case "structural":
			c.Structural = append(c.Structural, Structural{ID: f[1], H: model.Verdict(f[2]), C: model.Verdict(f[3]), Restored: model.Verdict(f[4])})
		default:
			return c, fmt.Errorf("setting %q is unknown", f[0])
		}
	}
	return c, nil
}
