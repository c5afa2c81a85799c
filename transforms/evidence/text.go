package evidence

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// maxText bounds each source text before it is cleaned, in bytes.
const maxText = 64 << 10

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?(-->|\z)`)
	htmlTag     = regexp.MustCompile(`</?(?i:details|summary|br|p|div|img|sub|sup|kbd|b|i|a|h[1-6]|table|tr|td|th|tbody|thead)\b[^>]*>`)
	image       = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link        = regexp.MustCompile(`\[([^\[\]]*)\]\((?:<[^>]*>|[^()\s]*)(?:\s+"[^"]*")?\)`)
	linkTarget  = regexp.MustCompile(`^\s*\[[^\]]+\]:\s*\S+`)
	rstLink     = regexp.MustCompile("`([^`<]*?)\\s*<[^`>]*>`__?")
	rstIssue    = regexp.MustCompile(":(?:issue|pull|pr|gh|user|ghissue|ghpull|commit|github):`[^`]*`")
	url         = regexp.MustCompile(`(?i)<?(?:https?|ftp)://[^\s<>)\]]+>?`)
	closing     = regexp.MustCompile(`(?i)\(?\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|addresses|refs?|references|see(?: also)?|part of|related(?: to)?|follow[- ]?up (?:to|of)|supersedes|replaces|continues|cherry[- ]picked from|backport(?: of|s)?|relates to)\b:?\s*(?:(?:issues?|pull requests?|prs?|commits?)\s+)?(?:` + number + `)(?:\s*(?:[,/&]|and)\s*(?:` + number + `))*\)?\.?`)
	told        = regexp.MustCompile(`(?i)\s*\b(?:reported|described|discussed|mentioned|introduced|raised|suggested|requested|noted|fixed|added|merged|shown|documented|outlined|proposed|started) (?:in|by|at|from|with|on) (?:(?:issues?|pull requests?|prs?|commits?)\s+)?(?:` + number + `)(?:\s*(?:[,/&]|and)\s*(?:` + number + `))*`)
	parentheses = regexp.MustCompile(`\s*[(\[]\s*(?:(?:gh|pr|issue|bug)?[\s-]*)?(?:` + number + `)(?:\s*[,;/]\s*(?:` + number + `))*\s*[)\]]`)
	reference   = regexp.MustCompile(`(^|[\s(,;])(?:(?i:pull requests?|prs?|issues?|bugs?|mrs?)\s+)?(?:` + number + `)\b`)
	mention     = regexp.MustCompile(`(^|[\s(,])@[A-Za-z0-9][A-Za-z0-9-]{0,38}\b(?:/[\w.-]+)?`)
	hash        = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)
	empties     = regexp.MustCompile(`(^|\s)(?:\(\s*[,;]?\s*\)|\[\s*\])`)
	loose       = regexp.MustCompile(`[ \t]+([.,;])(\s|$)`)
	spaces      = regexp.MustCompile(`[ \t]{2,}`)
)

// number is a pull request or issue as people write it.
const number = `(?:[\w.-]+/[\w.-]+)?#\d+|[Gg][Hh]-\d+|(?:[\w.-]+/[\w.-]+)?!\d{1,6}`

