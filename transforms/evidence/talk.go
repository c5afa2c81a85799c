package evidence

import (
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// checkName is the name of a test function that no prose holds by chance: of two words at least.
var checkName = regexp.MustCompile(`^\w*(?:[Tt]est[A-Z_0-9]|[a-z_]Test|_test)\w*$`)

// checkNames are the names of test functions by which a text may speak of them.
func checkNames(touched []model.Surface) map[string]bool {
	out := map[string]bool{}
	for _, s := range touched {
		name := s.Function[strings.LastIndexAny(s.Function, ".:#/")+1:]
		if checkName.MatchString(name) {
			out[name] = true
		}
	}
	return out
}

// withoutChecks drops the sentences of a text that name one of its change's own test functions: the
// solver gets none of these. What is fenced or indented stays.
func withoutChecks(text string, names map[string]bool) string {
	if len(names) == 0 {
		return text
	}
	var out []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.Contains(paragraph, "```") || strings.HasPrefix(paragraph, "    ") || strings.HasPrefix(paragraph, "\t") {
			out = append(out, paragraph)
			continue
		}
		var kept strings.Builder
		for _, s := range clauses(paragraph) {
			named := false
			for _, w := range identifier.FindAllString(s, -1) {
				named = named || names[w]
			}
			if !named {
				kept.WriteString(s)
			}
		}
		if strings.TrimSpace(kept.String()) != "" {
			out = append(out, strings.TrimRight(kept.String(), " \n"))
		}
	}
	return strings.Join(out, "\n\n")
}

// clauses splits a paragraph into its sentences, which may go over lines; a bullet begins another.
func clauses(paragraph string) []string {
	var out []string
	var block strings.Builder
	flush := func() {
		if block.Len() > 0 {
			out = append(out, sentences(block.String())...)
		}
		block.Reset()
	}
	for line := range strings.Lines(paragraph) {
		if bullet.MatchString(line) {
			flush()
		}
		block.WriteString(line)
	}
	flush()
	return out
}
