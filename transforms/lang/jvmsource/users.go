package jvmsource

import "slices"

// readUsers reads what the hidden tests reach, and then the check files that have a word of it:
// what they use stays. Beyond maxLinked files their words alone count.
func (r *removal) readUsers() {
	names := map[string]bool{}
	candidates := map[*decl]bool{}
	add := func(d *decl) {
		if top := d.outermost(); !candidates[top] && !top.has("private") {
			candidates[top] = true
			for _, n := range top.names {
				names[n] = true
			}
		}
	}
	for d := range r.g.reach(sorted(r.hidden), false) {
		add(d)
	}
	texts := map[string]map[string]bool{}
	for again := true; again; {
		again = false
		for _, p := range r.g.layout.files {
			if r.g.files[p] != nil || r.words[p] != nil {
				continue
			}
			if texts[p] == nil {
				f, _, err := r.g.t.Read(p)
				if err != nil {
					continue
				}
				texts[p] = wordsOf(f.Data)
			}
			if !meet(names, texts[p]) {
				continue
			}
			if len(r.g.files) >= maxLinked {
				r.words[p] = texts[p]
				continue
			}
			s, err := r.g.load(p)
			if err != nil {
				r.words[p] = texts[p]
				continue
			}
			// Who names a class that extends one may use what it inherits.
			for _, d := range s.decls {
				if d.what == isType && slices.ContainsFunc(r.g.lineage(d)[1:], func(x *decl) bool { return candidates[x.outermost()] }) {
					n := len(candidates)
					add(d)
					again = again || len(candidates) > n
				}
			}
		}
	}
}

func meet(a, b map[string]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}

// wordsOf are the identifiers in a text, comments and strings too.
func wordsOf(data []byte) map[string]bool {
	out := map[string]bool{}
	start := -1
	for i := 0; i <= len(data); i++ {
		if i < len(data) && (data[i] == '_' || data[i] == '$' || data[i] >= 0x80 || data[i]|0x20 >= 'a' && data[i]|0x20 <= 'z' || data[i] >= '0' && data[i] <= '9') {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out[string(data[start:i])] = true
			start = -1
		}
	}
	return out
}
