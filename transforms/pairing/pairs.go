// Package pairing turns two evaluations of paired tasks into how far they agree: solve rates,
// their difference, and the statistics of paired outcomes.
package pairing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Pair is a task of evaluation A and its counterpart in B. Line is where the file has it; 0
// where no file does.
type Pair struct {
	A, B string
	Line int
}

const wantForms = "want a line for each pair: two ids with a tab between them, or {\"a\": ID, \"b\": ID}"

// Parse reads pairs of tab-separated values or of JSON lines. Empty lines, lines that begin with
// #, and the heading "a<TAB>b" are passed over. An id stands in one pair only: outcomes that
// count twice are not independent.
func Parse(text []byte) ([]Pair, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var out []Pair
	seen := [2]map[string]int{{}, {}}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || len(out) == 0 && line == "a\tb" {
			continue
		}
		p, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		p.Line = n
		for side, id := range []string{p.A, p.B} {
			if first, twice := seen[side][id]; twice {
				return nil, fmt.Errorf("line %d: %q is paired on line %d already", n, id, first)
			}
			seen[side][id] = n
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, errors.New("no pair in it: " + wantForms)
	}
	return out, nil
}

func parse(line string) (Pair, error) {
	var p Pair
	if strings.HasPrefix(line, "{") {
		var fields struct{ A, B *string }
		if err := json.Unmarshal([]byte(line), &fields); err != nil || fields.A == nil || fields.B == nil {
			return p, errors.New(wantForms)
		}
		p.A, p.B = *fields.A, *fields.B
	} else {
		columns := strings.Split(line, "\t")
		if len(columns) != 2 {
			return p, errors.New(wantForms)
		}
		p.A, p.B = strings.TrimSpace(columns[0]), strings.TrimSpace(columns[1])
	}
	if p.A == "" || p.B == "" {
		return p, errors.New("an id is empty: " + wantForms)
	}
	return p, nil
}

// Same pairs each of the ids with itself: two evaluations of one corpus.
func Same(ids []string) []Pair {
	out := make([]Pair, len(ids))
	for i, id := range ids {
		out[i] = Pair{A: id, B: id}
	}
	return out
}
