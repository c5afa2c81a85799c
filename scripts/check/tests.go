package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// An event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

// tested runs go test and prints what it prints by itself, and in the end each test that was
// skipped with its reason: without -v those would go unseen.
func tested(args ...string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		fmt.Println("check:", strings.Join(args, " "))
		cmd := exec.CommandContext(ctx, args[0], slices.Insert(slices.Clone(args[1:]), 1, "-json")...)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		l := listing{said: map[string][]string{}}
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var e event
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				fmt.Println(lines.Text())
				continue
			}
			l.take(e)
		}
		err = lines.Err()
		if waited := cmd.Wait(); waited != nil {
			err = waited
		}
		for _, s := range l.skipped {
			fmt.Println("check: SKIPPED", s)
		}
		return nil, err
	}
}

// A listing makes text of events.
type listing struct {
	said    map[string][]string // output by package and test, until the test ends
	skipped []string
}

func (l *listing) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Test == "" {
			if text := strings.TrimSpace(e.Output); text != "PASS" && !strings.HasPrefix(text, "? ") {
				fmt.Print(e.Output)
			}
			return
		}
		l.said[key] = append(l.said[key], e.Output)
	case "fail":
		fmt.Print(strings.Join(l.said[key], ""))
		delete(l.said, key)
	case "skip":
		if e.Test != "" {
			l.skipped = append(l.skipped, key+": "+reason(l.said[key]))
		}
		delete(l.said, key)
	case "pass":
		delete(l.said, key)
	}
}

// reason is what a skipped test said, on one line, without the runner's own lines.
func reason(said []string) string {
	var out []string
	for _, line := range said {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}
