package sandboxtest

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/io/sandboxio/onecommit"
	"github.com/taskmill/taskmill/model"
)

func (s *suite) limits(t *testing.T) {
	st := s.plain(t)
	for _, c := range []struct {
		name, script string
		limits       model.Limits
		want         []string
	}{
		{"wall time, also of grandchildren that ignore signals", `trap '' TERM INT HUP; (trap '' TERM; (sleep 300 & wait)) & sleep 300`, model.Limits{Wall: time.Second}, []string{model.OutcomeTimeout}},
		{"wall time of a process that left its session", `setsid sh -c 'sleep 300' & sleep 300`, model.Limits{Wall: time.Second}, []string{model.OutcomeTimeout}},
		{"memory", `awk 'BEGIN { s = "xxxxxxxxxxxxxxxx"; while (1) s = s s }'`, model.Limits{MemoryBytes: 64 << 20}, []string{model.OutcomeMemory}},
		{"output", `yes 0123456789`, model.Limits{OutputBytes: 1 << 20}, []string{model.OutcomeOutput}},
		{"disk, many files", `i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > f$i; done`, model.Limits{DiskBytes: 20 << 20}, []string{model.OutcomeDisk}},
		{"disk, one file", `exec head -c 1000000000 /dev/zero > f`, model.Limits{DiskBytes: 20 << 20}, []string{model.OutcomeDisk}},
		{"disk, in the temporary folder", `head -c 30000000 /dev/zero > {tmp}/f; sleep 5`, model.Limits{DiskBytes: 20 << 20}, []string{model.OutcomeDisk}},
		{"fork bomb", `b() { b | b & }; b; sleep 2; exit 1`, model.Limits{Wall: 4 * time.Second, Processes: 60}, []string{model.OutcomeTimeout, model.OutcomeFailed, model.OutcomeOutput}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := executeRun(t, st, model.Run{Command: sh(c.script), Limits: c.limits})
			if slices.Contains(c.want, o.Outcome) {
				return
			}
			t.Errorf("outcome %s (exit %d, %s) after %.1f s, log %.200q", o.Outcome, o.ExitCode, o.Detail, o.Seconds, o.Log)
		})
	}
	o := executeRun(t, st, model.Run{Command: sh(`yes`), Limits: model.Limits{OutputBytes: 1000}})
	if len(o.Log) != 1000 {
		t.Errorf("log of %d bytes for a limit of 1000", len(o.Log))
	}
	wantLog(t, execute(t, st, `echo fine`), model.OutcomeOK, "fine")
}

