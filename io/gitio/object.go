package gitio

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/taskmill/taskmill/model"
)

// Faults of an object, wrapped in an ObjectError.
var (
	ErrMissing  = errors.New("missing from the repository")
	ErrTooLarge = errors.New("larger than the limit")
	ErrShallow  = errors.New("beyond the boundary of a shallow clone")
	errCorrupt  = errors.New("corrupt")
)

// An ObjectError names the object that could not be read.
type ObjectError struct {
	Hash model.Hash
	Err  error
}

func (e *ObjectError) Error() string { return "object " + string(e.Hash) + ": " + e.Err.Error() }
func (e *ObjectError) Unwrap() error { return e.Err }

// Damaged reports whether an error is that of an object which is not in the repository or cannot
// be read there, so that asking again does not help.
func Damaged(err error) bool {
	var o *ObjectError
	return errors.As(err, &o) && (errors.Is(err, ErrMissing) || errors.Is(err, errCorrupt))
}

// Explain is an error with what to do about a damaged object.
func Explain(err error) string {
	if !Damaged(err) {
		return err.Error()
	}
	return "damaged repository: " + err.Error() + ": see git fsck, then fetch it again or clone anew"
}

// An id is a git object id.
type id [20]byte

func (i id) hash() model.Hash {
	if i == (id{}) {
		return ""
	}
	return model.Hash(hex.EncodeToString(i[:]))
}

func parseID(s string) (id, bool) {
	var i id
	if len(s) != 40 {
		return i, false
	}
	_, err := hex.Decode(i[:], []byte(s))
	return i, err == nil
}

// A kind is the type of an object as packs number it.
type kind byte

const (
	commitKind kind = 1
	treeKind   kind = 2
	blobKind   kind = 3
	tagKind    kind = 4
)

func (k kind) String() string {
	names := [...]string{commitKind: "commit", treeKind: "tree", blobKind: "blob", tagKind: "tag"}
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// maxObject bounds commits, trees, tags and deltas, in bytes.
const maxObject = 64 << 20

// An objects reads the object directories of a repository, its alternates included. It only
// ever opens files for reading, keeps pack files open, and is safe for concurrent use.
type objects struct {
	dirs  []string
	cache *cache

	mu       sync.RWMutex
	packs    []*pack
	known    map[string]bool // index files that were looked at
	looseIDs map[id]uint64
}

func openObjects(dirs []string, cacheBytes int64) (*objects, error) {
	o := &objects{dirs: dirs, cache: newCache(cacheBytes), known: map[string]bool{}, looseIDs: map[id]uint64{}}
	_, err := o.scan()
	return o, err
}

// scan opens the packs that appeared since the last scan; git may repack under us.
func (o *objects) scan() (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := false
	for _, dir := range o.dirs {
		entries, err := os.ReadDir(filepath.Join(dir, "pack"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return found, fmt.Errorf("list packs: %w", err)
		}
		for _, e := range entries {
			path := filepath.Join(dir, "pack", e.Name())
			if !strings.HasSuffix(path, ".idx") || o.known[path] {
				continue
			}
			p, err := openPack(path)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return found, err
			}
			o.known[path] = true
			o.packs = append(o.packs, p)
			p.number = uint64(len(o.packs))
			found = true
		}
	}
	return found, nil
}

func (o *objects) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var errs []error
	for _, p := range o.packs {
		errs = append(errs, p.close())
	}
	o.packs = nil
	return errors.Join(errs...)
}

// find is the pack and the offset of an object.
func (o *objects) find(i id) (*pack, int64, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	for _, p := range o.packs {
		if off, ok := p.find(i); ok {
			return p, off, true
		}
	}
	return nil, 0, false
}

// get is the kind and content of an object of at most limit bytes. A fault is an ObjectError.
func (o *objects) get(i id, limit int64) (k kind, data []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errCorrupt, r)
		}
		if err != nil {
			k, data, err = 0, nil, &ObjectError{i.hash(), err}
		}
	}()
	return o.read(i, limit, 0)
}

