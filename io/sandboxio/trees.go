package sandboxio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/taskmill/taskmill/io/sandboxio/onecommit"
	"github.com/taskmill/taskmill/io/treeio"
	"github.com/taskmill/taskmill/model"
)

// limits of a base tree; a larger one is the tree's fault. Its files are held in memory one at a
// time.
var limits = treeio.Limits{FileBytes: 512 << 20, PathBytes: maxPath}

// Bounds of a path: of the whole, which leaves room for /testbed/ in what the system can name,
// and of one part.
const (
	maxPath = 4000
	maxName = 255
)

// A baseTree is an archive unpacked once: files as they were, and each blob's packed form, so
// that a state's repository is made by copying. Nothing in it is written again.
type baseTree struct {
	dir     string // <work>/trees/<hash>
	entries []packedEntry
	byPath  map[string]packedEntry
	loose   bool // it has a submodule whose commit is not known, so the id cannot be checked
}

type packedEntry struct {
	onecommit.Entry
	Offset, Length int64 // of the packed form in the file blobs
}

func (b *baseTree) files() string { return filepath.Join(b.dir, "files") }

// A treeStore keeps the base trees of a work folder.
type treeStore struct {
	work     string
	archives Archives

	mu     sync.Mutex
	loaded map[model.Hash]*baseTree
}

// base is the base tree of a git tree id, unpacked when it is not there yet.
func (s *treeStore) base(ctx context.Context, hash model.Hash) (*baseTree, error) {
	if !validHash(hash) {
		return nil, fmt.Errorf("lay tree %q: not a git tree id", hash)
	}
	s.mu.Lock()
	b := s.loaded[hash]
	s.mu.Unlock()
	if b != nil {
		return b, nil
	}
	dir := filepath.Join(s.work, "trees", string(hash))
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("lay tree %s: %w", hash, err)
	}
	unlock, err := lockFile(ctx, dir+".lock")
	if err != nil {
		return nil, fmt.Errorf("lay tree %s: %w", hash, err)
	}
	defer unlock()
	b, err = loadBase(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.unpack(ctx, hash, dir); err != nil {
			return nil, err
		}
		b, err = loadBase(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lay tree %s: %w", hash, err)
	}
	s.mu.Lock()
	s.loaded[hash] = b
	s.mu.Unlock()
	return b, nil
}

func validHash(h model.Hash) bool {
	return len(h) == 40 && strings.Trim(string(h), "0123456789abcdef") == ""
}

func loadBase(dir string) (*baseTree, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "entries.json"))
	if err != nil {
		return nil, err
	}
	var stored struct {
		Loose   bool
		Entries []packedEntry
	}
	if err := json.Unmarshal(raw, &stored); err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	b := &baseTree{dir: dir, entries: stored.Entries, loose: stored.Loose, byPath: make(map[string]packedEntry, len(stored.Entries))}
	for _, e := range b.entries {
		b.byPath[e.Path] = e
	}
	return b, nil
}

// unpack fills dir under another name, checks that the tree has the id it is asked for by, and
// renames it.
func (s *treeStore) unpack(ctx context.Context, hash model.Hash, dir string) error {
	r, err := s.archives.Archive(ctx, hash)
	if err != nil {
		return fmt.Errorf("fetch archive of tree %s: %w", hash, err)
	}
	defer r.Close()
	unnamed := dir + ".tmp"
	if err := removeAll(unnamed); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(unnamed, "files"), 0o755); err != nil {
		return fmt.Errorf("lay tree %s: %w", hash, err)
	}
	if err := unpackInto(ctx, unnamed, r, hash); err != nil {
		return errors.Join(err, removeAll(unnamed))
	}
	if err := os.Rename(unnamed, dir); err != nil {
		return fmt.Errorf("lay tree %s: %w", hash, err)
	}
	return nil
}

