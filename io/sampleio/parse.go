package sampleio

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// A person signs a commit.
type person struct{ name, email string }

// settings are the archive's comment.
type settings struct {
	repo, branch   string
	author, merger person
	date           time.Time
	step           time.Duration
}

// A step is one @ entry with the files that follow it.
type step struct {
	words             []string
	author, committer person
	date              time.Time
	after             time.Duration
	text              string
	files             []txtar.File
}

// Parse builds the history that text describes.
func Parse(text []byte) (*History, error) {
	ar := txtar.Parse(text)
	set, err := parseSettings(string(ar.Comment))
	if err != nil {
		return nil, err
	}
	h := newHistory(set)
	for len(ar.Files) > 0 {
		name, ok := strings.CutPrefix(ar.Files[0].Name, "@")
		if !ok {
			return nil, fmt.Errorf("file %s stands before the first step", ar.Files[0].Name)
		}
		s := step{words: strings.Fields(name)}
		if err := s.parseText(string(ar.Files[0].Data)); err != nil {
			return nil, fmt.Errorf("step @%s: %w", name, err)
		}
		ar.Files = ar.Files[1:]
		for len(ar.Files) > 0 && !strings.HasPrefix(ar.Files[0].Name, "@") {
			s.files = append(s.files, ar.Files[0])
			ar.Files = ar.Files[1:]
		}
		if err := h.take(s); err != nil {
			return nil, fmt.Errorf("step @%s: %w", name, err)
		}
	}
	return h, nil
}

func parseSettings(comment string) (settings, error) {
	set := settings{
		repo: "example/sample", branch: "main",
		author: person{"Ada Example", "ada@example.com"},
		date:   time.Date(2025, 1, 6, 9, 0, 0, 0, time.UTC),
		step:   24 * time.Hour,
	}
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		var err error
		switch key {
		case "repo":
			set.repo = value
		case "default":
			set.branch = value
		case "author":
			set.author, err = parsePerson(value)
		case "merger":
			set.merger, err = parsePerson(value)
		case "date":
			set.date, err = time.Parse(time.RFC3339, value)
		case "step":
			set.step, err = time.ParseDuration(value)
		}
		if err != nil {
			return set, fmt.Errorf("setting %s: %w", key, err)
		}
	}
	set.merger = cmp.Or(set.merger, set.author)
	return set, nil
}

func parsePerson(s string) (person, error) {
	name, rest, ok := strings.Cut(s, " <")
	email, end, closed := strings.Cut(rest, ">")
	if !ok || !closed || end != "" || strings.ContainsAny(name+email, "<>\n") {
		return person{}, fmt.Errorf("%q is not `Name <email>`", s)
	}
	return person{name, email}, nil
}

// parseText splits the lines of settings off the message.
func (s *step) parseText(text string) error {
	rest := text
	for {
		line, more, _ := strings.Cut(rest, "\n")
		key, value, ok := strings.Cut(line, ": ")
		var err error
		switch {
		case ok && key == "author":
			s.author, err = parsePerson(value)
		case ok && key == "committer":
			s.committer, err = parsePerson(value)
		case ok && key == "date":
			s.date, err = time.Parse(time.RFC3339, value)
		case ok && key == "after":
			s.after, err = time.ParseDuration(value)
		default:
			if rest != text {
				rest = strings.TrimPrefix(rest, "\n")
			}
			s.text = rest
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		rest = more
	}
}
