package gitio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// maxRefs bounds the references of a repository; maxRefFile a file that holds one, in bytes.
const (
	maxRefs    = 2_000_000
	maxRefFile = 4096
)

// A refTable is every reference by full name, with the symbolic ones apart.
type refTable struct {
	ids      map[string]id
	symbolic map[string]string
}

// readRefs reads packed-refs and then the files below refs, which win, of the common
// directory, and HEAD of the git directory itself. Symlinks are not followed.
func readRefs(gitDir, common string) (refTable, error) {
	t := refTable{map[string]id{}, map[string]string{}}
	if err := t.packed(filepath.Join(common, "packed-refs")); err != nil {
		return t, err
	}
	root, err := os.OpenRoot(common)
	if err != nil {
		return t, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), "refs", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || strings.HasSuffix(name, ".lock") {
			return nil
		}
		f, err := root.Open(name)
		if err != nil {
			return nil // deleted under us
		}
		defer f.Close()
		return t.add(name, f)
	})
	if err != nil {
		return t, fmt.Errorf("read references: %w", err)
	}
	f, err := os.Open(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return t, fmt.Errorf("read HEAD: %w", err)
	}
	defer f.Close()
	return t, t.add("HEAD", f)
}

func (t refTable) add(name string, r io.Reader) error {
	if len(t.ids) > maxRefs {
		return fmt.Errorf("more than %d references", maxRefs)
	}
	b, err := io.ReadAll(io.LimitReader(r, maxRefFile))
	if err != nil {
		return err
	}
	s := strings.TrimSpace(string(b))
	if target, ok := strings.CutPrefix(s, "ref:"); ok {
		t.symbolic[name] = strings.TrimSpace(target)
	} else if i, ok := parseID(s); ok {
		t.ids[name] = i
	}
	return nil
}

func (t refTable) packed(file string) error {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		hex, name, ok := strings.Cut(lines.Text(), " ")
		if i, valid := parseID(hex); ok && valid && len(t.ids) <= maxRefs {
			t.ids[name] = i
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read packed-refs: %w", err)
	}
	return nil
}

// id is what a full name stands for, through symbolic references.
func (t refTable) id(name string) (id, bool) {
	for range 5 {
		target, ok := t.symbolic[name]
		if !ok {
			break
		}
		name = target
	}
	i, ok := t.ids[name]
	return i, ok
}

// peel follows a tag to its commit.
func (r *Repository) peel(i id) (id, error) {
	for range 10 {
		k, data, err := r.objects.get(i, maxObject)
		if err != nil {
			return i, err
		}
		switch k {
		case commitKind:
			return i, nil
		case tagKind:
			line, _, _ := strings.Cut(string(data), "\n")
			target, ok := parseID(strings.TrimPrefix(line, "object "))
			if !ok {
				return i, &ObjectError{i.hash(), errCorrupt}
			}
			i = target
		default:
			return i, &ObjectError{i.hash(), fmt.Errorf("is a %v, not a commit", k)}
		}
	}
	return i, &ObjectError{i.hash(), errors.New("tag of a tag without end")}
}

// ErrUnknownRevision is wrapped where a revision names nothing.
var ErrUnknownRevision = errors.New("unknown revision")

// Resolve is the commit that a revision names: a full or short id (at least 4 digits), HEAD, a
// tag, a branch, a remote branch, or a full reference name, each with ~N and ^ behind it.
func (r *Repository) Resolve(rev string) (model.Hash, error) {
	name, steps, ok := cutSteps(rev)
	if !ok {
		return "", fmt.Errorf("resolve %q: %w", rev, ErrUnknownRevision)
	}
	i, err := r.named(name)
	if err != nil {
		return "", fmt.Errorf("resolve %q: %w", rev, err)
	}
	if i, err = r.peel(i); err != nil {
		return "", fmt.Errorf("resolve %q: %w", rev, err)
	}
	for range steps {
		n, err := r.node(i)
		if err != nil {
			return "", fmt.Errorf("resolve %q: %w", rev, err)
		}
		if len(n.parents) == 0 {
			if r.shallow[i] {
				return "", fmt.Errorf("resolve %q: %w", rev, ErrShallow)
			}
			return "", fmt.Errorf("resolve %q: %w", rev, ErrUnknownRevision)
		}
		i = n.parents[0]
	}
	return i.hash(), nil
}

