package sandboxio

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Files and folders of /etc that programs need and that say nothing about this machine's users
// or its network.
var (
	etcFiles   = []string{"ld.so.cache", "ld.so.conf", "localtime", "timezone", "mime.types", "os-release", "debian_version", "services", "protocols", "ssl/openssl.cnf"}
	etcFolders = []string{"ld.so.conf.d", "ssl/certs", "alternatives", "pki/tls", "pki/ca-trust", "ca-certificates", "maven"}
)

// folders are etcFolders and those of the Java kits, whose settings distributions keep there.
func folders() []string {
	out := slices.Clone(etcFolders)
	found, _ := filepath.Glob("/etc/java-*")
	for _, dir := range found {
		out = append(out, filepath.Base(dir))
	}
	return out
}

const passwd = "root:x:0:0:root:/root:/bin/sh\n" +
	"taskmill:x:1000:1000:taskmill:/home/taskmill:/bin/sh\n" +
	"nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"

const groups = "root:x:0:\ntaskmill:x:1000:\nnogroup:x:65534:\n"

// makeEtc makes the /etc of bubblewrap: our users, copies of the files, and empty places for
// the folders and for what a preparation binds.
func (h *host) makeEtc() error {
	if h.kind != "bwrap" {
		return nil
	}
	h.etc = filepath.Join(h.states, "etc")
	if err := os.MkdirAll(filepath.Join(h.etc, "ssl"), 0o755); err != nil {
		return fmt.Errorf("make etc: %w", err)
	}
	made := map[string]string{
		"passwd": passwd, "group": groups, "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
		"hosts": "127.0.0.1 localhost\n::1 localhost\n", "hostname": userName + "\n",
		"resolv.conf": "", "pip.conf": "", "npmrc": "", "gitconfig": "",
	}
	for name, text := range made {
		if err := os.WriteFile(filepath.Join(h.etc, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("make etc: %w", err)
		}
	}
	for _, name := range etcFiles {
		if b, err := os.ReadFile(filepath.Join("/etc", name)); err == nil {
			if err := os.WriteFile(filepath.Join(h.etc, name), b, 0o644); err != nil {
				return fmt.Errorf("make etc: %w", err)
			}
		}
	}
	for _, name := range folders() {
		if info, err := os.Stat(filepath.Join("/etc", name)); err == nil && info.IsDir() {
			if err := os.MkdirAll(filepath.Join(h.etc, name), 0o755); err != nil {
				return fmt.Errorf("make etc: %w", err)
			}
		}
	}
	return nil
}

// etcBinds shows the minimal /etc.
func (h *host) etcBinds() []string {
	out := []string{"--ro-bind", h.etc, "/etc"}
	for _, name := range folders() {
		if _, err := os.Stat(filepath.Join(h.etc, name)); err == nil {
			out = append(out, "--ro-bind", "/etc/"+name, "/etc/"+name)
		}
	}
	return out
}
