package node

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

const maxPackages = 500

// matching lists the folders with a package.json that workspace globs name, below root; a glob
// that begins with ! takes folders out again.
func matching(t lang.Files, root string, globs []string) []string {
	if len(globs) == 0 {
		return nil
	}
	var out []string
	for _, p := range t.Paths() {
		d, name := path.Split(p)
		d = strings.TrimSuffix(d, "/")
		if name != "package.json" || d == root || !within(p, root) || lang.Vendored(strings.Split(d, "/")) {
			continue
		}
		in := false
		rel := strings.TrimPrefix(strings.TrimPrefix(d, root), "/")
		for _, g := range globs {
			g, out := strings.CutPrefix(g, "!")
			g = strings.Trim(strings.TrimPrefix(g, "./"), "/")
			if segments(strings.Split(g, "/"), strings.Split(rel, "/"), 0) {
				in = !out
			}
		}
		if in && len(out) < maxPackages {
			out = append(out, d)
		}
	}
	slices.Sort(out)
	return out
}

// segments matches a path against a glob by segments; ** stands for any number of them.
func segments(glob, name []string, depth int) bool {
	if depth > 100 {
		return false
	}
	for len(glob) > 0 {
		if glob[0] == "**" {
			for i := range len(name) + 1 {
				if segments(glob[1:], name[i:], depth+1) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], name[0]); err != nil || !ok {
			return false
		}
		glob, name = glob[1:], name[1:]
	}
	return len(name) == 0
}

// yamlList reads one top-level list of strings of a YAML file, in block or flow form. That is
// all that is asked of pnpm-workspace.yaml; anything richer reads as an empty list.
func yamlList(data []byte, key string) []string {
	var out []string
	in := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		item, isItem := strings.CutPrefix(trimmed, "- ")
		switch {
		case in && isItem:
			out = append(out, scalar(item))
		case line[0] != ' ' && line[0] != '\t' && !isItem:
			name, rest, ok := strings.Cut(trimmed, ":")
			if in = ok && scalar(name) == key; !in {
				continue
			}
			if rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "[") {
				rest, _, _ = strings.Cut(rest[1:], "]")
				for e := range strings.SplitSeq(rest, ",") {
					if s := scalar(e); s != "" {
						out = append(out, s)
					}
				}
				in = false
			}
		}
	}
	return out
}

func scalar(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && (s[0] == '\'' || s[0] == '"') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 {
			return s[1 : 1+end]
		}
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}
