package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/moby/moby/client"
	"github.com/taskmill/taskmill/model"
)

// A Finding is one thing that a machine has or lacks.
type Finding struct {
	Name   string // docker, image go, bwrap, overlay, limits, faketime, toolchain go …
	OK     bool
	Detail string // one line: a version and a place, or what to do
}

// Doctor looks at what the sandboxes of o need. It changes nothing but a folder of probes
// below o.Work that it removes.
func Doctor(ctx context.Context, o Options) []Finding {
	out := append(dockerFindings(ctx, o), bwrapFinding(ctx))
	work := o.Work
	if work == "" || os.MkdirAll(work, 0o755) != nil {
		work = os.TempDir()
	}
	overlay := Finding{Name: "overlay", Detail: "not here: states are plain copies, which are slower"}
	if l := findLayering(ctx, work, false); l.overlay() {
		overlay.OK, overlay.Detail = true, "as root"
		if l.user {
			overlay.Detail = "in a user namespace"
		}
	}
	limits := Finding{Name: "limits", OK: true, Detail: "control groups"}
	if g := findGroups(); g.memory == "" || g.pids == "" {
		limits.OK, limits.Detail = false, "control groups cannot be made here: memory and processes are polled"
	}
	clock := Finding{Name: "faketime", OK: true, Detail: findFaketime()}
	if clock.Detail == "" {
		clock.OK, clock.Detail = false, "libfaketime is not installed: tests are not tried on a later day"
	}
	out = append(out, overlay, limits, clock)
	out = append(out, compiler(ctx))
	for _, language := range o.languages() {
		f := Finding{Name: "toolchain " + language}
		tool, err := findToolchain(ctx, language)
		var fault *model.Fault
		switch {
		case errors.As(err, &fault):
			f.Detail = fault.Detail
		case err != nil:
			f.Detail = err.Error()
		default:
			f.OK, f.Detail = true, tool.version
			if len(tool.bin) > 0 {
				f.Detail += " in " + filepath.Dir(tool.bin[0])
			}
		}
		out = append(out, f)
	}
	return out
}

// languages are those that a caller asks for, or all.
func (o Options) languages() []string {
	if len(o.Languages) > 0 {
		return o.Languages
	}
	return []string{"go", "python", "javascript", "typescript", "java", "kotlin"}
}

// compiler is the C compiler that packages with C code are built with.
func compiler(ctx context.Context) Finding {
	f := Finding{Name: "C compiler", Detail: "not here: cc is not on the PATH; packages with C code cannot be built"}
	path, err := exec.LookPath("cc")
	if err != nil {
		return f
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		f.Detail = fmt.Sprintf("%s --version: %v", path, err)
		return f
	}
	first, _, _ := strings.Cut(string(version), "\n")
	f.OK, f.Detail = true, first+" at "+path
	return f
}

func dockerFindings(ctx context.Context, o Options) []Finding {
	engine := Finding{Name: "docker"}
	cli, err := client.New(client.FromEnv)
	if err != nil {
		engine.Detail = err.Error()
		return []Finding{engine}
	}
	defer cli.Close()
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	version, err := cli.ServerVersion(short, client.ServerVersionOptions{})
	if err != nil {
		engine.Detail = "no engine answers at " + cli.DaemonHost() + ": install docker.io and start dockerd, or set DOCKER_HOST"
		return []Finding{engine}
	}
	engine.OK, engine.Detail = true, fmt.Sprintf("engine %s at %s", version.Version, cli.DaemonHost())
	out := []Finding{engine}
	d := &docker{opt: o, cli: cli}
	for _, language := range o.languages() {
		ref := d.baseImage(model.Recipe{Language: language})
		f := Finding{Name: "image " + language, OK: true, Detail: ref}
		if _, err := d.inspect(short, ref); err != nil {
			f.OK, f.Detail = false, err.Error()
		}
		out = append(out, f)
	}
	return out
}

func bwrapFinding(ctx context.Context) Finding {
	f := Finding{Name: "bwrap"}
	words, err := findBwrap(ctx)
	if err != nil {
		f.Detail = strings.TrimPrefix(err.Error(), "open bubblewrap: ")
		return f
	}
	version, err := exec.CommandContext(ctx, words[0], "--version").Output()
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	f.OK, f.Detail = true, fmt.Sprintf("%s at %s", strings.TrimSpace(string(version)), words[0])
	return f
}
