// Package gitio turns a git repository (a work tree, a bare repository or a URL) into records
// of its merged pull requests and into commits, trees and changes as plain values. It opens
// files for reading only: it never writes into a repository that a user named, never reads a
// user's git configuration, and starts no program.
//
// Objects are read by a pack reader of its own, since go-git's costs several times git's time
// on a whole history; go-git clones and fetches mirrors and reads the configuration file.
package gitio

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/config"
	"github.com/taskmill/taskmill/model"
)

// Options of Open. The zero value is usable for local paths.
type Options struct {
	// Name is owner/name and wins over what the repository says.
	Name string
	// WorkDir is where mirrors of URLs and samples are kept.
	WorkDir string
	// MaxBlob bounds the content that Blob returns, in bytes; 0 is 20 MB.
	MaxBlob int64
	// CacheBytes bounds the object cache; 0 is 96 MB.
	CacheBytes int64
	// Offline uses an existing mirror of a URL as it is.
	Offline bool
}

// A Repository reads one repository as it was when it was opened. Safe for concurrent use.
type Repository struct {
	source  model.Source
	dir     string // git directory
	common  string // where objects and references are; dir unless a linked work tree
	objects *objects
	refs    refTable
	shallow map[id]bool
	config  *config.Config
	mirror  bool
	maxBlob int64

	mu    sync.Mutex
	nodes map[id]*node
	lines map[model.Hash]map[model.Hash]int // position on the first-parent line of a commit
}

// Source is the repository as the user named it, with its owner/name.
func (r *Repository) Source() model.Source { return r.source }

// Dir is the folder that holds the objects. Nothing may write to it.
func (r *Repository) Dir() string { return r.common }

// Shallow reports whether the history is cut off.
func (r *Repository) Shallow() bool { return len(r.shallow) > 0 }

// Close closes the pack files.
func (r *Repository) Close() error { return r.objects.close() }

// openDir opens the repository whose work tree or git directory is path.
func openDir(path string, o Options) (*Repository, error) {
	gitDir, err := findGitDir(path)
	if err != nil {
		return nil, err
	}
	r := &Repository{dir: gitDir, common: gitDir, maxBlob: o.MaxBlob,
		nodes: map[id]*node{}, lines: map[model.Hash]map[model.Hash]int{}}
	if r.maxBlob == 0 {
		r.maxBlob = 20 << 20
	}
	if s, err := readLine(filepath.Join(gitDir, "commondir")); err == nil {
		r.common = resolvePath(gitDir, s)
	}
	if err := r.readConfig(); err != nil {
		return nil, err
	}
	if r.shallow, err = readShallow(filepath.Join(r.common, "shallow")); err != nil {
		return nil, err
	}
	if r.refs, err = readRefs(gitDir, r.common); err != nil {
		return nil, err
	}
	dirs := objectDirs(filepath.Join(r.common, "objects"))
	cacheBytes := o.CacheBytes
	if cacheBytes == 0 {
		cacheBytes = 96 << 20
	}
	if r.objects, err = openObjects(dirs, cacheBytes); err != nil {
		return nil, err
	}
	if len(r.refs.ids) == 0 {
		return nil, errors.Join(errors.New("repository has no commits"), r.Close())
	}
	return r, nil
}

// findGitDir is the git directory of a work tree, a linked work tree or a bare repository.
func findGitDir(path string) (string, error) {
	fi, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", errors.New("no such path")
	}
	if err != nil {
		return "", fmt.Errorf("look: %w", errors.Unwrap(err))
	}
	if !fi.IsDir() {
		return "", errors.New("not a git repository")
	}
	dot := filepath.Join(path, ".git")
	if fi, err := os.Stat(dot); err == nil && fi.IsDir() {
		path = dot
	} else if err == nil {
		s, err := readLine(dot)
		target, ok := strings.CutPrefix(s, "gitdir:")
		if err != nil || !ok {
			return "", errors.New("not a git repository: its .git file names no directory")
		}
		path = resolvePath(path, strings.TrimSpace(target))
	}
	if _, err := os.Stat(filepath.Join(path, "HEAD")); err != nil {
		if tree := enclosing(path); tree != "" {
			return "", fmt.Errorf("not a git repository but a folder in the work tree %s: name that", tree)
		}
		return "", errors.New("not a git repository")
	}
	objects := filepath.Join(path, "objects")
	if _, err := os.Stat(filepath.Join(path, "commondir")); err == nil {
		return path, nil
	}
	if fi, err := os.Stat(objects); err != nil || !fi.IsDir() {
		return "", errors.New("not a git repository")
	}
	return path, nil
}

// enclosing is the nearest folder above path that is a work tree; empty where there is none.
func enclosing(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func readLine(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Scan()
	return strings.TrimSpace(s.Text()), s.Err()
}

func resolvePath(dir, p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

// objectDirs is an object directory and its alternates, nearest first, at most 5 deep as in git.
func objectDirs(dir string) []string {
	dirs := []string{dir}
	for next, depth := 0, 0; next < len(dirs) && depth < 5; depth++ {
		for end := len(dirs); next < end; next++ {
			b, err := os.ReadFile(filepath.Join(dirs[next], "info", "alternates"))
			if err != nil || len(b) > 1<<16 {
				continue
			}
			for line := range strings.Lines(string(b)) {
				line = strings.TrimSpace(line)
				if line != "" && line[0] != '#' && len(dirs) < 64 {
					dirs = append(dirs, resolvePath(dirs[next], line))
				}
			}
		}
	}
	return dirs
}

func readShallow(file string) (map[id]bool, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the shallow boundary: %w", errors.Unwrap(err))
	}
	out := map[id]bool{}
	for line := range strings.Lines(string(b)) {
		if i, ok := parseID(strings.TrimSpace(line)); ok {
			out[i] = true
		}
	}
	return out, nil
}

// readConfig reads the repository's own configuration file, for its remotes and its format.
func (r *Repository) readConfig() error {
	r.config = config.NewConfig()
	f, err := os.Open(filepath.Join(r.common, "config"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the configuration: %w", errors.Unwrap(err))
	}
	defer f.Close()
	c, err := config.ReadConfig(f)
	if err != nil {
		return nil // remotes unknown; objects can still be read
	}
	r.config = c
	ext := c.Raw.Section("extensions")
	if v := ext.Option("objectformat"); v != "" && !strings.EqualFold(v, "sha1") {
		return fmt.Errorf("object format %s is not supported", v)
	}
	if v := ext.Option("refstorage"); v != "" && !strings.EqualFold(v, "files") {
		return fmt.Errorf("reference format %s is not supported", v)
	}
	if origin := c.Remotes["origin"]; origin != nil {
		r.mirror = origin.Mirror
	}
	return nil
}
