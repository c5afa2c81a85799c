// Command patchcheck holds transforms/patch against git on the real changes of repositories: line
// and hunk counts of its diffs, and acceptance and result of `git apply` and `git apply -R`, for
// whole changes and for each hunk alone.
//
//	go run ./scripts/patchcheck [-since DATE] [-limit N] REPOSITORY...
//
// It prints each disagreement and a summary for each repository, and exits 1 where git and the
// package apply a patch differently.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	since := flag.String("since", "", "only commits after this date")
	limit := flag.Int("limit", 0, "at most this many commits of each repository; 0 is all")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	differ := false
	for _, dir := range flag.Args() {
		t, err := check(dir, *since, *limit)
		if err != nil {
			fmt.Fprintf(os.Stderr, "patchcheck: %s: %v\n", dir, err)
			os.Exit(1)
		}
		fmt.Printf("%s\n%s", dir, t)
		differ = differ || len(t.apart) > 0
	}
	if differ {
		os.Exit(1)
	}
}

// A tally counts how often git and the package agree.
type tally struct {
	commits                   int
	files, counts, hunksEqual int // files that git shows; of which lines and hunks are as many
	whole, wholeTaken         int
	identical                 int // files whose hunks are git's, byte for byte
	hunks, hunksTaken         int
	forward, forwardTaken     int
	ambiguous, moved          int
	apart                     []string // applied differently
	uneven                    []string // counted differently
	exceptions                []string // applied differently for a known reason
	unread                    []string // commits whose change git itself cannot read (a missing object)
}

func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  commits %d\n", t.commits)
	fmt.Fprintf(&b, "  files %d: changed lines as git's in %d (%s), hunks too in %d (%s), every byte of them in %d (%s)\n",
		t.files, t.counts, share(t.counts, t.files), t.hunksEqual, share(t.hunksEqual, t.files), t.identical, share(t.identical, t.files))
	fmt.Fprintf(&b, "  whole changes reversed on the newest tree %d, of which git takes %d\n", t.whole, t.wholeTaken)
	fmt.Fprintf(&b, "  single hunks reversed on the newest tree %d, of which git takes %d (%d elsewhere, %d ambiguous)\n", t.hunks, t.hunksTaken, t.moved, t.ambiguous)
	fmt.Fprintf(&b, "  single hunks applied to the oldest tree %d, of which git takes %d\n", t.forward, t.forwardTaken)
	fmt.Fprintf(&b, "  applied differently %d\n", len(t.apart))
	for _, line := range t.apart {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintf(&b, "  exceptions %d\n", len(t.exceptions))
	for _, line := range t.exceptions {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintf(&b, "  not read %d\n", len(t.unread))
	for _, line := range t.unread {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintf(&b, "  counted differently %d\n", len(t.uneven))
	for _, line := range t.uneven[:min(len(t.uneven), 40)] {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	return b.String()
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(of))
}
