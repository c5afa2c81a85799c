package lang

import (
	"strings"
	"testing"

	"github.com/taskmill/taskmill/model"
)

func TestNamed(t *testing.T) {
	symbols := []model.Symbol{{Name: "Mux", Path: "sub/mux.go"}, {Name: "Mux.Handle"}, {Name: "Other.Handle"}, {Name: "Handler"}}
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{[]string{"Handle"}, "Mux.Handle Other.Handle "},
		{[]string{"Mux.Handle"}, "Mux.Handle "},
		{[]string{"Mux", "x"}, "Mux "},
		{[]string{"example.com/m/sub"}, "Mux "},
		{[]string{"example.com/m/resub", "."}, ""},
		{nil, ""},
	} {
		var got strings.Builder
		for _, s := range Named(tt.names, symbols) {
			got.WriteString(s.Name + " ")
		}
		if got.String() != tt.want {
			t.Errorf("%v: %q", tt.names, got.String())
		}
	}
}
