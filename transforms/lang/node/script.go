package node

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A command is one simple command of a script: assignments and words.
type command struct {
	env  []string
	argv []string
}

// commands cuts a script of package.json into simple commands, as far as a plain reading goes:
// quotes are removed, operators separate, nothing is expanded. Pipes count as separators.
func commands(script string) []command {
	var out []command
	var cur command
	word, open := strings.Builder{}, false
	flush := func() {
		if open {
			w := word.String()
			if len(cur.argv) == 0 && assignment.MatchString(w) {
				cur.env = append(cur.env, w)
			} else {
				cur.argv = append(cur.argv, w)
			}
		}
		word.Reset()
		open = false
	}
	end := func() {
		flush()
		if len(cur.argv) > 0 {
			out = append(out, cur)
		}
		cur = command{}
	}
	quote := byte(0)
	for i := 0; i < len(script); i++ {
		c := script[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case c == '\\' && quote != '\'' && i+1 < len(script):
			i++
			word.WriteByte(script[i])
			open = true
		case quote != 0:
			word.WriteByte(c)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			flush()
		case c == '&' || c == '|' || c == ';' || c == '(' || c == ')':
			end()
		default:
			word.WriteByte(c)
			open = true
		}
	}
	end()
	return out
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// A step is a command that a script comes to, seen through wrappers and other scripts.
type step struct {
	command
	flags []string // of node, where a wrapper starts it with some
	name  string   // the program's plain name: mocha, node, tsc
	via   string   // script it stands in
}

const maxSteps = 200

// steps follows a script of m, and what it calls of m's other scripts, to plain commands.
func (m manifest) steps(script string) []step {
	var out []step
	m.follow(script, nil, &out, nil)
	return out
}

func (m manifest) follow(script string, more []string, out *[]step, seen []string) {
	body, ok := m.scripts[script]
	if !ok || slices.Contains(seen, script) || len(*out) > maxSteps {
		return
	}
	seen = append(slices.Clone(seen), script)
	if script != "test" || len(seen) > 1 {
		m.follow("pre"+script, nil, out, seen)
	}
	list := commands(body)
	for i, c := range list {
		if i == len(list)-1 {
			c.argv = append(slices.Clone(c.argv), more...)
		}
		m.unwrap(step{command: c, via: script}, out, seen)
	}
}

// unwrap takes off what only starts another command.
func (m manifest) unwrap(s step, out *[]step, seen []string) {
	for range 20 {
		if len(s.argv) == 0 || len(*out) > maxSteps {
			return
		}
		s.name = program(s.argv[0])
		rest := s.argv[1:]
		switch s.name {
		case "cross-env", "cross-env-shell", "env":
			for len(rest) > 0 && assignment.MatchString(rest[0]) && !strings.Contains(rest[0], " ") {
				s.env, rest = append(s.env, rest[0]), rest[1:]
			}
			if s.name == "cross-env-shell" && len(rest) == 1 {
				for _, c := range commands(rest[0]) {
					c.env = append(slices.Clone(s.env), c.env...)
					m.unwrap(step{command: c, via: s.via}, out, seen)
				}
				return
			}
		case "nyc":
			s.flags = append(s.flags, m.preloads(rest)...)
			rest = inner(s.name, rest)
		case "c8", "exec", "time", "npx", "dotenv", "xvfb-run", "riteway-run", "retry", "istanbul":
			rest = inner(s.name, rest)
		case "npm", "pnpm", "yarn", "bun", "npm-run-all", "run-s", "run-p", "npm-run-all2", "concurrently", "wireit":
			names, args, direct := m.calls(s.name, rest)
			first := len(*out)
			for _, n := range names {
				m.follow(n, args, out, seen)
			}
			for i := range (*out)[first:] { // what stands before a manager holds for what it starts
				inside := &(*out)[first+i]
				inside.env, inside.flags = append(slices.Clone(s.env), inside.env...), append(slices.Clone(s.flags), inside.flags...)
			}
			if len(names) > 0 {
				return
			}
			if direct == nil {
				*out = append(*out, s)
				return
			}
			rest = direct
		case "node", "tsx", "ts-node", "babel-node":
			flags, file, args := nodeArgs(rest)
			if tool := program(file); file != "" && (strings.Contains(file, "node_modules/") || strings.Contains(file, ".bin/")) {
				s.flags = append(loader(s.name), flags...)
				s.argv = append([]string{tool}, args...)
				s.name = tool
				continue
			}
			*out = append(*out, s)
			return
		default:
			*out = append(*out, s)
			return
		}
		s.argv = rest
	}
}

// program is the plain name of a program: node_modules/mocha/bin/_mocha is mocha.
func program(word string) string {
	if _, after, ok := strings.Cut(word, "node_modules/"); ok && !strings.HasPrefix(after, ".bin/") {
		if name, _, _ := strings.Cut(after, "/"); !strings.HasPrefix(name, "@") {
			return name
		}
	}
	name := path.Base(word)
	for _, ext := range []string{".js", ".cjs", ".mjs", ".cmd"} {
		name = strings.TrimSuffix(name, ext)
	}
	if name == "_mocha" {
		return "mocha"
	}
	return name
}

// preloads are node's flags for what nyc loads before the program that it starts: by its section
// of the manifest and its arguments.
func (m manifest) preloads(args []string) []string {
	type section struct{ Require any }
	var modules []string
	switch v := field[section](m, "nyc").Require.(type) {
	case string:
		modules = append(modules, v)
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				modules = append(modules, s)
			}
		}
	}
	for i, a := range args {
		if !strings.HasPrefix(a, "-") && (i == 0 || !strings.HasPrefix(args[i-1], "-")) {
			break
		}
		if v, ok := strings.CutPrefix(a, "--require="); ok {
			modules = append(modules, v)
		} else if (a == "--require" || a == "-i") && i+1 < len(args) {
			modules = append(modules, args[i+1])
		}
	}
	var out []string
	for _, name := range modules {
		out = append(out, "-r", name)
	}
	return out
}

