package sandboxio

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// Where things are inside a sandbox, and what every reported path says.
const (
	testbedDir = "/testbed"
	envDir     = "/env"
	tmpDir     = "/tmp"
	homeDir    = "/home/taskmill"
	userName   = "taskmill"
	userID     = 1000
)

// places are the folders as a command sees them.
type places struct{ env, testbed, tmp, home string }

var insidePlaces = places{envDir, testbedDir, tmpDir, homeDir}

// A started command, with every placeholder replaced.
type command struct {
	argv       []string
	env        []string // NAME=value, sorted, one of a name
	dir        string   // absolute, as the command sees it
	report     string   // name below tmp; empty: none asked for
	stdoutOnly bool     // stdout is the report
}

// expand replaces the placeholders of c. Later environments win over earlier ones.
func (p places) expand(c model.Command, environments ...[]string) command {
	report := randomName()
	r := strings.NewReplacer("{env}", p.env, "{testbed}", p.testbed, "{tmp}", p.tmp, "{report}", p.tmp+"/"+report)
	out := command{dir: p.testbed, stdoutOnly: c.ReportStdout}
	for _, a := range c.Argv {
		out.argv = append(out.argv, r.Replace(a))
	}
	vars := map[string]string{}
	for _, list := range append(environments, c.Env) {
		for _, v := range list {
			if name, value, ok := strings.Cut(v, "="); ok && name != "" {
				vars[name] = r.Replace(value)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		out.env = append(out.env, name+"="+vars[name])
	}
	if c.Dir != "" && c.Dir != "." {
		out.dir = p.testbed + "/" + strings.TrimPrefix(r.Replace(c.Dir), p.testbed+"/")
	}
	for _, s := range slices.Concat(c.Argv, c.Env) {
		if strings.Contains(s, "{report}") {
			out.report = report
		}
	}
	return out
}

// randomName is a name that no tree can know.
func randomName() string {
	var b [12]byte
	rand.Read(b[:])
	return "report-" + hex.EncodeToString(b[:])
}

// normal replaces in what a command wrote the folders of this machine by the fixed ones, and
// the random report name by a fixed one.
func (p places) normal(b []byte, report string) []byte {
	if report != "" {
		b = bytes.ReplaceAll(b, []byte(report), []byte("report"))
	}
	for _, pair := range [][2]string{{p.testbed, testbedDir}, {p.env, envDir}, {p.tmp, tmpDir}, {p.home, homeDir}} {
		if pair[0] != pair[1] {
			b = bytes.ReplaceAll(b, []byte(pair[0]), []byte(pair[1]))
		}
	}
	return b
}
