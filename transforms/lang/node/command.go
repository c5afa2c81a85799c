package node

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang/ecma"
)

const (
	reportFormat = "taskmill-node-jsonl"
	// reportVersion is part of a run's key: raised when support files or the parser change what
	// a run gives, so that no ledger answers with what earlier ones gave.
	reportVersion = 2
)

// maxPattern bounds a selection, in bytes: the kernel refuses one argument of 128 KiB. A longer
// one is left out, and the run then shows more than was asked for.
const maxPattern = 100 << 10

// Command is how a run is started. Only and Skip hold functions of the run's own unit; With
// holds the ids of planted checks, whose files run in the same process where the runner has one.
//
// Vitest and Jest shuffle by a seed of theirs, Mocha's tests are shuffled by its reporter;
// node:test and AVA have one order.
func Command(p model.Protocol, r model.Run) model.Command {
	if r.Unit == "" {
		return model.Command{}
	}
	dir, test := p.Cwd, p.Test
	longest := -1
	for _, root := range p.Roots {
		if within(r.Unit, root.Unit) && len(root.Unit) > longest {
			longest, dir, test = len(root.Unit), root.Dir, p.Test
			if root.Test != nil {
				test = root.Test
			}
		}
	}
	if dir == "." {
		dir = ""
	}
	name := runnerName(test)
	s := selection{run: r, wall: cmp.Or(r.Limits.Wall, p.Limits.Wall), dir: dir, units: append([]string{r.Unit}, planted(r.With)...)}
	c := model.Command{Dir: dir, Env: slices.Clone(p.Env)}
	c.Env = append(c.Env, "TASKMILL_REPORT={report}", "TASKMILL_UNITS="+strings.Join(s.units, "\n"))
	flags, env := s.of(name)
	c.Env = append(c.Env, env...)
	for _, a := range test {
		switch a {
		case "{unit}":
			c.Argv = append(c.Argv, flags...)
			c.Argv = append(c.Argv, s.words(name)...)
		default:
			c.Argv = append(c.Argv, a)
		}
	}
	if c.Dir == "" {
		c.Dir = "."
	}
	return c
}

// runnerName is the runner that an argv of a protocol starts.
func runnerName(test []string) string {
	for i, a := range test {
		switch a {
		case support + "node.cjs":
			return "node"
		case support + "run.cjs":
			if i+1 < len(test) {
				return test[i+1]
			}
		}
	}
	return ""
}

// planted are the files of planted checks.
func planted(with []string) []string {
	var out []string
	for _, id := range with {
		if f, _ := split(id); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// A selection is what of a unit is run, and with what.
type selection struct {
	run   model.Run
	wall  time.Duration // 0: not known
	dir   string
	units []string
}

// words name the files to the runner.
func (s selection) words(runner string) []string {
	var out []string
	for _, u := range s.units {
		switch runner {
		case "jest":
			out = append(out, "^{testbed}/"+quoteJS(u)+"$")
		case "ava":
			out = append(out, relative(s.dir, u))
		default:
			out = append(out, "{testbed}/"+u)
		}
	}
	if runner == "node" {
		return out[:1] // the planted ones are imported before it
	}
	return out
}

// relative is the way from a folder of the tree to a file.
func relative(dir, file string) string {
	if within(file, dir) {
		return strings.TrimPrefix(strings.TrimPrefix(file, dir), "/")
	}
	return path.Join(strings.Repeat("../", strings.Count(dir, "/")+1), file)
}

// of are the flags and variables that select and order.
func (s selection) of(runner string) (flags, env []string) {
	only := slices.Clone(s.run.Only)
	for _, id := range s.run.With {
		if _, f := split(id); len(only) > 0 {
			only = append(only, f)
		}
	}
	switch runner {
	case "jest", "vitest":
		if p := titles(only, s.run.Skip); p != "" {
			flags = append(flags, "--testNamePattern="+p)
		}
		if s.run.Order != 0 && runner == "jest" {
			flags = append(flags, "--randomize", fmt.Sprintf("--seed=%d", int32(s.run.Order)))
		}
		if s.run.Order != 0 && runner == "vitest" {
			flags = append(flags, "--sequence.shuffle", fmt.Sprintf("--sequence.seed=%d", uint32(s.run.Order)))
		}
	case "ava":
		flags = matches(only, s.run.Skip)
		if idle := s.idle(); idle > 0 {
			flags = append(flags, fmt.Sprintf("--timeout=%dms", idle.Milliseconds()))
		}
	case "node":
		for _, u := range s.units[1:] {
			flags = append(flags, "--import={testbed}/"+u)
		}
		fallthrough
	default:
		if e := selected(only, s.run.Skip); e != "" {
			env = append(env, "TASKMILL_SELECT="+e)
		}
		if s.run.Order != 0 && runner == "mocha" {
			env = append(env, fmt.Sprintf("TASKMILL_SEED=%d", uint32(s.run.Order)))
		}
	}
	return flags, env
}

// idle is how long AVA waits for the next result: a tenth, at most 10 seconds, less than the run
// may take. Its own 10 seconds pass on a busy machine before the first test is loaded.
func (s selection) idle() time.Duration {
	return s.wall - min(s.wall/10, 10*time.Second)
}

// titles is the pattern for full titles, whose parts runners join by spaces.
func titles(only, skip []string) string {
	out := ""
	if len(skip) > 0 {
		out = "(?!" + pattern(skip, "(?: > | )") + ")"
	}
	switch {
	case len(only) > 0:
		out += pattern(only, "(?: > | )")
	case out != "":
		out = "^" + out
	}
	if len(out) > maxPattern {
		return ""
	}
	return out
}

// selected is a selection as the support files read it: expressions over titles joined by the
// separator of ids.
func selected(only, skip []string) string {
	v := struct {
		Only string `json:"only,omitempty"`
		Skip string `json:"skip,omitempty"`
	}{}
	if len(only) > 0 {
		v.Only = pattern(only, separator)
	}
	if len(skip) > 0 {
		v.Skip = pattern(skip, separator)
	}
	data, err := json.Marshal(v)
	if err != nil || len(data) > maxPattern || v.Only == "" && v.Skip == "" {
		return ""
	}
	return string(data)
}

// matches are AVA's patterns: a star stands for anything, and nothing can be quoted.
func matches(only, skip []string) []string {
	var out []string
	for _, f := range only {
		out = append(out, "--match="+star(f))
	}
	for _, f := range skip {
		out = append(out, "--match=!"+star(f))
	}
	if len(out) > 5000 {
		return nil
	}
	return out
}

func star(title string) string {
	s := strings.Join(ecma.Pieces(title), "*")
	if rest, ok := strings.CutPrefix(s, "!"); ok {
		s = "*" + rest
	}
	return s
}