// cutSteps splits `main~2^` into main and 3 first-parent steps.
func cutSteps(rev string) (string, int, bool) {
	at := strings.IndexAny(rev, "~^")
	if at < 0 {
		return rev, 0, rev != ""
	}
	steps := 0
	for s := rev[at:]; s != ""; {
		end := 1
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		n := 1
		if end > 1 {
			if s[0] == '^' && s[1:end] != "1" || end > 8 {
				return "", 0, false
			}
			if _, err := fmt.Sscanf(s[1:end], "%d", &n); err != nil {
				return "", 0, false
			}
		}
		if s[0] != '~' && s[0] != '^' {
			return "", 0, false
		}
		steps, s = steps+n, s[end:]
	}
	return rev[:at], steps, at > 0
}

func (r *Repository) named(name string) (id, error) {
	if i, ok := parseID(strings.ToLower(name)); ok {
		return i, nil
	}
	for _, pattern := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s",
		"refs/remotes/origin/%s", "refs/remotes/%s/HEAD"} {
		if i, ok := r.refs.id(fmt.Sprintf(pattern, name)); ok {
			return i, nil
		}
	}
	return r.short(strings.ToLower(name))
}

// short is the one commit, or else the one object, whose id begins with prefix.
func (r *Repository) short(prefix string) (id, error) {
	if len(prefix) < 4 || len(prefix) > 39 || strings.Trim(prefix, "0123456789abcdef") != "" {
		return id{}, ErrUnknownRevision
	}
	all, err := r.objects.prefixed(prefix, 100)
	if err != nil {
		return id{}, err
	}
	commits := slices.DeleteFunc(slices.Clone(all), func(i id) bool {
		_, err := r.objects.as(commitKind, i, maxObject)
		return err != nil
	})
	switch {
	case len(commits) == 1:
		return commits[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1:
		return id{}, errors.New("ambiguous short id")
	}
	return id{}, ErrUnknownRevision
}

// prefixed lists the objects whose id begins with the hexadecimal prefix.
func (o *objects) prefixed(prefix string, max int) ([]id, error) {
	var out []id
	o.mu.RLock()
	for _, p := range o.packs {
		out = p.prefixed(out, prefix, max)
	}
	o.mu.RUnlock()
	for _, dir := range o.dirs {
		entries, err := os.ReadDir(filepath.Join(dir, prefix[:2]))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if i, ok := parseID(prefix[:2] + e.Name()); ok && strings.HasPrefix(e.Name(), prefix[2:]) {
				out = append(out, i)
			}
		}
	}
	slices.SortFunc(out, func(a, b id) int { return strings.Compare(string(a[:]), string(b[:])) })
	return slices.Compact(out), nil
}

// DefaultBranch is the short name and the commit of the branch that merges land on, taken in a
// fixed order: origin/HEAD (in a mirror, its own HEAD), then main, master, trunk and develop,
// the upstream's copy of each before the local one, else HEAD. How says which was taken.
func (r *Repository) DefaultBranch() (name string, commit model.Hash, how string, err error) {
	if target := r.upstreamHead(); target != "" {
		i, _ := r.refs.id(target)
		name := strings.TrimPrefix(strings.TrimPrefix(target, "refs/remotes/origin/"), "refs/heads/")
		return r.branch(name, i, "origin/HEAD")
	}
	for _, n := range []string{"main", "master", "trunk", "develop"} {
		for _, prefix := range []string{"refs/remotes/origin", "refs/heads"} {
			if i, ok := r.refs.id(path.Join(prefix, n)); ok {
				return r.branch(n, i, n)
			}
		}
	}
	if i, ok := r.refs.id("HEAD"); ok {
		return r.branch(strings.TrimPrefix(r.refs.symbolic["HEAD"], "refs/heads/"), i, "HEAD")
	}
	return "", "", "", errors.New("find the default branch: HEAD names no commit")
}

// upstreamHead is the reference that the upstream's HEAD stands for; empty where it is unknown
// or names nothing.
func (r *Repository) upstreamHead() string {
	target := r.refs.symbolic["refs/remotes/origin/HEAD"]
	if _, ok := r.refs.id(target); ok {
		return target
	}
	target = r.refs.symbolic["HEAD"]
	if _, ok := r.refs.id(target); ok && r.mirror {
		return target
	}
	return ""
}

func (r *Repository) branch(name string, i id, how string) (string, model.Hash, string, error) {
	i, err := r.peel(i)
	if err != nil {
		return "", "", "", fmt.Errorf("find the default branch: %w", err)
	}
	return name, i.hash(), how, nil
}

// Tags are the commits that tags stand for, by short name. A tag of anything else, or of an
// object that is missing, is left out.
func (r *Repository) Tags() map[string]model.Hash {
	out := map[string]model.Hash{}
	for name, i := range r.refs.ids {
		if short, ok := strings.CutPrefix(name, "refs/tags/"); ok {
			if i, err := r.peel(i); err == nil {
				out[short] = i.hash()
			}
		}
	}
	return out
}
