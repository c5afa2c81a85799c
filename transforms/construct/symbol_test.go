package construct

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/python"
	"github.com/taskmill/taskmill/transforms/tree"
)

func pythonInput(t *testing.T, before, after, h map[string]string) Input {
	t.Helper()
	of := func(files map[string]string) *tree.Tree {
		var all []model.File
		for p, text := range files {
			all = append(all, model.File{Path: p, Mode: model.ModeFile, Data: []byte(text)})
		}
		return tree.Of(all...)
	}
	in := Input{Change: model.Change{ID: "o__r-7", Family: "bug_fix"}, Before: of(before), After: of(after), H: of(h), Moves: map[string]string{}}
	var err error
	if in.Source, err = evidence.Diff(in.Before, in.After, evidence.Changed(in.Before, in.After), func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	return in
}

func mapping(t *testing.T, name string) Mapping {
	t.Helper()
	for _, m := range Mappings {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no mapping %s", name)
	return Mapping{}
}

func text(t *testing.T, f lang.Files, path string) string {
	t.Helper()
	file, _, err := f.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(file.Data)
}

const middle = "\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"

// Of a change that later code rests on in part, the hunks of the symbol that it names stay done.
func TestPartialLeavesTheSymbolNamed(t *testing.T) {
	added, used := "def added():\n    return 0\n", "\n\ndef used():\n    return 4\n"
	in := pythonInput(t,
		map[string]string{"a.py": strings.TrimPrefix(middle, "\n\n")},
		map[string]string{"a.py": added + middle + used},
		map[string]string{"a.py": added + middle + used, "later.py": "from a import used\n\nused()\n"})
	d, err := Undo(mapping(t, "partial"), in, python.Language{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimPrefix(middle, "\n\n")+used, text(t, d.C, "a.py")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a.py 2"}, d.Dropped); diff != "" {
		t.Error(diff)
	}
}

// What lies outside of symbols, an import, is undone as a block.
func TestSymbolTransplantWithImports(t *testing.T) {
	const before = "import a\n\n\ndef f(x):\n    return x\n"
	const after = "import b\n\n\ndef f(x):\n    return b.g(x)\n"
	const h = "import sys\nimport b\nimport os\n\n\ndef f(x):\n    y = x\n    return b.g(y)\n"
	in := pythonInput(t, map[string]string{"a.py": before}, map[string]string{"a.py": after}, map[string]string{"a.py": h})
	d, err := Undo(mapping(t, "symbol"), in, python.Language{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("import sys\nimport a\nimport os\n\n\ndef f(x):\n    return x\n", text(t, d.C, "a.py")); diff != "" {
		t.Error(diff)
	}
}

// A method is undone whole in a class that later work went on with; what the change added goes.
func TestSymbolTransplant(t *testing.T) {
	const before = "class A:\n    def f(self, x):\n        return x\n"
	const after = "class A:\n    def f(self, x):\n        return x + self.g()\n\n    def g(self):\n        return 1\n"
	const h = "class A:\n    def f(self, x):\n        # Since then.\n        y = x\n        return y + self.g()\n\n    def g(self):\n        return 2 - 1\n\n    def later(self):\n        return 3\n"
	in := pythonInput(t, map[string]string{"a.py": before}, map[string]string{"a.py": after}, map[string]string{"a.py": h})
	d, err := Undo(mapping(t, "symbol"), in, python.Language{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before+"\n    def later(self):\n        return 3\n", text(t, d.C, "a.py")); diff != "" {
		t.Error(diff)
	}
	for name, other := range map[string]string{
		"another signature": strings.Replace(h, "f(self, x)", "f(self, x, z)", 1),
		"gone":              strings.Replace(h, "def f(", "def e(", 1),
		"no class":          "",
	} {
		in := pythonInput(t, map[string]string{"a.py": before}, map[string]string{"a.py": after}, map[string]string{"a.py": other})
		if _, err := Undo(mapping(t, "symbol"), in, python.Language{}); err == nil {
			t.Errorf("%s: undone", name)
		}
	}
}