// inner drops a wrapper's own flags: what begins with a dash, and the values of those that take
// one as a word of its own.
func inner(wrapper string, rest []string) []string {
	valued := []string{"-r", "--reporter", "-x", "--exclude", "-n", "--include", "--temp-directory", "-o", "--reports-dir", "--report-dir",
		"--temp-dir", "--config", "-c", "--src", "--lines", "--branches", "--functions", "--statements", "-p", "--package", "-e", "-f", "-a", "-s", "--require", "-i"}
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		if rest[0] == "--" {
			return rest[1:]
		}
		n := 1
		if slices.Contains(valued, rest[0]) && !(wrapper == "c8" && rest[0] == "-c") && !(wrapper == "xvfb-run" && rest[0] == "-a") {
			n = 2
		}
		rest = rest[min(n, len(rest)):]
	}
	switch {
	case wrapper == "istanbul" && len(rest) > 0 && rest[0] == "cover":
		return inner("c8", rest[1:])
	case wrapper == "npx" && len(rest) > 0:
		name, _, _ := strings.Cut(strings.TrimPrefix(rest[0], "@"), "@")
		if !strings.HasPrefix(rest[0], "@") {
			return append([]string{name}, rest[1:]...)
		}
	}
	return rest
}

// calls are the scripts that a manager's command line runs, with the arguments for them; direct
// is a command that it starts itself (yarn mocha, pnpm exec mocha).
func (m manifest) calls(name string, rest []string) (names, args, direct []string) {
	if slices.Contains([]string{"npm-run-all", "run-s", "run-p", "npm-run-all2", "concurrently"}, name) {
		for _, a := range rest {
			a = strings.TrimPrefix(a, "npm:")
			if strings.HasPrefix(a, "-") {
				continue
			}
			if a, many := strings.CutSuffix(a, "*"); many {
				for _, s := range sortedKeys(m.scripts) {
					if strings.HasPrefix(s, a) {
						names = append(names, s)
					}
				}
			} else if _, ok := m.scripts[a]; ok {
				names = append(names, a)
			}
		}
		return names, nil, nil
	}
	for len(rest) > 0 && (rest[0] == "-s" || rest[0] == "--silent" || rest[0] == "--if-present") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return nil, nil, nil
	}
	if slices.ContainsFunc(rest, fansOut) {
		return nil, nil, nil
	}
	verb := rest[0]
	rest = rest[1:]
	switch verb {
	case "run", "run-script", "rum", "urn":
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "--" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return nil, nil, nil
		}
		verb, rest = rest[0], rest[1:]
	case "exec", "x", "dlx":
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		return nil, nil, rest
	case "t", "tst":
		verb = "test"
	}
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if _, ok := m.scripts[verb]; ok {
		return []string{verb}, rest, nil
	}
	if name == "yarn" || name == "pnpm" {
		return nil, nil, append([]string{verb}, rest...)
	}
	return nil, nil, nil
}

// fansOut reports whether an argument makes a manager run a script in the packages of the
// workspaces.
func fansOut(a string) bool {
	return slices.Contains([]string{"-r", "--recursive", "--workspaces", "-ws", "--ws", "workspaces", "foreach", "-A", "--all", "--filter", "-F", "workspace", "-w", "--workspace"}, a) ||
		strings.HasPrefix(a, "--filter=") || strings.HasPrefix(a, "--workspace=")
}

// nodeArgs cuts the arguments of node into its flags, the file it starts and that one's.
func nodeArgs(rest []string) (flags []string, file string, args []string) {
	for len(rest) > 0 {
		if !strings.HasPrefix(rest[0], "-") {
			return flags, rest[0], rest[1:]
		}
		n := 1
		if slices.Contains(nodeValued, rest[0]) {
			n = min(2, len(rest))
		}
		flags, rest = append(flags, rest[:n]...), rest[n:]
	}
	return flags, "", nil
}

var nodeValued = []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file",
	"--test-reporter", "--test-reporter-destination", "--test-name-pattern", "--test-skip-pattern", "--test-concurrency", "--test-timeout",
	"--tsconfig", "-e", "--eval", "-p", "--print", "--input-type", "--max-old-space-size", "--stack-trace-limit"}

// loader is how node itself runs what a program of another name runs.
func loader(name string) []string {
	switch name {
	case "tsx":
		return []string{"--import", "tsx"}
	case "ts-node":
		return []string{"-r", "ts-node/register"}
	case "babel-node":
		return []string{"-r", "@babel/register"}
	}
	return nil
}
