package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// changes is how many pull requests the repository has. Each has a package of its own and needs
// the whole suite's runs, so their number grows with its square; this many need over 100 runs.
const changes = 7

// synthetic makes a repository of one Go module without dependencies. Each pull request adds a
// function with its test to a package that has a test which sleeps 2 s: every run of a unit takes
// that long and nearly no processor time.
func synthetic(ctx context.Context, dir string) error {
	if _, err := output(ctx, "", "git", "init", "-q", "-b", "main", dir); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "fast-import", "--quiet", "--done")
	cmd.Stdin = strings.NewReader(history())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git fast-import: %w: %s", err, bytes.TrimSpace(out))
	}
	_, err := output(ctx, dir, "git", "-c", "advice.detachedHead=false", "checkout", "-q", "main")
	return err
}

// history is the stream that fast-import reads.
func history() string {
	var w strings.Builder
	start := map[string]string{"go.mod": "module example.com/naps\n\ngo 1.21\n"}
	for i := range changes {
		p := fmt.Sprintf("nap%02d", i)
		start[p+"/nap.go"] = fmt.Sprintf("// Package %s rests.\npackage %s\n\nimport \"time\"\n\n// Rest takes two seconds.\nfunc Rest() { time.Sleep(2 * time.Second) }\n", p, p)
		start[p+"/nap_test.go"] = fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc TestRest(t *testing.T) { Rest() }\n", p)
	}
	commit(&w, 0, "Start", start)
	for i := range changes {
		commit(&w, i+1, fmt.Sprintf("Count the seconds of nap%02d (#%d)\n\nCallers that plan a rest want to know how long it takes before they start it.", i, i+1), change(i))
	}
	commit(&w, changes+1, "Say what the module is", map[string]string{"README.md": "# naps\n\nPackages that rest.\n"})
	w.WriteString("done\n")
	return w.String()
}

// change is the pull request of package i. No two say the same, or one would tell another's answer.
func change(i int) map[string]string {
	p, f := fmt.Sprintf("nap%02d", i), fmt.Sprintf("Seconds%02d", i)
	return map[string]string{
		p + "/count.go":      fmt.Sprintf("package %s\n\n// %s is how long n rests take.\nfunc %s(n int) int {\n\treturn 2 * max(n, 0)\n}\n", p, f, f),
		p + "/count_test.go": fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc Test%s(t *testing.T) {\n\tif got := %s(3); got != 6 {\n\t\tt.Errorf(\"%s(3) = %%d, want 6\", got)\n\t}\n}\n", p, f, f, f),
	}
}

func commit(w *strings.Builder, n int, message string, files map[string]string) {
	at := 1_700_000_000 + n*86_400
	fmt.Fprintf(w, "commit refs/heads/main\n")
	for _, who := range []string{"author", "committer"} {
		fmt.Fprintf(w, "%s Ada Example <ada@example.com> %d +0000\n", who, at)
	}
	fmt.Fprintf(w, "data %d\n%s\n", len(message), message)
	for name, text := range files {
		fmt.Fprintf(w, "M 644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
}
