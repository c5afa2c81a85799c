package node

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What no lock pins is resolved as of the day of the commit, by a manager that can.
func TestAsOf(t *testing.T) {
	committed := time.Date(2024, 2, 28, 23, 30, 0, 0, time.FixedZone("", -2*60*60)) // the 29th, UTC
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"npm", []string{"package.json", manifestWith(`"test": "mocha"`)}, "install 2024-03-01"},
		{"a lock", []string{"package.json", manifestWith(`"test": "mocha"`), "package-lock.json", `{"lockfileVersion": 3}`}, "install"},
		{"pnpm", []string{"package.json", manifestWith(`"test": "mocha"`, `, "packageManager": "pnpm@9.0.0"`)}, "install"},
	} {
		plain, err := Recipe("javascript", files(c.in...))
		if err != nil {
			t.Fatal(err)
		}
		dated, err := AsOf(plain, committed)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(dated.Prepare[0].Argv[2:], " "); got != c.want || !strings.HasSuffix(dated.Protocol.Prepare[0], c.want) {
			t.Errorf("%s: %q, told as %q: want %q", c.name, got, dated.Protocol.Prepare, c.want)
		}
		if moved := dated.ID() != plain.ID(); moved != (c.want != "install") {
			t.Errorf("%s: another recipe: %v", c.name, moved)
		}
		if strings.Join(plain.Prepare[0].Argv[2:], " ") != "install" {
			t.Errorf("%s: the recipe given was changed: %v", c.name, plain.Prepare)
		}
	}
}

// registry serves the package clock, whose versions were published in different years.
func registry(t *testing.T, published map[string]string) *httptest.Server {
	t.Helper()
	tarball := func(version string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		data := fmt.Appendf(nil, `{"name": "clock", "version": %q}`, version)
		if err := w.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(data))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v, ok := strings.CutPrefix(r.URL.Path, "/clock/-/"); ok {
			w.Write(tarball(strings.TrimSuffix(v, ".tgz")))
			return
		}
		if r.URL.Path != "/clock" {
			http.NotFound(w, r)
			return
		}
		versions, newest := map[string]any{}, ""
		for v := range published {
			newest = max(newest, v)
			versions[v] = map[string]any{"name": "clock", "version": v, "dist": map[string]string{"tarball": s.URL + "/clock/-/" + v + ".tgz"}}
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{"name": "clock", "dist-tags": map[string]string{"latest": newest}, "versions": versions, "time": published}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Versions of a later day than the commit's are left out; where none is as old, the newest is
// taken. The lock that is kept then pins them, whatever the day.
func TestPrepareAsOf(t *testing.T) {
	s := registry(t, map[string]string{"1.0.0": "2020-05-01T12:00:00Z", "1.1.0": "2022-05-01T12:00:00Z", "1.2.0": "2024-05-01T12:00:00Z"})
	t.Setenv("npm_config_registry", s.URL)
	t.Setenv("npm_config_fetch_retries", "0")
	in := files("package.json", `{"name": "old", "scripts": {"test": "node --test"}, "devDependencies": {"clock": "^1.0.0"}}`)
	r, err := Recipe("javascript", in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ day, want string }{
		{"2021-01-01", "clock@1.0.0"}, {"2022-05-01", "clock@1.1.0"}, {"2022-04-30", "clock@1.0.0"}, {"2030-01-01", "clock@1.2.0"}, {"1999-01-01", "clock@1.2.0"},
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		dated, err := AsOf(r, day)
		if err != nil {
			t.Fatal(err)
		}
		lock, err := newBox(t, in).prepare(dated, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(lock), c.want) {
			t.Errorf("as of %s: no %s in the lock:\n%s", c.day, c.want, lock)
		}
		if c.day != "2021-01-01" {
			continue
		}
		again, err := newBox(t, in).prepare(r, lock)
		if d := cmp.Diff(string(lock), string(again)); err != nil || d != "" {
			t.Errorf("from the lock: %v %s", err, d)
		}
	}
}
