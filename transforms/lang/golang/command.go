package golang

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/taskmill/taskmill/model"
)

// maxPattern bounds a -run or -skip pattern, in bytes: the kernel refuses one argument of
// 128 KiB. A longer selection is left out, and the run then shows more than was asked for.
const maxPattern = 100 << 10

// Command is `go test -json` on one package, in the folder of its module. Run.Only and
// Run.Skip hold test functions or, to ask for one subtest, their ids below the package
// (TestX/sub). Run.With holds the names of planted tests, which run beside any selection.
func (Language) Command(p model.Protocol, r model.Run) model.Command {
	c := model.Command{Env: p.Env, Dir: folder(p, r.Unit), ReportStdout: true}
	if r.Unit == "" {
		if len(p.Build) > 0 {
			return p.Build[0]
		}
		return c
	}
	for _, a := range p.Test {
		if a == "{unit}" {
			c.Argv = append(c.Argv, flags(p, r)...)
			a = r.Unit
		}
		c.Argv = append(c.Argv, a)
	}
	return c
}

func flags(p model.Protocol, r model.Run) []string {
	out := []string{"-timeout=" + timeout(p, r).String()}
	if len(r.Only) > 0 {
		if s := pattern(append(r.Only[:len(r.Only):len(r.Only)], r.With...)); len(s) <= maxPattern {
			out = append(out, "-run="+s)
		}
	}
	if len(r.Skip) > 0 {
		if s := pattern(r.Skip); len(s) <= maxPattern {
			out = append(out, "-skip="+s)
		}
	}
	if r.Order != 0 {
		out = append(out, "-shuffle="+strconv.FormatInt(r.Order, 10))
	}
	return out
}

// timeout is what the test binary is given: a tenth, at most 10 seconds, less than the wall
// limit, so that the runner itself ends first and reports what ran. 0 is no limit.
func timeout(p model.Protocol, r model.Run) time.Duration {
	wall := r.Limits.Wall
	if wall == 0 {
		wall = p.Limits.Wall
	}
	return (wall - min(wall/10, 10*time.Second)).Truncate(time.Millisecond)
}

// pattern is the -run pattern that matches exactly the names: the runner cuts pattern and name
// at slashes and matches each part.
func pattern(names []string) string {
	each := make([]string, len(names))
	for i, n := range names {
		parts := strings.Split(n, "/")
		for j, p := range parts {
			parts[j] = "^" + regexp.QuoteMeta(p) + "$"
		}
		each[i] = strings.Join(parts, "/")
	}
	return strings.Join(each, "|")
}

// folder is where a unit runs: the folder of its module.
func folder(p model.Protocol, unit string) string {
	best := model.Root{Dir: p.Cwd}
	for _, r := range p.Roots {
		if within(unit, r.Unit) && len(r.Unit) > len(best.Unit) {
			best = r
		}
	}
	if best.Dir == "." {
		return ""
	}
	return best.Dir
}

// given is the -timeout that a run was started with.
func given(r model.Run) time.Duration {
	for _, a := range r.Command.Argv {
		if v, ok := strings.CutPrefix(a, "-timeout="); ok {
			d, err := time.ParseDuration(v)
			if err == nil {
				return d
			}
		}
	}
	return timeout(model.Protocol{}, r)
}
