package patch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/taskmill/taskmill/model"
)

// gitHeader reads "diff --git" and the extended header lines after it. The names of that first
// line count only where no other line gives them, and only where both sides are the same.
func (s *scanner) gitHeader(f *File) error {
	both, err := headerName(strings.TrimPrefix(s.header(0), "diff --git "))
	if err != nil {
		return err
	}
	start := s.at
	for s.at++; s.at < len(s.lines); s.at++ {
		more, err := f.extend(s.header(0), both)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	if f.Old == "" && f.New == "" {
		f.Old, f.New = both, both
	}
	if f.Old == "" && f.Change != Added || f.New == "" && f.Change != Deleted {
		s.at = start
		return errors.New("git header without file names")
	}
	return nil
}

// extend takes one line of an extended header; false where the line is not one.
func (f *File) extend(line, both string) (bool, error) {
	word, value := "", ""
	for _, w := range extended {
		if v, ok := strings.CutPrefix(line, w); ok {
			word, value = w, v
			break
		}
	}
	switch word {
	case "--- ":
		return true, f.side(&f.Old, value, f.Change == Added)
	case "+++ ":
		return true, f.side(&f.New, value, f.Change == Deleted)
	case "old mode ":
		return true, parseMode(value, &f.OldMode)
	case "new mode ":
		return true, parseMode(value, &f.NewMode)
	case "deleted file mode ":
		f.Old = both
		return true, errors.Join(f.become(Deleted), parseMode(value, &f.OldMode))
	case "new file mode ":
		f.New = both
		return true, errors.Join(f.become(Added), parseMode(value, &f.NewMode))
	case "copy from ":
		return true, errors.Join(f.become(Copied), moved(&f.Old, value))
	case "copy to ":
		return true, errors.Join(f.become(Copied), moved(&f.New, value))
	case "rename from ", "rename old ":
		return true, errors.Join(f.become(Renamed), moved(&f.Old, value))
	case "rename to ", "rename new ":
		return true, errors.Join(f.become(Renamed), moved(&f.New, value))
	case "index ":
		return true, f.index(value)
	case "similarity index ", "dissimilarity index ":
		return true, nil
	}
	return false, nil
}

var extended = []string{
	"--- ", "+++ ", "old mode ", "new mode ", "deleted file mode ", "new file mode ",
	"copy from ", "copy to ", "rename from ", "rename to ", "rename old ", "rename new ",
	"similarity index ", "dissimilarity index ", "index ",
}

func (f *File) become(change string) error {
	if f.Change != "" && f.Change != change {
		return fmt.Errorf("header says both %s and %s", f.Change, change)
	}
	f.Change = change
	return nil
}

// side takes the name of a --- or +++ line, which must agree with what is known.
func (f *File) side(known *string, value string, absent bool) error {
	name, null, err := contentName(value, 1)
	if err != nil {
		return err
	}
	switch {
	case null && absent:
		return nil
	case null && known == &f.Old && f.Change == "" && len(f.Hunks) == 0:
		f.Change = Added
		return nil
	case null && known == &f.New && f.Change == "":
		f.Change = Deleted
		return nil
	case null || absent:
		return fmt.Errorf("/dev/null and %q disagree", name)
	case *known != "" && *known != name:
		return fmt.Errorf("names %q and %q disagree", *known, name)
	}
	*known = name
	return nil
}

func (f *File) index(value string) error {
	hashes, mode, _ := strings.Cut(value, " ")
	old, new, ok := strings.Cut(hashes, "..")
	if !ok || !isHex(old) || !isHex(new) {
		return nil // git passes over such a line
	}
	f.OldHash, f.NewHash = old, new
	if mode == "" {
		return nil
	}
	return parseMode(mode, &f.OldMode)
}

func isHex(s string) bool {
	return len(s) > 0 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func parseMode(s string, to *uint32) error {
	mode, err := strconv.ParseUint(strings.TrimSpace(s), 8, 32)
	if err != nil || mode == 0 || mode > 0o177777 {
		return fmt.Errorf("invalid mode %q", s)
	}
	*to = uint32(mode)
	switch kind := *to & 0o170000; kind {
	case model.ModeSymlink, model.ModeSubmodule:
		*to = kind // as in git, their permissions say nothing
	}
	return nil
}

// headerName is the path that both sides of a "diff --git" line name, without their first
// component; empty where they differ.
func headerName(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		first, rest, err := unquote(s)
		if err != nil {
			return "", err
		}
		second := strings.TrimLeft(rest, " \t")
		if strings.HasPrefix(second, `"`) {
			if second, _, err = unquote(second); err != nil {
				return "", err
			}
		}
		return same(first, second), nil
	}
	if at := strings.IndexByte(s, '"'); at > 0 {
		second, _, err := unquote(s[at:])
		if err != nil {
			return "", err
		}
		return same(strings.TrimRight(s[:at], " \t"), second), nil
	}
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' && s[i] != '\t' {
			continue
		}
		if name := same(s[:i], s[i+1:]); name != "" {
			return name, nil
		}
	}
	return "", nil
}

