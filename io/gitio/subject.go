package gitio

import (
	"regexp"
	"strconv"
	"strings"
)

// A Landing is what a commit message says about the pull request that the commit landed.
type Landing struct {
	Number     int64 // 0: none
	Style      string
	Title      string
	Body       string
	Confidence float64 // that Number is a pull request's, from the wording alone
	BackportOf int64
	Reverts    int64
	RevertsID  string // commit that the message says it reverts
	PickOf     string // commit that the message says it was picked from
}

// A wording is a host's or tool's form of the first line of a message. Its groups are named
// number and title; without a title in the line, the title is the body's first line.
type wording struct {
	pattern    *regexp.Regexp
	style      string
	parents    int // 2: only a merge commit; 0: any
	confidence float64
}

var wordings = []wording{
	{regexp.MustCompile(`^Merge pull request '(?P<title>.*)' \(#(?P<number>\d+)\) from `), "merge", 0, 1},   // Gitea
	{regexp.MustCompile(`^Merge pull request #(?P<number>\d+) from \S+`), "merge", 0, 1},                    // GitHub
	{regexp.MustCompile(`^Merged in \S+ \(pull request #(?P<number>\d+)\)`), "merge", 0, 1},                 // Bitbucket
	{regexp.MustCompile(`^Merged PR (?P<number>\d+): (?P<title>.+)`), "script", 0, 0.95},                    // Azure
	{regexp.MustCompile(`^Merge (?:PR|pull request) #(?P<number>\d+)[:.]? *(?P<title>.*)`), "script", 0, 1}, // scripts
	{regexp.MustCompile(`^(?:Auto merge of|Merge|Rollup merge of) #(?P<number>\d+)(?:\s|$)`), "script", 2, 0.9},
	{regexp.MustCompile(`^Merge (?:remote(?:-tracking)? )?branch '(?:\S+/)?(?:pr|pull|merge-requests)/(?P<number>\d+)(?:/head)?'`), "script", 2, 0.9},
}

var (
	squashNumber  = regexp.MustCompile(`^(.*\S)\s+\(#(\d+)\)$`)
	gitlabTrailer = regexp.MustCompile(`(?m)^See merge request (?:\S+)?!(\d+)\s*$`)
	// Trailers of merge scripts: spark and arrow, node, pytorch, Gitea.
	trailers = []struct {
		holds   string
		pattern *regexp.Regexp
	}{
		{"loses #", regexp.MustCompile(`(?m)^(?:This )?[Cc]loses #(\d+) from \S+/\S+`)},
		{"PR-URL: ", regexp.MustCompile(`(?m)^PR-URL: https?://\S+/pull/(\d+)\s*$`)},
		{"esolved: ", regexp.MustCompile(`(?m)^Pull [Rr]equest [Rr]esolved: https?://\S+/pull/(\d+)\s*$`)},
		{"Reviewed-on: ", regexp.MustCompile(`(?m)^Reviewed-on: https?://\S+/pulls/(\d+)\s*$`)},
	}
	revertSubject = regexp.MustCompile(`^(?:Revert|revert:?) "?.*\(#(\d+)\)"?`)
	revertBody    = regexp.MustCompile(`(?m)^Reverts (?:[\w.-]+/[\w.-]+)?#(\d+)\s*$`)
	revertCommit  = regexp.MustCompile(`(?m)^This reverts commit ([0-9a-f]{7,40})`)
	backport      = regexp.MustCompile(`(?i)\bbackport(?:s|ed|ing)?(?: of)?(?: PR| pull request)?:? \(?#(\d+)\b`)
	backportMark  = regexp.MustCompile(`(?i)^\[?(?:backport|\d+(?:\.[\dx]+)+)\b[^\]]*\]`)
	innerNumber   = regexp.MustCompile(`\(#(\d+)\)`)
	picked        = regexp.MustCompile(`(?m)^\(cherry[ -]picked from commit ([0-9a-f]{7,40})\)`)
)

