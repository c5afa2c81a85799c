package python

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/taskmill/taskmill/transforms/lang"
)

// A table is a TOML table; at reads below it without failing.
type table map[string]any

func (p table) at(keys ...string) any {
	var v any = map[string]any(p)
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

func (p table) table(keys ...string) table {
	m, _ := p.at(keys...).(map[string]any)
	return m
}

func (p table) text(keys ...string) string {
	s, _ := p.at(keys...).(string)
	return s
}

func (p table) list(keys ...string) []string { return texts(p.at(keys...)) }

func texts(v any) []string {
	var out []string
	l, _ := v.([]any)
	for _, e := range l {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func pyproject(t lang.Files) (table, error) {
	data, ok := manifest(t, "pyproject.toml")
	if !ok {
		return nil, nil
	}
	var out map[string]any
	if err := toml.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("parse pyproject.toml: %w", err)
	}
	return out, nil
}

// testGroup and devGroup say which extras and groups hold what tests need: those named for
// tests, or where there is none those for development.
var (
	testGroup = regexp.MustCompile(`^(?:.*[-_])?(?:tests?|testing|pytest|unittests?|unit|tests?[-_].*)$`)
	devGroup  = regexp.MustCompile(`^(?:devel?|develop|development|ci|check|qa)$`)
)

// chosen are the names for tests among names; dev says to take those for development.
func chosen(names []string, dev bool) []string {
	var out []string
	for _, n := range slices.Sorted(slices.Values(names)) {
		l := strings.ToLower(n)
		if !dev && testGroup.MatchString(l) || dev && devGroup.MatchString(l) {
			out = append(out, n)
		}
	}
	return out
}

// wishes collects what pyproject.toml says that tests need.
func (p table) wishes(t lang.Files, dev bool) wish {
	var w wish
	w.extras = append(w.extras, chosen(keys(p.table("project", "optional-dependencies")), dev)...)
	w.extras = append(w.extras, chosen(keys(p.table("tool", "poetry", "extras")), dev)...)
	w.extras = append(w.extras, chosen(keys(p.table("tool", "flit", "metadata", "requires-extra")), dev)...)
	if dyn := p.table("tool", "setuptools", "dynamic", "optional-dependencies"); dyn != nil {
		w.extras = append(w.extras, chosen(keys(dyn), dev)...)
	}
	groups := p.table("dependency-groups")
	for _, g := range chosen(keys(groups), dev) {
		p.group(&w, g, 0)
	}
	pdm := p.table("tool", "pdm", "dev-dependencies")
	for _, g := range chosen(keys(pdm), dev) {
		for _, r := range texts(pdm[g]) {
			w.add(r)
		}
	}
	poetry := p.table("tool", "poetry", "group")
	for _, g := range chosen(keys(poetry), dev) {
		w.poetry(p.table("tool", "poetry", "group", g, "dependencies"))
	}
	if dev {
		w.poetry(p.table("tool", "poetry", "dev-dependencies"))
		for _, r := range p.list("tool", "uv", "dev-dependencies") {
			w.add(r)
		}
	}
	envs := p.table("tool", "hatch", "envs")
	for _, e := range keys(envs) {
		if l := strings.ToLower(e); testGroup.MatchString(l) && !dev || e == "default" && dev {
			for _, r := range append(p.list("tool", "hatch", "envs", e, "dependencies"), p.list("tool", "hatch", "envs", e, "extra-dependencies")...) {
				w.add(r)
			}
			w.extras = append(w.extras, p.list("tool", "hatch", "envs", e, "features")...)
			for _, g := range p.list("tool", "hatch", "envs", e, "dependency-groups") {
				p.group(&w, g, 0)
			}
		}
	}
	if !dev {
		p.tox(t, &w)
	}
	return w
}

// group adds a dependency group with those that it includes.
func (p table) group(w *wish, name string, depth int) {
	if depth > 8 {
		return
	}
	var members []any
	for _, k := range keys(p.table("dependency-groups")) {
		if normal(k) == normal(name) {
			members, _ = p.at("dependency-groups", k).([]any)
		}
	}
	for _, m := range members {
		switch m := m.(type) {
		case string:
			w.add(m)
		case map[string]any:
			if g, ok := m["include-group"].(string); ok {
				p.group(w, g, depth+1)
			}
		}
	}
}

// tox reads the environment of tests in its three places.
func (p table) tox(t lang.Files, w *wish) {
	for _, at := range [][]string{{"tool", "tox", "env_run_base"}, {"tool", "tox", "env", "test"}, {"tool", "tox", "env", "tests"}} {
		for _, d := range p.list(append(at, "deps")...) {
			w.lines(t, d)
		}
		w.extras = append(w.extras, p.list(append(at, "extras")...)...)
		for _, g := range p.list(append(at, "dependency_groups")...) {
			p.group(w, g, 0)
		}
	}
	sections := []section{}
	if data, ok := manifest(t, "tox.ini"); ok {
		sections = append(sections, ini(string(data))...)
	}
	if data, ok := manifest(t, "setup.cfg"); ok {
		for _, s := range ini(string(data)) {
			if name, ok := strings.CutPrefix(s.name, "tox:"); ok {
				s.name = name
				sections = append(sections, s)
			}
		}
	}
	if legacy := p.text("tool", "tox", "legacy_tox_ini"); legacy != "" {
		sections = append(sections, ini(legacy)...)
	}
	for _, s := range sections {
		name, ok := strings.CutPrefix(s.name, "testenv")
		if !ok || name != "" && !testGroup.MatchString(strings.TrimPrefix(name, ":")) {
			continue
		}
		w.lines(t, s.values["deps"])
		w.extras = append(w.extras, words(s.values["extras"])...)
		for _, g := range words(s.values["dependency_groups"]) {
			p.group(w, g, 0)
		}
	}
}

func words(s string) []string {
	var out []string
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '\n' || r == ' ' || r == '\t' }) {
		if !strings.ContainsAny(f, "{}:") {
			out = append(out, f)
		}
	}
	return out
}

