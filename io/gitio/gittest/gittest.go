// Package gittest lays small real repositories with fixed dates in temporary folders, from the
// text form of package sampleio.
package gittest

import (
	"path/filepath"
	"testing"

	"github.com/taskmill/taskmill/io/sampleio"
)

// Repo writes the history of text as a bare repository and returns its folder, which ends in
// owner/name.git so that its name can be told from the path.
func Repo(t testing.TB, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "example", "sample.git")
	if err := sampleio.Write([]byte(text), dir); err != nil {
		t.Fatalf("write repository: %v", err)
	}
	return dir
}

// Sample writes a sample of the product the same way.
func Sample(t testing.TB, name string) string {
	t.Helper()
	text, err := sampleio.Text(name)
	if err != nil {
		t.Fatal(err)
	}
	return Repo(t, string(text))
}
