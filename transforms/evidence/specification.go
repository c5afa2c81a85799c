package evidence

import (
	"path"
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
)

// maxListed bounds the names and the behaviours of a specification, ours.
const maxListed = 40

// Specification says without code what a change does: the names, signatures and doc comments of
// the symbols that its reversal removes, and the behaviour that the titles of its checks name.
// It is a function of its arguments alone.
func Specification(removed []model.Symbol, touched []model.Surface) string {
	var b strings.Builder
	if removed = Listed(removed); len(removed) > 0 {
		b.WriteString("The code must provide:\n")
		for i, s := range removed {
			if i == maxListed {
				break
			}
			b.WriteString("\n- `" + Declaration(s) + "` in `" + s.Path + "`")
			if doc := oneLine(Clean(s.Doc)); doc != "" {
				b.WriteString(": " + doc)
			}
		}
		b.WriteString("\n")
	}
	var titles []string
	seen := map[string]bool{}
	for _, s := range touched {
		t := oneLine(s.Title)
		if t == "" {
			t = titleOf(s.Function)
		}
		if t != "" && !seen[t] && len(titles) < maxListed {
			seen[t] = true
			titles = append(titles, t)
		}
	}
	if len(titles) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("These behaviours are expected:\n\n- " + strings.Join(titles, "\n- ") + "\n")
	}
	return strings.TrimSpace(b.String())
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// titleOf reads the words of a test function's name.
func titleOf(function string) string {
	parts := strings.FieldsFunc(function, func(r rune) bool { return r == '.' || r == ':' || r == '_' || r == '/' || r == ' ' })
	words := strings.ToLower(camel.ReplaceAllString(strings.Join(parts, " "), "$1 $2"))
	words = strings.TrimPrefix(words, "test")
	return strings.TrimSpace(words)
}

var changelogName = regexp.MustCompile(`(?i)(?:^|/)(?:changes?|change_?log|history|news|releases?|release[-_]?notes?|whats?[-_]?new|upgrad(?:e|ing))(?:[-_.]\w+)*$|(?:^|/)(?:changelog\.d|changes|newsfragments?|news|changelogs?|release[-_]?notes?|whatsnew)/`)

var (
	rstRole  = regexp.MustCompile("`{2}([^`]*)`{2}|:[a-z:]+:`~?([^`]*)`")
	version  = regexp.MustCompile(`^\W*(?:v(?:ersion)?\s*)?\d+(?:\.[\w*]+)+\W*(?:[(\-–:]?\s*(?:\d{4}[-./]\d\d?[-./]\d\d?|unreleased|\*?unreleased\*?|tbd|in development)\W*)?$|^\W*(?:unreleased|added|changed|fixed|removed|deprecated|security|bug ?fixes|features?|improvements?|bugs?|enhancements?|misc|internal|documentation)\W*$`)
	authored = regexp.MustCompile(`(?i)\s*(?:\bby\s+|—\s*|-\s*)?(?:@[\w-]+|(?:contributed|reported|patch|thanks to|suggested)\s+(?:by|to)?\s*[^.()]*)\s*\)?\.?$`)
)

// changelog is what a docs patch tells a changelog.
func changelog(docs patch.Patch) []string {
	var out []string
	for _, line := range addedLines(docs, func(p string) bool { return changelogName.MatchString(p) || changelogName.MatchString(path.Dir(p)+"/") }) {
		line = rstRole.ReplaceAllString(rstIssue.ReplaceAllString(line, ""), "`$1$2`")
		if version.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "..") {
			continue
		}
		out = append(out, authored.ReplaceAllString(line, ""))
	}
	return out
}
