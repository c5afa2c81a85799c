package blobtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Bucket starts a fake of Google Cloud Storage for the time of the test: uploads, conditional
// uploads, reads and lists in memory. STORAGE_EMULATOR_HOST leads the client to it.
func Bucket(t *testing.T) {
	b := &fake{objects: map[string][]byte{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", server.URL)
}

type fake struct {
	mu      sync.Mutex
	objects map[string][]byte // by bucket/name
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	uploadTo, upload := strings.CutPrefix(r.URL.Path, "/upload/storage/v1/b/")
	listOf, list := strings.CutPrefix(r.URL.Path, "/storage/v1/b/")
	switch {
	case upload && r.Method == http.MethodPost:
		f.upload(w, r, strings.TrimSuffix(uploadTo, "/o"))
	case list && r.Method == http.MethodGet && strings.HasSuffix(listOf, "/o"):
		f.list(w, strings.TrimSuffix(listOf, "/o"), r.URL.Query().Get("prefix"), r.URL.Query().Get("pageToken"))
	case list && r.Method == http.MethodDelete:
		key := strings.Replace(listOf, "/o/", "/", 1)
		if _, ok := f.objects[key]; !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		delete(f.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet:
		f.read(w, strings.TrimPrefix(r.URL.Path, "/"))
	default:
		http.Error(w, "the fake does not know "+r.Method+" "+r.URL.String(), http.StatusNotImplemented)
	}
}

func (f *fake) upload(w http.ResponseWriter, r *http.Request, bucket string) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	var bodies [][]byte
	for {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		b, err := io.ReadAll(p)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		bodies = append(bodies, b)
	}
	var object struct{ Name string }
	if len(bodies) != 2 || json.Unmarshal(bodies[0], &object) != nil {
		http.Error(w, "want the object's description and its content", http.StatusBadRequest)
		return
	}
	key := bucket + "/" + object.Name
	if _, exists := f.objects[key]; exists && r.URL.Query().Get("ifGenerationMatch") == "0" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusPreconditionFailed)
		fmt.Fprint(w, `{"error":{"code":412,"message":"At least one of the pre-conditions you specified did not hold."}}`)
		return
	}
	f.objects[key] = bodies[1]
	answer(w, map[string]any{"bucket": bucket, "name": object.Name, "size": fmt.Sprint(len(bodies[1])), "generation": "1"})
}

// list gives two objects a page, so that a client which reads one page fails.
func (f *fake) list(w http.ResponseWriter, bucket, prefix, after string) {
	var items []any
	next := ""
	for _, key := range slices.Sorted(maps.Keys(f.objects)) {
		name, ok := strings.CutPrefix(key, bucket+"/")
		if !ok || !strings.HasPrefix(name, prefix) || name <= after {
			continue
		}
		if len(items) == 2 {
			break
		}
		items, next = append(items, map[string]string{"name": name}), name
	}
	if len(items) < 2 {
		next = ""
	}
	answer(w, map[string]any{"items": items, "nextPageToken": next})
}

func (f *fake) read(w http.ResponseWriter, key string) {
	if unescaped, err := url.PathUnescape(key); err == nil {
		key = unescaped
	}
	b, ok := f.objects[key]
	if !ok {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	w.Header().Set("X-Goog-Generation", "1")
	w.Write(b)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err)
	}
}
