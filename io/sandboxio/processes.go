package sandboxio

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A process is a line of the process table.
type process struct {
	pid, parent int
	start       string // ticks since boot; with pid, a name that is not used again
	pages       int64  // resident
}

func readProcess(pid int) (process, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	i := bytes.LastIndexByte(b, ')') // the name before it may hold anything
	if i < 0 {
		return process{}, false
	}
	f := strings.Fields(string(b[i+1:]))
	if len(f) < 22 {
		return process{}, false
	}
	parent, _ := strconv.Atoi(f[1])
	pages, _ := strconv.ParseInt(f[21], 10, 64)
	return process{pid, parent, f[19], pages}, true
}

// processName names a process over reboots of its number: pid and start time.
func processName(pid int) string {
	p, ok := readProcess(pid)
	if !ok {
		return fmt.Sprintf("%d-0", pid)
	}
	return fmt.Sprintf("%d-%s", pid, p.start)
}

// alive tells whether the process that gave itself this name still runs.
func alive(name string) bool {
	number, start, ok := strings.Cut(name, "-")
	pid, err := strconv.Atoi(number)
	if !ok || err != nil {
		return true
	}
	start, _, _ = strings.Cut(start, "-")
	p, ok := readProcess(pid)
	return ok && p.start == start
}

// family lists root and everything below it in the process table, and what carries the mark in
// the environment it was started with, which a process keeps that leaves its parent.
func family(root int, mark string) []process {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := map[int]process{}
	for _, n := range names {
		if pid, err := strconv.Atoi(n.Name()); err == nil {
			if p, ok := readProcess(pid); ok {
				all[pid] = p
			}
		}
	}
	var out []process
	for pid, p := range all {
		for at, steps := pid, 0; at > 1 && steps < 4096; at, steps = all[at].parent, steps+1 {
			if at == root {
				out = append(out, p)
				break
			}
		}
	}
	for pid, p := range all {
		if mark == "" || pid == os.Getpid() {
			continue
		}
		if b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ")); err == nil && bytes.Contains(b, []byte(mark)) {
			out = append(out, p)
		}
	}
	return out
}

// killFamily kills the process group of root, its descendants, the group's members and the
// marked, until none is left.
func killFamily(root int, g *group, mark string) {
	for range 20 {
		syscall.Kill(-root, syscall.SIGKILL)
		pids := g.members()
		if len(g.dirs()) == 0 {
			for _, p := range family(root, mark) {
				pids = append(pids, p.pid)
			}
		}
		left := 0
		for _, pid := range pids {
			if pid != os.Getpid() && syscall.Kill(pid, syscall.SIGKILL) == nil {
				left++
			}
		}
		if left == 0 {
			return
		}
	}
}
