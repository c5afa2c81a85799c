package lang

// A Titler is a Language in which a check id alone does not tell its test function: one function
// gives checks of many titles (a template), or equal titles are told apart by a number.
type Titler interface {
	// Titled is the test function of a check id among functions, those of its unit as
	// Surfaces names them; false where none of them can have made it.
	Titled(id string, functions []string) (function string, ok bool)
}

// Resolver gives the unit and test function of check ids as Function does; where the language
// is a Titler, an id of unit is set against the unit's functions. The result remembers what it
// has found and is not for concurrent use.
func Resolver(l interface {
	Function(id string) (unit, function string)
}, unit string, functions []string) func(id string) (string, string) {
	t, ok := l.(Titler)
	if !ok || len(functions) == 0 {
		return l.Function
	}
	known := map[string]string{}
	return func(id string) (string, string) {
		u, f := l.Function(id)
		if u != unit {
			return u, f
		}
		found, ok := known[id]
		if !ok {
			if found, ok = t.Titled(id, functions); !ok {
				found = f
			}
			known[id] = found
		}
		return u, found
	}
}
