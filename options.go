package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/pipelines/execute"
)

// parse parses the call's flags, wherever they stand among the arguments.
func (c *call) parse() error {
	var rest []string
	args := c.args
	for {
		if err := c.flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return err
			}
			return usagef("%v: see taskmill help %s", err, c.flags.Name())
		}
		args = c.flags.Args()
		if len(args) == 0 {
			break
		}
		rest = append(rest, args[0])
		args = args[1:]
	}
	c.args = rest
	return nil
}

// list is a flag that may be given several times, or once with commas.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	for v := range strings.SplitSeq(s, ",") {
		if v = strings.TrimSpace(v); v == "" {
			return errors.New("empty value")
		}
		*l = append(*l, v)
	}
	return nil
}

// numbers is a flag of positive numbers.
type numbers []int64

func (n *numbers) String() string { return fmt.Sprint([]int64(*n)) }

func (n *numbers) Set(s string) error {
	for v := range strings.SplitSeq(s, ",") {
		i, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(v), "#"), 10, 64)
		if err != nil || i < 1 {
			return fmt.Errorf("%q is no pull request number", v)
		}
		*n = append(*n, i)
	}
	return nil
}

// date is a flag of a day or a moment. end makes a day mean its end.
type date struct {
	at  *time.Time
	end bool
}

func (d date) String() string {
	if d.at == nil || d.at.IsZero() {
		return ""
	}
	return d.at.Format(time.RFC3339)
}

func (d date) Set(s string) error {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		if d.end {
			t = t.Add(24 * time.Hour)
		}
		*d.at = t.UTC()
		return nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return fmt.Errorf("%q is no date: want 2026-01-31 or 2026-01-31T10:00:00Z", s)
	}
	*d.at = t.UTC()
	return nil
}

// sandboxFlags are the flags of everything that runs something.
type sandboxFlags struct {
	sandbox string
	jobs    int
	work    string
	images  list
}

func (f *sandboxFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.sandbox, "sandbox", "auto", "how runs are isolated: auto, docker, bwrap, or local (no isolation)")
	fs.IntVar(&f.jobs, "jobs", runtime.NumCPU(), "runs at once in a process")
	fs.StringVar(&f.work, "work", "", "folder or gs:// prefix of the ledger and caches (default: the user's cache folder)")
	fs.Var(&f.images, "base-image", "`LANG=REF` of the image that a language's environments start from (docker)")
}

// settings resolves the flags: auto becomes a kind, the cache folder is made.
func (f *sandboxFlags) settings(ctx context.Context) (execute.Settings, error) {
	var s execute.Settings
	images, err := execute.ParseImages(f.images)
	if err != nil {
		return s, usageError{err}
	}
	if !slices.Contains([]string{"auto", "docker", "bwrap", "local"}, f.sandbox) {
		return s, usagef("--sandbox %s: want auto, docker, bwrap or local", f.sandbox)
	}
	if f.jobs < 1 {
		return s, usagef("--jobs %d: want 1 or more", f.jobs)
	}
	work, err := f.folder()
	if err != nil {
		return s, err
	}
	cache := work
	if strings.HasPrefix(work, "gs://") {
		if cache, err = cacheFolder(); err != nil {
			return s, err
		}
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return s, fmt.Errorf("make work folder %s: %w", cache, err)
	}
	kind, err := resolve(ctx, f.sandbox, cache, images)
	if err != nil {
		return s, err
	}
	id := make([]byte, 8)
	rand.Read(id)
	return execute.Settings{Work: work, Cache: cache, Sandbox: kind, BaseImages: images, Jobs: f.jobs, BuildID: hex.EncodeToString(id)}, nil
}

// folder is the work folder, absolute, or a gs:// prefix.
func (f *sandboxFlags) folder() (string, error) {
	work := f.work
	if work == "" {
		return cacheFolder()
	}
	return absolute("--work", work)
}

// cacheFolder is the user's own.
func cacheFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: set HOME or name one with --work: %w", err)
	}
	return filepath.Join(cache, "taskmill"), nil
}

// absolute is the folder of a flag as every process of this machine names it; a gs:// prefix
// stays as it is.
func absolute(flag, dir string) (string, error) {
	if strings.ContainsFunc(dir, unicode.IsControl) {
		return "", usagef("%s %q: a control character in the name: choose another folder", flag, dir)
	}
	if strings.HasPrefix(dir, "gs://") {
		return dir, nil
	}
	return filepath.Abs(dir)
}

// resolve opens the sandbox once, so that one that is not to be had is an error before any work,
// and says which kind auto chose.
func resolve(ctx context.Context, kind, work string, images map[string]string) (string, error) {
	p, err := sandboxio.Open(ctx, kind, sandboxio.Options{Work: work, BaseImages: images})
	if err != nil {
		return "", err
	}
	if c, ok := p.(io.Closer); ok {
		err = c.Close()
	}
	return p.Kind(), err
}

// printFlags prints the call's own flags, then the names of the runner's.
func printFlags(c *call) {
	var beamFlags []string
	own := flag.NewFlagSet("", flag.ContinueOnError)
	own.SetOutput(c.out)
	c.flags.VisitAll(func(f *flag.Flag) {
		if flag.CommandLine.Lookup(f.Name) != nil && flag.CommandLine.Lookup(f.Name).Value == f.Value {
			beamFlags = append(beamFlags, "--"+f.Name)
			return
		}
		own.Var(f.Value, f.Name, f.Usage)
	})
	fmt.Fprintln(c.out, "Flags:")
	own.VisitAll(func(f *flag.Flag) { printFlag(c.out, f) })
	if len(beamFlags) > 0 {
		fmt.Fprintf(c.out, "\nOptions of Beam's runners, as Beam has them: %s\n", strings.Join(beamFlags, " "))
	}
}

func printFlag(w io.Writer, f *flag.Flag) {
	kind, usage := flag.UnquoteUsage(f)
	if kind != "" {
		kind = " " + strings.ToUpper(kind)
	}
	def := ""
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
		def = " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(w, "  --%s%s\n        %s%s\n", f.Name, kind, usage, def)
}

// readRegular reads a regular file. Anything else, such as a pipe or a device, may never end.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	return os.ReadFile(name)
}
