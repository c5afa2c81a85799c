package execute

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ints(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// goroutine is the number of the goroutine that calls it.
func goroutine() string {
	b := make([]byte, 64)
	return strings.Fields(string(b[:runtime.Stack(b, false)]))[1]
}

func TestEachTellsEveryResultOnTheCallingGoroutine(t *testing.T) {
	for _, width := range []int{-1, 0, 1, 3, 100} {
		here := goroutine()
		var running, most atomic.Int64
		var got []int // written without a lock: only the calling goroutine does
		err := Each(t.Context(), width, ints(50), func(_ context.Context, i int) int {
			n := running.Add(1)
			defer running.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			runtime.Gosched()
			return i * i
		}, func(o int) {
			if at := goroutine(); at != here {
				t.Errorf("width %d: a result on goroutine %s, want %s", width, at, here)
			}
			got = append(got, o)
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		want := make([]int, 50)
		for i := range want {
			want[i] = i * i
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("width %d: %s", width, d)
		}
		if most.Load() > int64(max(width, 1)) {
			t.Errorf("width %d: %d calls at once", width, most.Load())
		}
	}
}

func TestEachOfNothing(t *testing.T) {
	if err := Each(t.Context(), 2, ints(0), func(context.Context, int) int { return 0 }, func(int) { t.Error("a result") }); err != nil {
		t.Error(err)
	}
}

func TestEachMakesAPanicAnError(t *testing.T) {
	var told []int
	var live atomic.Int64
	err := Each(t.Context(), 2, ints(1000), func(_ context.Context, i int) int {
		live.Add(1)
		defer live.Add(-1)
		if i == 3 {
			panic("broken element")
		}
		return i
	}, func(o int) { told = append(told, o) })
	if err == nil || !strings.Contains(err.Error(), "broken element") || !strings.Contains(err.Error(), "each_test.go") {
		t.Errorf("error %v: want the panic's value and place", err)
	}
	if live.Load() != 0 {
		t.Errorf("%d calls go on after Each", live.Load())
	}
	if slices.Contains(told, 3) || !slices.Contains(told, 0) {
		t.Errorf("told %v: want the results of those that came to their end", told)
	}
}

func TestEachEndsWithItsContext(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var begun, ended atomic.Int64
	var first sync.Once
	told := 0
	err := Each(ctx, 4, ints(1000), func(ctx context.Context, i int) int {
		begun.Add(1)
		first.Do(func() { cancel(why) })
		<-ctx.Done()
		ended.Add(1)
		return i
	}, func(int) { told++ })
	if !errors.Is(err, why) {
		t.Errorf("error %v, want the context's cause", err)
	}
	if begun.Load() != ended.Load() || int64(told) != ended.Load() {
		t.Errorf("%d begun, %d ended, %d told: Each returns when no call is running", begun.Load(), ended.Load(), told)
	}
	if begun.Load() > 4 {
		t.Errorf("%d calls begun after the end", begun.Load())
	}
	Wait() // nothing in flight: returns
}