var (
	trailer   = regexp.MustCompile(`(?i)^\s*(?:signed-off-by|co-authored-by|co-developed-by|reviewed-by|acked-by|tested-by|reported-by|suggested-by|helped-by|assisted-by|approved-by|authored-by|cc|change-id|differential revision|pull-request|pr-url|reviewed-on|see merge request|generated with|git-svn-id)\s*:.*$|^\s*see merge request .*$|^\s*fixes:\s*[0-9a-f]{7,40}\s*\(.*$`)
	bare      = regexp.MustCompile(`(?i)^\W*(?:(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|references|see(?: also)?|related(?: to| issues?)?|issues?|bugs?|tickets?|prs?|pull requests?|links?|cc|jira|follow[- ]?up(?: to| of)?|part of|fixes issues?|and|or|by|thanks|from|in|via|of)\W*)+$`)
	checkItem = regexp.MustCompile(`^\s*(?:[-*+]\s*)?\[[ xX✓✔]?\]\s`)
	rule      = regexp.MustCompile(`^\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$`)
	heading   = regexp.MustCompile(`^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$|^\s*\*\*([^*]+?):?\*\*:?\s*$`)
	// boilerplate are headings whose whole section speaks to reviewers.
	boilerplate = regexp.MustCompile(`(?i)^\W*(?:pr |pull request |contributor |author |reviewer |submission |developer )?(?:check ?-?list|to-?dos?|type of change|types of changes|change type|how (?:has|have|was|did|can|to) .*test.*|testing(?: (?:instructions|done|steps|notes))?|tests?|test plan|screenshots?.*|related (?:issues?|prs?|tickets?|links?)|linked issues?|issues?(?: reference)?|references|reviewers?|notes (?:for|to) (?:the )?reviewers?|review notes|before submitting.*|contributing|license|cla|release notes?|ai (?:disclosure|usage)|acknowledge?ments?|credits?)\W*$`)
	template    = regexp.MustCompile(`(?i)^\s*(?:_?no response_?|n/?a|none|please (?:describe|include|provide|delete|fill|make sure|ensure|read|check|remove|explain|add|note|link|replace|select)\b.*|describe (?:your|the) changes.*|delete (?:options|this).*|thank(?:s| you) for (?:your )?(?:contribut|submit|open).*|if this .*(?:pull request|pr).*|by (?:submitting|opening|creating) .*|🤖.*)$`)
	talk        = regexp.MustCompile(`(?i)^\s*(?:[-*]\s+)?(?:please (?:review|merge|take|have a|let|see|advise)|let me know|happy to|feel free|thank(?:s| you)|thx\b|cheers\b|cc @|ping @|lgtm|i(?:'m| am) (?:not sure|unsure|happy|open)|i (?:hope|wonder|haven't|have not|ran|tested|opened|will|would (?:like|love|be happy))\b|i've (?:tested|run|opened|added|updated|also)\b|sorry|apologies|hi\b[ ,!]|hello\b[ ,!]|hey\b[ ,!]|any (?:feedback|thoughts)|what do you think|wdyt|not sure (?:if|whether|how)|open to (?:feedback|suggestions)|ready for review|this is my first|as discussed|as suggested|per (?:review|discussion)|address(?:es|ed|ing)? (?:\w+ )?(?:review|comments?|feedback)|based on (?:the )?(?:review|feedback)|made with|generated (?:by|with)|tests (?:pass|added|included)|all tests pass)`)
	noise       = regexp.MustCompile(`(?i)^\W*(?:merge (?:branch|pull request|remote-tracking|tag|commit)\b.*|merged? .* into .*|(?:fixup|squash|amend)!.*|wip\b.*|\[?pre-commit.*|apply suggestions? from.*|update .*(?:branch|from code review).*|(?:fix(?:es|ed|ing)?|more|address|add|run|apply|satisfy|please|make|minor|small|oops)?\s*(?:the )?(?:lint(?:er|ing|s)?|typos?|format(?:ting)?|ci|tests?|black|ruff|isort|mypy|flake8|gofmt|style|nits?|review(?: comments?)?|comments?|feedback|cleanup|clean up|changelog|whitespace|docs?|news(?: fragment)?|coverage)(?: (?:errors?|issues?|fix(?:es)?|failures?|happy|again|entry))?|add changelog.*|update changelog.*|rebase.*|review|updates?|changes?|more|tweaks?|bump version.*|initial commit)\W*$`)
	leakFence   = regexp.MustCompile("(?i)^\\s*(?:```+|~~~+)\\s*(?:diff|patch|suggestion)\\b")
	fence       = regexp.MustCompile("^\\s*(```+|~~~+)")
	bullet      = regexp.MustCompile(`^\s*[*+-]\s+`)
	sentenceEnd = regexp.MustCompile(`[.!?]\s+[A-Z@]`)
	tail        = regexp.MustCompile(`[ \t]+$`)
)

