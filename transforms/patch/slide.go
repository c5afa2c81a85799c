package patch

import "slices"

// slide moves each run of marked lines in s to the best of the places that equal lines let it
// have, joining runs that it meets. Where a run can end opposite a run of the other side it
// does, so that the two are one change; else indents decide.
func slide(s []int, text []string, marked []bool, other []int, otherMarked []bool) {
	gaps := unmarkedEnds(other, otherMarked)
	kept := 0
	for i := 0; i < len(s); {
		if !marked[i] {
			kept++
			i++
			continue
		}
		start, end := i, i
		for end < len(s) && marked[end] {
			end++
		}
		end, kept = settleRun(s, text, marked, start, end, kept, gaps)
		i = end
	}
}

// unmarkedEnds tells for each count of unmarked lines whether a marked run follows them.
func unmarkedEnds(s []int, marked []bool) []bool {
	out := make([]bool, 1, len(s)+1)
	for i := range s {
		if marked[i] {
			out[len(out)-1] = true
		} else {
			out = append(out, false)
		}
	}
	return slices.Clip(out)
}

// settleRun places the run start..end, before which kept unmarked lines lie. It returns where
// the run then ends, and how many unmarked lines lie before it.
func settleRun(s []int, text []string, marked []bool, start, end, kept int, gaps []bool) (int, int) {
	up := func() {
		start, end, kept = start-1, end-1, kept-1
		marked[start], marked[end] = true, false
	}
	for {
		size := end - start
		for start > 0 && s[start-1] == s[end-1] {
			up()
			for start > 0 && marked[start-1] {
				start--
			}
		}
		first, opposite := end, -1
		if gaps[kept] {
			opposite = end
		}
		for end < len(s) && s[start] == s[end] {
			marked[start], marked[end] = false, true
			start, end, kept = start+1, end+1, kept+1
			for end < len(s) && marked[end] {
				end++
			}
			if gaps[kept] {
				opposite = end
			}
		}
		if end-start != size {
			continue // it met another run; try again with both
		}
		best := opposite
		if best < 0 {
			best = bestEnd(text, first, end, size)
		}
		for end > best {
			up()
		}
		return end, kept
	}
}
