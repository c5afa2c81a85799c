package sampleio

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// store fills in what a commit leaves open and adds it with its tree to the history.
func (h *History) store(c *commit) *commit {
	if c.author == (person{}) {
		c.author = h.set.author
	}
	if c.committer == (person{}) {
		c.committer = c.author
	}
	c.when = h.clock
	if c.authored.IsZero() {
		c.authored = h.clock
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", h.tree(c.tree, ""))
	for _, p := range c.parents {
		fmt.Fprintf(&b, "parent %s\n", p.hash)
	}
	fmt.Fprintf(&b, "author %s <%s> %d +0000\n", c.author.name, c.author.email, c.authored.Unix())
	fmt.Fprintf(&b, "committer %s <%s> %d +0000\n\n%s", c.committer.name, c.committer.email, c.when.Unix(), c.message)
	c.hash = h.object("commit", b.String())
	return c
}

func (h *History) object(kind, data string) model.Hash {
	raw := fmt.Appendf(nil, "%s %d\x00%s", kind, len(data), data)
	sum := sha1.Sum(raw)
	id := model.Hash(hex.EncodeToString(sum[:]))
	h.objects[id] = raw
	return id
}

// tree adds the tree object of the paths below dir.
func (h *History) tree(t tree, dir string) model.Hash {
	type item struct {
		key, name string // key sorts a folder as if its name ended in a slash
		mode      uint32
		id        model.Hash
	}
	items := map[string]item{}
	for p, b := range t {
		rest, ok := strings.CutPrefix(p, dir)
		if !ok {
			continue
		}
		name, _, nested := strings.Cut(rest, "/")
		switch {
		case nested:
			if _, done := items[name+"/"]; !done {
				items[name+"/"] = item{name + "/", name, 0o40000, h.tree(t, dir+name+"/")}
			}
		case b.mode == model.ModeSubmodule:
			items[name] = item{name, name, b.mode, model.Hash(hex.EncodeToString([]byte(b.data)))}
		default:
			items[name] = item{name, name, b.mode, h.object("blob", b.data)}
		}
	}
	var b bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(items)) {
		it := items[key]
		raw, _ := unhex(string(it.id))
		fmt.Fprintf(&b, "%o %s\x00%s", it.mode, it.name, raw)
	}
	return h.object("tree", b.String())
}

func unhex(s string) (string, error) {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != 20 {
		return "", fmt.Errorf("%q is not a git id", s)
	}
	return string(raw), nil
}

// write lays the history down as a bare repository of loose objects.
func (h *History) write(dir string) error {
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	files := map[string]string{
		"HEAD":   "ref: refs/heads/" + h.set.branch + "\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n",
	}
	var refs strings.Builder
	refs.WriteString("# pack-refs with: sorted \n")
	for _, name := range slices.Sorted(maps.Keys(h.refs)) {
		refs.WriteString(string(h.refs[name].hash) + " " + name + "\n")
	}
	files["packed-refs"] = refs.String()
	for id, raw := range h.objects {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		if _, err := z.Write(raw); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		files["objects/"+string(id[:2])+"/"+string(id[2:])] = b.String()
	}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			return err
		}
	}
	return nil
}
