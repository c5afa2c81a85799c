package lifecycle

import "testing"

func TestNamesModule(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		want       bool
	}{
		{"pkg.new", "src/pkg/new.py", true},
		{"pkg.new", "pkg/new/__init__.py", true},
		{"pkg.new", "pkg/new/deep/x.py", true},
		{"new", "pkg/new.py", true},
		{"pkg.new", "pkg/newer.py", false},
		{"pkg.new", "other/new.py", false},
		{"", "pkg/new.py", false},
		{"example.org/m/v2/inner/set", "inner/set/set.go", true},
		{"example.org/m/v2/inner/set", "set/set.go", true},
		{"example.org/m/v2/inner/subset", "set/set.go", false},
		{"example.org/m", "m.go", false},
	} {
		if got := namesModule(tt.name, tt.path); got != tt.want {
			t.Errorf("namesModule(%q, %q) = %v", tt.name, tt.path, got)
		}
	}
}
