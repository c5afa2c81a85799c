package base

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func TestRelease(t *testing.T) {
	for name, want := range map[string]bool{
		"v1.2.3": true, "1.2": true, "release-1.4.0": true, "pkg@2.0.1": true, "sub/v0.1.0": true, "v2.0.0.post1": true, "1.0.0.Final": true,
		"v1.2.3-rc.1": false, "1.2b1": false, "v1": false, "latest": false, "nightly-2024": false, "v1.0.0-beta": false,
	} {
		if got := Release(name); got != want {
			t.Errorf("Release(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestPoints(t *testing.T) {
	var line []Point
	day := func(i, before int) {
		line = append(line, Point{Commit: model.Hash(fmt.Sprint("c", i)), At: i, When: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -before)})
	}
	for i, before := range []int{0, 5, 20, 31, 40, 59, 61, 62, 200, 210, 729, 731, 800} {
		day(i, before)
	}
	names := func(ps []Point) string {
		var out []string
		for _, p := range ps {
			out = append(out, string(p.Commit)+":"+p.Why)
		}
		return strings.Join(out, " ")
	}
	tagged := map[model.Hash]bool{"c4": true, "c0": true, "c12": true}
	for _, tt := range []struct {
		max  int
		want string
	}{
		{MaxPoints, "c0:newest c3:date c4:tag c6:date c8:date c9:date c10:date"},
		{4, "c0:newest c3:date c6:date c9:date"},
		{1, "c0:newest"},
	} {
		if diff := cmp.Diff(tt.want, names(Points(line, tagged, DefaultAge, tt.max))); diff != "" {
			t.Errorf("at most %d (-want +got):\n%s", tt.max, diff)
		}
	}
	if got := Points(nil, nil, DefaultAge, 3); got != nil {
		t.Errorf("no line: %v", got)
	}
}

func matrix(rows ...string) Matrix {
	m := Matrix{}
	for _, row := range rows {
		var cells []bool
		for _, c := range row {
			cells = append(cells, c == 'x')
		}
		m.Cells = append(m.Cells, cells)
	}
	for i := range m.Cells[0] {
		m.Points = append(m.Points, Point{At: i})
	}
	return m
}

func TestChoose(t *testing.T) {
	m := matrix(
		"x..", // 0
		"xx.", // 1
		".xx", // 2
		".xx", // 3
		"..x", // 4
		"...", // 5
	)
	for _, tt := range []struct {
		name        string
		most, least int
		want        []Pick
		uncovered   []int
	}{
		{"all", 0, 1, []Pick{{1, []int{1, 2, 3}}, {0, []int{0}}, {2, []int{4}}}, []int{5}},
		{"one", 1, 1, []Pick{{1, []int{1, 2, 3}}}, []int{0, 4, 5}},
		{"least two", 0, 2, []Pick{{1, []int{1, 2, 3}}}, []int{0, 4, 5}},
		{"least four", 0, 4, nil, []int{0, 1, 2, 3, 4, 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			picks := m.Choose(tt.most, tt.least)
			if diff := cmp.Diff(tt.want, picks); diff != "" {
				t.Errorf("picks (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.uncovered, m.Uncovered(picks)); diff != "" {
				t.Errorf("uncovered (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]Pick{{1, []int{1, 2, 3}}, {0, []int{0}}}, m.WithNewest(m.Choose(0, 2))); diff != "" {
		t.Errorf("with the newest (-want +got):\n%s", diff)
	}
	picks := m.Choose(0, 1)
	if diff := cmp.Diff(picks, m.WithNewest(picks)); diff != "" {
		t.Errorf("the newest is there (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 3, 4, 5}, Reach(picks)); diff != "" {
		t.Errorf("reach (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		at, change, want int
		ok               bool
	}{{0, 1, 1, true}, {0, 2, 2, true}, {1, 1, 0, false}, {0, 5, 0, false}} {
		if got, ok := m.Next(picks, tt.at, tt.change); got != tt.want || ok != tt.ok {
			t.Errorf("Next(%d, %d) = %d, %v, want %d, %v", tt.at, tt.change, got, ok, tt.want, tt.ok)
		}
	}
}

// A plan covers each change at most once, by a point that covers it, and no pick brings fewer
// than asked for or more than the one before.
func TestChooseProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m := Matrix{Points: make([]Point, 1+r.IntN(8))}
		for range r.IntN(30) {
			row := make([]bool, len(m.Points))
			for i := range row {
				row[i] = r.IntN(3) == 0
			}
			m.Cells = append(m.Cells, row)
		}
		least := r.IntN(4)
		picks := m.Choose(0, least)
		seen := map[int]bool{}
		for i, p := range picks {
			if len(p.Changes) < least || i > 0 && len(p.Changes) > len(picks[i-1].Changes) {
				t.Fatalf("pick %d of %v brings %d", i, picks, len(p.Changes))
			}
			for _, c := range p.Changes {
				if seen[c] || !m.Cells[c][p.Point] {
					t.Fatalf("change %d is covered twice or not at all by %v", c, picks)
				}
				seen[c] = true
			}
		}
		if len(seen)+len(m.Uncovered(picks)) != len(m.Cells) {
			t.Fatalf("%d covered and %d not, of %d", len(seen), len(m.Uncovered(picks)), len(m.Cells))
		}
	}
}
