package gitio

import (
	"container/list"
	"sync"
)

// A cacheKey names one object in a pack by its offset, or a loose object by its id.
type cacheKey struct {
	pack   *pack
	offset int64
	id     id
}

// A cache keeps the least recently used object contents up to a number of bytes. Its values
// are shared: nobody writes to them. Safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	max   int64
	size  int64
	order *list.List
	items map[cacheKey]*list.Element
}

type cached struct {
	key  cacheKey
	kind kind
	data []byte
}

func newCache(max int64) *cache {
	return &cache{max: max, order: list.New(), items: map[cacheKey]*list.Element{}}
}

func (c *cache) get(k cacheKey) (kind, []byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		return 0, nil, false
	}
	c.order.MoveToFront(e)
	v := e.Value.(*cached)
	return v.kind, v.data, true
}

// put keeps data unless it alone would take an eighth of the cache.
func (c *cache) put(k cacheKey, kd kind, data []byte) {
	n := int64(len(data)) + 200 // the bookkeeping of an entry
	if n > c.max/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[k]; ok {
		return
	}
	c.items[k] = c.order.PushFront(&cached{k, kd, data})
	c.size += n
	for c.size > c.max {
		last := c.order.Back()
		v := c.order.Remove(last).(*cached)
		delete(c.items, v.key)
		c.size -= int64(len(v.data)) + 200
	}
}
