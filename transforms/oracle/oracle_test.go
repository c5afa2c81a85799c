package oracle

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/ecmascript"
	"github.com/taskmill/taskmill/transforms/lang/golang"
	"github.com/taskmill/taskmill/transforms/lang/jvm"
	"github.com/taskmill/taskmill/transforms/lang/python"
	"github.com/taskmill/taskmill/transforms/tree"
)

// In each language: a file that calls the old callee, one that calls the new one, and one that
// only speaks of the old one.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		lang             lang.Language
		path, old, new   string
		uses, does, says string
	}{
		{golang.Language{}, "a.go", "ioutil.ReadFile", "os.ReadFile",
			"package a\n\nvar b, _ = ioutil.ReadFile(\"x\")\n", "package a\n\nvar b, _ = os.ReadFile(\"x\")\n",
			"package a\n\n// ioutil.ReadFile(x) is old.\nvar b, _ = os.ReadFile(\"ioutil.ReadFile(x)\")\n"},
		{python.Language{}, "a.py", "asyncio.get_event_loop", "asyncio.get_running_loop",
			"loop = asyncio.get_event_loop()\n", "loop = asyncio.get_running_loop()\n",
			"# asyncio.get_event_loop()\nloop = asyncio.get_running_loop()\ns = 'asyncio.get_event_loop()'\n"},
		{ecmascript.JavaScript, "a.js", "Buffer", "Buffer.from",
			"const b = new Buffer('x');\n", "const b = Buffer.from('x');\n", "// new Buffer('x')\nconst b = Buffer.from('new Buffer()');\n"},
		{ecmascript.TypeScript, "a.ts", "url.parse", "URL",
			"const u: Url = url.parse(s);\n", "const u: URL = new URL(s);\n", "const u: URL = new URL('url.parse(s)');\n"},
		{jvm.Java, "src/main/java/A.java", "Thread.stop", "Thread.interrupt",
			"class A { void f() { Thread.stop(); } }\n", "class A { void f() { Thread.interrupt(); } }\n",
			"class A { /* Thread.stop() */ void f() { Thread.interrupt(); } }\n"},
		{jvm.Kotlin, "src/main/kotlin/A.kt", "s.toLowerCase", "s.lowercase",
			"fun f(s: String) = s.toLowerCase()\n", "fun f(s: String) = s.lowercase()\n", "// s.toLowerCase()\nfun f(s: String) = s.lowercase()\n"},
	} {
		o := Migration(c.lang.Name(), c.old, c.new, []string{c.path, "gone" + c.path})
		for _, tt := range []struct {
			name, text string
			want       model.Verdict
		}{
			{"old", c.uses, model.Fail},
			{"new", c.does, model.Pass},
			{"only spoken of", c.says, model.Pass},
			{"both", c.uses + "\n" + c.does[len(firstLine(c.lang, c.does)):], model.Fail},
			{"neither", firstLine(c.lang, c.does), model.Fail},
			{"does not parse", c.does + "\n(((", model.Fail},
		} {
			if tt.name == "both" && c.lang.Name() == "java" {
				continue
			}
			got, err := o.Verdict(tree.Of(model.File{Path: c.path, Mode: model.ModeFile, Data: []byte(tt.text)}), c.lang)
			if err != nil || got != tt.want {
				t.Errorf("%s, %s: %s %v, want %s", c.lang.Name(), tt.name, got, err, tt.want)
			}
		}
	}
}

// firstLine is what a Go file must begin with.
func firstLine(l lang.Language, text string) string {
	if l.Name() == "go" {
		return text[:len("package a\n")]
	}
	return ""
}

func TestParse(t *testing.T) {
	o := Migration("go", "a.B", "a.C", []string{"z.go", "b.go"})
	got, ok, err := Parse(o.String())
	if d := cmp.Diff(o, got); d != "" || !ok || err != nil {
		t.Error(d, ok, err)
	}
	if !slices.IsSorted(o.Paths) {
		t.Errorf("paths %v", o.Paths)
	}
	if _, ok, err := Parse(""); ok || err != nil {
		t.Error("an absent oracle is one", err)
	}
	for _, text := range []string{"{", "{}", `{"check":"x","kind":"imports","old":"a","new":"b"}`, "[]"} {
		if _, _, err := Parse(text); err == nil {
			t.Errorf("%s accepted", text)
		}
	}
}

func TestRunnable(t *testing.T) {
	ids := []string{"a.go::TestX", OldAPI}
	if got := Runnable(ids); len(got) != 1 || got[0] != "a.go::TestX" || len(ids) != 2 || ids[1] != OldAPI {
		t.Errorf("%v of %v", got, ids)
	}
}
