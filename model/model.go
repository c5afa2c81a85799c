// Package model holds the words of the field as plain values: what flows between the
// transforms, what the ledger keeps and what the tables hold. It has no behaviour beyond
// hashing, ordering and the meaning of a verdict.
package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// A Hash is the lower-case hexadecimal form of a SHA-256, or of a git object id where a
// field says so.
type Hash string

// Sum is the SHA-256 of b.
func Sum(b []byte) Hash {
	s := sha256.Sum256(b)
	return Hash(hex.EncodeToString(s[:]))
}

// Digest is the SHA-256 of the JSON form of v. v must be made of structs, slices, strings,
// numbers and maps with string keys, whose JSON form is the same in every process.
func Digest(v any) Hash {
	b, err := json.Marshal(v)
	if err != nil {
		panic("model: digest of a value without a JSON form: " + err.Error())
	}
	return Sum(b)
}

// Short is the first n characters of h.
func (h Hash) Short(n int) string {
	if len(h) < n {
		return string(h)
	}
	return string(h[:n])
}

// A Kind says what a path is for.
type Kind string

// Kinds of a path.
const (
	Production    Kind = "production"
	CheckFile     Kind = "check"
	CheckData     Kind = "check_data"
	Docs          Kind = "docs"
	Configuration Kind = "configuration"
	Generated     Kind = "generated"
	Vendored      Kind = "vendored"
	Other         Kind = "other"
)

// Git modes of a tree entry.
const (
	ModeFile       uint32 = 0o100644
	ModeExecutable uint32 = 0o100755
	ModeSymlink    uint32 = 0o120000
	ModeSubmodule  uint32 = 0o160000
)

// A File is one path of a tree with its content. Path is slash-separated and relative.
// A symlink's Data is its target; a submodule's is empty.
type File struct {
	Path string
	Mode uint32
	Data []byte
}

// A TreeEntry is one path of a tree without its content. Hash is the git blob id.
type TreeEntry struct {
	Path string
	Mode uint32
	Hash Hash
}

// A TreeChange is one path in which a tree differs from its base. Delete removes the path. The
// Data of a submodule's change is its commit's id, 40 hexadecimal characters.
type TreeChange struct {
	Path   string
	Mode   uint32
	Data   []byte
	Delete bool
}

// A Tree names a tree as a base tree, which an archive holds, and changes over it.
type Tree struct {
	Hash    Hash         // git tree id of the whole
	Base    Hash         // git tree id of the archived base; equal to Hash when Changes is empty
	Changes []TreeChange // sorted by path
}
