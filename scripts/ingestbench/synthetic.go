package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
)

// synthetic builds a bare repository whose first-parent line has n commits: two of three are
// squashed pull requests, each third a merge of a branch of two commits. 800 files in 40
// folders; a commit changes one to four of them.
func synthetic(dir string, n int) (err error) {
	if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	cmd := exec.Command("git", "-C", dir, "fast-import", "--quiet", "--done")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriter(in)
	history(w, n)
	if err := w.Flush(); err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("git fast-import: %w", err)
	}
	if out, err := exec.Command("git", "-C", dir, "repack", "-adq").CombinedOutput(); err != nil {
		return fmt.Errorf("git repack: %w: %s", err, out)
	}
	return nil
}

// history writes the stream that fast-import reads.
func history(w io.Writer, n int) {
	random := rand.New(rand.NewPCG(1, 2))
	clock, mark := 1_500_000_000, 0
	commit := func(ref, message string, from, merge int, files int) int {
		mark++
		clock += 600
		fmt.Fprintf(w, "commit %s\nmark :%d\n", ref, mark)
		fmt.Fprintf(w, "author Ada Example <ada@example.com> %d +0000\n", clock)
		fmt.Fprintf(w, "committer Ada Example <ada@example.com> %d +0000\n", clock)
		fmt.Fprintf(w, "data %d\n%s\n", len(message), message)
		if from > 0 {
			fmt.Fprintf(w, "from :%d\n", from)
		}
		if merge > 0 {
			fmt.Fprintf(w, "merge :%d\n", merge)
		}
		for range files {
			text := fmt.Sprintf("package p\n\nconst v = %d\n", random.Uint64())
			if from == 0 {
				break
			}
			fmt.Fprintf(w, "M 644 inline dir%02d/sub%d/file%02d.go\ndata %d\n%s\n", random.IntN(40), random.IntN(4), random.IntN(20), len(text), text)
		}
		fmt.Fprintln(w)
		return mark
	}
	main := commit("refs/heads/main", "Start", 0, 0, 0)
	main = commit("refs/heads/main", "Fill", main, 0, 3000)
	for k := 3; k <= n; k++ {
		if k%3 > 0 {
			main = commit("refs/heads/main", fmt.Sprintf("Change the constant again (#%d)\n\nIt was wrong.", k), main, 0, 1+random.IntN(4))
			continue
		}
		branch := commit("refs/heads/topic", "First half", main, 0, 1+random.IntN(4))
		branch = commit("refs/heads/topic", "Second half", branch, 0, 1)
		main = commit("refs/heads/main", fmt.Sprintf("Merge pull request #%d from ada/topic\n\nChange it\n\nFixes #%d", k, k+1), main, branch, 2)
	}
	fmt.Fprintln(w, "reset refs/heads/topic\nfrom 0000000000000000000000000000000000000000\n\ndone")
}
