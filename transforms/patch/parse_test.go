package patch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseNamesTheLine(t *testing.T) {
	const head = "diff --git a/f b/f\n--- a/f\n+++ b/f\n"
	tests := []struct{ name, text, want string }{
		{"octal", "text\n" + `diff --git "a/t\477st" "b/t\477st"` + "\n", `line 2: escape \477 is above \377`},
		{"octal in a side", "diff --git a/f b/f\n" + `--- "a/\777"` + "\n", `line 2: escape \777 is above \377`},
		{"nul", `diff --git "a/\000" "b/\000"` + "\n", "line 1: name holds a NUL"},
		{"open quote", `diff --git "a/x` + "\n", "line 1: quoted name without an end"},
		{"no hunk header", "@@ -1 +1 @@\n-a\n+b\n", "line 1: hunk without a file header"},
		{"short hunk", head + "@@ -1,9 +1,2 @@\n a\n+b\n", "line 7: hunk ends early"},
		{"long hunk", head + "@@ -1,1 +1,2 @@\n+a\n-b\n-c\n", "line 7: hunk has more lines"},
		{"not a line", head + "@@ -1,2 +1,2 @@\n-a\n*b\n", "line 6: not a line of a hunk"},
		{"no change", head + "@@ -1,1 +1,1 @@\n a\n", "line 5: hunk without a change"},
		{"negative", head + "@@ -1,-1 +1,1 @@\n a\n", "line 4: invalid hunk header"},
		{"huge", head + "@@ -99999999999999999999,1 +1,1 @@\n a\n", "line 4: invalid hunk header"},
		{"mode", "diff --git a/f b/f\nold mode 9\n", "line 2: invalid mode"},
		{"two kinds", "diff --git a/f b/f\nnew file mode 100644\ndeleted file mode 100644\n", "line 3: header says both added and deleted"},
		{"names disagree", "diff --git a/f b/f\nrename from f\nrename to g\n--- a/h\n", `line 4: names "f" and "h" disagree`},
		{"no names", "diff --git a/f b/g\nindex 11..22\n", "line 1: git header without file names"},
		{"nothing", "diff --git a/f b/f\nindex 1111111..2222222 100644\n", "line 1: nothing changes in f"},
		{"new with old lines", "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "line 1: new file f depends on old contents"},
		{"prose", "I changed the file.\nDone.\n", "line 1: no patch in 2 lines"},
		{"base 85", "diff --git a/f b/f\nGIT binary patch\nliteral 1\nAaaaa\"\n\n", "line 4: byte outside base 85"},
		{"binary size", "diff --git a/f b/f\nGIT binary patch\nliteral 999999999\nA00000\n\n", "line 3: binary content of 999999999 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestParsePlain(t *testing.T) {
	change := []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []Line{{'-', "a\n"}, {'+', "b\n"}}}}
	const body = "@@ -1 +1 @@\n-a\n+b\n"
	tests := []struct {
		name, text string
		want       File
	}{
		{"prefix", "--- a/d/f\n+++ b/d/f\n" + body, File{Old: "d/f", New: "d/f", Change: Modified, Hunks: change}},
		{"no prefix", "--- f\n+++ f\n" + body, File{Old: "f", New: "f", Change: Modified, Hunks: change}},
		{"times", "--- a/f\t2024-01-02 03:04:05 +0000\n+++ b/f\t2024-01-02 03:04:06 +0000\n" + body, File{Old: "f", New: "f", Change: Modified, Hunks: change}},
		{"backup", "--- a/f\n+++ b/f.orig\n" + body, File{Old: "f", New: "f", Change: Modified, Hunks: change}},
		{"null", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n", File{New: "f", NewMode: 0o100644, Change: Added,
			Hunks: []Hunk{{NewStart: 1, NewLines: 1, Lines: []Line{{'+', "b\n"}}}}}},
		{"epoch", "--- a/f\t2024-01-02 03:04:05 +0000\n+++ b/f\t1970-01-01 00:00:00 +0000\n@@ -1 +0,0 @@\n-a\n", File{Old: "f", Change: Deleted,
			Hunks: []Hunk{{OldStart: 1, OldLines: 1, Lines: []Line{{'-', "a\n"}}}}}},
		{"prose around", "Here it is:\n\n--- a/f\n+++ b/f\n" + body + "-- \n2.39\n", File{Old: "f", New: "f", Change: Modified, Hunks: change}},
		{"header in CRLF", "diff --git a/f b/f\r\n--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", File{Old: "f", New: "f", Change: Modified,
			Hunks: []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []Line{{'-', "a\r\n"}, {'+', "b\r\n"}}}}}},
		{"trimmed blank context", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n+b\n \n", File{Old: "f", New: "f", Change: Modified,
			Hunks: []Hunk{{OldStart: 1, OldLines: 3, NewStart: 1, NewLines: 3, Lines: []Line{{'-', "a\n"}, {'+', "b\n"}, {' ', "\n"}, {' ', "\n"}}}}}},
		{"trimmed CRLF", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\r\n+b\r\n c", File{Old: "f", New: "f", Change: Modified,
			Hunks: []Hunk{{OldStart: 1, OldLines: 2, NewStart: 1, NewLines: 2, Lines: []Line{{'-', "a\r\n"}, {'+', "b\r\n"}, {' ', "c\r\n"}}}}}},
		{"no newline on one side", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", File{Old: "f", New: "f", Change: Modified,
			Hunks: []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []Line{{'-', "a"}, {'+', "a\n"}}}}}},
		{"marker without newline", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file", File{Old: "f", New: "f", Change: Modified,
			Hunks: []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []Line{{'-', "a\n"}, {'+', "b"}}}}}},
		{"looks like a header", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n", File{Old: "f", New: "f", Change: Modified,
			Hunks: []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []Line{{'-', "-- a/x\n"}, {'+', "++ b/x\n"}}}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Patch{Files: []File{tt.want}}, p); diff != "" {
				t.Error(diff)
			}
			again, err := Parse([]byte(p.String()))
			if diff := cmp.Diff(p, again); err != nil || diff != "" {
				t.Errorf("round trip: %v\n%s", err, diff)
			}
		})
	}
}

