package leak

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// normal is a project's name as registries compare it.
func normal(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(name) {
		if r == '-' || r == '_' || r == '.' {
			dash = true
			continue
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		b.WriteRune(r)
	}
	return b.String()
}

// release is the folder or file of an installed release of the project that p belongs to; an
// empty one is none. info says that it is a description of an installed distribution, which
// may be the development install of the tree itself.
func (c *Scan) release(p string) (at string, info bool) {
	parts := strings.Split(p, "/")
	for i, s := range parts[:len(parts)-1] {
		up := func(n int) string { return strings.Join(parts[:i+1+n], "/") }
		rest := parts[i+1:]
		switch s {
		case "site-packages", "dist-packages":
			if name, ok := distribution(rest[0]); ok {
				if c.self[normal(name)] {
					return up(1), true
				}
				return "", false
			}
			module := rest[0]
			if len(rest) == 1 {
				module, _, _ = strings.Cut(module, ".")
				if e := path.Ext(p); e != ".py" && e != ".so" && e != ".pyd" {
					return "", false
				}
			}
			if c.modules[module] {
				return up(1), false
			}
			return "", false
		case "node_modules":
			n := 1
			if strings.HasPrefix(rest[0], "@") {
				n = 2
			}
			if len(rest) > n && c.named(strings.Join(rest[:n], "/")) {
				return up(n), false
			}
		}
	}
	for _, name := range c.subject.Self {
		escaped := escape(name)
		if strings.Contains(name, "/") && !strings.HasPrefix(name, "@") {
			// A module in Go's cache: its folder, and its downloads.
			for _, mark := range []string{escaped + "@", escaped + "/@v/"} {
				if i := strings.Index("/"+p, "/"+mark); i >= 0 {
					end := i + len(mark)
					if j := strings.IndexByte(p[min(end, len(p)):], '/'); j >= 0 && strings.HasSuffix(mark, "@") {
						return p[:end+j], false
					}
					return p, false
				}
			}
		}
		if _, artifact, ok := strings.Cut(name, ":"); ok && path.Ext(p) == ".jar" {
			if v, ok := strings.CutPrefix(path.Base(p), artifact+"-"); ok && v[0] >= '0' && v[0] <= '9' {
				return p, false
			}
		}
	}
	return "", false
}

func (c *Scan) named(name string) bool {
	return slices.Contains(c.subject.Self, name)
}

// distribution is the name in a folder like Name-1.0.dist-info.
func distribution(folder string) (string, bool) {
	for _, suffix := range []string{".dist-info", ".egg-info"} {
		if s, ok := strings.CutSuffix(folder, suffix); ok {
			name, _, _ := strings.Cut(s, "-")
			return name, true
		}
	}
	return "", false
}

// escape is a module path as Go's cache spells it: an upper-case letter is ! and its lower
// case.
func escape(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
