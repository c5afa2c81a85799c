package sandboxio_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/io/sandboxio/sandboxtest"
	"github.com/taskmill/taskmill/model"
)

// TestMain plays the process that is killed when its environment says so.
func TestMain(m *testing.M) {
	if kind := os.Getenv("SANDBOX_VICTIM"); kind != "" {
		if err := victim(kind, os.Getenv("SANDBOX_WORK"), os.Getenv("SANDBOX_SECONDS")); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func victim(kind, work, seconds string) error {
	t := &testing.B{}
	archives := sandboxtest.Archives{}
	tree := archives.Add(t, sandboxtest.Files{"a": "1"})
	ctx := context.Background()
	p, err := sandboxio.Open(ctx, kind, sandboxio.Options{Work: work, Archives: archives, BuildID: os.Getenv("SANDBOX_BUILD"), BaseImages: map[string]string{"sh": "taskmill-base:python"}})
	if err != nil {
		return err
	}
	e, err := p.Prepare(ctx, model.Base{Tree: tree.Hash, Recipe: model.Recipe{Language: "sh"}}, nil)
	if err != nil {
		return err
	}
	s, err := e.Open(ctx, tree)
	if err != nil {
		return err
	}
	os.Stdout.WriteString("ready\n")
	_, err = s.Execute(ctx, model.Run{Command: model.Command{Argv: []string{"sh", "-c", "sleep " + seconds + " & sleep " + seconds}}})
	return err
}

func TestNothingOfAKilledProcessStays(t *testing.T) {
	for _, kind := range []string{"local", "bwrap", "docker"} {
		t.Run(kind, func(t *testing.T) {
			o := sandboxio.Options{}
			switch kind {
			case "bwrap":
				needBubblewrap(t)
			case "docker":
				needEngine(t, "taskmill-base:python")
				o = dockerOptions(t)
			}
			work := t.TempDir()
			seconds := map[string]string{"local": "2713", "bwrap": "2714", "docker": "2715"}[kind]
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "SANDBOX_VICTIM="+kind, "SANDBOX_WORK="+work, "SANDBOX_SECONDS="+seconds, "SANDBOX_BUILD="+o.BuildID)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line := make([]byte, 200)
			if n, _ := out.Read(line); string(line[:n]) != "ready\n" {
				t.Fatalf("victim: %s", line[:n])
			}
			await(t, "the run", func() bool { return sleeping(seconds) })
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if kind != "docker" { // there the engine holds it until the next start
				await(t, "the end of the run", func() bool { return !sleeping(seconds) })
			}
			o.Work, o.Archives = work, sandboxtest.Archives{}
			p, err := sandboxio.Open(t.Context(), kind, o)
			if err != nil {
				t.Fatal(err)
			}
			if sleeping(seconds) {
				t.Error("the killed process's run goes on after the next start")
			}
			if err := p.(io.Closer).Close(); err != nil {
				t.Error(err)
			}
			left, err := filepath.Glob(filepath.Join(work, "states", "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("states that stay: %v, %v", left, err)
			}
		})
	}
}

// await looks until ok or too long.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("%s did not come", what)
}

func sleeping(seconds string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range lines {
		if b, err := os.ReadFile(name); err == nil && bytes.HasPrefix(b, []byte("sleep\x00"+seconds+"\x00")) {
			return true
		}
	}
	return false
}

// Without the rights of root, overlays and namespaces come from user namespaces, or not at
// all, and limits are polled.
func TestWithoutRoot(t *testing.T) {
	setpriv, err := exec.LookPath("setpriv")
	if err != nil || os.Getuid() != 0 {
		t.Skip("only root with setpriv can become nobody; other users are without root anyway")
	}
	dir, err := os.MkdirTemp("", "nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "contract.test")
	if err := os.WriteFile(binary, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", binary, "-test.run=^(TestLocal|TestBubblewrap)$")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		text := string(out)
		if strings.Contains(text, "does not let it make namespaces") {
			t.Skip("this machine lets nobody but root make namespaces")
		}
		t.Errorf("%v\n%s", err, text)
	}
}