func unpackInto(ctx context.Context, dir string, r io.Reader, hash model.Hash) error {
	root, err := os.OpenRoot(filepath.Join(dir, "files"))
	if err != nil {
		return fmt.Errorf("lay tree %s: %w", hash, err)
	}
	defer root.Close()
	f, err := os.Create(filepath.Join(dir, "blobs"))
	if err != nil {
		return fmt.Errorf("lay tree %s: %w", hash, err)
	}
	defer f.Close()
	u := &unpacker{root: root, blobs: bufio.NewWriterSize(f, 1<<20)}
	for file, err := range treeio.Read(r, limits) {
		if errors.Is(err, treeio.ErrLimit) {
			return treeFault(err.Error())
		}
		if err != nil {
			return fmt.Errorf("lay tree %s: %w", hash, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := u.add(file); err != nil {
			return err
		}
	}
	if err := u.blobs.Flush(); err != nil {
		return fmt.Errorf("lay tree %s: %w", hash, err)
	}
	return u.finish(dir, hash)
}

// An unpacker lays the entries of one archive.
type unpacker struct {
	root    *os.Root
	blobs   *bufio.Writer
	offset  int64
	entries []packedEntry
	loose   bool
}

func (u *unpacker) add(f model.File) error {
	if err := checkPath(f.Path); err != nil {
		return err
	}
	e, known := entryOf(f.Path, f.Mode, f.Data)
	u.loose = u.loose || !known
	if err := layFile(u.root, e, f.Data); err != nil {
		return err
	}
	at := packedEntry{Entry: e, Offset: u.offset}
	if f.Mode != model.ModeSubmodule {
		packed, err := onecommit.Pack(f.Data)
		if err != nil {
			return err
		}
		if _, err := u.blobs.Write(packed); err != nil {
			return fmt.Errorf("keep blob of %q: %w", f.Path, err)
		}
		at.Length = int64(len(packed))
	}
	u.entries = append(u.entries, at)
	u.offset += at.Length
	return nil
}

// entryOf is the tree entry of a file. The commit of a submodule is its data; where that is
// not known, the tree's id cannot be checked.
func entryOf(name string, mode uint32, data []byte) (e onecommit.Entry, known bool) {
	if mode == model.ModeSubmodule {
		if commit := model.Hash(data); validHash(commit) {
			return onecommit.Entry{Path: name, Mode: mode, Hash: commit}, true
		}
		return onecommit.Entry{Path: name, Mode: mode, Hash: model.Hash(strings.Repeat("1", 40))}, false
	}
	return onecommit.Entry{Path: name, Mode: mode, Hash: onecommit.BlobHash(data), Size: int64(len(data))}, true
}

func (u *unpacker) finish(dir string, hash model.Hash) error {
	entries := make([]onecommit.Entry, len(u.entries))
	byPath := make(map[string]packedEntry, len(entries))
	for i, e := range u.entries {
		entries[i], byPath[e.Path] = e.Entry, e
	}
	onecommit.Sort(entries)
	got, err := onecommit.TreeHash(entries)
	if err != nil {
		return treeFault(err.Error())
	}
	if got != hash && !u.loose {
		return fmt.Errorf("lay tree %s: the archive holds tree %s", hash, got)
	}
	sorted := make([]packedEntry, len(entries))
	for i, e := range entries {
		sorted[i] = byPath[e.Path]
	}
	raw, err := json.Marshal(struct {
		Loose   bool
		Entries []packedEntry
	}{got != hash, sorted})
	if err != nil {
		return fmt.Errorf("lay tree %s: %w", hash, err)
	}
	return os.WriteFile(filepath.Join(dir, "entries.json"), raw, 0o644)
}

// layFile makes one file below root with its folders. The file must not exist.
func layFile(root *os.Root, e onecommit.Entry, data []byte) error {
	if dir := path.Dir(e.Path); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return wrapLay(e.Path, err)
		}
	}
	switch e.Mode {
	case model.ModeSymlink:
		if len(data) == 0 || len(data) > maxPath || strings.ContainsRune(string(data), 0) {
			return treeFault(fmt.Sprintf("%q has a symlink target that no file system holds", e.Path))
		}
		return wrapLay(e.Path, root.Symlink(string(data), e.Path))
	case model.ModeSubmodule:
		return wrapLay(e.Path, root.MkdirAll(e.Path, 0o755))
	}
	perm := os.FileMode(0o644)
	if e.Mode == model.ModeExecutable {
		perm = 0o755
	}
	f, err := root.OpenFile(e.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return wrapLay(e.Path, err)
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(wrapLay(e.Path, err), f.Close())
	}
	if err := f.Close(); err != nil {
		return wrapLay(e.Path, err)
	}
	return wrapLay(e.Path, root.Chtimes(e.Path, e.Time(), e.Time()))
}

func wrapLay(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lay %q: %w", name, err)
}

func treeFault(detail string) error {
	return &model.Fault{Stage: model.StageEnvironment, Reason: model.EnvironmentFailed, Detail: detail}
}

// checkPath refuses what git would not check out: an absolute path, dots, .git, and names that
// no file system holds.
func checkPath(name string) error {
	if name == "" || len(name) > maxPath || strings.ContainsRune(name, 0) || path.Clean(name) != name || path.IsAbs(name) {
		return treeFault(fmt.Sprintf("tree holds the path %.200q", name))
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "." || part == ".." || len(part) > maxName || strings.EqualFold(part, ".git") {
			return treeFault(fmt.Sprintf("tree holds the path %.200q", name))
		}
	}
	return nil
}
