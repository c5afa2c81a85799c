package ecma

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// What a runner's function does.
const (
	callsNothing = iota
	callsTest
	callsSuite
	callsHook
	callsMacro // test.macro: a value
)

// runnerNames are the functions of node:test, Jest, Mocha (all interfaces), Vitest, AVA, Jasmine
// and Playwright, by what they do.
var runnerNames = map[string]int{
	"test": callsTest, "it": callsTest, "specify": callsTest, "xit": callsTest, "xtest": callsTest, "fit": callsTest, "xspecify": callsTest,
	"describe": callsSuite, "suite": callsSuite, "context": callsSuite, "xdescribe": callsSuite, "fdescribe": callsSuite, "xcontext": callsSuite,
	"before": callsHook, "after": callsHook, "beforeEach": callsHook, "afterEach": callsHook, "beforeAll": callsHook, "afterAll": callsHook,
	"setup": callsHook, "teardown": callsHook, "suiteSetup": callsHook, "suiteTeardown": callsHook,
	"onTestFinished": callsHook, "onTestFailed": callsHook,
}

// modifiers stand between a runner's function and its call and leave what it does.
var modifiers = []string{"only", "skip", "todo", "each", "concurrent", "sequential", "failing", "fails", "fail", "serial", "parallel",
	"skipIf", "runIf", "todoIf", "if", "for", "shuffle", "cb", "always", "fixme", "slow", "configure"}

// runnerModules export runners' functions.
var runnerModules = []string{"node:test", "test", "vitest", "@jest/globals", "ava", "mocha", "bun:test", "@playwright/test", "uvu", "@japa/runner", "tap", "tape", "@std/testing/bdd"}

func isRunner(module string) bool { return slices.Contains(runnerModules, module) }

// mayTest is a cheap first look: without one of these words there is no test.
func mayTest(data []byte) bool {
	for _, w := range []string{"test", "it", "specify", "describe", "suite", "context"} {
		if bytes.Contains(data, []byte(w)) {
			return true
		}
	}
	return false
}

// A vocabulary is what the names of one file do: the runners' own, its aliases of them, less
// the names that it gives another meaning.
type vocabulary struct {
	src   []byte
	names map[string]int
	bases map[string]bool // names bound to a whole runner module: t.test, t.describe
}

// means is what calling an expression does.
func (v *vocabulary) means(f *node) int { return v.meaning(f, 0) }

func (v *vocabulary) meaning(f *node, depth int) int {
	if f = inner(f); f == nil || depth > 16 {
		return callsNothing
	}
	switch f.Kind {
	case "identifier":
		return v.names[f.Text(v.src)]
	case "ternary_expression": // (skip ? describe.skip : describe)(…)
		if m := v.meaning(f.Get("consequence"), depth+1); m == v.meaning(f.Get("alternative"), depth+1) {
			return m
		}
	case "call_expression": // test.each(table)(…), it.skipIf(x)(…)
		g := f.Get("function")
		if g == nil || g.Kind != "member_expression" || !slices.Contains([]string{"each", "for", "skipIf", "runIf", "todoIf", "if", "extend", "override"}, g.Get("property").Text(v.src)) {
			return callsNothing
		}
		return v.meaning(g, depth+1)
	case "member_expression":
		prop := f.Get("property").Text(v.src)
		obj := inner(f.Get("object"))
		if obj == nil {
			return callsNothing
		}
		base := v.meaning(obj, depth+1)
		if base == callsNothing && obj.Kind == "identifier" && v.bases[obj.Text(v.src)] {
			return runnerNames[prop]
		}
		switch {
		case base == callsNothing:
			return callsNothing
		case slices.Contains(modifiers, prop), prop == "extend":
			return base
		case prop == "macro":
			return callsMacro
		case base == callsTest || base == callsSuite:
			// test.before, test.describe, describe.it
			return runnerNames[prop]
		}
	}
	return callsNothing
}