func (s *suite) hostile(t *testing.T) {
	st := s.plain(t)
	o := execute(t, st, `n=$(printf %200s | tr ' ' d); i=0; while [ $i -lt 30 ]; do mkdir $n && cd -P $n || break; i=$((i+1)); done 2>/dev/null; echo deep`)
	if o.Outcome != s.deep() {
		t.Errorf("deep folders: outcome %s, want %s", o.Outcome, s.deep())
	}
	wantLog(t, execute(t, st, "touch -- \"$(printf 'a\\nb\\033[31m\\tc')\" '-rf' ' '; mkdir locked; touch locked/x; chmod 0 locked; echo odd"), model.OutcomeOK, "odd")
	o = execute(t, st, "printf 'bytes \\000\\377\\033[0m'")
	wantLog(t, o, model.OutcomeOK, "bytes \x00\xff\x1b[0m")
	if s.Isolated {
		o = execute(t, st, `kill -KILL $PPID; kill -KILL -1; sleep 0.1; echo alive`)
		if o.Outcome == model.OutcomeInfrastructure {
			t.Errorf("killing the parent: %s %s", o.Outcome, o.Detail)
		}
		o = execute(t, st, `cat /proc/net/dev | grep -v -e lo: -e '|' | wc -l; (echo > /dev/tcp/1.1.1.1/53) 2>/dev/null && echo reached; true`)
		wantLog(t, o, model.OutcomeOK, "0")
		wantLog(t, execute(t, st, `for f in /usr/x /etc/x /bin/x /x; do (echo x > $f) 2>/dev/null && echo $f; done; rm -rf /usr/share/doc/* 2>/dev/null; echo done`), model.OutcomeOK, "done")
	}
	wantLog(t, execute(t, st, `cat src.txt`), model.OutcomeOK, "source")

	outside := hostFile(t, t.TempDir(), "outside")
	t.Run("symlinks out of the tree", func(t *testing.T) {
		f := Files{"src.txt": "s", "deps.txt": "d", "out": "-> " + outside, "up": "-> ../../../../../../../../etc", "loop": "-> loop", "abs": "-> /etc/passwd"}
		r := s.recipe()
		r.Protocol.Build = nil
		e, base := s.environment(t, r, f, nil)
		wantLog(t, execute(t, state(t, e, base), `readlink loop up abs`), model.OutcomeOK, "loop\n../../../../../../../../etc\n/etc/passwd")
		changed := Change(t, base, f, model.TreeChange{Path: "out", Data: []byte("mine")}, model.TreeChange{Path: "abs", Delete: true}, model.TreeChange{Path: "up", Delete: true}, model.TreeChange{Path: "up/passwd", Data: []byte("in the tree")})
		wantLog(t, execute(t, state(t, e, changed), `cat out up/passwd; ls abs 2>/dev/null; true`), model.OutcomeOK, "minein the tree")
		if b, err := os.ReadFile(outside); err != nil || string(b) != "outside" {
			t.Errorf("file outside the tree: %q, %v", b, err)
		}
		through := model.Tree{Hash: base.Hash, Base: base.Hash, Changes: []model.TreeChange{{Path: "up/passwd", Data: []byte("x")}}}
		wantRefused(t, e, through)
	})
	t.Run("paths", func(t *testing.T) {
		e, base := s.environment(t, s.recipe(), files, nil)
		for _, p := range []string{"../x", "/etc/x", "a/../../x", ".git/config", "a/.GIT/hooks/x", "", "a//b", "./a", "a\x00b", strings.Repeat("a", 300), strings.Repeat("a/", 3000) + "b"} {
			wantRefused(t, e, model.Tree{Hash: base.Hash, Base: base.Hash, Changes: []model.TreeChange{{Path: p, Data: []byte("x")}}})
		}
	})
	for name, headers := range map[string][]*tar.Header{
		"archive that climbs out":      {{Name: "../x", Typeflag: tar.TypeReg, Mode: 0o644}},
		"archive with an absolute":     {{Name: "/tmp/x", Typeflag: tar.TypeReg, Mode: 0o644}},
		"archive through its symlink":  {{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/tmp"}, {Name: "a/x", Typeflag: tar.TypeReg, Mode: 0o644}},
		"archive with a device":        {{Name: "dev", Typeflag: tar.TypeChar, Mode: 0o644}},
		"archive with a hard link":     {{Name: "h", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
		"archive of another tree":      {{Name: "a", Typeflag: tar.TypeReg, Mode: 0o644}},
		"archive with its own history": {{Name: ".git/config", Typeflag: tar.TypeReg, Mode: 0o644}},
	} {
		t.Run(name, func(t *testing.T) {
			hash := onecommit.BlobHash([]byte(name))
			s.archives[hash] = pack(t, headers, nil)
			e, _ := s.environment(t, s.recipe(), files, nil)
			wantRefused(t, e, model.Tree{Hash: hash, Base: hash})
		})
	}
}

// deep is what a path becomes that is longer than the system can name: its space cannot be
// counted.
func (s *suite) deep() string {
	if s.Kind == "docker" {
		return model.OutcomeOK
	}
	return model.OutcomeDisk
}

func wantRefused(t *testing.T, e sandboxio.Environment, tree model.Tree) {
	t.Helper()
	if _, err := e.Open(t.Context(), tree); err == nil {
		t.Errorf("tree %s with changes %.300s was laid", tree.Hash, fmt.Sprint(tree.Changes))
	}
}

// secrets looks from inside for what must not be there.
func (s *suite) secrets(t *testing.T) {
	if !s.Isolated {
		t.Skip("this sandbox isolates nothing")
	}
	const marker = "marker-5f1c0a9be2"
	t.Setenv("PLANTED_TOKEN", marker)
	t.Setenv("GITHUB_TOKEN", marker)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home folder: ", err)
	}
	var planted []string
	for _, dir := range []string{home, s.Options.Work, s.Options.Work + "/ledger", s.Options.Work + "/environments", s.Options.Work + "/trees", t.TempDir(), os.TempDir()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		planted = append(planted, hostFile(t, dir, marker))
	}
	r := s.recipe()
	r.Protocol.Build = []model.Command{sh("env")}
	e, tree := s.environment(t, r, files, nil)
	st := state(t, e, tree)
	if strings.Contains(string(st.Build().Log), marker) {
		t.Error("the build sees a token")
	}
	o := executeRun(t, st, model.Run{
		Command: sh(`env; cat /proc/*/environ 2>/dev/null; for f in ` + strings.Join(planted, " ") + `; do cat $f 2>/dev/null; done
grep -rlI ` + marker + ` / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr 2>/dev/null | head; grep -rlI ` + marker + ` /usr/local /usr/src 2>/dev/null | head; ls -A /root /home /mnt /srv /opt /media 2>/dev/null; true`),
		Limits: model.Limits{Wall: 2 * time.Minute},
	})
	if strings.Contains(string(o.Log), marker) || o.Outcome != model.OutcomeOK {
		t.Errorf("outcome %s; seen from inside:\n%s", o.Outcome, o.Log)
	}
}

func (s *suite) cancel(t *testing.T) {
	st := s.plain(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := st.Execute(ctx, model.Run{Command: sh(`sleep 300 & sleep 300`)})
		done <- err
	}()
	time.AfterFunc(300*time.Millisecond, cancel)
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled run: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a cancelled run goes on")
	}
	wantLog(t, execute(t, st, `ps ax 2>/dev/null | grep -c '[s]leep 300'; true`), model.OutcomeOK, "0")
}
