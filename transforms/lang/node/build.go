package node

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// builds are the commands that a state needs before its tests: those that the test script itself
// starts before the runner; else the build script, where the tests load files that no source of
// the tree has, by the project's own name or by path.
func builds(t lang.Files, p project, runners []runner) []model.Command {
	var out []model.Command
	for _, r := range runners {
		m := p.owner(path.Join(r.dir, "x"))
		for _, line := range m.before(r.name) {
			out = append(out, script("run", folder(m.dir), line))
		}
	}
	if len(out) > 0 {
		return out
	}
	if name := buildScript(p.root); name != "" && (needed(t, p, p.root) || slices.ContainsFunc(p.packages, func(m manifest) bool { return needed(t, p, m) })) {
		return p.root.building(name)
	}
	for _, m := range ordered(p.packages) {
		if name := buildScript(m); name != "" && needed(t, p, m) {
			out = append(out, m.building(name)...)
		}
	}
	return out
}

// building runs a build script, without its steps that only look at the code: what is hidden or
// undone in a state need not please them. A script that does more than start programs one after
// the other is run whole.
func (m manifest) building(name string) []model.Command {
	lines := []string{"#" + name}
	if mixed(m, name) && !strings.ContainsAny(m.scripts[name], "<>|$`;(") {
		lines = m.lines(m.steps(name), name)
	}
	var out []model.Command
	for _, l := range lines {
		out = append(out, script("run", folder(m.dir), l))
	}
	return out
}

func folder(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// before are the command lines that stand before the runner in the scripts that start it.
func (m manifest) before(runner string) []string {
	for _, name := range scriptNames {
		steps := m.steps(name)
		at := slices.IndexFunc(steps, func(s step) bool {
			r := s.runner(m.dir)
			return r != nil && r.name == runner
		})
		if at < 0 {
			continue
		}
		all := steps[:at]
		if pre := m.steps("pre" + name); len(pre) > 0 {
			all = append(pre, all...)
		}
		out := m.lines(all, name)
		// To tidy up is no build.
		if slices.ContainsFunc(out, func(l string) bool {
			first, _, _ := strings.Cut(l, " ")
			return !slices.Contains([]string{"rimraf", "rm", "mkdirp", "mkdir", "del-cli"}, first) && !strings.Contains(l, "clean")
		}) {
			return out
		}
		return nil
	}
	return nil
}

// lines are command lines of steps, less what only looks at the code. A script that is called
// whole is named (#build); that of the name given, and mixed ones, are taken apart.
func (m manifest) lines(steps []step, name string) []string {
	var out []string
	for _, s := range steps {
		if checker(s) && !slices.Contains(tidying, s.name) || s.runner(m.dir) != nil || slices.Contains(uncommon, s.name) {
			continue
		}
		line := "#" + s.via
		if s.via == name || s.via == "pre"+name || mixed(m, s.via) {
			line = strings.Join(append(slices.Clone(s.env), quoted(s.argv)...), " ")
		}
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// tidying are programs that look at no code but change files.
var tidying = []string{"rimraf", "rm", "cp", "cpy", "shx", "mkdirp", "mkdir", "del-cli"}

// mixed reports whether a script also does what no build needs. One that goes to another folder is
// not: its commands mean nothing each by itself.
func mixed(m manifest, name string) bool {
	steps := m.steps(name)
	return slices.ContainsFunc(steps, func(s step) bool { return checker(s) && s.name != "echo" && !slices.Contains(tidying, s.name) }) &&
		!slices.ContainsFunc(steps, func(s step) bool { return s.name == "cd" })
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./*{}-]+$`)

func quoted(argv []string) []string {
	out := make([]string, len(argv))
	for i, a := range argv {
		if out[i] = a; !plainWord.MatchString(a) {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return out
}

func buildScript(m manifest) string {
	for _, n := range []string{"build", "compile", "prepare", "prepack", "prepublishOnly", "dist"} {
		body := m.scripts[n]
		if body == "" || slices.ContainsFunc(m.steps(n), func(s step) bool { return s.name == "husky" || s.name == "lefthook" || s.runner(m.dir) != nil }) {
			continue
		}
		return n
	}
	return ""
}

// needed reports whether tests load files of a package that are not in the tree: an entry of its
// manifest, through its name, or through the folder of such a file.
func needed(t lang.Files, p project, m manifest) bool {
	var gone []string
	for _, e := range m.entries {
		e = path.Clean(strings.TrimPrefix(e, "./"))
		if strings.ContainsAny(e, "*") || strings.HasPrefix(e, "..") || e == "." || there(t, path.Join(m.dir, e)) {
			continue
		}
		gone = append(gone, e)
	}
	if len(gone) == 0 {
		return false
	}
	named := m.name != "" && !aliased(t, p, m)
	var words []string // of a file that is read or started, not imported
	for _, g := range gone {
		top, _, nested := strings.Cut(g, "/")
		if !nested {
			top = strings.TrimSuffix(g, path.Ext(g))
		}
		for _, before := range []string{"./", "'", `"`, "`"} {
			words = append(words, before+top+"/", before+g)
		}
	}
	for _, f := range t.Paths() {
		own := within(f, m.dir) && p.owner(f).dir == m.dir
		if !code(f) || own && !checking(f) || !own && !p.owner(f).has(m.name) {
			continue
		}
		data, ok := text(t, f)
		if !ok {
			continue
		}
		if named && slices.ContainsFunc(imports(data), func(s string) bool { return s == m.name || strings.HasPrefix(s, m.name+"/") }) {
			return true
		}
		if own && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(string(data), w) }) {
			return true
		}
	}
	return false
}

// there reports whether the tree has a path as a module is found: with an extension left out, or
// as a folder.
func there(t lang.Files, p string) bool {
	for _, suffix := range []string{"", ".js", ".cjs", ".mjs", ".json", "/index.js", "/package.json"} {
		if _, ok, err := t.Read(p + suffix); ok && err == nil {
			return true
		}
	}
	return false
}

// aliased reports whether the runner's configuration names the package: it then leads its name to
// the sources.
func aliased(t lang.Files, p project, m manifest) bool {
	for _, dir := range []string{m.dir, p.root.dir} {
		for _, f := range t.Paths() {
			if path.Dir(f) != folder(dir) || !strings.Contains(path.Base(f), ".config.") && path.Base(f) != "package.json" && path.Base(f) != "tsconfig.json" {
				continue
			}
			data, ok := text(t, f)
			if !ok {
				continue
			}
			s := string(data)
			if path.Base(f) == "package.json" {
				_, s, _ = strings.Cut(s, "moduleNameMapper")
			}
			for _, q := range []string{"'" + m.name + "'", `"` + m.name + `"`, "^" + m.name + "$", "\n" + m.name + ":", " " + m.name + ":"} {
				if strings.Contains(s, q) {
					return true
				}
			}
		}
	}
	return false
}

// ordered sorts packages so that each comes after those of them that it depends on.
func ordered(packages []manifest) []manifest {
	var out []manifest
	done := map[string]bool{}
	var add func(m manifest, depth int)
	add = func(m manifest, depth int) {
		if done[m.dir] || depth > maxPackages {
			return
		}
		done[m.dir] = true
		for _, o := range packages {
			if m.has(o.name) && o.name != "" {
				add(o, depth+1)
			}
		}
		out = append(out, m)
	}
	for _, m := range packages {
		add(m, 0)
	}
	return out
}
