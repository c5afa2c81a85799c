package sandboxio

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// systemPath is the search path of the system's programs.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// baseEnviron is the whole environment of a command before its own variables: nothing of the
// user's.
func baseEnviron(p places, bin []string) []string {
	return []string{
		"PATH=" + strings.Join(append(slices.Clone(bin), systemPath), ":"),
		"HOME=" + p.home, "USER=" + userName, "LOGNAME=" + userName, "SHELL=/bin/sh",
		"LANG=C.UTF-8", "TZ=UTC", "CI=1", "TMPDIR=" + p.tmp,
	}
}

// clockEnviron sets the clock on by d through libfaketime.
func clockEnviron(library string, d time.Duration) []string {
	if d == 0 || library == "" {
		return nil
	}
	// The monotonic clock is the real one, so what waits by it needs no mending: with it each timed
	// wait of a Java thread takes seconds.
	return []string{"LD_PRELOAD=" + library, fmt.Sprintf("FAKETIME=%+d", int64(d/time.Second)), "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_FORCE_MONOTONIC_FIX=0"}
}

// faketimeLibraries are where distributions put libfaketime.
var faketimeLibraries = []string{
	"/usr/lib/*/faketime/libfaketimeMT.so.1",
	"/usr/lib/faketime/libfaketimeMT.so.1",
	"/usr/lib64/faketime/libfaketimeMT.so.1",
	"/usr/local/lib/faketime/libfaketimeMT.so.1",
}

func findFaketime() string {
	for _, pattern := range faketimeLibraries {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// clientVariables steer the clients of package registries. They are passed on while preparing,
// when the network is on, and never afterwards.
var clientVariables = []string{
	"GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GONOPROXY", "GOINSECURE",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
	"GIT_SSL_CAINFO", "MAVEN_ARGS", "NIX_SSL_CERT_FILE",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

var clientPrefixes = []string{"PIP_", "UV_", "npm_config_", "NPM_CONFIG_"}

// clientEnviron is what of the user's environment reaches a preparation.
func clientEnviron(environ []string) []string {
	var out []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		ok := slices.Contains(clientVariables, name)
		for _, prefix := range clientPrefixes {
			ok = ok || strings.HasPrefix(name, prefix)
		}
		if ok {
			out = append(out, v)
		}
	}
	return out
}

// clientFiles are the existing files and folders that client variables name, and the clients'
// system-wide configuration.
func clientFiles(environ []string) []string {
	files := []string{"/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/npmrc", "/etc/gitconfig"}
	for _, v := range clientEnviron(environ) {
		name, value, _ := strings.Cut(v, "=")
		if strings.Contains(strings.ToUpper(name), "CACHE") && name != "REQUESTS_CA_BUNDLE" {
			continue
		}
		for part := range strings.FieldsSeq(value) {
			if strings.HasPrefix(part, "/") {
				files = append(files, filepath.Clean(part))
			}
		}
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(f string) bool {
		_, err := os.Stat(f)
		return err != nil
	})
}
