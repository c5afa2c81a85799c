package node

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// protectedGlobs tell a reader of the protocol what Protected holds.
var protectedGlobs = []string{"**/package.json", "**/jest.config.*", "**/vitest.config.*", "**/vitest.workspace.*", "**/vite.config.*", "**/.mocharc*", "**/mocha.opts",
	"**/ava.config.*", "**/.babelrc*", "**/babel.config.*", "**/.swcrc", "**/tsconfig*.json", "**/jsconfig.json", "**/.npmrc", "**/.pnp.*", "**/.yarnrc*",
	"**/*.setup.*", "**/node_modules/**"}

var steering = regexp.MustCompile(`^(?:package\.json|(?:jest|jest-[\w-]+|vitest|vite|ava|babel|nyc|c8|swc|mocha|vitest\.workspace|vitest\.[\w-]+|jest\.[\w-]+|vite\.[\w-]+|ava\.[\w-]+)\.(?:config|workspace|projects|preset)\.[\w.]+|vitest\.workspace\.\w+|jest-preset\.\w+|` +
	`\.mocharc(?:\.\w+)?|mocha\.opts|\.babelrc(?:\.\w+)?|\.swcrc|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|\.taprc|tsconfig[\w.-]*\.json|jsconfig\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnp\.\w+|\.pnpmfile\.cjs|` +
	`(?:jest|vitest|mocha|ava|test|tests)[.-]?(?:setup|teardown|global-?setup)\w*\.[\w.]+|(?:setup|global)[.-]?(?:tests?|jest|vitest|mocha|setup|teardown)\.[\w.]+|[\w-]+\.setup\.[\w.]+)$`)

// Protected reports whether a path, or a section of it, steers the runner or what loads the
// tests: configuration of runners and transpilers, set-up files by their usual names, modules
// that would be found in place of the environment's.
func Protected(p string) bool {
	if slices.Contains(strings.Split(path.Dir(p), "/"), "node_modules") || path.Base(p) == "node_modules" {
		return true
	}
	return steering.MatchString(strings.ToLower(path.Base(p))) || strings.EqualFold(path.Base(p), "setupTests.js")
}

// Shadow is the path prefix of the module that p belongs to when the runner would load it in
// place of the environment's.
func Shadow(p string) (prefix string, ok bool) {
	before, after, ok := strings.Cut("/"+p, "/node_modules/")
	if !ok {
		return "", false
	}
	name, rest, _ := strings.Cut(after, "/")
	if strings.HasPrefix(name, "@") {
		inner, _, _ := strings.Cut(rest, "/")
		name += "/" + inner
	}
	return strings.TrimPrefix(before+"/node_modules/"+name+"/", "/"), true
}

// sections of package.json that steer the runner, whole.
var sections = []string{"jest", "mocha", "ava", "vitest", "nyc", "c8", "babel", "type", "ts-node", "swc", "tsd"}

// free are scripts that no run starts.
var free = regexp.MustCompile(`^(?:pre|post)?(?:lint|eslint|format|prettier|fix|docs?|site|website|release|version|publish|publishOnly|changelog|start|dev|serve|watch|bench|benchmark|perf|size|deploy|examples?|demo|storybook|commit|husky|update|upgrade|coverage|cov|codecov|check|types?|typecheck|typings|audit|clean|ci:lint|prettify|spell|spellcheck|toc|readme|preview|report)(?:[:.-].*)?$`)

// Restore is the content of a protected file: of package.json only what steers the runner is
// want's (configuration, the scripts that a run may start), the rest is have's; any other file
// is want.
func Restore(p string, want, have []byte) []byte {
	if path.Base(p) != "package.json" || have == nil {
		return want
	}
	h, err := members(have)
	if err != nil {
		return want
	}
	w, err := members(want)
	if err != nil && want != nil {
		return want
	}
	if same(w, h) {
		return have
	}
	var out []member
	for _, m := range h {
		if !slices.Contains(sections, m.key) && m.key != "scripts" {
			out = append(out, m)
		}
	}
	for _, m := range w {
		if slices.Contains(sections, m.key) {
			out = append(out, m)
		}
	}
	if raw := scripts(w, h); raw != nil {
		out = append(out, member{"scripts", raw})
	}
	return write(out)
}

// A member is one entry of a JSON object.
type member struct {
	key string
	raw json.RawMessage
}

// members are the entries of a JSON object in order; of equal keys the last counts.
func members(data []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		if err == nil {
			err = &json.SyntaxError{}
		}
		return nil, err
	}
	var out []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		out = slices.DeleteFunc(out, func(m member) bool { return m.key == key })
		out = append(out, member{key, raw})
	}
	_, err := d.Token()
	return out, err
}

// same reports whether two manifests say the same to a run.
func same(a, b []member) bool {
	return reflect.DeepEqual(said(a), said(b))
}

func said(list []member) map[string]any {
	out := map[string]any{}
	for _, m := range list {
		var v any
		switch {
		case slices.Contains(sections, m.key):
			if json.Unmarshal(m.raw, &v) == nil {
				out[m.key] = v
			}
		case m.key == "scripts":
			inner, err := members(m.raw)
			if err != nil {
				out["scripts"] = string(m.raw)
				continue
			}
			for _, s := range inner {
				if !free.MatchString(s.key) {
					out["scripts."+s.key] = string(s.raw)
				}
			}
		}
	}
	return out
}

// scripts are want's, with have's in place of those that no run starts.
func scripts(w, h []member) json.RawMessage {
	var out []member
	pick := func(list []member, take bool) {
		for _, m := range list {
			if m.key != "scripts" {
				continue
			}
			inner, err := members(m.raw)
			if err != nil {
				continue
			}
			for _, s := range inner {
				if free.MatchString(s.key) == take {
					out = append(out, s)
				}
			}
		}
	}
	pick(w, false)
	pick(h, true)
	if len(out) == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := json.Indent(&b, write(out), "  ", "  "); err != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

func write(list []member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(m.key)
		b.WriteString("\n  ")
		b.Write(key)
		b.WriteString(": ")
		b.Write(m.raw)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}
