package syntax

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"unsafe"
)

// maxNodes bounds the nodes of the trees that are kept, about 120 bytes each. The candidates of a
// base ask for the same few hundred files again and again.
const maxNodes = 1 << 19

// recent are the trees of this process that were asked for last.
var recent = memo{most: maxNodes}

// A source is a text in a grammar.
type source struct {
	grammar unsafe.Pointer
	text    [sha256.Size]byte
}

// A memo keeps parsed texts up to a number of nodes in all and lets go of those that were asked
// for longest ago. Safe for concurrent use.
type memo struct {
	most int

	mu    sync.Mutex
	size  int
	order list.List // of kept, the newest first
	byKey map[source]*list.Element
}

type kept struct {
	source
	parsed
}

func (m *memo) get(key source) (parsed, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byKey[key]
	if !ok {
		return parsed{}, false
	}
	m.order.MoveToFront(e)
	return e.Value.(kept).parsed, true
}

func (m *memo) put(key source, p parsed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byKey[key] != nil || p.size > m.most {
		return
	}
	if m.byKey == nil {
		m.byKey = map[source]*list.Element{}
	}
	m.byKey[key] = m.order.PushFront(kept{key, p})
	for m.size += p.size; m.size > m.most; {
		last := m.order.Remove(m.order.Back()).(kept)
		delete(m.byKey, last.source)
		m.size -= last.size
	}
}
