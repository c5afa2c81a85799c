package sandboxio

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/taskmill/taskmill/model"
)

// stepFile is the script that a container of several steps runs; it is written anew for each.
const stepFile = "/taskmill-step"

// outerScript stays the first process, so that it reaps orphans and its end is the container's.
// It says the token just before the command, to tell that the container came up. What
// the shell says about a killed command goes nowhere.
func outerScript(token string, c command) string {
	words := append([]string{"/usr/bin/env", "-i"}, c.env...)
	words = append(words, "/bin/sh", "-c", strings.Replace(innerScript, "printf s >&3", "echo "+token+" >&2", 1), "sh", c.dir)
	words = append(words, c.argv...)
	for i, w := range words {
		words[i] = quote(w)
	}
	err := "2>&1" // one stream keeps the order
	if c.stdoutOnly {
		err = "2>&4"
	}
	return "exec 3>&- 4>&2 2>/dev/null\n(exec " + strings.Join(words, " ") + " </dev/null " + err + " 4>&-)\nexit $?\n"
}

// step runs one command in a container whose Cmd is the step file.
func (d *docker) step(ctx context.Context, id string, c command, limits model.Limits) (model.Outcome, error) {
	token := randomName()
	if err := d.upload(ctx, id, tarFile(stepFile, []byte(outerScript(token, c)))); err != nil {
		return model.Outcome{}, err
	}
	return d.start(ctx, id, token, c, limits)
}

// upload unpacks a tar stream at the root of a container.
func (d *docker) upload(ctx context.Context, id string, content io.Reader) error {
	if _, err := d.cli.CopyToContainer(ctx, id, client.CopyToContainerOptions{DestinationPath: "/", Content: content}); err != nil {
		return fmt.Errorf("copy into container: %w", err)
	}
	return nil
}

func tarFile(name string, data []byte) io.Reader {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(name, "/"), Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(data))})
	if err == nil {
		_, err = w.Write(data)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		panic("sandboxio: tar in memory: " + err.Error())
	}
	return &b
}