// same is the path that a and b share below their first component.
func same(a, b string) string {
	_, a, _ = strings.Cut(a, "/")
	_, b, _ = strings.Cut(b, "/")
	if a != b {
		return ""
	}
	return squash(a)
}

// moved reads a name that stands alone, without a prefix.
func moved(to *string, value string) error {
	name, err := value, error(nil)
	if strings.HasPrefix(value, `"`) {
		name, _, err = unquote(value)
	}
	if err == nil && name == "" {
		err = errors.New("missing name")
	}
	*to = squash(name)
	return err
}

// contentName reads the name of a --- or +++ line, which a tab may end, and drops strip leading
// components.
func contentName(value string, strip int) (name string, null bool, err error) {
	if strings.HasPrefix(value, `"`) {
		if name, _, err = unquote(value); err != nil {
			return "", false, err
		}
	} else {
		name, _, _ = strings.Cut(value, "\t")
		if name == "/dev/null" {
			return "", true, nil
		}
	}
	for range strip {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return "", false, fmt.Errorf("name %q has no leading component to drop", name)
		}
		name = rest
	}
	if name == "" {
		return "", false, errors.New("missing name")
	}
	return squash(name), false, nil
}

func squash(name string) string {
	for strings.Contains(name, "//") {
		name = strings.ReplaceAll(name, "//", "/")
	}
	return name
}

// plainHeader reads a --- and a +++ line. A name without a slash has no prefix.
func (s *scanner) plainHeader(f *File) error {
	old, new := s.header(0)[4:], s.header(1)[4:]
	strip := 1
	if !strings.Contains(old, "/") || !strings.Contains(new, "/") {
		strip = 0
	}
	oldName, oldNull, err := contentName(old, strip)
	if err != nil {
		return err
	}
	newName, newNull, err := contentName(new, strip)
	if err != nil {
		s.at++
		return err
	}
	s.at += 2
	switch {
	case oldNull && newNull:
		return errors.New("both sides are /dev/null")
	case oldNull || !newNull && epoch(old):
		f.New, f.Change = newName, Added
	case newNull || epoch(new):
		f.Old, f.Change = oldName, Deleted
	default:
		// The shorter one where the other only has something tacked on (file.orig).
		if strings.HasPrefix(newName, oldName) {
			newName = oldName
		}
		f.Old, f.New = newName, newName
	}
	return nil
}

// epoch reports whether a name is followed by the time 0, by which diff says that the file does
// not exist.
func epoch(line string) bool {
	_, stamp, ok := strings.Cut(line, "\t")
	if !ok {
		return false
	}
	for _, layout := range []string{"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00"} {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t.Unix() == 0
		}
	}
	return false
}
