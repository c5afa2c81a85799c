package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var scored = regexp.MustCompile(`(\d+) tasks?, (\d+) predictions?: (\d+) resolved, (\d+) unresolved, (\d+) empty, (\d+) with errors`)

// inSandbox builds a sample in a sandbox, scores the gold and the empty patches and looks for
// drift.
func inSandbox(ctx context.Context, b *bench, kind, lang string) (string, error) {
	if err := have(ctx, kind, lang); err != nil {
		return "", err
	}
	name := kind + "-" + lang
	corpus, _, err := b.build(ctx, name, lang, kind)
	if err != nil {
		return "", err
	}
	if err := intended(ctx, corpus, lang, true); err != nil {
		return "", err
	}
	work := []string{"--sandbox", kind, "--work", filepath.Join(b.dir, name, "work")}
	var tasks int
	for _, predictions := range []string{"gold", "empty"} {
		e, err := b.taskmill(ctx, append([]string{"eval", "--tasks", corpus, "--predictions", predictions, "--out", filepath.Join(b.dir, name, predictions)}, work...)...)
		if err != nil {
			return "", err
		}
		n, err := counts(e.out)
		if err != nil {
			return "", err
		}
		tasks = n[0]
		want := map[string]int{"gold": tasks}[predictions]
		if tasks == 0 || n[1] != tasks || n[2] != want || n[5] != 0 {
			return "", fmt.Errorf("eval %s: want %d of %d resolved and no error: %s", predictions, want, tasks, lastLines(e.out+e.errOut, 15))
		}
	}
	e, err := b.taskmill(ctx, append([]string{"verify", corpus, "--repeat", "2", "--out", filepath.Join(b.dir, name, "drifts")}, work...)...)
	if err != nil {
		return "", err
	}
	if !strings.Contains(e.out, fmt.Sprintf("%d tasks verified 2 times: 0 drift", tasks)) {
		return "", fmt.Errorf("verify: %s", lastLines(e.out+e.errOut, 15))
	}
	return fmt.Sprintf("%d tasks, every end as intended, gold resolves all, empty none, no drift", tasks), nil
}

// counts reads the line of totals of eval: tasks, predictions, resolved, unresolved, empty,
// errors.
func counts(out string) ([]int, error) {
	m := scored.FindStringSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("no totals in %q", out)
	}
	var n []int
	for _, s := range m[1:] {
		i, err := strconv.Atoi(s)
		if err != nil {
			return nil, err
		}
		n = append(n, i)
	}
	return n, nil
}

// have says what a sandbox of a language lacks on this machine.
func have(ctx context.Context, kind, lang string) error {
	switch kind {
	case "bwrap":
		if _, err := exec.LookPath("bwrap"); err != nil {
			return skipped{"no bubblewrap: apt-get install bubblewrap"}
		}
	case "docker":
		if err := exec.CommandContext(ctx, "docker", "version").Run(); err != nil {
			return skipped{"no Docker engine answers: start one with scripts/engine"}
		}
		if err := exec.CommandContext(ctx, "docker", "image", "inspect", "taskmill-base:"+lang).Run(); err != nil {
			return skipped{"no image taskmill-base:" + lang + ": make it with scripts/baseimage"}
		}
	}
	return nil
}
