package construct

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A Cut is a paragraph or list item of H that told the answer and was cut from C.
type Cut struct {
	Path string
	Line int // first line, from 1, when it was cut
	Text string
}

const (
	// minBlock is the least length, in non-blank characters, of a block that is looked for by
	// its content: shorter ones stand in many places. Ours.
	minBlock = 20
	// maxDocs bounds the size of a docs file that is searched, in bytes.
	maxDocs = 2 << 20
)

// undoDocs reverses a docs patch on c hunk by hunk. Of a hunk that does not reverse, the
// paragraphs and list items that it added are cut wherever a docs file holds the same words;
// what before held already stays, and what was reworded is not found.
func undoDocs(docs patch.Patch, c, before *tree.Tree, l lang.Language) (*tree.Tree, []Cut, error) {
	reversed := docs.Reverse()
	var lost []block
	for i, f := range reversed.Files {
		if f.Binary || len(f.Hunks) == 0 {
			continue // an image tells nothing that a line could
		}
		for j, h := range f.Hunks {
			res, err := patch.Apply(reversed.Hunk(i, j), c)
			var conflict patch.Conflict
			switch {
			case err == nil:
				c = c.With(res.Changes...)
			case errors.As(err, &conflict):
				lost = append(lost, addedBlocks(h)...)
			default:
				return nil, nil, err
			}
		}
	}
	return cutBlocks(lost, c, before, l)
}

// A block is a paragraph or a list item.
type block struct {
	start, end int    // lines, from 0, end exclusive
	key        string // its words, whatever the spacing and the marker
}

var (
	item   = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)]|#\.)\s+`)
	fenced = regexp.MustCompile("^\\s*(?:```|~~~)")
)

// blocks splits lines at blank lines, at list items and around headings.
func blocks(lines []string) []block {
	var out []block
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, block{start, end, blockKey(lines[start:end])})
		}
		start = -1
	}
	for i, line := range lines {
		blank := strings.TrimSpace(line) == ""
		switch {
		case blank:
			flush(i)
		case item.MatchString(line) || strings.HasPrefix(line, "#"):
			flush(i)
			start = i
		case start < 0:
			start = i
		}
		if strings.HasPrefix(line, "#") || fenced.MatchString(line) && start == i {
			flush(i + 1)
		}
	}
	flush(len(lines))
	return out
}

func blockKey(lines []string) string {
	text := strings.Join(lines, " ")
	return strings.Join(strings.Fields(item.ReplaceAllString(text, "")), " ")
}

// addedBlocks are the blocks that a hunk's change added as a whole; h is the reversed hunk, in
// which they are removed.
func addedBlocks(h patch.Hunk) []block {
	var lines []string
	var added []bool
	for _, l := range h.Lines {
		if l.Op != '+' {
			lines = append(lines, strings.TrimRight(l.Text, "\r\n"))
			added = append(added, l.Op == '-')
		}
	}
	var out []block
	for _, b := range blocks(lines) {
		if !slices.Contains(added[b.start:b.end], false) && nonBlank(b.key) >= minBlock {
			out = append(out, b)
		}
	}
	return out
}

func nonBlank(s string) int { return len(s) - strings.Count(s, " ") }

// cutBlocks removes the blocks from every docs file of c that holds them.
func cutBlocks(lost []block, c, before *tree.Tree, l lang.Language) (*tree.Tree, []Cut, error) {
	if len(lost) == 0 {
		return c, nil, nil
	}
	keys := map[string]bool{}
	for _, b := range lost {
		keys[b.key] = true
	}
	var cuts []Cut
	for _, p := range c.Paths() {
		if l.Kind(p) != model.Docs {
			continue
		}
		f, _, err := c.Read(p)
		if err != nil {
			return nil, nil, err
		}
		if len(f.Data) > maxDocs || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule {
			continue
		}
		old, _, err := before.Read(p)
		if err != nil {
			return nil, nil, err
		}
		data, cut := cutFile(p, string(f.Data), string(old.Data), keys)
		if len(cut) == 0 {
			continue
		}
		cuts = append(cuts, cut...)
		c = c.With(model.TreeChange{Path: p, Mode: f.Mode, Data: []byte(data), Delete: strings.TrimSpace(data) == ""})
	}
	return c, cuts, nil
}

func cutFile(p, text, old string, keys map[string]bool) (string, []Cut) {
	held := map[string]bool{}
	for _, b := range blocks(splitLines(old)) {
		held[b.key] = true
	}
	lines := splitLines(text)
	var out []string
	var cuts []Cut
	next := 0
	for _, b := range blocks(lines) {
		if !keys[b.key] || held[b.key] {
			continue
		}
		out = append(out, lines[next:b.start]...)
		next = b.end
		// A blank line on both sides leaves two: one goes with the block.
		if blankAt(lines, b.end) && (b.start == 0 || blankAt(lines, b.start-1)) {
			next++
		}
		cuts = append(cuts, Cut{Path: p, Line: b.start + 1, Text: b.key})
	}
	return strings.Join(append(out, lines[next:]...), ""), cuts
}

func blankAt(lines []string, i int) bool {
	return i >= 0 && i < len(lines) && strings.TrimSpace(lines[i]) == ""
}

// splitLines splits a text into lines that keep their ends.
func splitLines(s string) []string { return slices.Collect(strings.Lines(s)) }
