package lang_test

import (
	"strings"
	"testing"

	"github.com/taskmill/taskmill/transforms/lang"
)

type plain struct{}

func (plain) Function(id string) (unit, function string) {
	unit, function, _ = strings.Cut(id, " > ")
	return unit, function
}

type titled struct{ plain }

func (titled) Titled(id string, functions []string) (string, bool) {
	for _, f := range functions {
		if strings.HasPrefix(id, "a > "+strings.TrimSuffix(f, "%s")) {
			return f, true
		}
	}
	return "", false
}

func TestResolver(t *testing.T) {
	functions := []string{"adds %s"}
	for _, c := range []struct {
		l interface {
			Function(string) (string, string)
		}
		id, want string
	}{
		{plain{}, "a > adds 1", "adds 1"}, {titled{}, "a > adds 1", "adds %s"}, {titled{}, "a > other", "other"}, {titled{}, "b > adds 1", "adds 1"},
	} {
		if _, got := lang.Resolver(c.l, "a", functions)(c.id); got != c.want {
			t.Errorf("%T %q: %q, want %q", c.l, c.id, got, c.want)
		}
	}
}
