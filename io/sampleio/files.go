package sampleio

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/taskmill/taskmill/model"
)

// A blob is one path of a tree. A submodule's data is its commit's 20 bytes.
type blob struct {
	mode uint32
	data string
}

// A tree is the content of a commit by path.
type tree map[string]blob

// with is t with the files of a step.
func (t tree) with(files []txtar.File) (tree, error) {
	t = maps.Clone(t)
	if t == nil {
		t = tree{}
	}
	for _, f := range files {
		if err := t.set(f); err != nil {
			return nil, fmt.Errorf("file %s: %w", f.Name, err)
		}
	}
	return t, nil
}

func (t tree) set(f txtar.File) error {
	name, options := f.Name, ""
	if at := strings.LastIndex(name, " ("); at >= 0 && strings.HasSuffix(name, ")") {
		name, options = name[:at], name[at+2:len(name)-1]
	}
	if name == "" || path.IsAbs(name) || path.Clean(name) != name || strings.HasPrefix(name, "../") || name == ".." {
		return errors.New("not a relative path")
	}
	old, had := t[name]
	b := blob{mode: model.ModeFile, data: string(f.Data)}
	if had && (old.mode == model.ModeExecutable) {
		b.mode = old.mode
	}
	for option := range strings.FieldsSeq(options) {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "deleted":
			if !had {
				return errors.New("is not there")
			}
			delete(t, name)
			return nil
		case "from":
			from, ok := t[value]
			if !ok {
				return fmt.Errorf("%s is not there", value)
			}
			delete(t, value)
			b.mode = from.mode
			if len(f.Data) == 0 {
				b.data = from.data
			}
			old, had = from, true
		case "mode":
			b.mode = map[string]uint32{"755": model.ModeExecutable, "644": model.ModeFile}[value]
			if b.mode == 0 {
				return fmt.Errorf("unknown mode %s", value)
			}
			if len(f.Data) == 0 && had {
				b.data = old.data
			}
		default:
			if err := b.apply(key, old); err != nil {
				return err
			}
		}
	}
	t[name] = b
	return nil
}

// apply changes the content by one bracketed word.
func (b *blob) apply(word string, old blob) error {
	switch word {
	case "symlink":
		b.mode, b.data = model.ModeSymlink, strings.TrimSuffix(b.data, "\n")
	case "submodule":
		raw, err := unhex(strings.TrimSpace(b.data))
		if err != nil {
			return err
		}
		b.mode, b.data = model.ModeSubmodule, raw
	case "append":
		b.data = old.data + b.data
	case "edit":
		edited, err := edit(old.data, b.data)
		if err != nil {
			return err
		}
		b.data = edited
	case "crlf":
		b.data = strings.ReplaceAll(b.data, "\n", "\r\n")
	case "no-newline":
		b.data = strings.TrimSuffix(b.data, "\n")
	case "base64":
		raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(b.data), ""))
		if err != nil {
			return err
		}
		b.data = string(raw)
	default:
		return fmt.Errorf("unknown word %q", word)
	}
	return nil
}

// edit applies blocks of old and new lines.
func edit(data, blocks string) (string, error) {
	for n := 1; strings.TrimSpace(blocks) != ""; n++ {
		body, ok := strings.CutPrefix(strings.TrimLeft(blocks, "\n"), "<<<<<<<\n")
		old, rest, mid := strings.Cut("\n"+body, "\n=======\n")
		neu, after, end := strings.Cut("\n"+rest, "\n>>>>>>>\n")
		if !ok || !mid || !end {
			return "", fmt.Errorf("block %d is not <<<<<<<, old, =======, new, >>>>>>>", n)
		}
		old, neu = line(old), line(neu)
		if c := bytes.Count([]byte(data), []byte(old)); old == "" || c != 1 {
			return "", fmt.Errorf("the old lines of block %d occur %d times", n, c)
		}
		data, blocks = strings.Replace(data, old, neu, 1), after
	}
	return data, nil
}

// line undoes the newline put in front of a section and gives it one at its end.
func line(s string) string {
	if s = strings.TrimPrefix(s, "\n"); s != "" {
		s += "\n"
	}
	return s
}

// merge joins two trees by path: what one side alone changed since base is taken. given are the
// paths that the step itself decides.
func merge(base, ours, theirs tree, given map[string]bool) (tree, error) {
	out := tree{}
	paths := maps.Clone(ours)
	maps.Copy(paths, theirs)
	for p := range paths {
		b, inBase := base[p]
		o, inOurs := ours[p]
		t, inTheirs := theirs[p]
		switch {
		case inOurs == inTheirs && o == t, inTheirs == inBase && t == b:
			t, inTheirs = o, inOurs
		case inOurs == inBase && o == b:
		case given[p]:
			t, inTheirs = o, inOurs
		default:
			return nil, fmt.Errorf("both sides changed %s: give it in this step", p)
		}
		if inTheirs {
			out[p] = t
		}
	}
	return out, nil
}
