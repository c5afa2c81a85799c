package sandboxio

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A layering is how this machine lays a fresh layer over a built tree: overlay mounts in a
// mount namespace that ends with the run, or plain copies where overlays cannot be mounted.
type layering struct {
	enter   []string // unshare with its flags; nil: no mount namespace
	options string   // of overlay mounts; "": plain copies
	mount   string
	user    bool // enter made a user namespace in which we are root
	process bool // a process namespace can be entered too
}

func (l layering) overlay() bool { return l.options != "" }

// findLayering tries, in the work folder, what works: as root, in a user namespace, not at all.
// With copies it takes none.
func findLayering(ctx context.Context, work string, copies bool) layering {
	unshare, err := exec.LookPath("unshare")
	if err != nil || copies {
		return layering{}
	}
	mount, err := exec.LookPath("mount")
	if err != nil {
		return layering{}
	}
	for _, l := range []layering{
		{enter: []string{unshare, "--mount"}, mount: mount},
		{enter: []string{unshare, "--user", "--map-root-user", "--mount"}, mount: mount, user: true},
	} {
		if exec.CommandContext(ctx, l.enter[0], append(l.enter[1:], mount, "-t", "tmpfs", "none", "/mnt")...).Run() != nil {
			continue
		}
		space := append(append([]string{}, l.enter[1:]...), processNamespace...)
		l.process = exec.CommandContext(ctx, l.enter[0], append(space, "true")...).Run() == nil
		candidates := []string{"redirect_dir=on,index=off,volatile", "redirect_dir=on,index=off", "index=off"}
		if l.user {
			candidates = []string{"userxattr,volatile", "userxattr", "index=off"}
		}
		for _, options := range candidates {
			if l.tryOverlay(ctx, work, options) {
				l.options = options
				break
			}
		}
		return l
	}
	return layering{}
}

// processNamespace makes processes that vanish with their first.
var processNamespace = []string{"--pid", "--fork", "--kill-child", "--mount-proc"}

// tryOverlay mounts an overlay with a whiteout in it and removes what the lower layer has.
func (l layering) tryOverlay(ctx context.Context, work, options string) bool {
	dir, err := os.MkdirTemp(work, "probe-")
	if err != nil {
		return false
	}
	defer removeAll(dir)
	for _, name := range []string{"low", "mid", "up", "wk", "at"} {
		if os.Mkdir(filepath.Join(dir, name), 0o755) != nil {
			return false
		}
	}
	if os.WriteFile(filepath.Join(dir, "low", "hidden"), nil, 0o644) != nil || os.WriteFile(filepath.Join(dir, "low", "seen"), nil, 0o644) != nil {
		return false
	}
	script := `set -e; cd -- "$1"; "$2" -t overlay -o "lowerdir=mid:low,upperdir=up,workdir=wk,$3" none at; test ! -e at/hidden; rm at/seen; echo x > at/new; test -c up/seen`
	if mknod(filepath.Join(dir, "mid", "hidden")) != nil {
		return false
	}
	args := append(append([]string{}, l.enter[1:]...), "/bin/sh", "-c", script, "sh", dir, l.mount, options)
	return exec.CommandContext(ctx, l.enter[0], args...).Run() == nil
}

// quote makes s one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
