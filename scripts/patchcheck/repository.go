package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A repository answers from a git directory. What git writes goes to a folder of its own.
type repository struct {
	dir     string
	scratch string
	batch   *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	blobs   map[model.Hash][]byte
}

func open(dir, scratch string) (*repository, error) {
	r := &repository{dir: dir, scratch: scratch, blobs: map[model.Hash][]byte{}}
	abs, err := r.git("", "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		return nil, err
	}
	objects := strings.TrimSpace(string(abs))
	if err := os.MkdirAll(filepath.Join(scratch, "objects"), 0o755); err != nil {
		return nil, err
	}
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)
	r.batch = exec.Command("git", "--git-dir", dir, "cat-file", "--batch")
	if r.in, err = r.batch.StdinPipe(); err != nil {
		return nil, err
	}
	pipe, err := r.batch.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReaderSize(pipe, 1<<20)
	return r, r.batch.Start()
}

func (r *repository) close() error {
	r.in.Close()
	return r.batch.Wait()
}

// git runs a command on the repository and returns its output.
func (r *repository) git(stdin string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"--git-dir", r.dir}, args...)...)
	cmd.Env = append(os.Environ(),
		"GIT_OBJECT_DIRECTORY="+filepath.Join(r.scratch, "objects"),
		"GIT_INDEX_FILE="+filepath.Join(r.scratch, "index"))
	if len(r.blobs) == 0 && r.batch == nil {
		cmd.Env = os.Environ()
	}
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// commits are the first-parent commits that have a parent, newest first.
func (r *repository) commits(since string, limit int) ([]string, error) {
	args := []string{"rev-list", "--first-parent", "--min-parents=1"}
	if since != "" {
		args = append(args, "--since="+since)
	}
	if limit > 0 {
		args = append(args, fmt.Sprintf("--max-count=%d", limit))
	}
	out, err := r.git("", append(args, "HEAD")...)
	return strings.Fields(string(out)), err
}

func (r *repository) tree(rev string) (*tree.Tree, error) {
	out, err := r.git("", "ls-tree", "-r", "-z", "--full-tree", rev)
	if err != nil {
		return nil, err
	}
	var entries []model.TreeEntry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		var e model.TreeEntry
		var kind string
		head, path, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if _, err := fmt.Sscanf(head, "%o %s %s", &e.Mode, &kind, &e.Hash); err != nil {
			return nil, fmt.Errorf("read tree %s: %w", rev, err)
		}
		e.Path = path
		entries = append(entries, e)
	}
	return tree.New(entries, r.load), nil
}

func (r *repository) load(e model.TreeEntry) ([]byte, error) {
	if data, ok := r.blobs[e.Hash]; ok {
		return data, nil
	}
	if _, err := fmt.Fprintln(r.in, e.Hash); err != nil {
		return nil, err
	}
	var id, kind string
	var size int
	if _, err := fmt.Fscanf(r.out, "%s %s %d\n", &id, &kind, &size); err != nil {
		return nil, fmt.Errorf("read blob %s: %w", e.Hash, err)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(r.out, data); err != nil {
		return nil, err
	}
	if len(r.blobs) > 20000 {
		clear(r.blobs)
	}
	r.blobs[e.Hash] = data[:size]
	return data[:size], nil
}
