package gitio

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// cases reads the lines `input => want` of a file's section named cases.
func cases(t *testing.T, file string) [][2]string {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out [][2]string
	for line := range strings.Lines(string(ar.Files[0].Data)) {
		input, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " =>")
		if !ok {
			t.Fatalf("%s: no => in %q", file, line)
		}
		out = append(out, [2]string{strings.ReplaceAll(input, `\n`, "\n"), strings.TrimSpace(want)})
	}
	if len(out) == 0 {
		t.Fatalf("%s: no cases", file)
	}
	return out
}

func describe(l Landing) string {
	s := "none"
	if l.Number > 0 {
		s = fmt.Sprintf("%d %s %q", l.Number, l.Style, l.Title)
		if body := l.Body; l.Style == "merge" && body != "" {
			s += fmt.Sprintf(" body %q", body)
		}
	}
	if l.Reverts > 0 {
		s += fmt.Sprintf(" reverts %d", l.Reverts)
	}
	if l.BackportOf > 0 {
		s += fmt.Sprintf(" backport of %d", l.BackportOf)
	}
	if l.PickOf != "" {
		s += " picked"
	}
	return s
}

func TestParseMessage(t *testing.T) {
	for _, c := range cases(t, "testdata/messages.txtar") {
		message, merge := strings.CutPrefix(c[0], "M ")
		parents := 1
		if merge {
			parents = 2
		}
		if got := describe(ParseMessage(message, parents)); got != c[1] {
			t.Errorf("%q:\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}

func TestCloses(t *testing.T) {
	for _, c := range cases(t, "testdata/closes.txtar") {
		var got []string
		for _, r := range Closes(c[0], "o/r") {
			s := fmt.Sprint(r.Number)
			if r.Repo != "" {
				s = r.Repo + "#" + s
			}
			if r.Confidence != 0.8 {
				t.Errorf("%q: confidence %v, want 0.8", c[0], r.Confidence)
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != c[1] {
			t.Errorf("%q: closes %q, want %q", c[0], s, c[1])
		}
	}
}

func TestAuthorKind(t *testing.T) {
	tests := []struct{ name, email, kind, login string }{
		{"Ada Example", "ada@example.com", "person", "Ada Example"},
		{"Ada Example", "123+ada@users.noreply.github.com", "person", "ada"},
		{"Abbot Costello", "abbot@example.com", "person", "Abbot Costello"},
		{"dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", "maintenance_bot", "dependabot[bot]"},
		{"Renovate Bot", "bot@renovateapp.com", "maintenance_bot", "Renovate Bot"},
		{"pre-commit-ci[bot]", "66853113+pre-commit-ci[bot]@users.noreply.github.com", "maintenance_bot", "pre-commit-ci[bot]"},
		{"GitHub Actions", "github-actions[bot]@users.noreply.github.com", "maintenance_bot", "github-actions[bot]"},
		{"project-bot", "project@example.com", "maintenance_bot", "project-bot"},
		{"Claude", "noreply@anthropic.com", "agent", "Claude"},
		{"copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com", "agent", "Copilot"},
		{"Claude Monet", "monet@example.com", "person", "Claude Monet"},
		{"Devin", "158243242+devin-ai-integration[bot]@users.noreply.github.com", "agent", "devin-ai-integration[bot]"},
	}
	for _, tt := range tests {
		if got := AuthorKind(tt.name, tt.email); got != tt.kind {
			t.Errorf("AuthorKind(%q, %q) = %s, want %s", tt.name, tt.email, got, tt.kind)
		}
		if got := Login(tt.name, tt.email); got != tt.login {
			t.Errorf("Login(%q, %q) = %s, want %s", tt.name, tt.email, got, tt.login)
		}
	}
}

func FuzzText(f *testing.F) {
	b, err := os.ReadFile("testdata/messages.txtar")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b), 2)
	f.Add("```\nfixes #1\n~~~\n", 1)
	f.Fuzz(func(t *testing.T, text string, parents int) {
		for _, r := range Closes(text, "o/r") {
			if r.Number <= 0 || !strings.Contains(text, fmt.Sprint(r.Number)) {
				t.Errorf("closes %d, which the text does not name", r.Number)
			}
		}
		l := ParseMessage(text, parents)
		if l.Number > 0 && (l.Style == "" || l.Confidence == 0) {
			t.Errorf("number %d without style or confidence", l.Number)
		}
		if l.Number > 0 && l.BackportOf == l.Number {
			t.Error("a backport of itself")
		}
	})
}
