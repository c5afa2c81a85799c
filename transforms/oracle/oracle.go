// Package oracle computes structural checks: verdicts that come from a tree's text and not from a
// run.
package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// OldAPI is the check of a migration: it fails while a path calls the old callee, and holds when
// none does and the new callee is called in one.
const OldAPI = "taskmill::old_api"

// own is the prefix of the ids of our own checks.
const own = "taskmill::"

// Own reports whether id is a check of ours: no unit runs it.
func Own(id string) bool { return strings.HasPrefix(id, own) }

// Runnable are the ids that a unit runs.
func Runnable(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), Own)
}

// kindCalls is the one kind of structural check there is.
const kindCalls = "calls"

// An Oracle is a structural check as the column oracle holds it. Old and New are callees as
// lang.Callee writes them.
type Oracle struct {
	Check    string   `json:"check"`
	Kind     string   `json:"kind"`
	Language string   `json:"language"`
	Query    string   `json:"query"` // what is looked for, in words that a person reads
	Old      string   `json:"old"`
	New      string   `json:"new"`
	Paths    []string `json:"paths"` // sorted
}

// Migration is the oracle of a change from one callee to another in paths.
func Migration(language, old, new string, paths []string) Oracle {
	return Oracle{
		Check: OldAPI, Kind: kindCalls, Language: language, Old: old, New: new, Paths: slices.Sorted(slices.Values(paths)),
		Query: fmt.Sprintf("no call of %s, at least one of %s", old, new),
	}
}

// String is the oracle as a row holds it.
func (o Oracle) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings alone
	}
	return string(text)
}

// Parse reads a row's oracle; false where it has none.
func Parse(text string) (Oracle, bool, error) {
	if text == "" {
		return Oracle{}, false, nil
	}
	var o Oracle
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return o, false, fmt.Errorf("read oracle: %w", err)
	}
	if o.Kind != kindCalls || o.Check == "" || o.Old == "" || o.New == "" {
		return o, false, fmt.Errorf("read oracle: kind %q is not known", o.Kind)
	}
	return o, true, nil
}

// Verdict is the check's in a tree: pass or fail. A path that is gone calls nothing; one that does
// not parse is a fail, since nothing can be said of it.
func (o Oracle) Verdict(t lang.Files, l lang.Language) (model.Verdict, error) {
	v, _, err := o.Explain(t, l)
	return v, err
}

// Moved names the first of other paths that calls the old callee more often in t than before; empty
// where none does. A call that moves out of the oracle's paths is no migration.
func (o Oracle) Moved(t, before lang.Files, l lang.Language, paths []string) (string, error) {
	caller, ok := l.(lang.Caller)
	if !ok {
		return "", fmt.Errorf("oracle %s: %s has no query of calls", o.Check, l.Name())
	}
	count := func(t lang.Files, p string) (n int, err error) {
		f, ok, err := t.Read(p)
		if err != nil || !ok || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule || l.Kind(p) != model.Production {
			return 0, err
		}
		calls, err := caller.Calls(p, f.Data)
		if err != nil {
			return 0, nil // what does not parse calls nothing that would be run
		}
		for _, c := range calls {
			if c == o.Old {
				n++
			}
		}
		return n, nil
	}
	for _, p := range paths {
		if slices.Contains(o.Paths, p) {
			continue
		}
		now, err := count(t, p)
		if err != nil {
			return "", err
		}
		was, err := count(before, p)
		if err != nil {
			return "", err
		}
		if now > was {
			return p, nil
		}
	}
	return "", nil
}

// Explain is the verdict with the reason of a fail.
func (o Oracle) Explain(t lang.Files, l lang.Language) (v model.Verdict, why string, err error) {
	caller, ok := l.(lang.Caller)
	if !ok {
		return "", "", fmt.Errorf("oracle %s: %s has no query of calls", o.Check, l.Name())
	}
	replaced := false
	for _, p := range o.Paths {
		f, ok, err := t.Read(p)
		if err != nil {
			return "", "", fmt.Errorf("oracle %s: %w", o.Check, err)
		}
		if !ok || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule {
			continue
		}
		calls, err := caller.Calls(p, f.Data)
		switch {
		case err != nil:
			return model.Fail, p + " does not parse", nil
		case slices.Contains(calls, o.Old):
			return model.Fail, fmt.Sprintf("%s still calls %s", p, o.Old), nil
		}
		replaced = replaced || slices.Contains(calls, o.New)
	}
	if !replaced {
		return model.Fail, fmt.Sprintf("no call is written %s", o.New), nil
	}
	return model.Pass, "", nil
}
