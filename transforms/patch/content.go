package patch

import (
	"fmt"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// submodule is how git shows a submodule's entry as a text.
const submodule = "Subproject commit "

func toText(c model.TreeChange) string {
	if c.Mode == model.ModeSubmodule {
		return submodule + string(c.Data) + "\n"
	}
	return string(c.Data)
}

// fromText is the data of a tree change whose text is s; false where that is no commit of a
// submodule.
func fromText(mode uint32, s string) ([]byte, bool) {
	if mode != model.ModeSubmodule {
		return []byte(s), true
	}
	id, ok := strings.CutPrefix(strings.TrimSuffix(s, "\n"), submodule)
	return []byte(id), ok && len(id) == 40 && isHex(id)
}

// content is the text of the file after f's hunks or binary content.
func (a *applier) content(f File, old model.TreeChange, refuse func(Conflict)) (string, error) {
	if f.Binary {
		out, err := f.binaryContent(string(old.Data))
		if err != nil {
			return "", Conflict{Path: f.Path(), Hunk: -1, Detail: err.Error()}
		}
		return out, nil
	}
	before := ""
	if old.Mode != 0 {
		before = toText(old)
	}
	if len(f.Hunks) == 0 {
		return before, nil
	}
	m := newImage(before)
	for i, h := range f.Hunks {
		at, places := m.place(h)
		if at < 0 {
			c := Conflict{Path: f.Path(), Hunk: i, Detail: "its lines are not there: " + h.preview()}
			if refuse == nil {
				return "", c
			}
			refuse(c)
			continue
		}
		m.put(h, at)
		path := f.Old
		if path == "" {
			path = f.New
		}
		a.places = append(a.places, Place{
			Path: path, Hunk: i, Line: at + 1, Ambiguous: places > 1, Offset: at - max(h.NewStart-1, 0),
		})
	}
	return m.text(), nil
}

// preview is the hunk's first removed line, or its first line.
func (h Hunk) preview() string {
	if len(h.Lines) == 0 {
		return "none"
	}
	text := h.Lines[0].Text
	for _, l := range h.Lines {
		if l.Op == '-' {
			text = l.Text
			break
		}
	}
	return fmt.Sprintf("%.60q", text)
}

// binaryContent is the new content. As git does, it demands full hashes and that both contents
// have them.
func (f File) binaryContent(old string) (string, error) {
	if len(f.OldHash) < 40 || len(f.NewHash) < 40 {
		return "", fmt.Errorf("binary patch without full hashes")
	}
	if f.Old == "" {
		if old != "" {
			return "", fmt.Errorf("binary addition to a file with contents")
		}
	} else if have := string(tree.BlobHash([]byte(old))); have != f.OldHash {
		return "", fmt.Errorf("binary patch is for content %.12s, not %.12s", f.OldHash, have)
	}
	if strings.Trim(f.NewHash, "0") == "" {
		return "", nil
	}
	data := f.BinaryNew
	if f.DeltaNew != nil {
		var err error
		if data, err = patchDelta([]byte(old), f.DeltaNew); err != nil {
			return "", err
		}
	} else if data == nil {
		return "", fmt.Errorf("binary patch without contents")
	}
	if got := string(tree.BlobHash(data)); got != f.NewHash {
		return "", fmt.Errorf("binary patch gives content %.12s, not %.12s", got, f.NewHash)
	}
	return string(data), nil
}
