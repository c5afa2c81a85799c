package gitio

import "sync"

// A cache keeps the least recently used object contents up to a number of bytes, by the place
// of an object: its pack's number and its offset in one word, which hashes several times faster
// than an object id. Its contents are shared: nobody writes to them. Safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	max   int64
	size  int64
	items map[uint64]*cached
	ends  cached // ends.next is the most recently used
}

type cached struct {
	prev, next *cached
	place      uint64
	kind       kind
	data       []byte
}

// overhead is the bookkeeping of one entry, in bytes.
const overhead = 120

func newCache(max int64) *cache {
	c := &cache{max: max, items: map[uint64]*cached{}}
	c.ends.prev, c.ends.next = &c.ends, &c.ends
	return c
}

func (c *cache) get(place uint64) (kind, []byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[place]
	if !ok {
		return 0, nil, false
	}
	e.cut()
	c.front(e)
	return e.kind, e.data, true
}

// put keeps data unless it alone would take an eighth of the cache.
func (c *cache) put(place uint64, k kind, data []byte) {
	n := int64(len(data)) + overhead
	if n > c.max/8 {
		return
	}
	e := &cached{place: place, kind: k, data: data}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[place]; ok {
		return
	}
	c.items[place] = e
	c.front(e)
	for c.size += n; c.size > c.max; {
		last := c.ends.prev
		last.cut()
		delete(c.items, last.place)
		c.size -= int64(len(last.data)) + overhead
	}
}

func (c *cache) front(e *cached) {
	e.prev, e.next = &c.ends, c.ends.next
	e.prev.next, e.next.prev = e, e
}

func (e *cached) cut() { e.prev.next, e.next.prev = e.next, e.prev }
