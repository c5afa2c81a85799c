package ecma

import "testing"

func TestAlign(t *testing.T) {
	functions := []string{"parse > reads numbers", "parse > dates > reads text", "parse > times > reads text", "format ${value} as text", "a > same", "b > same", "twice", "twice #2"}
	for _, c := range []struct{ gone, want string }{
		{"reads numbers", "parse > reads numbers"},
		{"the parser > numbers > reads numbers", "parse > reads numbers"},
		{"dates > reads text", "parse > dates > reads text"},
		{"reads text", ""},
		{"c > same", ""},
		{"format %p as text", "format ${value} as text"},
		{"printing > format $value as text", "format ${value} as text"},
		{"reads  numbers", "parse > reads numbers"},
		{"reads", ""},
		{"all > twice", ""},
		{"", ""},
	} {
		got, ok := JavaScript.Align(c.gone, functions)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("Align(%q) = %q, %v, want %q", c.gone, got, ok, c.want)
		}
	}
}
