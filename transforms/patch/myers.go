package patch

// edits marks which lines of a and b a short edit script removes and adds. It is Myers'
// algorithm in linear space ("An O(ND) Difference Algorithm and Its Variations", section 4b),
// after git's preparation: equal ends are cut off, and lines that cannot or should not match are
// left out. Where a shortest script costs more than a bound from either side the furthest path
// so far is taken, so that time stays within O((n+m)·bound) for any input.
func edits(a, b []int) (removed, added []bool) {
	return editsWithin(a, b, max(256, isqrt(len(a)+len(b))))
}

func editsWithin(a, b []int, cost int) (removed, added []bool) {
	m := &myers{removed: make([]bool, len(a)), added: make([]bool, len(b))}
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	m.a, m.ai = matching(a, b, start, end, m.removed)
	m.b, m.bi = matching(b, a, start, end, m.added)
	size := len(m.a) + len(m.b) + 3
	m.forward, m.backward = make([]int, 2*size+1), make([]int, 2*size+1)
	m.zero = size
	m.cost = cost
	m.walk(0, len(m.a), 0, len(m.b))
	return m.removed, m.added
}

// matching is s, between its equal ends, without the lines that are not to be matched; those are
// marked. Such are lines that other lacks, and frequent ones (blank lines, closing braces) in
// the midst of lines that other lacks: matching these would tear one change into many.
func matching(s, other []int, start, end int, marked []bool) (lines, index []int) {
	count := make(map[int]int, len(other))
	for _, id := range other {
		count[id]++
	}
	frequent := min(isqrt(len(s)), 1024)
	const none, some, many = 0, 1, 2
	class := make([]byte, len(s)-start-end)
	for i := range class {
		switch n := count[s[start+i]]; {
		case n == 0:
			class[i] = none
		case n >= frequent:
			class[i] = many
		default:
			class[i] = some
		}
	}
	for i, c := range class {
		if c == none || c == many && amidst(class, i) {
			marked[start+i] = true
			continue
		}
		lines, index = append(lines, s[start+i]), append(index, start+i)
	}
	return lines, index
}

// amidst reports whether the frequent line i lies, within 100 lines each way, in a run of lines
// without a match (class 0) on both sides, with less than a quarter of frequent ones.
func amidst(class []byte, i int) bool {
	const window = 100
	frequent, single := 0, 0
	for _, step := range []int{-1, 1} {
		alone := 0
		frequent++
		for j := i + step; j >= 0 && j < len(class) && j >= i-window && j <= i+window && class[j] != 1; j += step {
			if class[j] == 0 {
				alone++
			} else {
				frequent++
			}
		}
		if alone == 0 {
			return false
		}
		single += alone
	}
	return frequent*4 < frequent+single
}

func isqrt(n int) int {
	r := 1
	for n > 0 {
		r, n = r<<1, n>>2
	}
	return r
}

type myers struct {
	a, b              []int // lines that both sides have
	ai, bi            []int // their indices in the whole
	removed, added    []bool
	forward, backward []int // furthest index of a by diagonal, from zero
	zero, cost        int
}

func (m *myers) walk(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	switch {
	case a0 == a1:
		for ; b0 < b1; b0++ {
			m.added[m.bi[b0]] = true
		}
	case b0 == b1:
		for ; a0 < a1; a0++ {
			m.removed[m.ai[a0]] = true
		}
	default:
		x, y := m.middle(a0, a1, b0, b1)
		m.walk(a0, x, b0, y)
		m.walk(x, a1, y, b1)
	}
}

// middle is a point on a shortest path through the box, found where the paths from both corners
// meet. The box's corners differ, so the point is none of them.
func (m *myers) middle(a0, a1, b0, b1 int) (int, int) {
	f, g := m.forward, m.backward
	low, high := a0-b1, a1-b0 // diagonals x-y of the box
	fmid, bmid := a0-b0, a1-b1
	fmin, fmax, bmin, bmax := fmid, fmid, bmid, bmid
	odd := (fmid-bmid)&1 != 0
	z := m.zero
	f[z+fmid], g[z+bmid] = a0, a1
	for cost := 1; ; cost++ {
		fmin, fmax = widen(f, z, fmin, fmax, low, high, -1)
		for d := fmax; d >= fmin; d -= 2 {
			x := max(f[z+d-1]+1, f[z+d+1])
			y := x - d
			for x < a1 && y < b1 && m.a[x] == m.b[y] {
				x, y = x+1, y+1
			}
			f[z+d] = x
			if odd && bmin <= d && d <= bmax && g[z+d] <= x {
				return x, y
			}
		}
		bmin, bmax = widen(g, z, bmin, bmax, low, high, int(^uint(0)>>1)-1)
		for d := bmax; d >= bmin; d -= 2 {
			x := min(g[z+d-1], g[z+d+1]-1)
			y := x - d
			for x > a0 && y > b0 && m.a[x-1] == m.b[y-1] {
				x, y = x-1, y-1
			}
			g[z+d] = x
			if !odd && fmin <= d && d <= fmax && x <= f[z+d] {
				return x, y
			}
		}
		if cost >= m.cost {
			return m.furthest(a0, a1, b0, b1, fmin, fmax, bmin, bmax)
		}
	}
}

// widen extends the range of diagonals by one on either side, or narrows it at the box's edge,
// and puts a sentinel beyond it.
func widen(v []int, z, lo, hi, low, high, sentinel int) (int, int) {
	if lo > low {
		lo--
		v[z+lo-1] = sentinel
	} else {
		lo++
	}
	if hi < high {
		hi++
		v[z+hi+1] = sentinel
	} else {
		hi--
	}
	return lo, hi
}

// furthest is the point furthest from its corner that either search has reached.
func (m *myers) furthest(a0, a1, b0, b1, fmin, fmax, bmin, bmax int) (int, int) {
	fx, fy, far := a0, b0, -1
	for d := fmax; d >= fmin; d -= 2 {
		x := min(m.forward[m.zero+d], a1)
		y := x - d
		if y > b1 {
			x, y = b1+d, b1
		}
		if x+y > far {
			fx, fy, far = x, y, x+y
		}
	}
	bx, by, near := a1, b1, int(^uint(0)>>1)
	for d := bmax; d >= bmin; d -= 2 {
		x := max(m.backward[m.zero+d], a0)
		y := x - d
		if y < b0 {
			x, y = b0+d, b0
		}
		if x+y < near {
			bx, by, near = x, y, x+y
		}
	}
	if a1+b1-near < far-a0-b0 {
		return fx, fy
	}
	return bx, by
}
