package sandboxio

import (
	"archive/tar"
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

	"github.com/klauspost/compress/zstd"
	"github.com/taskmill/taskmill/io/sandboxio/onecommit"
	"github.com/taskmill/taskmill/model"
)

// Bounds of a tree; a larger one is the tree's fault.
const (
	maxTreeBytes = 8 << 30
	maxTreeFile  = 512 << 20
	maxTreePaths = 1 << 20
	maxPath      = 4000 // of the whole path; leaves room for /testbed/ in PATH_MAX
	maxName      = 255
)

// A baseTree is an archive unpacked once: files as they were, and each blob's packed form, so
// that a state's repository is made by copying. Nothing in it is written again.
type baseTree struct {
	dir     string // <work>/trees/<hash>
	entries []packedEntry
	byPath  map[string]packedEntry
	loose   bool // the archive leaves out submodules, so the id cannot be checked
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
	z, err := zstd.NewReader(r, zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return fmt.Errorf("open archive of tree %s: %w", hash, err)
	}
	defer z.Close()
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
	u := &unpacker{root: root, blobs: bufio.NewWriterSize(f, 1<<20), links: map[string]bool{}}
	t := tar.NewReader(z)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return treeFault("archive: " + err.Error())
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := u.add(h, t); err != nil {
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
	total   int64
	links   map[string]bool
	entries []packedEntry
	loose   bool
}

func (u *unpacker) add(h *tar.Header, r io.Reader) error {
	name := strings.TrimSuffix(h.Name, "/")
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	if err := checkPath(name); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if u.links[dir] {
			return treeFault(fmt.Sprintf("%q lies below a symlink", name))
		}
	}
	if u.total += h.Size; u.total > maxTreeBytes || len(u.entries) >= maxTreePaths || h.Size < 0 || h.Size > maxTreeFile {
		return treeFault("tree is too large")
	}
	e := onecommit.Entry{Path: name, Mode: model.ModeFile}
	var data []byte
	switch h.Typeflag {
	case tar.TypeReg:
		if h.Mode&0o111 != 0 {
			e.Mode = model.ModeExecutable
		}
		var err error
		if data, err = io.ReadAll(r); err != nil {
			return treeFault("archive: " + err.Error())
		}
	case tar.TypeSymlink:
		e.Mode, data = model.ModeSymlink, []byte(h.Linkname)
		u.links[name] = true
	case tar.TypeDir: // a submodule, or a folder that says nothing
		u.loose = true
		return wrapLay(name, u.root.MkdirAll(name, 0o755))
	default:
		return treeFault(fmt.Sprintf("%q is of type %q", name, h.Typeflag))
	}
	e.Hash, e.Size = onecommit.BlobHash(data), int64(len(data))
	if err := layFile(u.root, e, data); err != nil {
		return err
	}
	packed, err := onecommit.Pack(data)
	if err != nil {
		return err
	}
	if _, err := u.blobs.Write(packed); err != nil {
		return fmt.Errorf("keep blob of %q: %w", name, err)
	}
	u.entries = append(u.entries, packedEntry{e, u.offset, int64(len(packed))})
	u.offset += int64(len(packed))
	u.loose = u.loose || name == ".gitmodules"
	return nil
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
