package sandboxtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func (s *suite) prepare(t *testing.T) {
	r := s.recipe()
	r.Strip = []string{"cache/**/*.own"}
	r.Prepare = append(r.Prepare, sh("mkdir -p {env}/cache/x/y && echo own > {env}/cache/x/y/z.own && echo other > {env}/cache/x/y/z.txt"))
	e, tree := s.environment(t, r, files, nil)
	if diff := cmp.Diff("dep 1\n", string(e.Lock())); diff != "" {
		t.Errorf("lock (-want +got):\n%s", diff)
	}
	if e.Facts().Reused {
		t.Error("the first environment says it was there")
	}
	if again, _ := s.environment(t, r, files, nil); !again.Facts().Reused {
		t.Error("the second environment was made again")
	}
	st := state(t, e, tree)
	wantLog(t, execute(t, st, `cat {env}/dep {env}/cache/a {env}/cache/x/y/z.txt; sh {env}/taskmill/plugin.sh; ls {env}/cache/x/y; echo $FROM_PROTOCOL`),
		model.OutcomeOK, "dep 1\nwarm\nother\nplugin\nz.txt\n/env/x")
	locked, _ := s.environment(t, r, files, []byte("dep 0\n"))
	wantLog(t, execute(t, state(t, locked, tree), `cat {env}/dep {env}/cache/a`), model.OutcomeOK, "dep 0\nlocked")
	if diff := cmp.Diff("dep 0\n", string(locked.Lock())); diff != "" {
		t.Errorf("lock (-want +got):\n%s", diff)
	}
	seen := map[string]string{}
	if err := e.Walk(t.Context(), func(path string, _ int64, open func() (io.ReadCloser, error)) error {
		f, err := open()
		if err != nil {
			return err
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		seen[path] = string(b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if seen["/env/cache/a"] != "warm\n" || seen["/env/taskmill/plugin.sh"] == "" || seen["/env/cache/x/y/z.own"] != "" {
		t.Errorf("walk saw %v", seen)
	}
	for name, c := range map[string]struct {
		change func(*model.Recipe)
		want   model.Reason
	}{
		"a command that fails":       {func(r *model.Recipe) { r.Prepare = []model.Command{sh("echo no such dependency >&2; exit 3")} }, model.EnvironmentFailed},
		"a program that is missing":  {func(r *model.Recipe) { r.Prepare = []model.Command{{Argv: []string{"no-such-program"}}} }, model.EnvironmentFailed},
		"a copy of the tree is kept": {func(r *model.Recipe) { r.Whole, r.Prepare = true, []model.Command{sh("cp {testbed}/own.py {env}/dep")} }, ""},
		"a copy of the code is kept": {func(r *model.Recipe) {
			r.Whole, r.Prepare = true, []model.Command{sh("cp {testbed}/own.py {env}/dep.py; cp deps.txt {env}/dep")}
		}, model.SelfDependency},
		"a probe finds another place": {func(r *model.Recipe) {
			r.Probe = sh("test -f {testbed}/src.txt && echo loaded from elsewhere && exit 1")
		}, model.NotWorkTree},
		"a probe that is content": {func(r *model.Recipe) { r.Probe = sh("test -f {testbed}/built.txt") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.recipe()
			c.change(&r)
			f := Files{"own.py": strings.Repeat("# own code\n", 40), "src.txt": "s", "deps.txt": "d"}
			tree := s.archives.Add(t, f)
			_, err := s.sandbox.Prepare(t.Context(), model.Base{Tree: tree.Hash, Recipe: r}, nil)
			var fault *model.Fault
			if errors.As(err, &fault) != (c.want != "") || fault != nil && fault.Reason != c.want || err != nil && fault == nil {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if c.want == model.EnvironmentFailed && !strings.Contains(fault.Detail, "no") {
				t.Errorf("detail %q lacks the log", fault.Detail)
			}
		})
	}
}

func (s *suite) tree(t *testing.T) {
	e, base := s.environment(t, s.recipe(), files, nil)
	const look = `find . -path ./.git -prune -o \( -type f -o -type l -o -type d \) -print | sort | tr '\n' ' '`
	st := state(t, e, base)
	wantLog(t, st.Build(), model.OutcomeOK, "made in /testbed with /env")
	wantLog(t, execute(t, st, look), model.OutcomeOK,
		"./.git . ./built.txt ./deps.txt ./file-or-folder ./folder-or-file ./folder-or-file/x ./gone ./gone/deep ./gone/deep/er.txt ./gone/only.txt ./kept ./kept/a.txt ./kept/b.txt ./link ./run.sh ./src.txt"[len("./.git "):])
	wantLog(t, execute(t, st, `./run.sh; readlink link; cat built.txt {env}/cache/b; pwd | sed 's,.*/testbed,ok,'`), model.OutcomeOK, "ran\nsrc.txt\nsource\nbuilt\nok")

	changed := Change(t, base, files,
		model.TreeChange{Path: "file-or-folder", Delete: true}, model.TreeChange{Path: "file-or-folder/x", Data: []byte("now\n")},
		model.TreeChange{Path: "folder-or-file/x", Delete: true}, model.TreeChange{Path: "folder-or-file", Data: []byte("then\n")},
		model.TreeChange{Path: "gone/only.txt", Delete: true}, model.TreeChange{Path: "gone/deep/er.txt", Delete: true},
		model.TreeChange{Path: "kept/b.txt", Delete: true}, model.TreeChange{Path: "link", Data: []byte("run.sh"), Mode: model.ModeSymlink},
		model.TreeChange{Path: "src.txt", Data: []byte("changed\n")}, model.TreeChange{Path: "new/tool", Data: []byte("#!/bin/sh\necho tool\n"), Mode: model.ModeExecutable},
	)
	st = state(t, e, changed)
	wantLog(t, execute(t, st, look), model.OutcomeOK,
		". ./built.txt ./deps.txt ./file-or-folder ./file-or-folder/x ./folder-or-file ./kept ./kept/a.txt ./link ./new ./new/tool ./run.sh ./src.txt")
	wantLog(t, execute(t, st, `cat built.txt folder-or-file file-or-folder/x; readlink link; new/tool`), model.OutcomeOK, "changed\nthen\nnow\nrun.sh\ntool")

	git := execute(t, st, `command -v git >/dev/null || { echo no git; exit 0; }
rm built.txt
git status --porcelain; git rev-list --all --count; git rev-parse 'HEAD^{tree}'; git fsck --strict 2>&1; git cat-file --batch-all-objects --batch-check | wc -l`)
	if !strings.HasPrefix(string(git.Log), "no git") {
		// 1 commit, 4 trees, 8 files of 8 contents: nothing of the base's own.
		wantLog(t, git, model.OutcomeOK, "1\n"+string(changed.Hash)+"\n13")
	}
	wantLog(t, execute(t, state(t, e, base), `cat src.txt`), model.OutcomeOK, "source")
}

func (s *suite) runs(t *testing.T) {
	e, base := s.environment(t, s.recipe(), files, nil)
	st := state(t, e, base)
	wantLog(t, execute(t, st, `echo a > left; echo b > {env}/left; echo c > {tmp}/left; echo d > ~/left; echo e > src.txt; rm -r kept; rm {env}/cache/b; mv gone away; (sleep 60 & ); ls {tmp}`), model.OutcomeOK, "left")
	wantLog(t, execute(t, st, `ls left {env}/left {tmp}/left ~/left away 2>/dev/null; cat src.txt built.txt kept/b.txt {env}/cache/b gone/only.txt; ps ax 2>/dev/null | grep -c '[s]leep 60'; true`),
		model.OutcomeOK, "source\nsource\nb\nbuilt\nx\n0")
	t.Run("at the same time", func(t *testing.T) {
		var wait sync.WaitGroup
		logs := make([]string, 6)
		for i := range logs {
			wait.Go(func() {
				o, err := st.Execute(t.Context(), model.Run{Command: sh(fmt.Sprintf("echo %d > mine; echo %d > {env}/mine; sleep 0.2; cat mine {env}/mine", i, i))})
				if err != nil {
					t.Error(err)
				}
				logs[i] = string(o.Log)
			})
		}
		wait.Wait()
		for i, log := range logs {
			if diff := cmp.Diff(fmt.Sprintf("%d\n%d\n", i, i), log); diff != "" {
				t.Errorf("run %d (-want +got):\n%s", i, diff)
			}
		}
	})
	wantLog(t, execute(t, st, `echo out; echo err >&2; exit 7`), model.OutcomeFailed, "out\nerr")
	wantLog(t, execute(t, st, `kill -SEGV $$`), model.OutcomeKilled, "")
	wantLog(t, executeRun(t, st, model.Run{Command: model.Command{Argv: []string{"cat", "a.txt"}, Dir: "kept"}}), model.OutcomeOK, "a")
	if o := executeRun(t, st, model.Run{Command: model.Command{Argv: []string{"no-such-runner"}}}); o.Outcome != model.OutcomeInfrastructure {
		t.Errorf("a runner that is missing: %s", o.Outcome)
	}
	o := execute(t, st, `env | sed 's/=.*//' | grep -v -e '^_$' -e '^PWD$' -e '^OLDPWD$' -e '^SHLVL$' -e '^HOSTNAME$' | sort | tr '\n' ' '; echo; echo $HOME $TMPDIR $LANG $TZ $CI`)
	want := "CI FROM_PROTOCOL HOME LANG LOGNAME PATH SHELL TMPDIR TZ USER \n/home/taskmill /tmp C.UTF-8 UTC 1\n"
	if diff := cmp.Diff(want, string(o.Log)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if s.Isolated {
		wantLog(t, execute(t, st, `test $(id -u) != 0 && echo user`), model.OutcomeOK, "user")
	}
}

func (s *suite) report(t *testing.T) {
	st := s.plain(t)
	for _, c := range []struct {
		name, script string
		limits       model.Limits
		outcome      string
		report       string
		tooLarge     bool
	}{
		{"written", `echo "hello {testbed}" > {report}`, model.Limits{}, model.OutcomeOK, "hello /testbed\n", false},
		{"written, and the run fails", `echo x > {report}; exit 1`, model.Limits{}, model.OutcomeFailed, "x\n", false},
		{"missing", `: {report}`, model.Limits{}, model.OutcomeNoReport, "", false},
		{"a bomb", `head -c 3000000 /dev/zero > {report}`, model.Limits{ReportBytes: 1 << 20}, model.OutcomeOK, "", true},
		{"a sparse bomb", `truncate -s 100M {report}`, model.Limits{ReportBytes: 1 << 20}, model.OutcomeOK, "", true},
		{"a symlink to a file of the system", `ln -s /etc/passwd {report}`, model.Limits{}, model.OutcomeNoReport, "", false},
		{"a symlink to a device", `ln -s /dev/zero {report}`, model.Limits{}, model.OutcomeNoReport, "", false},
		{"a pipe", `mkfifo {report}`, model.Limits{}, model.OutcomeNoReport, "", false},
		{"a folder", `mkdir {report}`, model.Limits{}, model.OutcomeNoReport, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := executeRun(t, st, model.Run{Command: sh(c.script), Limits: c.limits})
			if o.Outcome != c.outcome || string(o.Report) != c.report || o.ReportTooLarge != c.tooLarge {
				t.Errorf("outcome %s (%s), report %.100q, too large %t", o.Outcome, o.Detail, o.Report, o.ReportTooLarge)
			}
		})
	}
	o := executeRun(t, st, model.Run{Command: model.Command{Argv: []string{"sh", "-c", "echo out; echo err >&2"}, ReportStdout: true}})
	if string(o.Report) != "out\n" || !bytes.Contains(o.Log, []byte("out\n")) || !bytes.Contains(o.Log, []byte("err\n")) {
		t.Errorf("stdout as report: %q, log %q", o.Report, o.Log)
	}
	names := map[string]bool{}
	for range 3 {
		o := executeRun(t, st, model.Run{Command: model.Command{Argv: []string{"sh", "-c", `echo "$R" | sed 's/.*report-//' | md5sum > {report}`}, Env: []string{"R={report}"}}})
		names[string(o.Report)] = true
	}
	if len(names) != 3 {
		t.Errorf("%d names of reports in 3 runs", len(names))
	}
}
