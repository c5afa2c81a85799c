package sandboxio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/taskmill/taskmill/model"
)

// A group is a control group of one command: memory and processes, version 1 or 2. Its zero
// form, where control groups cannot be made, limits nothing.
type group struct {
	memory, pids string // folders; the same in version 2
	unified      bool
}

// groupParents are the folders below which groups can be made.
type groupParents struct {
	memory, pids string
	unified      bool
}

// findGroups tries where groups can be made, once a process.
var findGroups = sync.OnceValue(func() groupParents {
	memberships, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return groupParents{}
	}
	var found groupParents
	for line := range strings.Lines(string(memberships)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			mount := filepath.Join("/sys/fs/cgroup", controller)
			switch controller {
			case "memory":
				found.memory = usable("memory.limit_in_bytes", filepath.Join(mount, parts[2]), mount)
			case "pids":
				found.pids = usable("pids.max", filepath.Join(mount, parts[2]), mount)
			}
		}
	}
	if found.memory != "" || found.pids != "" {
		return found
	}
	for line := range strings.Lines(string(memberships)) {
		if own, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			own = filepath.Join("/sys/fs/cgroup", own)
			if dir := usable("memory.max", own, filepath.Dir(own)); dir != "" && strings.HasPrefix(dir, "/sys/fs/cgroup") {
				return groupParents{memory: dir, pids: dir, unified: true}
			}
		}
	}
	return groupParents{}
})

// usable is the first parent in which a group with the control file can be made.
func usable(control string, parents ...string) string {
	for _, parent := range parents {
		dir := filepath.Join(parent, groupName()+"-probe")
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, control), os.O_WRONLY, 0)
		if err == nil {
			f.Close()
		}
		if rm := syscall.Rmdir(dir); err == nil && rm == nil {
			return parent
		}
	}
	return ""
}

var groupCount atomic.Int64

// groupName tells whose group it is, so that a later process finds those of a dead one.
func groupName() string {
	return fmt.Sprintf("taskmill-%s-%d", processName(os.Getpid()), groupCount.Add(1))
}

// newGroup makes a group with the limits.
func newGroup(l model.Limits) *group {
	parents := findGroups()
	name := groupName()
	g := &group{unified: parents.unified}
	if parents.memory != "" {
		dir := filepath.Join(parents.memory, name)
		limit := "memory.limit_in_bytes"
		if g.unified {
			limit = "memory.max"
		}
		if os.Mkdir(dir, 0o755) == nil && write(dir, limit, l.MemoryBytes) == nil {
			g.memory = dir
			if g.unified {
				write(dir, "memory.swap.max", 0)
			} else {
				write(dir, "memory.memsw.limit_in_bytes", l.MemoryBytes)
			}
		}
	}
	switch {
	case g.unified && g.memory != "":
		if write(g.memory, "pids.max", l.Processes) == nil {
			g.pids = g.memory
		}
	case !g.unified && parents.pids != "":
		dir := filepath.Join(parents.pids, name)
		if os.Mkdir(dir, 0o755) == nil && write(dir, "pids.max", l.Processes) == nil {
			g.pids = dir
		}
	}
	return g
}

func write(dir, name string, v int64) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(strconv.FormatInt(v, 10)), 0)
}

func (g *group) dirs() []string {
	var out []string
	for _, d := range []string{g.memory, g.pids} {
		if d != "" && (len(out) == 0 || out[0] != d) {
			out = append(out, d)
		}
	}
	return out
}

// outOfMemory tells whether the kernel killed a process of the group for its memory.
func (g *group) outOfMemory() bool {
	if g.memory == "" {
		return false
	}
	name := "memory.oom_control"
	if g.unified {
		name = "memory.events"
	}
	b, err := os.ReadFile(filepath.Join(g.memory, name))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(b) {
		if n, ok := bytes.CutPrefix(line, []byte("oom_kill ")); ok && string(bytes.TrimSpace(n)) != "0" {
			return true
		}
	}
	return false
}

func (g *group) members() []int {
	var out []int
	for _, dir := range g.dirs() {
		b, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			continue
		}
		for f := range strings.FieldsSeq(string(b)) {
			if pid, err := strconv.Atoi(f); err == nil && pid > 1 {
				out = append(out, pid)
			}
		}
	}
	return out
}

// remove deletes the group, which is empty or about to be.
func (g *group) remove() {
	for _, dir := range g.dirs() {
		for range 50 {
			err := syscall.Rmdir(dir)
			if err == nil || errors.Is(err, syscall.ENOENT) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}
