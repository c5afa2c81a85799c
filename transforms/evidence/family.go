package evidence

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Primary families, in the order in which they are tried.
const (
	SecurityRepair = "security_repair"
	APIMigration   = "api_migration"
	Feature        = "feature"
	BugFix         = "bug_fix"
)

//go:embed security.txt
var securityList string

var (
	advisory      = regexp.MustCompile(`(?i)\b(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3})\b`)
	securityLabel = regexp.MustCompile(`(?i)\b(?:security|vulnerabilit(?:y|ies)|cve)\b`)
	securityWords = phrases(securityList)
	featureLabel  = regexp.MustCompile(`(?i)(?:^|[\s:/_-])(?:feature|feat|enhancement|new feature|feature request)s?$`)
	featureTitle  = regexp.MustCompile(`(?i)^feat(?:ure)?(?:\([^)]*\))?!?:`)
)

// phrases matches any of the lines of a list as whole words.
func phrases(list string) *regexp.Regexp {
	var alternatives []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" {
			alternatives = append(alternatives, strings.ReplaceAll(regexp.QuoteMeta(line), " ", `[\s-]+`))
		}
	}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(alternatives, "|") + `)\b`)
}

// family is the primary family of a change, from evidence alone; the first that matches.
func family(rec model.Record, migrates bool, source patch.Patch, symbols Symbols, touched []model.Surface, before, after *tree.Tree) (string, error) {
	if security(rec) {
		return SecurityRepair, nil
	}
	if migrates {
		return APIMigration, nil
	}
	named, err := namedAddition(source, symbols, touched, before, after)
	if err != nil {
		return "", err
	}
	if named || featureTitle.MatchString(rec.Title) || labelled(rec, featureLabel) {
		return Feature, nil
	}
	return BugFix, nil
}

// security looks for an advisory's identifier in all that the record says, for a label, and for
// a keyword in the title, the messages and the cleaned body.
func security(rec model.Record) bool {
	var all strings.Builder
	all.WriteString(rec.Title + "\n" + rec.Body + "\n" + strings.Join(rec.Messages, "\n"))
	for _, i := range rec.Issues {
		all.WriteString("\n" + i.Title + "\n" + i.Body)
	}
	return advisory.MatchString(all.String()) || labelled(rec, securityLabel) || labelled(rec, advisory) ||
		securityWords.MatchString(recordText(rec, nil))
}

// labelled looks at the labels of a record and of the issues that it closes.
func labelled(rec model.Record, pattern *regexp.Regexp) bool {
	labels := slices.Clone(rec.Labels)
	for _, i := range rec.Issues {
		labels = append(labels, i.Labels...)
	}
	return slices.ContainsFunc(labels, func(l model.Label) bool { return pattern.MatchString(l.Name) })
}

var (
	goField    = regexp.MustCompile(`^\s+([A-Z]\w*)\s+[\w.*\[\]{}()]+`)
	flagString = regexp.MustCompile(`["'` + "`" + `](--[a-z][\w-]+)["'=` + "`" + ` ]`)
)

// namedAddition reports whether the change adds an exported symbol, a parameter of one, an
// exported field or a command-line option that a target check names.
func namedAddition(source patch.Patch, symbols Symbols, touched []model.Surface, before, after *tree.Tree) (bool, error) {
	uses := map[string]bool{}
	for _, t := range touched {
		for _, u := range t.Uses {
			uses[LastName(u)] = true
		}
	}
	var added []string // names that count when a check's text holds them as a word
	for _, s := range symbols.Gone {
		if s.Exported && uses[LastName(s.Name)] {
			return true, nil
		}
	}
	for _, s := range symbols.Removed {
		if !s.Exported || !uses[LastName(s.Name)] {
			continue
		}
		if was, ok := symbols.Was[s]; ok {
			added = append(added, newNames(was, s.Signature)...)
		}
	}
	all := func(string) bool { return true }
	for _, line := range addedLines(source, all) {
		for _, pattern := range []*regexp.Regexp{goField, flagString} {
			if m := pattern.FindStringSubmatch(line); m != nil {
				added = append(added, m[1])
			}
		}
	}
	return namedByChecks(added, source, touched, before, after)
}

// newNames are the identifiers of a signature that a text before it lacks.
func newNames(before, signature string) []string {
	old := map[string]bool{}
	for _, n := range identifier.FindAllString(before, -1) {
		old[n] = true
	}
	var out []string
	for _, n := range identifier.FindAllString(signature, -1) {
		if !old[n] {
			out = append(out, n)
		}
	}
	return out
}

// namedByChecks reports whether a target's text holds one of names where the production files
// before the change did not.
func namedByChecks(names []string, source patch.Patch, touched []model.Surface, before, after *tree.Tree) (bool, error) {
	if len(names) == 0 {
		return false, nil
	}
	var old strings.Builder
	for _, f := range source.Files {
		file, ok, err := before.Read(f.Old)
		if err != nil {
			return false, err
		}
		if ok {
			old.Write(file.Data)
		}
	}
	texts := make([]string, 0, len(touched))
	for _, t := range touched {
		file, _, err := after.Read(t.Path)
		if err != nil {
			return false, err
		}
		texts = append(texts, linesOf(string(file.Data), t.Start, t.End))
	}
	for _, n := range names {
		whole := regexp.MustCompile(`(?:^|[^\w-])` + regexp.QuoteMeta(n) + `(?:[^\w-]|$)`)
		if whole.MatchString(old.String()) {
			continue
		}
		if slices.ContainsFunc(texts, whole.MatchString) {
			return true, nil
		}
	}
	return false, nil
}

// linesOf are the lines from start to end of a text, counted from 1.
func linesOf(text string, start, end int) string {
	lines := strings.SplitAfter(text, "\n")
	start, end = max(start, 1), min(end, len(lines))
	if start > end {
		return ""
	}
	return strings.Join(lines[start-1:end], "")
}