// Clean takes from a text what only its author's readers need: links, hashes, numbers of issues
// and pull requests, mentions, trailers, HTML comments, checklists, template sections, talk to
// reviewers, and fenced diffs (they tell the answer). Other fenced code stays as it is. Cleaning
// twice changes nothing.
func Clean(text string) string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for range 4 {
		next := cleanOnce(text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

func cleanOnce(text string) string {
	text = htmlComment.ReplaceAllString(text, "")
	var out []string
	fenced, dropped := "", false
	skip := 0 // level of the heading whose section is left out; 0 is none
	for line := range strings.SplitSeq(text, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil && (fenced == "" || strings.HasPrefix(m[1], fenced)) {
			opening := fenced == ""
			if opening {
				fenced, dropped = m[1], leakFence.MatchString(line) || skip > 0
			} else {
				fenced = ""
			}
			if !dropped {
				out = append(out, line)
			}
			continue
		}
		if fenced != "" {
			if !dropped {
				out = append(out, line)
			}
			continue
		}
		if level, title := headingOf(line); level > 0 {
			if skip == 0 || level <= skip {
				skip = 0
				if boilerplate.MatchString(title) {
					skip = level
				}
			}
		}
		if skip > 0 {
			continue
		}
		if kept, ok := cleanLine(line); ok {
			out = append(out, kept)
		}
	}
	return tidy(out)
}

// headingOf is the level and the title of a heading line; a bold line of its own counts as the
// lowest level.
func headingOf(line string) (int, string) {
	m := heading.FindStringSubmatch(line)
	switch {
	case m == nil:
		return 0, ""
	case m[1] != "":
		return len(m[1]), m[2]
	default:
		return 7, m[3]
	}
}

// cleanLine is a line outside of code without what does not belong; false drops it.
func cleanLine(line string) (string, bool) {
	if strings.TrimSpace(line) == "" {
		return "", true
	}
	if trailer.MatchString(line) || checkItem.MatchString(line) || rule.MatchString(line) ||
		linkTarget.MatchString(line) || template.MatchString(line) || noise.MatchString(line) {
		return "", false
	}
	s := withoutTalk(line)
	s = image.ReplaceAllString(s, "")
	s = link.ReplaceAllString(s, "$1")
	s = rstLink.ReplaceAllString(s, "$1")
	s = rstIssue.ReplaceAllString(s, "")
	s = htmlTag.ReplaceAllString(s, "")
	s = url.ReplaceAllString(s, "")
	s = closing.ReplaceAllString(s, "")
	s = told.ReplaceAllString(s, "")
	s = parentheses.ReplaceAllString(s, "")
	s = reference.ReplaceAllString(s, "$1")
	s = mention.ReplaceAllString(s, "$1")
	s = hash.ReplaceAllStringFunc(s, func(h string) string {
		if strings.ContainsAny(h, "0123456789") && strings.ContainsAny(h, "abcdef") {
			return ""
		}
		return h
	})
	s = empties.ReplaceAllString(s, "")
	if s != line {
		indent := len(s) - len(strings.TrimLeft(s, " \t"))
		s = s[:indent] + spaces.ReplaceAllString(s[indent:], " ")
		s = loose.ReplaceAllString(s, "$1$2")
	}
	s = tail.ReplaceAllString(s, "")
	if !strings.ContainsFunc(bullet.ReplaceAllString(s, ""), isWordRune) || s != line && bare.MatchString(s) {
		return "", false
	}
	return s, true
}

// withoutTalk drops the sentences of a line that speak to reviewers.
func withoutTalk(line string) string {
	var kept strings.Builder
	for _, s := range sentences(line) {
		if !talk.MatchString(s) {
			kept.WriteString(s)
		}
	}
	return kept.String()
}

// sentences splits a line after a full stop, a question or exclamation mark and the spaces that
// follow it, before a capital letter.
func sentences(line string) []string {
	var out []string
	start := 0
	for _, at := range sentenceEnd.FindAllStringIndex(line, -1) {
		out = append(out, line[start:at[1]-1])
		start = at[1] - 1
	}
	return append(out, line[start:])
}

func isWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x7f
}

// tidy drops headings without a section and repeated blank lines.
func tidy(lines []string) string {
	var kept []string
	fenced := false
	for i, line := range lines {
		if fence.MatchString(line) {
			fenced = !fenced
		}
		if level, _ := headingOf(line); level > 0 && !fenced && emptySection(lines[i+1:], level) {
			continue
		}
		if !fenced && line == "" && (len(kept) == 0 || kept[len(kept)-1] == "") {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}

// emptySection reports whether nothing stands before the next heading of the level or above.
func emptySection(lines []string, level int) bool {
	for _, line := range lines {
		if l, _ := headingOf(line); l > 0 {
			if l <= level {
				return true
			}
			continue
		}
		if line != "" {
			return false
		}
	}
	return true
}

// Words are the content words of a text: at least three letters or digits, in lower case,
// less the stop list.
func Words(text string) []string {
	var out []string
	for _, w := range word.FindAllString(strings.ToLower(text), -1) {
		if !stopWords[w] {
			out = append(out, w)
		}
	}
	return out
}

var word = regexp.MustCompile(`[\p{L}\p{N}_]{3,}`)

//go:embed stopwords.txt
var stopList string

var stopWords = set(stopList)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// minRepeated is the least number of content words of a line that may be left out as a
// repetition, ours: short lines, of code above all, are alike by chance.
const minRepeated = 2

// recordText joins what a record says: the issues that it closes, title, body, the messages of the
// branch's commits and the lines its changelog got; what one part repeats of an earlier one is left out,
// and so is what the author says of the change's own checks.
func recordText(r model.Record, changelog []string, touched ...model.Surface) string {
	checks := checkNames(touched)
	var parts []string
	seen := map[string]bool{}
	add := func(text string) {
		var kept []string
		for paragraph := range strings.SplitSeq(text, "\n\n") {
			kept = append(append(kept, unsaid(paragraph, seen)...), "")
		}
		if t := tidy(kept); t != "" {
			parts = append(parts, t)
		}
	}
	for _, i := range r.Issues {
		add(Clean(i.Title))
		add(Clean(i.Body))
	}
	add(Clean(r.Title))
	add(withoutCheckTalk(Clean(r.Body), checks))
	for _, m := range r.Messages {
		if subject, _, _ := strings.Cut(strings.TrimSpace(m), "\n"); !aboutChecks.MatchString(subject) {
			add(withoutCheckTalk(Clean(m), checks))
		}
	}
	add(Clean(strings.Join(changelog, "\n")))
	return strings.Join(parts, "\n\n")
}

// unsaid are the lines of a paragraph less those that were said before, which it adds to. What
// is left of a paragraph that was said before goes too when no line of it says anything alone.
func unsaid(paragraph string, seen map[string]bool) []string {
	var kept []string
	repeated, news := false, false
	for line := range strings.SplitSeq(paragraph, "\n") {
		words := Words(bullet.ReplaceAllString(line, ""))
		for i, w := range words {
			words[i] = strings.TrimSuffix(w, "s") // a title told again in the plural is no news
		}
		key := strings.Join(words, " ")
		if seen[key] {
			repeated = true
			continue
		}
		seen[key] = len(words) >= minRepeated
		news = news || seen[key]
		kept = append(kept, line)
	}
	if repeated && !news {
		return nil
	}
	return kept
}
