package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// A stage is a folder in which one or more commands run: testbed, env, tmp and home below it,
// each a plain folder, or an overlay over lower ones.
type stage struct {
	dir     string
	testbed []string // lower folders, topmost first; nil: plain
	env     []string
	network bool
	before  int64 // space that plain copies take at the start
}

// make creates the folders that are missing.
func (s stage) make() error {
	for _, name := range []string{"testbed", "env", "tmp", "home", "testbed.up", "env.up"} {
		if err := os.MkdirAll(filepath.Join(s.dir, name), 0o755); err != nil {
			return fmt.Errorf("make state: %w", err)
		}
	}
	return nil
}

// places are the stage's folders as its commands see them.
func (e *hostEnvironment) places() places {
	if e.h.kind == "bwrap" {
		return insidePlaces
	}
	return places{e.live + "/env", e.live + "/testbed", e.live + "/tmp", e.live + "/home"}
}

// run executes one command in the stage.
func (e *hostEnvironment) run(ctx context.Context, s stage, c command, limits model.Limits) (model.Outcome, error) {
	release, err := acquire(ctx, e.h.jobs)
	if err != nil {
		return model.Outcome{}, err
	}
	defer release()
	if len(c.argv) == 0 {
		return infrastructure("the command is empty"), nil
	}
	if err := s.make(); err != nil {
		return infrastructure(err.Error()), nil
	}
	tmp, err := os.OpenRoot(filepath.Join(s.dir, "tmp"))
	if err != nil {
		return infrastructure(err.Error()), nil
	}
	defer tmp.Close()
	j := job{dir: s.dir, limits: limits, group: newGroup(limits), watched: s.dir, before: s.before, stdout: c.stdoutOnly}
	defer j.group.remove()
	if e.h.kind == "local" && !e.h.layers.process && len(j.group.dirs()) == 0 {
		j.mark = "TASKMILL_RUN=" + randomName()
	}
	script, err := e.script(s, c, j)
	if err != nil {
		return infrastructure(err.Error()), nil
	}
	if e.h.layers.enter != nil {
		j.argv = slices.Clone(e.h.layers.enter)
		if e.h.kind == "local" && e.h.layers.process {
			j.argv = append(j.argv, processNamespace...)
		}
	}
	j.argv = append(j.argv, "/bin/sh", "-c", script)
	o, err := j.run(ctx)
	if err != nil {
		return o, err
	}
	o = withReport(o, c, limits, func(name string, limit int64) ([]byte, bool, bool) { return readReport(tmp, name, limit) })
	o.Log = e.places().normal(o.Log, c.report)
	o.Report = e.places().normal(o.Report, c.report)
	o.Detail = string(e.places().normal([]byte(o.Detail), c.report))
	return o, nil
}

