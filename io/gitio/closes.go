package gitio

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

var (
	comment    = regexp.MustCompile(`(?s)<!--.*?(?:-->|\z)`)
	inlineCode = regexp.MustCompile("`[^`\n]+`")
	closing    = regexp.MustCompile(`(?i)(?:^|[^\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+` +
		`(?:https?://[\w.-]+/([\w.-]+/[\w.-]+)/(?:-/)?issues/(\d+)|([\w.-]+/[\w.-]+)?#(\d+)|GH-(\d+))`)
)

// keywordConfidence is that of a reference found by keyword in a text.
const keywordConfidence = 0.8

// Closes lists the issues that a text of repo's (owner/name) closes: close, fix or resolve
// before each reference, as GitHub reads it. HTML comments and code do not count. A foreign
// repository's issue carries its name. Sorted by repository and number.
func Closes(text, repo string) []model.Reference {
	if !strings.Contains(text, "#") && !strings.Contains(text, "/issues/") && !strings.Contains(text, "GH-") && !strings.Contains(text, "gh-") {
		return nil // most texts name no issue
	}
	text = comment.ReplaceAllString(withoutFences(text), " ")
	text = inlineCode.ReplaceAllString(text, " ")
	var out []model.Reference
	for _, m := range closing.FindAllStringSubmatchIndex(text, -1) {
		group := func(k int) string {
			if m[2*k] < 0 {
				return ""
			}
			return text[m[2*k]:m[2*k+1]]
		}
		if end := m[1]; end < len(text) && (text[end] == '_' || isAlnum(text[end])) {
			continue // #12abc
		}
		ref := model.Reference{Repo: group(1) + group(3), Number: number(group(2) + group(4) + group(5)),
			Confidence: keywordConfidence}
		if strings.EqualFold(ref.Repo, repo) {
			ref.Repo = ""
		}
		if ref.Number > 0 {
			out = append(out, ref)
		}
	}
	slices.SortFunc(out, func(a, b model.Reference) int {
		if c := strings.Compare(a.Repo, b.Repo); c != 0 {
			return c
		}
		return int(a.Number - b.Number)
	})
	return slices.Compact(out)
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// withoutFences drops fenced code; an open fence runs to the end (CommonMark 4.5).
func withoutFences(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		mark := strings.TrimLeft(line, " \t>")
		run := mark[:len(mark)-len(strings.TrimLeft(mark, mark[:min(1, len(mark))]))]
		switch {
		case fence == "" && len(run) >= 3 && (run[0] == '`' || run[0] == '~'):
			fence = run
		case fence == "":
			b.WriteString(line)
		case strings.HasPrefix(run, fence) && strings.TrimSpace(mark) == run:
			fence = ""
		}
	}
	return b.String()
}
