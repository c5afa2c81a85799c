package sandboxio

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A base image that was named and that neither the engine nor a registry has ends the opening.
func TestNamedBaseImageMustExist(t *testing.T) {
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.44")
		w.Header().Set("Content-Type", "application/json")
		answer := "[]"
		switch path := r.URL.Path; {
		case strings.HasSuffix(path, "/_ping"):
			answer = "OK"
		case strings.HasSuffix(path, "/info"):
			answer = `{"NCPU": 2}`
		case strings.Contains(path, "/images/known:1/"):
			answer = `{"Id": "sha256:1"}`
		case strings.HasSuffix(path, "/images/create"), strings.Contains(path, "/images/nonexist:1/"):
			w.WriteHeader(http.StatusNotFound)
			answer = `{"message": "No such image: nonexist:1"}`
		}
		w.Write([]byte(answer))
	}))
	defer engine.Close()
	t.Setenv("DOCKER_HOST", strings.Replace(engine.URL, "http://", "tcp://", 1))
	for image, want := range map[string]string{"known:1": "", "nonexist:1": "image nonexist:1 is missing"} {
		d, err := openDocker(t.Context(), Options{Work: t.TempDir(), BaseImages: map[string]string{"go": image}})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", image, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v, want %s", image, err, want)
		}
		if d != nil {
			if err := d.cli.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
