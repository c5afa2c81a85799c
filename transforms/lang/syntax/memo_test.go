package syntax

import (
	"testing"

	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

func TestMemoKeepsWhatWasAskedForLast(t *testing.T) {
	m := memo{most: 10}
	key := func(b byte) source { return source{text: [32]byte{b}} }
	for b := range byte(3) {
		m.put(key(b), parsed{bad: int(b), size: 3})
	}
	if _, ok := m.get(key(0)); !ok {
		t.Fatal("the first is gone before there is need")
	}
	m.put(key(3), parsed{bad: 3, size: 4})
	m.put(key(4), parsed{size: 11}) // more than all
	for b, want := range []bool{true, false, true, true, false} {
		if got, ok := m.get(key(byte(b))); ok != want || ok && got.bad != b {
			t.Errorf("entry %d: kept %v as %v, want %v", b, ok, got.bad, want)
		}
	}
	if m.size != 10 || m.order.Len() != 3 || len(m.byKey) != 3 {
		t.Errorf("%d nodes in %d entries, %d keys", m.size, m.order.Len(), len(m.byKey))
	}
}

func TestParseTellsTextsApart(t *testing.T) {
	for range 2 { // the second time from memory
		for src, want := range map[string]int{"def f():\n    return 1\n": 0, "\ndef f(:\n": 2} {
			root, bad, err := Parse(python.Language(), []byte(src))
			if err != nil || bad != want || root.Text([]byte(src)) == "" {
				t.Errorf("%q: error at line %d, %v, want line %d", src, bad, err, want)
			}
		}
	}
}