// newVocabulary reads which names of a module call a runner.
func newVocabulary(root *node, src []byte) *vocabulary {
	v := &vocabulary{src: src, names: map[string]int{}, bases: map[string]bool{}}
	maps.Copy(v.names, runnerNames)
	for _, c := range root.Children {
		switch c.Kind {
		case "import_statement":
			for _, i := range importsOf(c, src) {
				v.take(i)
			}
		case "lexical_declaration", "variable_declaration":
			for _, d := range c.All("variable_declarator") {
				v.declarator(d)
			}
		case "function_declaration", "class_declaration", "generator_function_declaration":
			delete(v.names, c.Get("name").Text(src))
		}
	}
	return v
}

// take gives an imported name its meaning.
func (v *vocabulary) take(i imported) {
	if i.bound == "" {
		return
	}
	if !isRunner(i.module) {
		// A wrapper of the project's own keeps the name's meaning: test from "./fixtures".
		if _, is := runnerNames[i.bound]; is && i.bound != i.name && i.name != "default" && i.name != "" {
			if m, ok := runnerNames[i.name]; ok {
				v.names[i.bound] = m
			} else {
				delete(v.names, i.bound)
			}
		}
		if runnerNames[i.bound] == callsHook && i.name != "default" {
			delete(v.names, i.bound) // setup, before of a helper module
		}
		return
	}
	switch i.name {
	case "default", "":
		v.names[i.bound] = callsTest
		v.bases[i.bound] = true
	default:
		if m, ok := runnerNames[i.name]; ok {
			v.names[i.bound] = m
		}
	}
}

// declarator reads const it2 = it.extend(…), const test = require("node:test"),
// const maybe = ok ? it : it.skip.
func (v *vocabulary) declarator(d *node) {
	name, value := d.Get("name"), inner(d.Get("value"))
	if name == nil {
		return
	}
	if m, ok := required(value, v.src); ok {
		for _, i := range requires(d, m, v.src) {
			v.take(i)
		}
		return
	}
	if name.Kind == "object_pattern" {
		// const { describe, it } = test
		whole := imported{module: "node:test"}
		if value != nil && value.Kind == "identifier" && v.bases[value.Text(v.src)] {
			for _, i := range requires(d, whole, v.src) {
				v.take(i)
			}
		}
		return
	}
	if name.Kind != "identifier" {
		return
	}
	bound := name.Text(v.src)
	if value != nil && value.Kind == "ternary_expression" {
		if m := v.means(value.Get("consequence")); m != callsNothing && m == v.means(value.Get("alternative")) {
			v.names[bound] = m
			return
		}
	}
	if m := v.means(value); m != callsNothing && value.Kind != "identifier" || m == callsTest || m == callsSuite {
		if value.Kind != "call_expression" || lastName(value.Get("function"), v.src) == "extend" || strings.Contains(value.Text(v.src), "If(") {
			v.names[bound] = m
			return
		}
	}
	delete(v.names, bound)
}

// call is the runner's call that a statement or expression makes, behind await, return, void
// and chained calls ("it(…).timeout(500)"), and what it does.
func (v *vocabulary) call(n *node) (*node, int) {
	for depth := 0; n != nil && depth < 16; depth++ {
		n = inner(n)
		switch {
		case n == nil:
			return nil, callsNothing
		case n.Kind == "expression_statement", n.Kind == "return_statement", n.Kind == "unary_expression":
			c := code(n)
			if len(c) != 1 {
				return nil, callsNothing
			}
			n = c[0]
		case n.Kind == "call_expression":
			if m := v.means(n.Get("function")); m != callsNothing {
				if a := n.Get("arguments"); a == nil || a.Kind != "arguments" || v.table(n) {
					return nil, callsNothing
				}
				return n, m
			}
			f := inner(n.Get("function"))
			if f == nil || f.Kind != "member_expression" {
				return nil, callsNothing
			}
			n = f.Get("object")
		default:
			return nil, callsNothing
		}
	}
	return nil, callsNothing
}

// table reports whether a call only makes a runner's function: test.each(rows), it.skipIf(x).
func (v *vocabulary) table(call *node) bool {
	f := inner(call.Get("function"))
	if f == nil || f.Kind != "member_expression" {
		return false
	}
	switch f.Get("property").Text(v.src) {
	case "each", "for", "skipIf", "runIf", "todoIf", "extend", "override":
		return true
	case "if":
		return true
	}
	return false
}
