package sandboxio

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taskmill/taskmill/model"
)

// A toolchain is what of this machine compiles and runs a language.
type toolchain struct {
	version string
	bin     []string // folders for the search path, in order
	roots   []string // folders to be seen, beside the system's own
}

// systemRoots are bound anyway.
var systemRoots = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

var toolchains sync.Map // language → func() (toolchain, error)

// findToolchain is this machine's toolchain of a language; a language without one of its own
// needs just the system.
func findToolchain(ctx context.Context, language string) (toolchain, error) {
	found, _ := toolchains.LoadOrStore(language, sync.OnceValues(func() (toolchain, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		switch language {
		case "go":
			return oneRoot(ctx, "go", []string{"env", "GOROOT", "GOVERSION"})
		case "python":
			return oneRoot(ctx, "python3", []string{"-c", "import sys; print(sys.base_prefix); print(sys.version.split()[0])"})
		case "javascript", "typescript":
			return oneRoot(ctx, "node", []string{"-p", "require('path').dirname(require('path').dirname(process.execPath))+'\\n'+process.version"})
		case "java", "kotlin":
			return jdk()
		}
		return toolchain{}, nil
	}))
	return found.(func() (toolchain, error))()
}

// oneRoot asks a program for its root folder and its version, a line each.
func oneRoot(ctx context.Context, program string, args []string) (toolchain, error) {
	name, err := exec.LookPath(program)
	if err != nil {
		return toolchain{}, &model.Fault{Stage: model.StageEnvironment, Reason: model.EnvironmentFailed, Detail: program + " is not installed"}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.Output()
	if err != nil {
		return toolchain{}, fmt.Errorf("ask %s for its folder: %w", program, err)
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	root, err = filepath.EvalSymlinks(strings.TrimSpace(root))
	if err != nil {
		return toolchain{}, fmt.Errorf("find the folder of %s: %w", program, err)
	}
	t := toolchain{version: program + " " + strings.TrimSpace(version)}
	if root != "/usr" {
		t.bin = []string{filepath.Join(root, "bin")}
	}
	if !slices.ContainsFunc(systemRoots, func(s string) bool { return root == s || strings.HasPrefix(root, s+"/") }) {
		t.roots = []string{root}
	}
	return t, nil
}
