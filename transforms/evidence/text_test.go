package evidence

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"number in a subject", "Reject empty names (#123)", "Reject empty names"},
		{"two numbers", "Fix crash (#6946) (#7059)", "Fix crash"},
		{"closing reference", "Fixes #26194\nCrash on empty input.", "Crash on empty input."},
		{"closing with a colon", "Resolves: #5, #6\nBody text.", "Body text."},
		{"closing by address", "Closes https://github.com/o/r/issues/12\n\nThe parser loops.", "The parser loops."},
		{"closing inside a sentence", "The parser loops, see #8.", "The parser loops,"},
		{"a plain number stays", "fixes 3 bugs in the parser", "fixes 3 bugs in the parser"},
		{"foreign reference", "As in golang/go#1234 the walk ends.", "As in the walk ends."},
		{"markdown link", "Use [the guide](https://example.com/x) here.", "Use the guide here."},
		{"bare address", "Documented at https://example.com/a?b=c#d and more.", "Documented at and more."},
		{"reference style link", "Text.\n\n[1]: https://example.com", "Text."},
		{"image", "![shot](https://example.com/a.png)\nThe box overlaps.", "The box overlaps."},
		{"hash", "Regression from 1a2b3c4d5e, crash again.", "Regression from, crash again."},
		{"a word of hexadecimal letters stays", "The facade is defaced.", "The facade is defaced."},
		{"where it was told", "This is the case reported in #746, and more.", "This is the case, and more."},
		{"two numbers with a slash", "The path that fixes it (#513/#524) never ran, a = ... (#3)", "The path that fixes it never ran, a = ..."},
		{"calls stay", "Array.insert() copied (#3)", "Array.insert() copied"},
		{"kernel trailer", "Keep order.\n\nFixes: 0fe6bf1 (\"Use RoutePath (#718)\")", "Keep order."},
		{"trailers", "Keep order.\n\nSigned-off-by: A <a@b.c>\nCo-authored-by: B <b@b.c>\nReviewed-by: C", "Keep order."},
		{"comment", "<!-- Thank you! fixes #9 -->\nKeep order.", "Keep order."},
		{"open comment", "Keep order.\n<!-- and so on", "Keep order."},
		{"checklist", "Keep order.\n\n## Checklist\n\n- [x] I added tests\n- [ ] docs\n", "Keep order."},
		{"check items anywhere", "- [x] tests\nKeep order.", "Keep order."},
		{"empty sections", "## Description\n\nKeep order.\n\n## Screenshots\n\n## Other\n", "## Description\n\nKeep order."},
		{"bold heading of a template", "Keep order.\n\n**Checklist**\n\n1. one\n2. two", "Keep order."},
		{"section after a template section", "# Testing\n\nran it\n\n# Why\n\nOrder matters.", "# Why\n\nOrder matters."},
		{"talk", "Please review when you can. The parser loops on CR. Let me know what you think!", "The parser loops on CR."},
		{"mentions", "Reported by @someone-else, the parser loops.", "Reported by, the parser loops."},
		{"merge noise", "Merge branch 'main' into feature", ""},
		{"commit noise", "wip: more\nfix lint\nAddress review comments\nApply suggestions from code review\nKeep order", "Keep order"},
		{"carriage returns", "Keep order.\r\n\r\n\r\nFor all.\r\n", "Keep order.\n\nFor all."},
		{"code stays", "Try:\n```python\nx = f(1)  # see #8\n```", "Try:\n```python\nx = f(1)  # see #8\n```"},
		{"fenced diff goes", "Keep order.\n```diff\n- a\n+ b\n```\nFor all.", "Keep order.\nFor all."},
		{"indented items keep their place", "- one (#1)\n  - two", "- one\n  - two"},
		{"GitLab", "Keep order.\n\nSee merge request group/project!77", "Keep order."},
		{"bot section", "Keep order.\n\n🤖 Generated with a tool", "Keep order."},
		{"template's answers", "### Linked issues\n\nnone\n\n### What\n\nKeep order.", "### What\n\nKeep order."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Clean(c.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	f.Add("Fix x (#1)\n\n- [ ] a\n<!-- b -->\n```diff\n+a\n```\nSee [y](http://z) @w 1a2b3c4d")
	f.Add("[[a](b)](c) `x <http://y>`_")
	f.Add("\xff\r\n# H\n\n## I\n")
	address := regexp.MustCompile(`https?://\w`)
	f.Fuzz(func(t *testing.T, in string) {
		got := Clean(in)
		if len(got) > len(in) {
			t.Errorf("%q became longer: %q", in, got)
		}
		if !strings.Contains(in, "```") && !strings.Contains(in, "~~~") && address.MatchString(got) {
			t.Errorf("%q keeps an address: %q", in, got)
		}
	})
}

func TestRecordText(t *testing.T) {
	r := model.Record{Title: "Reject empty names (#12)", Body: "* Reject empty names\n* Say which name is empty\n\nSigned-off-by: A",
		Messages: []string{"Reject empty names", "Say which name is empty\n\nThe message had no name in it.", "fix lint"}}
	r.Body = "    >>> x\n    'nfoo'\n    nfoo\n\n" + r.Body
	want := "Reject empty names\n\n    >>> x\n    'nfoo'\n    nfoo\n\n* Say which name is empty\n\nThe message had no name in it.\n\n- Empty names are refused with a message."
	got := recordText(r, []string{"- Empty names are refused with a message. (#12)"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The last line of a paragraph may be too short to be known again.
func TestRecordTextDropsWhatIsLeft(t *testing.T) {
	body := "Use the composed value instead of the field, so that nested routes fill the pattern\ncorrectly on Go 1.23+."
	r := model.Record{Title: "Set the pattern", Body: body, Messages: []string{"Set the pattern\n\n" + body}}
	if diff := cmp.Diff("Set the pattern\n\n"+body, recordText(r, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the branch's commits say of tests and CI alone is nothing that a solver can do.
func TestRecordTextWithoutTestTalk(t *testing.T) {
	r := model.Record{Title: "Refuse empty names", Messages: []string{
		"Refuse empty name", "Add better test for empty names", "name_test: gofmt\n\nThe linter asks for it.", "ci: use a newer image",
		"tests: cover the new message", "Say which name is empty", "Test names for emptiness before they are kept",
	}}
	want := "Refuse empty names\n\nSay which name is empty\n\nTest names for emptiness before they are kept"
	if diff := cmp.Diff(want, recordText(r, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A squash holds the branch's commits as bullets, each with its own paragraphs.
func TestRecordTextOfASquash(t *testing.T) {
	r := model.Record{Title: "Skip empty bodies", Body: "The reader hung. Adds a test command. Also adds comprehensive test coverage for the reader\nand what it calls.\n\n* Skip when the length is 0\n\nIt was never read.\n\n" +
		"* reader: fix Charset tests to exercise the length\n\nThe table's field was never applied.\n\n    code\n\n* Test the length before it is read\n\n- Adds a regression test\n- Says more\n\nAssisted-by: A"}
	want := "Skip empty bodies\n\nThe reader hung. Adds a test command.\n\n* Skip when the length is 0\n\nIt was never read.\n\n* Test the length before it is read\n\n- Says more"
	if diff := cmp.Diff(want, recordText(r, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The solver does not get the change's own tests: sentences that name them tell nothing.
func TestRecordTextWithoutNamesOfChecks(t *testing.T) {
	r := model.Record{Title: "Improve TestParse", Body: "Each Set method returned its error verbatim. Updates\nthe affected line in TestParse, and adds TestMessages\nto lock in the texts. Slices stay.\n\n* test_other names nothing of ours\n* see TestMessages/bool\n\n    TestParse fails",
		Messages: []string{"Say more in TestMessages"}, Issues: []model.Issue{{Title: "TestParse hangs"}}}
	want := "TestParse hangs\n\nImprove TestParse\n\nEach Set method returned its error verbatim. Slices stay.\n\n* test_other names nothing of ours\n\n    TestParse fails"
	got := recordText(r, nil, model.Surface{Function: "TestParse"}, model.Surface{Function: "TestMessages"}, model.Surface{Function: "test"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWords(t *testing.T) {
	got := Words("Fix the crash: a parser loops when it is empty (new_name)")
	if diff := cmp.Diff([]string{"crash", "parser", "loops", "empty", "new_name"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLeakScore(t *testing.T) {
	hidden := "diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1 +1,2 @@\n-old_line\n+return parseName(in, strictMode)\n+the quick brown fox jumps\n"
	for _, c := range []struct {
		name, public string
		want         float64
	}{
		{"nothing told", "Names are refused when empty.", 0},
		{"all told", "return parseName(in, strictMode)\nthe quick brown fox jumps", 1},
		{"one of two names, no words", "parseName is wrong", 0.25},
		{"removed lines are not hidden", "old_line", 0},
	} {
		if got := LeakScore(c.public, hidden); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := LeakScore("anything"); got != 0 {
		t.Errorf("no hidden patch: %v", got)
	}
}
