package patch

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Bounds on what is read; a larger patch is an error.
const (
	maxPatchBytes  = 256 << 20
	maxBinaryBytes = 128 << 20 // of all inflated contents of a patch together
	maxNumber      = 1 << 30   // of a line number or count
)

// Parse reads git's patches and plain ones (--- and +++), with any text around them. It accepts
// what `git apply` accepts, and also a text that lost its last newline or the blank context
// lines at its end. A blank text is an empty patch; a text without any patch is an error, as is
// every fault; it names the line.
func Parse(text []byte) (Patch, error) {
	if len(text) > maxPatchBytes {
		return Patch{}, fmt.Errorf("parse patch: %d bytes, more than %d", len(text), maxPatchBytes)
	}
	s := &scanner{lines: splitLines(string(text)), inflate: maxBinaryBytes}
	p, err := s.patch()
	if err != nil {
		return Patch{}, fmt.Errorf("parse patch: line %d: %w", s.at+1, err)
	}
	if len(p.Files) == 0 && len(bytes.TrimSpace(text)) > 0 {
		return Patch{}, fmt.Errorf("parse patch: line 1: no patch in %d lines of text", len(s.lines))
	}
	return p, nil
}

// splitLines cuts text after each newline; the last line may lack its own.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	out := make([]string, 0, strings.Count(text, "\n")+1)
	for text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return out
}

// A scanner reads a patch line by line. After an error, at is the line at fault.
type scanner struct {
	lines   []string
	at      int
	inflate int // bytes of binary contents that may still be inflated
}

func (s *scanner) peek(ahead int) string {
	if s.at+ahead >= len(s.lines) {
		return ""
	}
	return s.lines[s.at+ahead]
}

// header is the line at ahead without its line end, whichever that is.
func (s *scanner) header(ahead int) string {
	return strings.TrimSuffix(strings.TrimSuffix(s.peek(ahead), "\n"), "\r")
}

func (s *scanner) patch() (Patch, error) {
	var p Patch
	for s.at < len(s.lines) {
		f, ok, err := s.file()
		if err != nil {
			return Patch{}, err
		}
		if !ok {
			s.at++
			continue
		}
		p.Files = append(p.Files, f)
	}
	return p, nil
}

// file reads the file change that begins at the current line, if one does.
func (s *scanner) file() (File, bool, error) {
	start := s.at
	line := s.header(0)
	var f File
	switch {
	case strings.HasPrefix(line, "diff --git "):
		if err := s.gitHeader(&f); err != nil {
			return f, false, err
		}
	case strings.HasPrefix(line, "--- ") && strings.HasPrefix(s.peek(1), "+++ ") && strings.HasPrefix(s.peek(2), "@@ -"):
		if err := s.plainHeader(&f); err != nil {
			return f, false, err
		}
	case strings.HasPrefix(line, "@@ -"):
		if _, err := hunkHeader(line); err == nil {
			return f, false, fmt.Errorf("hunk without a file header")
		}
		return f, false, nil
	default:
		return f, false, nil
	}
	if err := s.body(&f); err != nil {
		return f, false, err
	}
	if err := f.settle(); err != nil {
		s.at = start
		return f, false, err
	}
	return f, true, nil
}

func (s *scanner) body(f *File) error {
	for strings.HasPrefix(s.peek(0), "@@ -") {
		h, err := s.hunk()
		if err != nil {
			return err
		}
		f.Hunks = append(f.Hunks, h)
	}
	if len(f.Hunks) > 0 {
		return nil
	}
	switch line := s.header(0); {
	case line == "GIT binary patch":
		s.at++
		return s.binary(f)
	case strings.HasSuffix(line, " differ") && (strings.HasPrefix(line, "Binary files ") || strings.HasPrefix(line, "Files ")):
		s.at++
		f.Binary = true
	}
	return nil
}

// settle derives the kind of change of a file that has been read whole, and checks that its
// parts agree.
func (f *File) settle() error {
	if strings.Contains(f.Old+f.New, "\x00") {
		return errors.New("name holds a NUL")
	}
	olds, news := 0, 0
	for _, h := range f.Hunks {
		olds += h.OldLines
		news += h.NewLines
	}
	switch f.Change {
	case Added:
		f.Old, f.OldMode = "", 0
		if olds > 0 {
			return fmt.Errorf("new file %s depends on old contents", f.New)
		}
		if f.NewMode == 0 {
			f.NewMode = 0o100644
		}
		return nil
	case Deleted:
		f.New, f.NewMode = "", 0
		if f.OldMode == 0 && (len(f.Hunks) == 0 || f.OldHash != "") {
			f.OldMode = 0o100644
		}
		if news > 0 {
			return fmt.Errorf("deleted file %s still has contents", f.Old)
		}
		return nil
	}
	if f.NewMode == 0 {
		f.NewMode = f.OldMode
	}
	if f.OldMode == 0 && f.NewMode != 0 {
		return fmt.Errorf("new mode of %s without its old mode", f.New)
	}
	if f.Change == Renamed || f.Change == Copied {
		return nil
	}
	f.Change = Modified
	if len(f.Hunks) == 0 && !f.Binary {
		if f.NewMode == f.OldMode {
			return fmt.Errorf("nothing changes in %s", f.New)
		}
		f.Change = Mode
	}
	return nil
}
