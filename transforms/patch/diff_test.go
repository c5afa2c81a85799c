package patch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// TestEditsKeepTheSame demands of any bound on the search that both sides keep the same lines,
// and of a high one that no shorter script exists, where nothing is left out beforehand.
func TestEditsKeepTheSame(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		draw := func() []int {
			s := make([]int, r.IntN(40))
			for i := range s {
				s[i] = r.IntN(1 + int(seed)%12)
			}
			return s
		}
		a, b := draw(), draw()
		for _, cost := range []int{1, 2, 5, 1000} {
			removed, added := editsWithin(a, b, cost)
			if diff := cmp.Diff(kept(a, removed), kept(b, added)); diff != "" {
				t.Fatalf("seed %d, cost %d: %s", seed, cost, diff)
			}
		}
	}
}

func kept(s []int, gone []bool) []int {
	out := []int{}
	for i, v := range s {
		if !gone[i] {
			out = append(out, v)
		}
	}
	return out
}

// TestLargeDifference would not end if the search had no bound.
func TestLargeDifference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	a := r.Perm(60000)
	removed, added := edits(a, r.Perm(60000))
	if n := len(kept(a, removed)); n == 0 || n == len(a) || len(added) != len(a) {
		t.Errorf("%d lines kept", n)
	}
}

func TestManyPlaces(t *testing.T) {
	file := strings.Repeat("x\n", 200000)
	hunk := Hunk{OldStart: 100, OldLines: 100000, NewStart: 100, NewLines: 100001}
	for range 50000 {
		hunk.Lines = append(hunk.Lines, Line{' ', "x\n"})
	}
	hunk.Lines = append(hunk.Lines, Line{'+', "y\n"})
	for range 50000 {
		hunk.Lines = append(hunk.Lines, Line{' ', "x\n"})
	}
	at, places := newImage(file).place(hunk)
	if diff := cmp.Diff([]int{99, 100001}, []int{at, places}); diff != "" {
		t.Errorf("line and places: %s", diff)
	}
}

func TestRenames(t *testing.T) {
	text := func(n int) []byte {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, "line %d of %d\n", i, n)
		}
		return []byte(b.String())
	}
	near := slices.Concat(text(1), []byte("one more\n"))
	tests := []struct {
		name     string
		old, new []model.File
		want     []string
	}{
		{"exact", []model.File{{Path: "a", Data: text(1)}}, []model.File{{Path: "b", Data: text(1)}}, []string{"renamed a b"}},
		{"similar", []model.File{{Path: "a", Data: text(1)}}, []model.File{{Path: "b", Data: near}}, []string{"renamed a b"}},
		{"not similar", []model.File{{Path: "a", Data: text(1)}}, []model.File{{Path: "b", Data: text(2)}}, []string{"deleted a ", "added  b"}},
		{"exact goes before similar", []model.File{{Path: "a", Data: text(1)}, {Path: "b", Data: near}}, []model.File{{Path: "c", Data: near}}, []string{"deleted a ", "renamed b c"}},
		{"same name", []model.File{{Path: "x/f", Data: text(1)}, {Path: "x/g", Data: text(1)}}, []model.File{{Path: "y/g", Data: text(1)}}, []string{"deleted x/f ", "renamed x/g y/g"}},
		{"a link is no file", []model.File{{Path: "a", Data: []byte("t")}}, []model.File{{Path: "b", Data: []byte("t"), Mode: model.ModeSymlink}}, []string{"deleted a ", "added  b"}},
		{"still there", []model.File{{Path: "a", Data: text(1)}}, []model.File{{Path: "a", Data: text(1)}, {Path: "b", Data: text(1)}}, []string{"added  b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Diff(tree.Of(tt.old...), tree.Of(tt.new...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range p.Files {
				got = append(got, f.Change+" "+f.Old+" "+f.New)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDiffFilesOfEqualFiles(t *testing.T) {
	f := model.File{Path: "f", Mode: model.ModeFile, Data: []byte("a\n")}
	if got, ok := DiffFiles(f, f); ok {
		t.Errorf("difference %+v", got)
	}
}
