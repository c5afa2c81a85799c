package patch

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func lines(s string) string { return strings.ReplaceAll(s, " ", "\n") + "\n" }

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name, base, ours, theirs, want string
		clean                          bool
	}{
		{"theirs alone", "a b c d", "a b c d", "a x c d", "a x c d", true},
		{"ours alone", "a b c d", "a x c d", "a b c d", "a x c d", true},
		{"apart", "a b c d e", "x b c d e", "a b c d y", "x b c d y", true},
		{"the same", "a b c", "a x c", "a x c", "a x c", true},
		{"both insert apart", "a b c", "1 a b c", "a b c 2", "1 a b c 2", true},
		{"delete what the other kept", "a b c d e", "a b c d e f", "a c d e", "a c d e f", true},
		{"same line", "a b c", "a x c", "a y c", "", false},
		{"deleted and changed", "a b c", "a c", "a y c", "", false},
		{"empty base", "", "", "a", "\na", true},
	} {
		got, clean := Merge(lines(tt.base), lines(tt.ours), lines(tt.theirs))
		if clean != tt.clean || clean && got != lines(strings.TrimPrefix(tt.want, "\n")) && got != lines(tt.want) {
			t.Errorf("%s: %q, clean %v; want %q, %v", tt.name, got, clean, lines(tt.want), tt.clean)
		}
	}
}

// Two changes of one line are merged where they are of other tokens.
func TestMergeTokens(t *testing.T) {
	base := "x\nf(alpha, beta, gamma)\ny\n"
	ours := "x\ng(alpha, beta, gamma)\ny\n"
	theirs := "x\nf(alpha, beta, delta)\ny\n"
	if got, clean := Merge(base, ours, theirs); !clean || got != "x\ng(alpha, beta, delta)\ny\n" {
		t.Errorf("%q, clean %v", got, clean)
	}
	if _, clean := MergeLines(base, ours, theirs); clean {
		t.Error("lines alone are said to agree")
	}
}

// What was rewritten is no place for a change of tokens that happen to stand there too.
func TestMergeOfTheRewritten(t *testing.T) {
	base := "\tn := 0\n\tfor _, x := range xs {\n\t\tn += x\n\t}\n\tif n > Limit {\n\t\tn = Limit\n\t}\n\treturn n\n}\n"
	ours := "\tif len(xs) > 0 {\n\t\tn := 0\n\t\tfor _, x := range xs {\n\t\t\tn += x\n\t\t}\n\t\tif n > Limit {\n\t\t\tn = Limit\n\t\t}\n\t\treturn n\n\t}\n\treturn 0\n}\n"
	theirs := "\tn := 0\n\tfor _, x := range xs {\n\t\tn += x\n\t}\n\treturn n\n}\n"
	if got, clean := Merge(base, ours, theirs); clean {
		t.Errorf("merged to %q", got)
	}
}

// Where git merges lines cleanly so does MergeLines, to the same bytes, and the other way round.
func TestMergeAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: agreement with git merge-file is not tested")
	}
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	edited := func(base []string) []string {
		var out []string
		for _, l := range base {
			switch r.IntN(12) {
			case 0:
			case 1:
				out = append(out, l, string(rune('A'+r.IntN(26))))
			case 2:
				out = append(out, string(rune('a'+r.IntN(26)))+"!")
			default:
				out = append(out, l)
			}
		}
		return out
	}
	text := func(l []string) string {
		if len(l) == 0 {
			return ""
		}
		return strings.Join(l, "\n") + "\n"
	}
	agree, disagree := 0, 0
	for range 150 {
		var base []string
		for range 5 + r.IntN(20) {
			base = append(base, string(rune('a'+r.IntN(26)))+string(rune('a'+r.IntN(26))))
		}
		var names []string
		var texts []string
		for _, s := range [][]string{edited(base), base, edited(base)} {
			name := filepath.Join(dir, string(rune('0'+len(names))))
			if err := os.WriteFile(name, []byte(text(s)), 0o644); err != nil {
				t.Fatal(err)
			}
			names, texts = append(names, name), append(texts, text(s))
		}
		want, err := exec.Command(git, "merge-file", "-p", "-q", "--diff3", names[0], names[1], names[2]).Output()
		got, clean := MergeLines(texts[1], texts[0], texts[2])
		switch {
		case clean != (err == nil):
			// git joins conflicts that are near; where one side did the same twice they may differ.
			disagree++
		case clean && got != string(want):
			t.Fatalf("base %q, ours %q, theirs %q:\n%q\ngit:\n%q", texts[1], texts[0], texts[2], got, want)
		default:
			agree++
		}
	}
	if disagree > agree/20 {
		t.Errorf("%d of %d merges disagree with git on whether they are clean", disagree, agree+disagree)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n", "a\nb\nd\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		if got, clean := Merge(base, ours, base); !clean || got != ours {
			t.Errorf("with their side unchanged: %q, %v; want %q", got, clean, ours)
		}
		if got, clean := Merge(base, base, theirs); !clean || got != theirs {
			t.Errorf("with our side unchanged: %q, %v; want %q", got, clean, theirs)
		}
		a, cleanA := MergeLines(base, ours, theirs)
		b, cleanB := MergeLines(base, theirs, ours)
		if cleanA != cleanB || cleanA && a != b {
			t.Errorf("the sides are not alike: %q, %v and %q, %v", a, cleanA, b, cleanB)
		}
	})
}
