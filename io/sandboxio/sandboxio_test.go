package sandboxio_test

import (
	"crypto/rand"
	"os/exec"
	"testing"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/io/sandboxio/sandboxtest"
)

func TestLocal(t *testing.T) {
	sandboxtest.Test(t, sandboxtest.Subject{Kind: "local"})
}

func TestLocalWithPlainCopies(t *testing.T) {
	sandboxtest.Test(t, sandboxtest.Subject{Kind: "local", Options: sandboxio.Options{Copies: true}})
}

func TestBubblewrap(t *testing.T) {
	needBubblewrap(t)
	sandboxtest.Test(t, sandboxtest.Subject{Kind: "bwrap", Isolated: true})
}

func TestBubblewrapWithPlainCopies(t *testing.T) {
	needBubblewrap(t)
	sandboxtest.Test(t, sandboxtest.Subject{Kind: "bwrap", Isolated: true, Options: sandboxio.Options{Copies: true}})
}

func needBubblewrap(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Skip("bubblewrap is not installed")
	}
}

func TestDocker(t *testing.T) {
	needEngine(t, "taskmill-base:python")
	sandboxtest.Test(t, sandboxtest.Subject{Kind: "docker", Isolated: true, Options: dockerOptions(t)})
}

// dockerOptions are of a build whose environments are removed after the test.
func dockerOptions(t testing.TB) sandboxio.Options {
	t.Helper()
	id := "test-" + rand.Text()
	t.Cleanup(func() {
		out, err := exec.Command("sh", "-c", "docker image ls -q --filter label=taskmill.build="+id+" | sort -u | xargs -r docker image rm -f").CombinedOutput()
		if err != nil {
			t.Errorf("remove images: %v: %s", err, out)
		}
	})
	return sandboxio.Options{BuildID: id, BaseImages: map[string]string{"sh": "taskmill-base:python"}}
}

func needEngine(t *testing.T, image string) {
	t.Helper()
	if out, err := exec.Command("docker", "image", "inspect", image).CombinedOutput(); err != nil {
		t.Skipf("no Docker engine with the image %s (scripts/engine, scripts/baseimage): %s", image, out)
	}
}