func TestBlankIsEmpty(t *testing.T) {
	for _, text := range []string{"", "\n", " \r\n\t\n"} {
		if p, err := Parse([]byte(text)); err != nil || len(p.Files) != 0 {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}

func TestHeaderNames(t *testing.T) {
	for _, name := range []string{"f", "a b", "x b/y.txt", " lead", "trail ", "a  b", "b/b", "q\"uote", "back\\slash", "tab\there", "line\nend", "cr\r", "t\xc3\xa9st", "\xff\xfe", "a/b/c d"} {
		p := Patch{Files: []File{{Old: name, New: name, OldMode: 0o100644, NewMode: 0o100755, Change: Mode}}}
		again, err := Parse([]byte(p.String()))
		if diff := cmp.Diff(p, again); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", name, err, diff)
		}
	}
}

func TestReverseTwiceIsTheSame(t *testing.T) {
	p, err := Parse([]byte("--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@ s\n-a\n+b\n+c\n k\n-d\n+e\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, p.Reverse().Reverse(), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// FuzzParse demands that what is read is written and read again the same, and that its reverse
// can be read.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@ s\n-a\n+b\n+c\n k\n k\n",
		"diff --git a/x b/y b/x b/y\nold mode 100644\nnew mode 100755\n",
		"diff --git \"a/\\303\" \"b/\\303\"\nrename from \"\\303\"\nrename to b c\nindex 11..22 100644\n",
		"diff --git a/f b/f\nindex 1111..0000\nGIT binary patch\nliteral 0\nHcmV?d00001\n\nliteral 1\nIcmZQzWB>vH00961\n\n",
		"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file",
		"diff --git a/f b/f\nBinary files a/f and b/f differ\n",
		"diff --git a/f b/f\ndeleted file mode 120000\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-b",
		"diff --git a/f b/f\n--- a/f\n+++ /dev/null\n",
		"rename from \x00\n",
		"--- a/f\n+++ /dev/null\n@@ -0 +0,0 @@\n-",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse([]byte(text))
		if err != nil {
			return
		}
		for _, q := range []Patch{p, p.Reverse()} {
			again, err := Parse([]byte(q.String()))
			if err != nil {
				t.Fatalf("%v in\n%s", err, q)
			}
			if diff := cmp.Diff(q, again, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s\n%s", q, diff)
			}
		}
	})
}
