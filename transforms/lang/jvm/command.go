package jvm

import (
	"strconv"

	"github.com/taskmill/taskmill/model"
)

// Command runs the unit in a virtual machine of its own. Run.Only and Run.Skip hold functions,
// Class#method; Run.With holds planted source files, whose classes run beside any selection.
// A seed shuffles methods and nested classes where they have no order of their own: the
// platform's and JUnit 4's; TestNG's methods but for what they depend on.
func (Runner) Command(p model.Protocol, r model.Run) model.Command {
	c := model.Command{Env: p.Env, Dir: p.Cwd}
	if r.Unit == "" {
		if len(p.Build) > 0 {
			return p.Build[0]
		}
		return c
	}
	for _, a := range p.Test {
		if a != "{unit}" {
			c.Argv = append(c.Argv, a)
			continue
		}
		c.Argv = append(c.Argv, r.Unit)
		if r.Order != 0 {
			c.Argv = append(c.Argv, "--seed", strconv.FormatInt(r.Order, 10))
		}
		for _, each := range []struct {
			name string
			list []string
		}{{"--only", r.Only}, {"--skip", r.Skip}, {"--with", r.With}} {
			for _, v := range each.list {
				c.Argv = append(c.Argv, each.name, v)
			}
		}
	}
	return c
}

// virtualMachine are the options of our own programs: they live for a second or two, and read
// the compiler's diagnostics as values, for which its packages must be open.
func virtualMachine() []string {
	return []string{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.io.tmpdir={tmp}", "-Duser.home={tmp}",
		"--add-opens=jdk.compiler/com.sun.tools.javac.util=ALL-UNNAMED",
		"--add-opens=jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED",
		"--add-opens=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED",
		"-cp", "{env}/taskmill/classes"}
}

func program(class string, args ...string) []string {
	return append(append(virtualMachine(), "taskmill."+class), args...)
}

// environ is what every command runs with.
func environ() []string {
	return []string{
		"CI=1",
		"LC_ALL=C.UTF-8",
		"MAVEN_OPTS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir={tmp} -Duser.home={tmp}",
		"MAVEN_SKIP_RC=1",
	}
}