func keys(t table) []string { return slices.Sorted(maps.Keys(t)) }

// poetry adds Poetry's dependencies: name = "^1.2" or name = {version, extras, markers}.
func (w *wish) poetry(deps table) {
	for _, name := range keys(deps) {
		if name == "python" {
			continue
		}
		switch v := deps[name].(type) {
		case string:
			w.add(name + constraint(v))
		case map[string]any:
			d := table(v)
			if d.text("path") != "" || d.text("git") != "" || d.text("url") != "" {
				continue
			}
			r := name
			if e := d.list("extras"); len(e) > 0 {
				r += "[" + strings.Join(e, ",") + "]"
			}
			r += constraint(d.text("version"))
			if m := d.text("markers"); m != "" {
				r += " ; " + m
			}
			w.add(r)
		case []any: // one entry a Python version: the newest, without its bound
			w.add(name)
		}
	}
}

// constraint turns Poetry's caret, tilde and bare versions into a version specifier; "" where
// it is none that can be turned.
func constraint(s string) string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		switch {
		case part == "" || part == "*" || strings.Contains(part, "||"):
		case part[0] == '^':
			out = append(out, bound(part[1:], true)...)
		case part[0] == '~' && !strings.HasPrefix(part, "~="):
			out = append(out, bound(part[1:], false)...)
		case strings.ContainsRune("<>=!~", rune(part[0])):
			out = append(out, strings.ReplaceAll(part, " ", ""))
		default:
			out = append(out, "=="+part)
		}
	}
	return strings.Join(out, ",")
}

// bound is >=v and the next version that a caret (first part that is not zero) or a tilde
// (second part, or the only one) excludes.
func bound(v string, caret bool) []string {
	v = strings.TrimSpace(v)
	var nums []int
	for f := range strings.SplitSeq(v, ".") {
		n, err := strconv.Atoi(f)
		if err != nil {
			break
		}
		nums = append(nums, n)
	}
	if len(nums) == 0 {
		return nil
	}
	at := min(1, len(nums)-1)
	if caret {
		at = 0
		for at < len(nums)-1 && nums[at] == 0 {
			at++
		}
	}
	up := []string{}
	for i := 0; i <= at; i++ {
		n := nums[i]
		if i == at {
			n++
		}
		up = append(up, strconv.Itoa(n))
	}
	return []string{">=" + v, "<" + strings.Join(up, ".")}
}
