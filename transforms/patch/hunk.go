package patch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// hunkHeader reads "@@ -1,2 +3,4 @@ section".
func hunkHeader(line string) (Hunk, error) {
	var h Hunk
	bad := fmt.Errorf("invalid hunk header %.80q", line)
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return h, bad
	}
	old, rest, ok1 := strings.Cut(rest, " +")
	new, section, ok2 := strings.Cut(rest, " @@")
	if !ok1 || !ok2 {
		return h, bad
	}
	var err1, err2 error
	h.OldStart, h.OldLines, err1 = hunkRange(old)
	h.NewStart, h.NewLines, err2 = hunkRange(new)
	if err1 != nil || err2 != nil {
		return h, bad
	}
	h.Section = strings.TrimPrefix(section, " ")
	return h, nil
}

func hunkRange(s string) (start, lines int, err error) {
	first, second, ok := strings.Cut(s, ",")
	if start, err = number(first); err != nil || !ok {
		return start, 1, err
	}
	lines, err = number(second)
	return start, lines, err
}

func number(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > maxNumber {
		return 0, errors.New("not a line number")
	}
	return int(n), nil
}

// hunk reads the hunk at the current line; its own counts say where it ends.
func (s *scanner) hunk() (Hunk, error) {
	h, err := hunkHeader(s.header(0))
	if err != nil {
		return h, err
	}
	s.at++
	olds, news := h.OldLines, h.NewLines
	changed := false
	for olds > 0 || news > 0 {
		if s.at == len(s.lines) {
			if !s.trimmed(&h, olds, news) {
				return h, fmt.Errorf("hunk ends early: %d old and %d new lines are missing", olds, news)
			}
			break
		}
		line := s.peek(0)
		l := Line{Op: line[0], Text: line[1:]}
		switch l.Op {
		case '\n':
			l = Line{' ', "\n"}
			olds, news = olds-1, news-1
		case ' ':
			olds, news = olds-1, news-1
		case '-':
			olds--
			changed = true
		case '+':
			news--
			changed = true
		case '\\':
			if !s.noNewline(&h) {
				return h, errors.New("not a line of a hunk")
			}
			continue
		default:
			return h, errors.New("not a line of a hunk")
		}
		if olds < 0 || news < 0 {
			return h, errors.New("hunk has more lines than its header says")
		}
		h.Lines = append(h.Lines, l)
		s.at++
		if !strings.HasSuffix(line, "\n") {
			h.close()
		}
	}
	if !changed {
		s.at--
		return h, errors.New("hunk without a change")
	}
	s.noNewline(&h)
	return h, nil
}

// noNewline takes a "\ No newline at end of file" line, whatever its language: the line before
// it has no line end.
func (s *scanner) noNewline(h *Hunk) bool {
	if line := s.header(0); len(line) < 11 || !strings.HasPrefix(line, `\ `) || len(h.Lines) == 0 {
		return false
	}
	last := &h.Lines[len(h.Lines)-1]
	last.Text = strings.TrimSuffix(last.Text, "\n")
	s.at++
	return true
}

// close supplies the line end that the last line lost with the end of the patch's text.
func (h *Hunk) close() {
	last := &h.Lines[len(h.Lines)-1]
	end := h.lineEnd(h.Lines[:len(h.Lines)-1])
	if strings.HasSuffix(last.Text, "\r") {
		end = "\n"
	}
	last.Text += end
}

// lineEnd is CRLF where all of lines end so.
func (h *Hunk) lineEnd(lines []Line) string {
	for _, l := range lines {
		if !strings.HasSuffix(l.Text, "\r\n") {
			return "\n"
		}
	}
	if len(lines) == 0 {
		return "\n"
	}
	return "\r\n"
}

// trimmed supplies blank context lines at the end of a text that lost them with its last
// newline; git writes at most 3. Applying still demands that they are there.
func (s *scanner) trimmed(h *Hunk, olds, news int) bool {
	if olds != news || olds > 3 || len(h.Lines) == 0 {
		return false
	}
	end := h.lineEnd(h.Lines)
	for range olds {
		h.Lines = append(h.Lines, Line{' ', end})
	}
	return true
}
