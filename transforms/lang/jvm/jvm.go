// Package jvm turns trees of Java and Kotlin projects into environments, runs of test classes
// and verdicts: the half of the two languages that needs no parser.
//
// A unit is a top-level test class, module:Class, where module is the artifact id (Maven) or
// the project name (Gradle) and Class the fully qualified binary name. A check id is
// module:Class#name. name is what JUnit calls the legacy reporting name: the method, its
// parameter types in parentheses if it has any, and an index in brackets for each invocation of
// a parameterised, repeated or dynamic test: m, m(int, String)[2], tests[1][3]. Empty
// parentheses are left out, unless the method's own name has parentheses, as a Kotlin name may.
// A class whose set-up failed after all its checks ran is the check [class]. Display names are
// in no id: they may hold what differs between runs.
package jvm

import (
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/jvmsource"
)

// A Runner answers the questions of lang.Language that speak of running, for java or kotlin.
// The zero value answers none.
type Runner struct {
	Language string // java, kotlin
}

// Name is java or kotlin.
func (r Runner) Name() string { return r.Language }

// Kind says what a path is for, by its segments and names alone.
func (r Runner) Kind(p string) model.Kind { return jvmsource.Kind(p, extension(r.Language)) }

// Function is the test function of a check id, Class#method, and its unit.
func (Runner) Function(id string) (unit, function string) { return split(id) }

// split cuts a check id. Class is all before the first #: neither a class nor a module has one.
func split(id string) (unit, function string) {
	class, name, ok := strings.Cut(id, "#")
	if !ok {
		return id, ""
	}
	module, binary, ok := strings.Cut(class, ":")
	if !ok {
		module, binary = "", class
	}
	return join(module, top(binary)), binary + "#" + Method(name)
}

func join(module, class string) string { return module + ":" + class }

// top is the top-level class of a binary name: all before the first $ that is not at a name's
// own start (a class may be named $Gen).
func top(binary string) string {
	start := strings.LastIndexByte(binary, '.') + 1
	if cut := strings.IndexByte(binary[min(start+1, len(binary)):], '$'); cut >= 0 {
		return binary[:start+1+cut]
	}
	return binary
}

// Method is the method in the name of a check: what stands before the first index and, where
// that ends with a parenthesis or brace, before its parameter types. The names of methods hold
// no brackets; those of types hold no parentheses.
func Method(name string) string {
	if cut := strings.IndexByte(name[min(1, len(name)):], '['); cut >= 0 {
		name = name[:cut+1]
	}
	for _, pair := range []string{"()", "{}"} {
		if strings.HasSuffix(name, pair[1:]) {
			if open := strings.LastIndexByte(name, pair[0]); open > 0 {
				return name[:open]
			}
		}
	}
	return name
}

// fault is a recipe's own.
func fault(reason model.Reason, detail string) error {
	return &model.Fault{Stage: model.StageEnvironment, Reason: reason, Detail: detail}
}

// text is the content of a regular file of bounded size.
func text(t lang.Files, p string) (string, bool) {
	f, ok, err := t.Read(p)
	if err != nil || !ok || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule || len(f.Data) > maxSource {
		return "", false
	}
	return string(f.Data), true
}

// maxSource bounds a file that is read, in bytes.
const maxSource = 4 << 20
