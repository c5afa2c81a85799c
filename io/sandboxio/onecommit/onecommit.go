// Package onecommit turns a list of tree entries into a .git folder that holds exactly one
// commit of them and nothing else: no other object can be found in it.
package onecommit

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/taskmill/taskmill/model"
)

// An Entry is one path of the tree. Hash is the git id of its blob, or of a submodule's commit.
type Entry struct {
	Path string
	Mode uint32
	Hash model.Hash
	Size int64
}

// Time is the modification time that the entry's file is given: the same for equal content,
// almost surely another for other content, since build caches (Go's package index, Python's
// compiled modules) trust path, size and time. Between 2001 and 2009, whole seconds.
func (e Entry) Time() time.Time {
	var n int64
	for _, c := range e.Hash.Short(7) {
		n = n<<4 | int64(strings.IndexRune("0123456789abcdef", c)&15)
	}
	return time.Unix(978307200+n, 0)
}

// BlobHash is the git id of a blob.
func BlobHash(data []byte) model.Hash { return id("blob", data) }

func id(kind string, data []byte) model.Hash {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return model.Hash(hex.EncodeToString(h.Sum(nil)))
}

type object struct {
	hash model.Hash
	kind string
	data []byte
}

// Sort orders entries by path, as Write and TreeHash want them.
func Sort(entries []Entry) {
	sort.Slice(entries, func(i, j int) bool { return entries[i].Path < entries[j].Path })
}

// TreeHash is the git id of the tree of entries, sorted by path.
func TreeHash(entries []Entry) (model.Hash, error) {
	objects, err := trees(entries, "")
	if err != nil {
		return "", err
	}
	return objects[len(objects)-1].hash, nil
}

// trees lists the tree objects of entries below prefix, the root last. Entries that share the
// prefix are neighbours because the list is sorted by path.
func trees(entries []Entry, prefix string) ([]object, error) {
	type item struct {
		name, key string // key sorts as git does: a folder as if its name ended in a slash
		mode      uint32
		hash      model.Hash
	}
	var items []item
	var out []object
	for i := 0; i < len(entries); {
		name, _, nested := strings.Cut(entries[i].Path[len(prefix):], "/")
		if !nested {
			items = append(items, item{name, name, entries[i].Mode, entries[i].Hash})
			i++
			continue
		}
		below := prefix + name + "/"
		end := i
		for end < len(entries) && strings.HasPrefix(entries[end].Path, below) {
			end++
		}
		sub, err := trees(entries[i:end], below)
		if err != nil {
			return nil, err
		}
		out = append(out, sub...)
		items = append(items, item{name, name + "/", 0o40000, sub[len(sub)-1].hash})
		i = end
	}
	sort.Slice(items, func(i, j int) bool { return items[i].key < items[j].key })
	var b bytes.Buffer
	seen := make(map[string]bool, len(items))
	for _, it := range items {
		raw, err := hex.DecodeString(string(it.hash))
		if err != nil || len(raw) != sha1.Size {
			return nil, fmt.Errorf("write tree: %q has no git id", prefix+it.name)
		}
		if seen[it.name] {
			return nil, fmt.Errorf("write tree: %q is there twice", prefix+it.name)
		}
		seen[it.name] = true
		fmt.Fprintf(&b, "%o %s\x00", it.mode, it.name)
		b.Write(raw)
	}
	return append(out, object{id("tree", b.Bytes()), "tree", b.Bytes()}), nil
}

// signature is the author and committer: fixed, so that equal trees are equal commits.
const signature = "taskmill <taskmill@localhost> 946684800 +0000"

// configuration makes the index's size and time enough for git to see a clean tree without
// reading it again.
const configuration = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n\ttrustctime = false\n\tcheckStat = minimal\n[gc]\n\tauto = 0\n"

// Write makes .git in root for entries, sorted by path. packed gives the packed form of a blob
// (Pack); it is asked once for each blob.
func Write(root *os.Root, entries []Entry, packed func(Entry) ([]byte, error)) error {
	objects, err := trees(entries, "")
	if err != nil {
		return err
	}
	top := objects[len(objects)-1].hash
	message := fmt.Appendf(nil, "tree %s\nauthor %s\ncommitter %s\n\nbase\n", top, signature, signature)
	commit := object{id("commit", message), "commit", message}
	objects = append(objects, commit)
	for _, dir := range []string{".git/objects/pack", ".git/objects/info", ".git/refs/heads", ".git/refs/tags", ".git/info"} {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("write repository: %w", err)
		}
	}
	if err := writePack(root, objects, entries, packed); err != nil {
		return fmt.Errorf("write repository: %w", err)
	}
	for name, text := range map[string][]byte{
		".git/HEAD":            []byte("ref: refs/heads/main\n"),
		".git/config":          []byte(configuration),
		".git/refs/heads/main": []byte(string(commit.hash) + "\n"),
		".git/index":           index(entries),
	} {
		if err := root.WriteFile(name, text, 0o644); err != nil {
			return fmt.Errorf("write repository: %w", err)
		}
	}
	return nil
}
