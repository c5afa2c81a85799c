package golang

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// environment is what every go command of ours gets. The user's own settings are out of reach
// (GOENV=off); the module cache stays writable so that it can be deleted; a state's tree is no
// repository whose version should be stamped.
func environment() []string {
	return []string{
		"CI=1",
		"GOCACHE={env}/cache",
		"GOENV=off",
		"GOFLAGS=-buildvcs=false -modcacherw",
		"GOMODCACHE={env}/mod",
		"GOPATH={env}/gopath",
		"GOTOOLCHAIN=local",
	}
}

// offline is environment for states: no module comes from anywhere but the cache.
func offline() []string { return append(environment(), "GOPROXY=off") }

// prepare are the commands that fill the environment for one module. GOPROXY and the like are
// the sandbox's own while preparing.
func prepare(t lang.Files, m mod, imports []string) []model.Command {
	var out []model.Command
	env := environment()
	warm := []string{"go", "list", "-e", "-export", "-deps", "-f", `{{""}}`}
	if m.vendored {
		// The dependencies are part of the tree and compiled with it; the standard library
		// needs no module, and without the vendor folder none would load.
		env = append(env, "GO111MODULE=off")
		imports = slices.DeleteFunc(slices.Clone(imports), func(p string) bool { return !standard(p) })
	} else if len(m.file.Require) > 0 {
		download := []string{"go", "mod", "download"}
		if m.file.Go == nil || semver.Compare(canonical(m.file.Go.Version), "v1.17") < 0 {
			// Without arguments an older module graph is downloaded whole.
			for _, r := range m.file.Require {
				download = append(download, r.Mod.Path)
			}
		}
		out = append(out, model.Command{Argv: download, Env: env, Dir: m.dir})
	}
	return append(out, model.Command{Argv: append(warm, imports...), Env: env, Dir: m.dir})
}

// standard reports whether p is a package of the standard library.
func standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// The lock prints the toolchain and, for each module of the tree, the resolved modules with
// their sums, in the go command's own order, which is sorted. The folders are arguments, so
// that no name of the tree is read by the shell. A vendored module resolves nothing.
const lockScript = `set -e
go env GOVERSION GOOS GOARCH CGO_ENABLED
for dir do
	echo "module $dir"
	(cd "./$dir" && go list -m -f '{{if not .Main}}{{.Path}} {{.Version}} {{.Sum}} {{.GoModSum}}{{with .Replace}} => {{.Path}} {{.Version}}{{end}}{{end}}' all)
done
`

func lock(t lang.Files, mods []mod) model.Command {
	argv := []string{"sh", "-c", lockScript, "lock"}
	for _, m := range mods {
		if !m.vendored {
			argv = append(argv, here(m.dir))
		}
	}
	return model.Command{Argv: argv, Env: environment()}
}

// The probe asks the go command where each module is loaded from.
const probeScript = `set -e
while [ $# -gt 0 ]; do
	at=$(cd "./$1" && pwd -P)
	from=$(cd "./$1" && go list -m -f '{{.Main}} {{.Dir}}' "$2")
	if [ "$from" != "true $at" ]; then
		echo "$2 is loaded from $from" >&2
		exit 1
	fi
	shift 2
done
`

func probe(mods []mod) model.Command {
	argv := []string{"sh", "-c", probeScript, "probe"}
	for _, m := range mods {
		argv = append(argv, here(m.dir), m.path)
	}
	return model.Command{Argv: argv, Env: offline()}
}

func here(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

func protocol(mods []mod) model.Protocol {
	e := limitless(mods)
	p := model.Protocol{
		Language:  "go",
		Cwd:       ".",
		Env:       offline(),
		Unit:      "package",
		Isolation: "unit",
		Test:      append(append([]string{"go", "test", "-json", "-count=1", "-vet=off"}, e...), "{unit}"),
		Report:    model.Report{Format: "go-test-json", Path: "-", Version: parserVersion},
		Protected: []string{"**/*_test.go", "**/go.mod", "**/go.work", "**/vendor/**", "**/Makefile"},
		Network:   "none",
	}
	for _, m := range mods {
		// Without -o a single command would be written into the tree.
		build := append(append([]string{"go", "build"}, e...), "-o", "/dev/null", "./...")
		p.Build = append(p.Build, model.Command{Argv: build, Env: offline(), Dir: m.dir})
		p.Prepare = append(p.Prepare, "go mod download in "+here(m.dir))
		if len(mods) > 1 || m.dir != "" {
			p.Roots = append(p.Roots, model.Root{Unit: m.path, Dir: path.Clean(here(m.dir))})
		}
	}
	return p
}

// limitless lifts the compiler's limit of ten errors for the tree's packages. It names them by
// module, not by command line, so that a package is compiled the same way, and once, whether it
// is tested or imported.
func limitless(mods []mod) []string {
	var out []string
	for _, m := range mods {
		if f := "-gcflags=" + m.path + "/...=-e"; !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
