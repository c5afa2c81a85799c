package closure

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGone(t *testing.T) {
	tests := []struct {
		name   string
		uses   string // "a:b,c d:b" strict; "a:~b" only in the loose reading
		hidden string
		pinned string
		want   string
	}{
		{"alone", "a: b:", "a", "", "a"},
		{"with its helper", "a:h b: h:", "a", "", "a h"},
		{"shared helper stays", "a:h b:h h:", "a", "", "a"},
		{"chain", "a:h h:k k: b:", "a", "", "a h k"},
		{"chain shared at its end", "a:h h:k k: b:k", "a", "", "a h"},
		{"unused before stays", "a: u: b:", "a", "", "a"},
		{"unused user keeps", "a:h h: u:h", "a", "", "a"},
		{"loosely used stays", "a:h h: b:~h", "a", "", "a"},
		{"loosely reached does not go", "a:~h h:", "a", "", "a"},
		{"pinned", "a:h h:k k:", "a", "h", "a"},
		{"cycle", "a:h h:k k:h", "a", "", "a h k"},
		{"hidden goes although named", "a: b:a", "a", "", "a"},
		{"two hidden", "a:h b:h h: c:", "a b", "", "a b h"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var all []string
			edges := map[string][]string{}
			for f := range strings.FieldsSeq(tt.uses) {
				d, to, _ := strings.Cut(f, ":")
				all = append(all, d)
				edges[d] = strings.Split(to, ",")
			}
			gone := Gone(all, strings.Fields(tt.hidden), func(d string) bool { return d == tt.pinned }, func(d string, loose bool, visit func(string)) {
				for _, to := range edges[d] {
					if name, only := strings.CutPrefix(to, "~"); name != "" && (!only || loose) {
						visit(name)
					}
				}
			})
			if diff := cmp.Diff(tt.want, strings.Join(slices.Sorted(maps.Keys(gone)), " ")); diff != "" {
				t.Errorf("gone (-want +got):\n%s", diff)
			}
		})
	}
}
