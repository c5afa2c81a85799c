package sandboxio_test

import (
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
