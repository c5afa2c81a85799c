package lang

import "testing"

func TestCallee(t *testing.T) {
	for _, tt := range []struct{ expression, want string }{
		{"f", "f"},
		{"a.b.C", "a.b.C"},
		{"a.b().c", "c"},
		{"a\n  .b", "a.b"},
		{"a?.b", "a.b"},
		{"make[int]", "make"},
		{"List.<String>of", "of"},
		{"Box<String>", "Box"},
		{"this.$x", "this.$x"},
		{"xs[0]", "xs"},
		{"func() {}", ""},
		{"", ""},
		{"é.ü", "é.ü"},
	} {
		if got := Callee(tt.expression); got != tt.want {
			t.Errorf("Callee(%q) = %q, want %q", tt.expression, got, tt.want)
		}
	}
}
