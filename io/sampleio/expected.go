package sampleio

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed expected
var expected embed.FS

// Expected is what each pull request of a sample is meant to end as, by its number, when a
// corpus is built at the newest commit with Level 1 in the local sandbox: "task", or the reason
// of its rejection. In a sandbox that isolates, those that are sandbox_required here are tasks.
// A name that is no sample has none.
func Expected(name string) map[int64]string {
	text, err := expected.ReadFile("expected/" + name + ".txt")
	if err != nil {
		return nil
	}
	ends, err := parseExpected(string(text))
	if err != nil {
		panic("sampleio: expected/" + name + ".txt: " + err.Error()) // embedded
	}
	return ends
}

func parseExpected(text string) (map[int64]string, error) {
	ends := map[int64]string{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		number, err := strconv.ParseInt(f[0], 10, 64)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %q: %w", strings.TrimSpace(line), err)
		case ends[number] != "":
			return nil, fmt.Errorf("pull request %d stands there twice", number)
		case len(f) == 2 && f[1] == "task":
			ends[number] = "task"
		case len(f) == 3 && f[1] == "rejection":
			ends[number] = f[2]
		default:
			return nil, fmt.Errorf("line %q is not `NUMBER task` or `NUMBER rejection REASON`", strings.TrimSpace(line))
		}
	}
	return ends, nil
}