// ParseMessage reads a commit message with its number of parents. It is the wording alone:
// whether the number is really a pull request's, the references may know better.
func ParseMessage(message string, parents int) Landing {
	message = strings.ReplaceAll(message, "\r\n", "\n")
	subject, body, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n")
	subject, body = strings.TrimSpace(subject), strings.TrimSpace(body)
	l := Landing{Title: subject, Body: body}
	l.number(subject, body, parents)
	l.marks(subject, body)
	return l
}

func (l *Landing) number(subject, body string, parents int) {
	merge := strings.HasPrefix(subject, "Merge") || strings.Contains(subject, "erge of #")
	for _, w := range wordings {
		if !merge {
			break // no wording can match; most subjects end here
		}
		m := w.pattern.FindStringSubmatch(subject)
		if m == nil || w.parents > parents {
			continue
		}
		l.Number = number(m[w.pattern.SubexpIndex("number")])
		l.Style, l.Confidence = w.style, w.confidence
		title := ""
		if at := w.pattern.SubexpIndex("title"); at > 0 {
			title = strings.TrimSpace(m[at])
		}
		if title != "" {
			l.Title = title
		} else {
			l.cutTitle(body)
		}
		return
	}
	if m := find(gitlabTrailer, body, "See merge request "); m != nil {
		l.Number, l.Style, l.Confidence = number(m[1]), "merge", 1
		if parents < 2 {
			l.Style = "squash"
		}
		l.Body = strings.TrimSpace(gitlabTrailer.ReplaceAllString(body, ""))
		if strings.HasPrefix(subject, "Merge branch ") {
			l.cutTitle(l.Body)
		}
		return
	}
	if m := find(squashNumber, subject, "(#"); m != nil && !strings.HasPrefix(subject, "Merge branch ") {
		l.Number, l.Style, l.Confidence, l.Title = number(m[2]), "squash", 0.9, m[1]
		if parents > 1 {
			l.Style = "merge"
		}
		return
	}
	for _, t := range trailers {
		if !strings.Contains(body, t.holds) {
			continue
		}
		if all := t.pattern.FindAllStringSubmatch(body, -1); all != nil {
			l.Number, l.Style, l.Confidence = number(all[len(all)-1][1]), "script", 0.95
			return
		}
	}
}

// cutTitle takes the title from the body's first line, where there is one.
func (l *Landing) cutTitle(body string) {
	title, rest, _ := strings.Cut(body, "\n")
	if title = strings.TrimSpace(title); title != "" {
		l.Title, l.Body = title, strings.TrimSpace(rest)
	}
}

// marks finds what a message says about other changes.
func (l *Landing) marks(subject, body string) {
	if m := find(picked, body, "picked from commit"); m != nil {
		l.PickOf = m[1]
	}
	title := l.Title
	if strings.HasPrefix(title, "Revert") || strings.HasPrefix(title, "revert") {
		for _, m := range [][]string{revertSubject.FindStringSubmatch(title), revertBody.FindStringSubmatch(body)} {
			if m != nil && number(m[1]) != l.Number {
				l.Reverts = number(m[1])
				break
			}
		}
		if m := revertCommit.FindStringSubmatch(body); m != nil {
			l.RevertsID = m[1]
		}
		return
	}
	if m := find(backport, title, "#"); m != nil {
		l.BackportOf = number(m[1])
	} else if strings.Contains(title, "]") && backportMark.MatchString(title) {
		if m := innerNumber.FindStringSubmatch(title); m != nil {
			l.BackportOf = number(m[1])
		} else if m := backport.FindStringSubmatch(body); m != nil {
			l.BackportOf = number(m[1])
		}
	}
	if l.BackportOf == l.Number {
		l.BackportOf = 0
	}
}

// find matches only where s holds a plain string that every match holds: regular expressions
// over each message would cost more than reading the history.
func find(pattern *regexp.Regexp, s, holds string) []string {
	if !strings.Contains(s, holds) {
		return nil
	}
	return pattern.FindStringSubmatch(s)
}

// number reads digits; more than 9 of them are no pull request.
func number(digits string) int64 {
	if len(digits) > 9 {
		return 0
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
