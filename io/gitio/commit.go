package gitio

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taskmill/taskmill/model"
)

// A Signature says who made a commit and when (UTC).
type Signature struct {
	Name, Email string
	When        time.Time
}

// A Commit is one commit. Message is UTF-8, as written otherwise.
type Commit struct {
	Hash              model.Hash
	Tree              model.Hash
	Parents           []model.Hash
	Author, Committer Signature
	Message           string
}

// Subject is the message's first line.
func (c Commit) Subject() string {
	s, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\r\n"), "\n")
	return strings.TrimSpace(s)
}

// Commit reads one commit. The parents of a shallow clone's boundary are left out.
func (r *Repository) Commit(h model.Hash) (Commit, error) {
	i, ok := parseID(string(h))
	if !ok {
		return Commit{}, fmt.Errorf("read commit %q: not a git id", h)
	}
	data, err := r.objects.as(commitKind, i, maxObject)
	if err != nil {
		return Commit{}, err
	}
	c, err := parseCommit(data)
	if err != nil {
		return Commit{}, &ObjectError{h, err}
	}
	c.Hash = h
	if r.shallow[i] {
		c.Parents = nil
	}
	r.keep(i, nodeOf(c))
	return c, nil
}

func parseCommit(data []byte) (Commit, error) {
	var c Commit
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	encoding := ""
	for line := range bytes.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		switch key {
		case "tree":
			c.Tree = model.Hash(value)
		case "parent":
			c.Parents = append(c.Parents, model.Hash(value))
		case "author":
			c.Author = parseSignature(value)
		case "committer":
			c.Committer = parseSignature(value)
		case "encoding":
			encoding = value
		}
	}
	for _, h := range append([]model.Hash{c.Tree}, c.Parents...) {
		if _, ok := parseID(string(h)); !ok {
			return c, fmt.Errorf("%w: commit names %q", errCorrupt, h)
		}
	}
	c.Message = text(message, encoding)
	return c, nil
}

// parseSignature reads `Name <email> seconds zone`; what is malformed stays zero.
func parseSignature(s string) Signature {
	var g Signature
	open, end := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		g.Name = text([]byte(s), "")
		return g
	}
	g.Name, g.Email = text([]byte(strings.TrimSpace(s[:open])), ""), text([]byte(s[open+1:end]), "")
	g.When = time.Unix(seconds(s[end+1:]), 0).UTC()
	return g
}

// seconds is the first number of s, 0 where there is none or it is past the year 9999.
func seconds(s string) int64 {
	f := strings.Fields(s)
	if len(f) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || n < 0 || n > 253402300799 {
		return 0
	}
	return n
}

// text is b as UTF-8. Bytes that are none are read as Latin-1, the usual case in old histories.
func text(b []byte, encoding string) string {
	latin := strings.EqualFold(encoding, "iso-8859-1") || strings.EqualFold(encoding, "latin1")
	if !latin && utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// A node is what graph walks need of a commit.
type node struct {
	tree    id
	parents []id
	when    int64 // committer date, seconds
}

func nodeOf(c Commit) *node {
	n := &node{}
	n.tree, _ = parseID(string(c.Tree))
	for _, p := range c.Parents {
		i, _ := parseID(string(p))
		n.parents = append(n.parents, i)
	}
	if !c.Committer.When.IsZero() {
		n.when = c.Committer.When.Unix()
	}
	return n
}

// maxNodes bounds the nodes that are kept: about 100 bytes each.
const maxNodes = 1 << 20

func (r *Repository) node(i id) (*node, error) {
	r.mu.Lock()
	n := r.nodes[i]
	r.mu.Unlock()
	if n != nil {
		return n, nil
	}
	data, err := r.objects.as(commitKind, i, maxObject)
	if err != nil {
		return nil, err
	}
	n = parseNode(data)
	if r.shallow[i] {
		n.parents = nil
	}
	r.keep(i, n)
	return n, nil
}

func (r *Repository) keep(i id, n *node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.nodes) >= maxNodes {
		clear(r.nodes)
	}
	r.nodes[i] = n
}

// parseNode reads only the lines that a node needs. Malformed ones leave it without parents or
// date, as git's own graph walk does.
func parseNode(data []byte) *node {
	n := &node{}
	for len(data) > 0 {
		var line []byte
		if line, data, _ = bytes.Cut(data, []byte("\n")); len(line) == 0 {
			break
		}
		if hex, ok := bytes.CutPrefix(line, []byte("tree ")); ok {
			n.tree, _ = parseID(string(hex))
		}
		if hex, ok := bytes.CutPrefix(line, []byte("parent ")); ok {
			if p, ok := parseID(string(hex)); ok {
				n.parents = append(n.parents, p)
			}
		}
		if rest, ok := bytes.CutPrefix(line, []byte("committer ")); ok {
			n.when = seconds(string(rest[bytes.LastIndexByte(rest, '>')+1:]))
			break
		}
	}
	return n
}

// FirstParents lists the commits from a commit along first parents, newest first, at most max
// (0: all).
func (r *Repository) FirstParents(ctx context.Context, from model.Hash, max int) ([]model.Hash, error) {
	i, ok := parseID(string(from))
	if !ok {
		return nil, fmt.Errorf("walk from %q: not a git id", from)
	}
	var out []model.Hash
	for max == 0 || len(out) < max {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		n, err := r.node(i)
		if err != nil {
			return out, err
		}
		out = append(out, i.hash())
		if len(n.parents) == 0 {
			break
		}
		i = n.parents[0]
	}
	return out, nil
}

// A Stop is a commit of a first-parent line.
type Stop struct {
	Commit model.Hash
	When   time.Time // committer date
}

// Line lists a commit and its first parents with their dates, newest first. With an error it is
// the part that could be read.
func (r *Repository) Line(ctx context.Context, from model.Hash) ([]Stop, error) {
	commits, err := r.FirstParents(ctx, from, 0)
	out := make([]Stop, len(commits))
	for k, h := range commits {
		i, _ := parseID(string(h))
		n, nerr := r.node(i)
		if nerr != nil {
			return out[:k], nerr
		}
		out[k] = Stop{h, time.Unix(n.when, 0).UTC()}
	}
	return out, err
}
