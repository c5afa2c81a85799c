package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
)

// A cost is the least that a run took: on the wall, which other work on the machine lengthens,
// and of processor time.
type cost struct{ wall, cpu time.Duration }

var worst = cost{math.MaxInt64, math.MaxInt64}

func (c cost) String() string {
	return fmt.Sprintf("%.3f s (processor %.3f s)", c.wall.Seconds(), c.cpu.Seconds())
}

// over is the ratio to another cost.
func (c cost) over(d cost) string {
	return fmt.Sprintf("ratio %.2f (processor %.2f)", c.wall.Seconds()/d.wall.Seconds(), c.cpu.Seconds()/d.cpu.Seconds())
}

func (c *cost) took(wall, cpu time.Duration) { c.wall, c.cpu = min(c.wall, wall), min(c.cpu, cpu) }

func (c *cost) git(repo string, tip model.Hash) error {
	begin := time.Now()
	git := exec.Command("git", "-C", repo, "log", "--first-parent", "-m", "--raw", string(tip))
	git.Stdout, git.Stderr = io.Discard, os.Stderr
	if err := git.Run(); err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	c.took(time.Since(begin), git.ProcessState.UserTime()+git.ProcessState.SystemTime())
	return nil
}

func (c *cost) ours(repo string, run func(*gitio.Repository) error) error {
	before, begin := processor(), time.Now()
	r, err := gitio.Open(context.Background(), model.Source{Location: repo}, gitio.Options{})
	if err != nil {
		return err
	}
	if err := run(r); err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	c.took(time.Since(begin), processor()-before)
	return nil
}

// processor is the processor time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