// script is the shell text that joins the control groups, mounts the layers in its own mount
// namespace and becomes the command.
func (e *hostEnvironment) script(s stage, c command, j job) (string, error) {
	var b strings.Builder
	b.WriteString("set -e\n")
	for _, dir := range j.group.dirs() {
		fmt.Fprintf(&b, "echo $$ > %s\n", quote(filepath.Join(dir, "cgroup.procs")))
	}
	fmt.Fprintf(&b, "cd -- %s\n", quote(s.dir))
	local := e.h.kind == "local"
	for _, part := range []struct {
		name   string
		lowers []string
	}{{"testbed", s.testbed}, {"env", s.env}, {"tmp", nil}, {"home", nil}} {
		at := "./" + part.name
		if local {
			at = filepath.Join(e.live, part.name)
		}
		switch {
		case part.lowers != nil:
			options, err := s.lower(part.name, part.lowers)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s -t overlay -o %s none %s\n", e.h.layers.mount, quote(options+","+e.h.layers.options), quote(at))
		case local && e.h.layers.enter != nil:
			fmt.Fprintf(&b, "%s --bind ./%s %s\n", e.h.layers.mount, part.name, quote(at))
		}
	}
	var words []string
	if e.h.prlimit != "" {
		words = append(words, e.h.prlimit, "--core=0", fmt.Sprintf("--fsize=%d", j.limits.DiskBytes))
		if j.group.pids == "" {
			words = append(words, fmt.Sprintf("--nproc=%d", j.limits.Processes))
		}
	}
	if local {
		words = append(words, e.localWords(c, j.mark)...)
	} else {
		words = append(words, e.bwrapWords(s, c)...)
	}
	words = append(words, "/bin/sh", "-c", innerScript, "sh", c.dir)
	words = append(words, c.argv...)
	for i, w := range words {
		words[i] = quote(w)
	}
	line := strings.Join(words, " ") + " </dev/null"
	if local && e.h.layers.process {
		// The first process of the namespace must stay a shell, which reaps orphans; what it
		// says itself about a killed command is no output of the command.
		return b.String() + "set +e\nexec 4>&2 2>/dev/null\n(exec " + line + " 2>&4 4>&-)\nexit $?\n", nil
	}
	return b.String() + "exec " + line + "\n", nil
}

// lower names the lower folders by short links in the stage, since their paths may hold the
// separators of mount options and be too long for them.
func (s stage) lower(name string, lowers []string) (string, error) {
	var links []string
	for i, dir := range lowers {
		link := fmt.Sprintf("%s.l%d", name, i)
		if err := os.Symlink(dir, filepath.Join(s.dir, link)); err != nil && !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("make state: %w", err)
		}
		links = append(links, link)
	}
	work := name + ".wk" // made anew: a volatile overlay refuses one that was used
	if err := removeAll(filepath.Join(s.dir, work)); err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(s.dir, work), 0o755); err != nil {
		return "", fmt.Errorf("make state: %w", err)
	}
	return fmt.Sprintf("lowerdir=%s,upperdir=%s.up,workdir=%s", strings.Join(links, ":"), name, work), nil
}

// localWords start a command with its environment and nothing else.
func (e *hostEnvironment) localWords(c command, mark string) []string {
	var words []string
	if e.h.layers.user && e.h.layers.enter != nil {
		// Out of the role of root that mounting needed.
		words = append(words, e.h.layers.enter[0], "--user", fmt.Sprintf("--map-user=%d", os.Getuid()), fmt.Sprintf("--map-group=%d", os.Getgid()))
	}
	words = append(words, "/usr/bin/env", "-i")
	words = append(words, c.env...)
	if mark != "" {
		words = append(words, mark)
	}
	return words
}

// bwrapWords start a command that sees the system, the toolchain, the environment and the
// stage, and nothing else.
func (e *hostEnvironment) bwrapWords(s stage, c command) []string {
	words := slices.Clone(e.h.bwrap)
	words = append(words, systemBinds()...)
	words = append(words, e.h.etcBinds()...)
	words = append(words, "--proc", "/proc", "--dev", "/dev", "--dir", "/run", "--dir", "/var", "--symlink", "../tmp", "/var/tmp")
	for _, root := range e.tool.roots {
		words = append(words, "--ro-bind", root, root)
	}
	if s.network {
		words = append(words, "--share-net")
		for _, f := range clientFiles(os.Environ()) {
			words = append(words, "--ro-bind-try", f, f)
		}
	}
	words = append(words,
		"--bind", filepath.Join(s.dir, "testbed"), testbedDir,
		"--bind", filepath.Join(s.dir, "env"), envDir,
		"--bind", filepath.Join(s.dir, "tmp"), tmpDir,
		"--bind", filepath.Join(s.dir, "home"), homeDir,
		"--remount-ro", "/", "--clearenv")
	for _, v := range c.env {
		name, value, _ := strings.Cut(v, "=")
		words = append(words, "--setenv", name, value)
	}
	return append(words, "--")
}
