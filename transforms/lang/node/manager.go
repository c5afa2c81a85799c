package node

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// A manager is a package manager with the lock file that the tree has for it.
type manager struct {
	name    string // npm, pnpm, yarn
	version string // as packageManager names it, or a range that reads the lock's format; empty for npm: the installed one
	lock    string // path of the lock file, "" where there is none
	format  string // of the lock: npm 1, 2, 3; yarn 1 or its metadata version; pnpm's lockfileVersion
}

var managerField = regexp.MustCompile(`^(npm|pnpm|yarn)@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)`)

// managerOf chooses by packageManager, then by the lock file that is there, then npm. A lock
// file of another manager than the one named is left alone.
func managerOf(t lang.Files, root manifest) manager {
	var m manager
	if f := managerField.FindStringSubmatch(root.manager); f != nil {
		m.name, m.version = f[1], f[2]
	}
	for _, l := range []struct{ name, file string }{
		{"npm", "npm-shrinkwrap.json"}, {"npm", "package-lock.json"}, {"pnpm", "pnpm-lock.yaml"}, {"yarn", "yarn.lock"},
	} {
		p := path.Join(root.dir, l.file)
		f, ok, err := t.Read(p)
		if err != nil || !ok || m.name != "" && m.name != l.name || len(f.Data) > maxLock {
			continue
		}
		m.name, m.lock, m.format = l.name, p, lockFormat(l.name, f.Data)
		break
	}
	if m.name == "" {
		m.name = "npm"
	}
	if m.version == "" {
		m.version = fitting(m.name, m.format)
	}
	if m.name == "npm" {
		m.version = "" // the installed one reads every format
	}
	return m
}

const maxLock = 64 << 20

var (
	yarnMetadata = regexp.MustCompile(`(?m)^__metadata:\s*\r?\n(?:[ \t]+.*\r?\n)*?[ \t]+version:\s*"?(\d+)`)
	pnpmVersion  = regexp.MustCompile(`(?m)^lockfileVersion:\s*['"]?(\d+(?:\.\d+)?)`)
)

func lockFormat(name string, data []byte) string {
	head := data[:min(len(data), 64<<10)]
	switch name {
	case "npm":
		var v struct{ LockfileVersion json.Number }
		if json.Unmarshal(data, &v) != nil || v.LockfileVersion == "" {
			return "1"
		}
		return v.LockfileVersion.String()
	case "yarn":
		if m := yarnMetadata.FindSubmatch(head); m != nil {
			return "berry " + string(m[1])
		}
		return "1"
	}
	if m := pnpmVersion.FindSubmatch(head); m != nil {
		return string(m[1])
	}
	return ""
}

// fitting is a version, or a range of versions, of a manager that reads a lock format and
// writes none newer.
func fitting(name, format string) string {
	switch name {
	case "pnpm":
		switch major, _, _ := strings.Cut(format, "."); {
		case format == "5.4":
			return "7"
		case major == "5":
			return "6"
		case major == "6":
			return "8"
		case major == "7":
			return "9"
		}
		return "9"
	case "yarn":
		switch format {
		case "", "1":
			return "1.22.22"
		case "berry 4", "berry 5", "berry 6":
			return "3.8.7"
		}
		return "4.9.2"
	}
	return ""
}

// source is the npm package that holds a manager, with its version. Yarn's newer versions are
// published under a name of their own.
func (m manager) source() string {
	switch {
	case m.name == "yarn" && !strings.HasPrefix(m.version, "1."):
		return "@yarnpkg/cli-dist@" + m.version
	case m.name == "npm":
		return ""
	}
	return m.name + "@" + m.version
}

// instead is the same package in the newest version of the same major one.
func (m manager) instead() string {
	name, version, ok := strings.Cut(strings.TrimPrefix(m.source(), "@"), "@")
	if !ok {
		return ""
	}
	if strings.HasPrefix(m.source(), "@") {
		name = "@" + name
	}
	major, _, _ := strings.Cut(version, ".")
	return name + "@" + major
}

// berry reports whether it is a yarn of version 2 or newer.
func (m manager) berry() bool { return m.name == "yarn" && !strings.HasPrefix(m.version, "1.") }
