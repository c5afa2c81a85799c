package sandboxio

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"a/*.pyc", "a/b.pyc", true},
		{"a/*.pyc", "a/b/c.pyc", false},
		{"a/**/*.pyc", "a/b/c.pyc", true},
		{"a/**/*.pyc", "a/c.pyc", true},
		{"**/acme-*.dist-info", "venv/lib/python3.11/site-packages/acme-1.dist-info", true},
		{"**", "a/b", true},
		{"a/**", "b/a", false},
		{"mod/example.com/x@*", "mod/example.com/x@v1.0.0", true},
		{"[", "[", false},
	} {
		if got := globMatch(c.glob, c.name); got != c.want {
			t.Errorf("%s on %s: %t", c.glob, c.name, got)
		}
	}
}

func TestExpand(t *testing.T) {
	p := places{"/w/env", "/w/testbed", "/w/tmp", "/w/home"}
	c := p.expand(model.Command{Argv: []string{"{env}/bin/x", "--out={report}", "{testbed}/a"}, Env: []string{"A={tmp}/x", "B=command"}, Dir: "sub"},
		[]string{"A=base", "B=base", "C=base"}, []string{"B=protocol", "bad"})
	if c.report == "" || !strings.HasPrefix(c.report, "report-") {
		t.Fatalf("report %q", c.report)
	}
	want := command{
		argv:   []string{"/w/env/bin/x", "--out=/w/tmp/" + c.report, "/w/testbed/a"},
		env:    []string{"A=/w/tmp/x", "B=command", "C=base"},
		dir:    "/w/testbed/sub",
		report: c.report,
	}
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(command{})); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	got := string(p.normal([]byte("/w/testbed/a.go:1 /w/env/x /w/tmp/"+c.report+" /w/home/.cache"), c.report))
	if diff := cmp.Diff("/testbed/a.go:1 /env/x /tmp/report /home/taskmill/.cache", got); diff != "" {
		t.Errorf("normal (-want +got):\n%s", diff)
	}
}

func TestClientEnvironHoldsNoToken(t *testing.T) {
	got := clientEnviron([]string{
		"GOPROXY=https://proxy", "PIP_INDEX_URL=https://index", "HTTPS_PROXY=http://p", "SSL_CERT_FILE=/ca",
		"GITHUB_TOKEN=t", "AWS_SECRET_ACCESS_KEY=t", "OPENAI_API_KEY=t", "HOME=/root", "GOFLAGS=-mod=mod", "SSH_AUTH_SOCK=/s",
	})
	want := []string{"GOPROXY=https://proxy", "PIP_INDEX_URL=https://index", "HTTPS_PROXY=http://p", "SSL_CERT_FILE=/ca"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("passed on (-want +got):\n%s", diff)
	}
}

func TestClockEnviron(t *testing.T) {
	want := []string{"LD_PRELOAD=/lib/f.so", "FAKETIME=+34560000", "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_FORCE_MONOTONIC_FIX=0"}
	if diff := cmp.Diff(want, clockEnviron("/lib/f.so", 400*24*time.Hour)); diff != "" {
		t.Errorf("clock (-want +got):\n%s", diff)
	}
	if got := clockEnviron("/lib/f.so", 0); got != nil {
		t.Errorf("a clock that is right: %v", got)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
	t.Setenv("PATH", t.TempDir())
	for kind, want := range map[string]string{
		"docker": "install docker.io",
		"bwrap":  "install the package bubblewrap",
		"auto":   "ask for local",
		"chroot": "unknown sandbox",
	} {
		p, err := Open(t.Context(), kind, Options{Work: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", kind, p, err, want)
		}
	}
	if _, err := Open(t.Context(), "local", Options{}); err == nil {
		t.Error("no error for an empty work folder")
	}
}

func TestDoctorOnABareMachine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
	t.Setenv("PATH", t.TempDir())
	got := map[string]bool{}
	for _, f := range Doctor(t.Context(), Options{Work: t.TempDir(), Languages: []string{"sh"}}) {
		got[f.Name] = f.OK
		if f.Detail == "" && !f.OK {
			t.Errorf("%s says nothing", f.Name)
		}
	}
	for _, name := range []string{"docker", "bwrap", "overlay", "C compiler"} {
		if ok, there := got[name]; ok || !there {
			t.Errorf("%s: %t, there %t", name, ok, there)
		}
	}
}

func TestStraysOfOthers(t *testing.T) {
	d := &docker{process: "here/1-1"}
	live := processName(os.Getpid())
	past, future := "1", "99999999999"
	for _, c := range []struct {
		name   string
		labels map[string]string
		own    bool
		want   bool
	}{
		{"not ours", map[string]string{}, true, false},
		{"own, at the start", map[string]string{labelProcess: "here/1-1", labelDeadline: future}, false, false},
		{"own, at the end", map[string]string{labelProcess: "here/1-1", labelDeadline: future}, true, true},
		{"of a living process", map[string]string{labelProcess: "here/" + live, labelDeadline: future}, true, false},
		{"of a dead process", map[string]string{labelProcess: "here/999999999-5", labelDeadline: future}, false, true},
		{"of another host", map[string]string{labelProcess: "there/999999999-5", labelDeadline: future}, true, false},
		{"of another host, after its deadline", map[string]string{labelProcess: "there/5-5", labelDeadline: past}, false, true},
	} {
		if got := d.stray(c.labels, c.own); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// FuzzDemultiplex gives the engine's stream any bytes: no panic, never more than the limit, and
// what whole frames hold comes out.
func FuzzDemultiplex(f *testing.F) {
	f.Add([]byte("hello"), []byte{1, 0, 0, 0, 255, 255, 255, 255, 'x'})
	f.Fuzz(func(t *testing.T, payload, rest []byte) {
		head := binary.BigEndian.AppendUint32([]byte{1, 0, 0, 0}, uint32(len(payload)))
		c := &collector{limit: 1 << 10, breach: make(chan struct{})}
		demultiplex(bytes.NewReader(append(append(head, payload...), rest...)), c, true)
		if len(c.log) > 1<<10 {
			t.Errorf("log of %d bytes", len(c.log))
		}
		want := payload[:min(len(payload), 1<<10)]
		if !bytes.HasPrefix(c.log, want) || !bytes.HasPrefix(c.report, want) {
			t.Errorf("log %q, report %q, want %q first", c.log, c.report, payload)
		}
	})
}

// FuzzGlobs compares ** with the plain form on names of one segment.
func FuzzGlobs(f *testing.F) {
	f.Add("*.pyc", "a.pyc")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if strings.Contains(glob, "/") || strings.Contains(name, "/") || glob == "**" {
			t.Skip()
		}
		want, err := filepath.Match(glob, name)
		if err == nil && (globMatch(glob, name) != want || globMatch("**/"+glob, name) != want || globMatch("**/"+glob, "a/b/"+name) != want) {
			t.Errorf("%q on %q: want %t", glob, name, want)
		}
	})
}