// as is get for an object that must be of kind want.
func (o *objects) as(want kind, i id, limit int64) ([]byte, error) {
	k, data, err := o.get(i, limit)
	if err != nil {
		return nil, err
	}
	if k != want {
		return nil, &ObjectError{i.hash(), fmt.Errorf("is a %v, not a %v", k, want)}
	}
	return data, nil
}

func (o *objects) read(i id, limit int64, depth int) (kind, []byte, error) {
	if p, off, ok := o.find(i); ok {
		return o.packed(p, off, limit, depth)
	}
	k, data, err := o.loose(i, limit)
	if !errors.Is(err, ErrMissing) {
		return k, data, err
	}
	if found, serr := o.scan(); serr != nil {
		return 0, nil, serr
	} else if found {
		if p, off, ok := o.find(i); ok {
			return o.packed(p, off, limit, depth)
		}
	}
	return 0, nil, ErrMissing
}

// loose reads an object that is a file of its own and checks it against its id.
func (o *objects) loose(i id, limit int64) (kind, []byte, error) {
	if at, ok := o.looseAt(i); ok {
		if k, data, ok := o.cache.get(at); ok {
			if int64(len(data)) > limit {
				return 0, nil, ErrTooLarge
			}
			return k, data, nil
		}
	}
	h := hex.EncodeToString(i[:])
	for _, dir := range o.dirs {
		f, err := os.Open(filepath.Join(dir, h[:2], h[2:]))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, nil, fmt.Errorf("open: %w", errors.Unwrap(err))
		}
		k, data, err := readLoose(f, i, limit)
		if cerr := f.Close(); err == nil && cerr != nil {
			err = cerr
		}
		if err == nil {
			o.keepLoose(i, k, data)
		}
		return k, data, err
	}
	return 0, nil, ErrMissing
}

// looseAt is the cache's place of a loose object that was read before.
func (o *objects) looseAt(i id) (uint64, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	n, ok := o.looseIDs[i]
	return n, ok
}

func (o *objects) keepLoose(i id, k kind, data []byte) {
	o.mu.Lock()
	n, ok := o.looseIDs[i]
	if !ok {
		n = uint64(len(o.looseIDs)) // the place of pack 0, which there is none
		o.looseIDs[i] = n
	}
	o.mu.Unlock()
	o.cache.put(n, k, data)
}

func readLoose(f io.Reader, i id, limit int64) (kind, []byte, error) {
	z, err := zlib.NewReader(f)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	defer z.Close()
	head := make([]byte, 0, 32)
	for one := make([]byte, 1); ; {
		if _, err := io.ReadFull(z, one); err != nil {
			return 0, nil, fmt.Errorf("%w: %w", errCorrupt, err)
		}
		if one[0] == 0 {
			break
		}
		if head = append(head, one[0]); len(head) > 31 {
			return 0, nil, fmt.Errorf("%w: no header", errCorrupt)
		}
	}
	name, digits, _ := strings.Cut(string(head), " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 {
		return 0, nil, fmt.Errorf("%w: no size", errCorrupt)
	}
	if size > limit {
		return 0, nil, ErrTooLarge
	}
	k := commitKind
	for k <= tagKind && k.String() != name {
		k++
	}
	if k > tagKind {
		return 0, nil, fmt.Errorf("%w: unknown type", errCorrupt)
	}
	data, err := io.ReadAll(io.LimitReader(z, size+1))
	if err != nil || int64(len(data)) != size {
		return 0, nil, fmt.Errorf("%w: wrong size", errCorrupt)
	}
	if objectID(k, data) != i {
		return 0, nil, fmt.Errorf("%w: content has another hash", errCorrupt)
	}
	return k, data, nil
}

func objectID(k kind, data []byte) id {
	h := sha1.New()
	fmt.Fprintf(h, "%v %d\x00", k, len(data))
	h.Write(data)
	return id(h.Sum(nil))
}
