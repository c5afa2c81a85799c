package gitio

import (
	"path/filepath"
	"strings"
)

// RepoName is a repository's owner/name: override, else what its origin says, else the last two
// elements of location. A name of one element is its own owner.
func RepoName(location, origin, override string) string {
	if override != "" {
		return override
	}
	if n := lastTwo(origin); strings.Contains(n, "/") {
		return n
	}
	if rest, ok := strings.CutPrefix(location, "sample:"); ok {
		return "sample/" + rest
	}
	if !isURL(location) {
		if abs, err := filepath.Abs(location); err == nil {
			location = filepath.ToSlash(abs)
		}
	}
	n := lastTwo(location)
	if n == "" {
		n = "repository"
	}
	if !strings.Contains(n, "/") {
		n += "/" + n
	}
	return n
}

// lastTwo is the last two elements of a URL's or scp address's path, without .git.
func lastTwo(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		if _, s, ok = strings.Cut(rest, "/"); !ok {
			return ""
		}
	} else if host, rest, ok := strings.Cut(s, ":"); ok && !strings.Contains(host, "/") {
		s = rest
	}
	s = strings.TrimSuffix(strings.Trim(s, "/"), "/.git")
	s = strings.TrimSuffix(s, ".git")
	var parts []string
	for p := range strings.SplitSeq(s, "/") {
		if p = clean(p); p != "" && p != "." && p != ".." {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// clean keeps the characters that hosts allow in a name.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		case r < ' ':
			return -1
		}
		return '-'
	}, s)
}
