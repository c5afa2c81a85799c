package sandboxio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/taskmill/taskmill/model"
)

// A job is one process tree with its limits.
type job struct {
	argv    []string // started on this machine, absolute
	dir     string
	limits  model.Limits
	group   *group
	mark    string // environment entry that marks its processes where no namespace holds them
	watched string // folder that everything it writes lies in
	before  int64  // space taken in watched before it started
	stdout  bool   // keep stdout apart
}

// innerScript becomes the command as the last step inside the sandbox. Just before, it writes a
// byte on descriptor 3: without it the sandbox did not come up.
const innerScript = `command -v -- "$2" >/dev/null 2>&1 || { echo "command not found: $2" >&2; exit 127; }
printf s >&3
cd -- "$1" || exit 1
shift
exec "$@" 3>&-`

// run starts the job and waits for all of it to be gone. The error is the context's or the
// machine's; what became of the command is the outcome, without its report file.
func (j job) run(ctx context.Context) (model.Outcome, error) {
	type result struct {
		o   model.Outcome
		err error
	}
	done := make(chan result, 1)
	go func() {
		// The kernel sends the parent-death signal when the thread that started the
		// process ends; a locked thread lives as long as this function.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		o, err := j.runLocked(ctx)
		done <- result{o, err}
	}()
	r := <-done
	return r.o, r.err
}

func (j job) runLocked(ctx context.Context) (model.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return model.Outcome{}, err
	}
	c := &collector{limit: j.limits.OutputBytes, breach: make(chan struct{})}
	cmd := exec.Command(j.argv[0], j.argv[1:]...)
	cmd.Dir = j.dir
	cmd.Env = []string{"PATH=" + systemPath, "LANG=C.UTF-8"}
	if j.mark != "" {
		cmd.Env = append(cmd.Env, j.mark)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started, startedW, err := os.Pipe()
	if err != nil {
		return model.Outcome{}, fmt.Errorf("open pipe: %w", err)
	}
	defer started.Close()
	cmd.ExtraFiles = []*os.File{startedW}
	closers, readers, err := c.attach(cmd, j.stdout)
	if err != nil {
		startedW.Close()
		return model.Outcome{}, err
	}
	begin := time.Now()
	err = cmd.Start()
	for _, f := range append(closers, startedW) {
		f.Close()
	}
	if err != nil {
		for _, r := range readers {
			r.Close()
		}
		return infrastructure("start " + j.argv[0] + ": " + err.Error()), nil
	}
	var wait sync.WaitGroup
	for i, r := range readers {
		wait.Go(func() { c.read(r, j.stdout && i == 0) })
	}
	exited := make(chan struct{})
	cause := j.watch(ctx, cmd.Process.Pid, c.breach, exited)
	cmd.Wait()
	close(exited)
	reason := <-cause
	killFamily(cmd.Process.Pid, j.group, j.mark)
	j.drain(&wait, readers)
	o := model.Outcome{Log: c.log, Report: c.report, Seconds: time.Since(begin).Seconds(), ExitCode: cmd.ProcessState.ExitCode()}
	if err := ctx.Err(); err != nil && reason == cancelled {
		return model.Outcome{}, err
	}
	started.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	n, _ := started.Read(make([]byte, 1))
	o.Outcome, o.Detail = j.classify(reason, n == 1, cmd.ProcessState, o.Log)
	return o, nil
}

// drain waits for the readers to see the end of what the dead processes wrote.
func (j job) drain(wait *sync.WaitGroup, readers []*os.File) {
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
	}
	for _, r := range readers {
		r.Close()
	}
	<-done
}

func infrastructure(detail string) model.Outcome {
	return model.Outcome{Outcome: model.OutcomeInfrastructure, ExitCode: -1, Detail: detail}
}

// cancelled is the cause of a kill that is no outcome.
const cancelled = "cancelled"