// start starts a container, follows it to its end and reads its report. An engine's error is an
// infrastructure outcome; the error is the context's.
func (d *docker) start(ctx context.Context, id, token string, c command, limits model.Limits) (model.Outcome, error) {
	release, err := acquire(ctx, d.jobs)
	if err != nil {
		return model.Outcome{}, err
	}
	defer release()
	if len(c.argv) == 0 {
		return infrastructure("the command is empty"), nil
	}
	out := &collector{limit: limits.OutputBytes + int64(len(token)+1), breach: make(chan struct{})}
	attached, err := d.cli.ContainerAttach(ctx, id, client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		return infrastructure("attach to container: " + err.Error()), ctx.Err()
	}
	defer attached.Close()
	var reading sync.WaitGroup
	reading.Go(func() { demultiplex(attached.Reader, out, c.stdoutOnly) })
	waiting := d.cli.ContainerWait(context.WithoutCancel(ctx), id, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	begin := time.Now()
	if _, err := d.cli.ContainerStart(ctx, id, client.ContainerStartOptions{}); err != nil {
		return infrastructure("start container: " + err.Error()), ctx.Err()
	}
	reason, err := d.follow(ctx, id, limits, out.breach, waiting)
	if err != nil {
		return infrastructure("wait for container: " + err.Error()), ctx.Err()
	}
	seconds := time.Since(begin).Seconds()
	drainStream(&reading, attached.Close)
	if reason == cancelled {
		return model.Outcome{}, ctx.Err()
	}
	end, err := d.cli.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if err != nil || end.Container.State == nil {
		return infrastructure(fmt.Sprintf("inspect container: %v", err)), ctx.Err()
	}
	o := model.Outcome{Report: out.report, Seconds: seconds, ExitCode: end.Container.State.ExitCode}
	before, after, started := bytes.Cut(out.log, []byte(token+"\n"))
	o.Log = append(slices.Clone(before), after...)
	o.Log = o.Log[:min(int64(len(o.Log)), limits.OutputBytes)]
	o.Outcome, o.Detail = classifyContainer(reason, started, end.Container.State, o.Log)
	if o.Outcome == model.OutcomeFailed && d.overDisk(ctx, id, limits) {
		o.Outcome = model.OutcomeDisk
	}
	o = withReport(o, c, limits, func(name string, limit int64) ([]byte, bool, bool) {
		return d.readFile(ctx, id, tmpDir+"/"+name, limit)
	})
	o.Log = insidePlaces.normal(o.Log, c.report)
	o.Report = insidePlaces.normal(o.Report, c.report)
	return o, ctx.Err()
}

func classifyContainer(reason string, started bool, state *container.State, log []byte) (outcome, detail string) {
	switch {
	case reason != "":
		return reason, ""
	case state.OOMKilled:
		return model.OutcomeMemory, ""
	case !started:
		return model.OutcomeInfrastructure, "the container did not start: " + strings.TrimSpace(state.Error+" "+lastLine(log))
	case state.ExitCode == 0:
		return model.OutcomeOK, ""
	case state.ExitCode == 128+25: // SIGXFSZ: a file over the limit
		return model.OutcomeDisk, ""
	case state.ExitCode > 128 && state.ExitCode <= 128+31:
		return model.OutcomeKilled, ""
	}
	return model.OutcomeFailed, ""
}

// follow waits for a container's end and kills it at the first breach.
func (d *docker) follow(ctx context.Context, id string, limits model.Limits, output <-chan struct{}, waiting client.ContainerWaitResult) (reason string, err error) {
	wall := time.NewTimer(limits.Wall)
	defer wall.Stop()
	poll := time.NewTimer(time.Second)
	defer poll.Stop()
	done := ctx.Done()
	kill := func(why string) {
		if reason == "" {
			reason = why
		}
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineTimeout)
		defer cancel()
		d.cli.ContainerKill(short, id, client.ContainerKillOptions{}) // one that has ended is what we want
	}
	for {
		select {
		case r := <-waiting.Result:
			if r.Error != nil && r.Error.Message != "" {
				return reason, errors.New(r.Error.Message)
			}
			return reason, nil
		case err := <-waiting.Error:
			return reason, err
		case <-done:
			done = nil
			kill(cancelled)
		case <-wall.C:
			kill(model.OutcomeTimeout)
		case <-output:
			output = nil
			kill(model.OutcomeOutput)
		case <-poll.C:
			begin := time.Now()
			if d.overDisk(ctx, id, limits) {
				kill(model.OutcomeDisk)
			}
			poll.Reset(max(time.Second, 20*time.Since(begin)))
		}
	}
}

// overDisk asks the engine what the container's layer takes.
func (d *docker) overDisk(ctx context.Context, id string, limits model.Limits) bool {
	now, err := d.cli.ContainerInspect(ctx, id, client.ContainerInspectOptions{Size: true})
	return err == nil && now.Container.SizeRw != nil && *now.Container.SizeRw >= limits.DiskBytes
}

// demultiplex reads the engine's stream: frames of one byte for the stream, three of nothing
// and four for the length.
func demultiplex(r io.Reader, out *collector, apart bool) {
	var head [8]byte
	buffer := make([]byte, 64<<10)
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		for left := int(binary.BigEndian.Uint32(head[4:])); left > 0; {
			n, err := r.Read(buffer[:min(left, len(buffer))])
			out.add(buffer[:n], apart && head[0] == 1)
			left -= n
			if err != nil {
				return
			}
		}
	}
}

// drainStream waits for the rest of a dead container's output, then closes the stream.
func drainStream(reading *sync.WaitGroup, stop func()) {
	done := make(chan struct{})
	go func() { reading.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		stop()
		<-done
	}
}

// readFile reads a regular file of a stopped container, never more than the limit and never
// through a link at its end.
func (d *docker) readFile(ctx context.Context, id, name string, limit int64) (data []byte, tooLarge, ok bool) {
	got, err := d.cli.CopyFromContainer(ctx, id, client.CopyFromContainerOptions{SourcePath: name})
	if err != nil {
		return nil, false, false
	}
	defer got.Content.Close()
	r := tar.NewReader(got.Content)
	h, err := r.Next()
	if err != nil || h.Typeflag != tar.TypeReg {
		return nil, false, false
	}
	if h.Size > limit {
		return nil, true, true
	}
	data, err = io.ReadAll(io.LimitReader(r, limit+1))
	return data, false, err == nil
}
