package evidence

import (
	"regexp"
	"slices"
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

// aboutChecks are subjects of branch commits that speak of tests and their automation alone: they
// describe what the solver does not get. A scope may stand before them.
var aboutChecks = regexp.MustCompile(`(?i)^\W*(?:(?:tests?|ci|lint|chore|style)(?:\([^)]*\))?!?:|\S*_test(?:\.\w+)?:|tests?/\S*:|(?:[\w./-]+(?:\([^)]*\))?!?:\s*)?(?:add|adds|added|increase[sd]?|improve[sd]?|extend(?:s|ed)?|update[sd]?|fix(?:es|ed)?|rename[sd]?|move[sd]?|use|better|more)\s(?:\S+\s){0,4}?(?:tests?|test cases?|(?:test )?coverage)\b)`)

// addsChecks are sentences that tell of the tests beside the change.
var addsChecks = regexp.MustCompile(`(?i)^\s*(?:[-*+]\s+)?(?:(?:this |it )?also )?(?:this |it )?(?:add|cover|includ|extend)(?:s|ed|es)?\s(?:\S+\s){0,3}?(?:tests|test cases?|test coverage|(?:regression|unit|integration) test)\b`)

// squashed is a line that begins a commit's message in the body of a squash.
var squashed = regexp.MustCompile(`^\* \S`)

// withoutCheckTalk drops what a text says of its change's own tests, of which the solver gets none:
// the parts of a squash whose subject speaks of tests alone, and sentences that tell of tests or name one
// of names. What is fenced or indented stays.
func withoutCheckTalk(text string, names map[string]bool) string {
	var out []string
	dropping := false
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.Contains(paragraph, "```") || strings.HasPrefix(paragraph, "    ") || strings.HasPrefix(paragraph, "\t") {
			if !dropping {
				out = append(out, paragraph)
			}
			continue
		}
		if squashed.MatchString(paragraph) {
			dropping = false
		}
		if dropping {
			continue
		}
		var kept strings.Builder
		for _, block := range bullets(paragraph) {
			dropping = squashed.MatchString(block) && aboutChecks.MatchString(block)
			if dropping {
				continue
			}
			for _, s := range sentences(block) {
				if !addsChecks.MatchString(s) && !namesAny(s, names) {
					kept.WriteString(s)
				}
			}
		}
		if t := strings.TrimRight(kept.String(), " \n"); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n\n")
}

func namesAny(sentence string, names map[string]bool) bool {
	return len(names) > 0 && slices.ContainsFunc(identifier.FindAllString(sentence, -1), func(w string) bool { return names[w] })
}

// bullets splits a paragraph before each line that begins with a bullet.
func bullets(paragraph string) []string {
	var out []string
	for line := range strings.Lines(paragraph) {
		if n := len(out); n > 0 && !bullet.MatchString(line) {
			out[n-1] += line
			continue
		}
		out = append(out, line)
	}
	return out
}
