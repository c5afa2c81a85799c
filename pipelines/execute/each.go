// Package execute turns planned runs into observations: it asks the ledger, opens states, runs
// what is missing under one limit for the process, and stores each raw result before it is told.
package execute

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"
)

// inflight counts the work that goes on in this process, over all bundles.
var inflight sync.WaitGroup

// Wait blocks until no work is running in this process. A runner may return on cancellation
// before its DoFns do, so the command waits here before it leaves.
func Wait() { inflight.Wait() }

// slots bounds sandboxed commands over the whole process: a runner processes several bundles at
// once, and each would otherwise have a limit of its own.
var slots struct {
	sync.Mutex
	sem   *semaphore.Weighted
	width int64
}

// width sets the process's limit at the first call and returns its semaphore.
func limit(jobs int) (*semaphore.Weighted, int64) {
	slots.Lock()
	defer slots.Unlock()
	if slots.sem == nil {
		slots.width = int64(max(jobs, 1))
		slots.sem = semaphore.NewWeighted(slots.width)
	}
	return slots.sem, slots.width
}

// Each calls do for the items, width at a time, and done with each result on the calling
// goroutine (emitters and counters are not safe elsewhere). It returns when no call is running:
// nil, or the cause of ctx's end, or the first panic as an error.
func Each[I, O any](ctx context.Context, width int, items iter.Seq[I], do func(context.Context, I) O, done func(O)) error {
	type result struct {
		out O
		err error
	}
	results := make(chan result)
	running := 0
	var fault error
	collect := func(r result) {
		running--
		if r.err != nil {
			if fault == nil {
				fault = r.err
			}
			return
		}
		done(r.out)
	}
	for item := range items {
		for running >= max(width, 1) {
			collect(<-results)
		}
		if ctx.Err() != nil || fault != nil {
			break
		}
		running++
		inflight.Go(func() {
			var r result
			defer func() {
				if p := recover(); p != nil {
					r.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
				}
				results <- r
			}()
			r.out = do(ctx, item)
		})
	}
	for running > 0 {
		collect(<-results)
	}
	if fault != nil {
		return fault
	}
	return context.Cause(ctx)
}
