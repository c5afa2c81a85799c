package patch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func TestDirFollowsNoLink(t *testing.T) {
	d := Dir{Root: laid(t,
		model.File{Path: "d/f", Mode: model.ModeExecutable, Data: []byte("x")},
		model.File{Path: "in", Mode: model.ModeSymlink, Data: []byte("d")},
		model.File{Path: "out", Mode: model.ModeSymlink, Data: []byte("/etc/passwd")},
	)}
	tests := []struct {
		path string
		want model.File
		ok   bool
	}{
		{"d/f", model.File{Path: "d/f", Mode: model.ModeExecutable, Data: []byte("x")}, true},
		{"in", model.File{Path: "in", Mode: model.ModeSymlink, Data: []byte("d")}, true},
		{"out", model.File{Path: "out", Mode: model.ModeSymlink, Data: []byte("/etc/passwd")}, true},
		{"in/f", model.File{}, false},
		{"d", model.File{}, false},
		{"d/f/g", model.File{}, false},
		{"none/f", model.File{}, false},
	}
	for _, tt := range tests {
		got, ok, err := d.Read(tt.path)
		if err != nil || ok != tt.ok {
			t.Errorf("%s: %v, %v", tt.path, ok, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.path, diff)
		}
	}
	if _, _, err := d.Read("../x"); err == nil {
		t.Error("a path out of the root is read")
	}
}