// watch kills the process group at the first breach. It gives the cause, "" for none, once the
// process has exited.
func (j job) watch(ctx context.Context, pid int, output <-chan struct{}, exited <-chan struct{}) <-chan string {
	cause := make(chan string, 1)
	go func() {
		wall := time.NewTimer(j.limits.Wall)
		defer wall.Stop()
		poll := time.NewTimer(100 * time.Millisecond)
		defer poll.Stop()
		first := ""
		kill := func(reason string) {
			if first == "" {
				first = reason
			}
			killFamily(pid, j.group, j.mark)
		}
		for {
			select {
			case <-exited:
				cause <- first
				return
			case <-ctx.Done():
				kill(cancelled)
				<-exited
				cause <- first
				return
			case <-wall.C:
				kill(model.OutcomeTimeout)
			case <-output:
				output = nil
				kill(model.OutcomeOutput)
			case <-poll.C:
				begin := time.Now()
				if breach := j.poll(pid); breach != "" {
					kill(breach)
				}
				poll.Reset(max(200*time.Millisecond, 20*time.Since(begin)))
			}
		}
	}()
	return cause
}

// poll looks for a breach that the kernel does not see for us.
func (j job) poll(pid int) string {
	if j.overDisk() {
		return model.OutcomeDisk
	}
	if j.group.memory != "" && j.group.pids != "" {
		return ""
	}
	members := family(pid, j.mark)
	var pages int64
	for _, p := range members {
		pages += p.pages
	}
	if j.group.memory == "" && pages*int64(os.Getpagesize()) > j.limits.MemoryBytes {
		return model.OutcomeMemory
	}
	if j.group.pids == "" && int64(len(members)) > 2*j.limits.Processes {
		return model.OutcomeFailed
	}
	return ""
}

func (j job) overDisk() bool {
	if j.watched == "" {
		return false
	}
	used, deep := diskUse(j.watched)
	return deep || used-j.before > j.limits.DiskBytes
}

// classify names how the command ended.
func (j job) classify(reason string, started bool, state *os.ProcessState, log []byte) (outcome, detail string) {
	status, _ := state.Sys().(syscall.WaitStatus)
	code := state.ExitCode()
	signal := syscall.Signal(0)
	if status.Signaled() {
		signal = status.Signal()
	} else if code > 128 && code <= 128+31 { // as the shells and bubblewrap tell a signal
		signal = syscall.Signal(code - 128)
	}
	switch {
	case reason != "":
		return reason, ""
	case j.group.outOfMemory():
		return model.OutcomeMemory, ""
	case !started:
		return model.OutcomeInfrastructure, "the sandbox did not start: " + lastLine(log)
	case signal == syscall.SIGXFSZ || j.overDisk():
		return model.OutcomeDisk, ""
	case code == 0 && signal == 0:
		return model.OutcomeOK, ""
	case j.watched != "" && freeSpace(j.watched) >= 0 && freeSpace(j.watched) < 16<<20:
		return model.OutcomeInfrastructure, "the disk of the work folder is full"
	case signal != 0:
		return model.OutcomeKilled, ""
	}
	return model.OutcomeFailed, ""
}

func lastLine(log []byte) string {
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return string(bytes.TrimSpace(lines[len(lines)-1]))
}

// A collector keeps output up to a limit and tells when there is more.
type collector struct {
	mu          sync.Mutex
	limit       int64
	log, report []byte
	over        bool
	breach      chan struct{}
}

// attach gives cmd its pipes: one for both streams, in the order they are written, or two.
func (c *collector) attach(cmd *exec.Cmd, apart bool) (ours, readers []*os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("open pipe: %w", err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	ours, readers = append(ours, w), append(readers, r)
	if apart {
		r, w, err := os.Pipe()
		if err != nil {
			ours[0].Close()
			readers[0].Close()
			return nil, nil, fmt.Errorf("open pipe: %w", err)
		}
		cmd.Stderr = w
		ours, readers = append(ours, w), append(readers, r)
	}
	return ours, readers, nil
}

// read takes all of r, also past the limit, so that the writer meets its end by the kill and
// not by a closed pipe.
func (c *collector) read(r io.Reader, report bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := r.Read(buffer)
		c.add(buffer[:n], report)
		if err != nil {
			return
		}
	}
}

func (c *collector) add(b []byte, report bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if left := c.limit - int64(len(c.log)); int64(len(b)) > left {
		b = b[:left]
		if !c.over {
			c.over = true
			close(c.breach)
		}
	}
	c.log = append(c.log, b...)
	if report {
		c.report = append(c.report, b...)
	}
}
