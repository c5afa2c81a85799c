package evidence

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// MinSites is the least number of call sites that make a migration, ours.
const MinSites = 2

// A Migration is a callee that a change replaces by another.
type Migration struct {
	Old, New string // as the call sites write them, qualifier included
	Sites    int
}

var (
	call       = regexp.MustCompile(`([A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*)\s*\(`)
	definition = regexp.MustCompile(`^\s*(?:(?:async|export|default|public|private|protected|internal|static|final|abstract|override|open|suspend|inline)\s+)*(?:func|def|class|type|function|fun|interface)\b`)
	method     = regexp.MustCompile(`^\s*(?:[\w.<>,\[\]?$]+\s+)*([\w$]+)\s*\([^()]*\)[^()]*\{\s*$`)
	keyword    = set("if for while return switch func def class go defer with print not and or in elif assert lambda await yield raise except case select var const type interface struct map range len make append super this function fun catch typeof when try synchronized constructor new throw")
)

// MigrationOf finds the callee that at least MinSites call sites of a source patch replace by
// one same other. It reads names, not types: in each run of removed lines followed by as many
// added ones, lines are paired in order, and a pair counts when exactly one qualified callee of
// the old line is missing in the new one and the other way round. Names are told apart from
// variables by their qualifiers: they are the same on both sides, or imported. The touched files
// must not call the old callee afterwards. A renaming within the project (the change deletes the old
// definition and adds the new) is no migration: nobody else could perform it.
func MigrationOf(source patch.Patch, symbols Symbols, before, after *tree.Tree) (Migration, bool, error) {
	votes := map[[2]string]int{}
	for _, f := range source.Files {
		same, err := sameThing(f, before, after)
		if err != nil {
			return Migration{}, false, err
		}
		for _, h := range f.Hunks {
			for _, pair := range replaced(h) {
				if same(pair) {
					votes[pair]++
				}
			}
		}
	}
	var found []Migration
	for pair, n := range votes {
		if n >= MinSites && !renamed(pair, symbols) {
			found = append(found, Migration{pair[0], pair[1], n})
		}
	}
	slices.SortFunc(found, func(a, b Migration) int {
		return cmp.Or(b.Sites-a.Sites, cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New))
	})
	for _, m := range found {
		still, err := calls(m.Old, source, after)
		if err != nil {
			return Migration{}, false, err
		}
		if !still {
			return m, true, nil
		}
	}
	return Migration{}, false, nil
}

// sameThing tells whether two callees of a file are qualified alike, or by what it imports.
func sameThing(f patch.File, before, after *tree.Tree) (func([2]string) bool, error) {
	old, _, err := before.Read(f.Old)
	if err != nil {
		return nil, err
	}
	now, _, err := after.Read(f.New)
	if err != nil {
		return nil, err
	}
	olds, news := imports(old.Data), imports(now.Data)
	return func(pair [2]string) bool {
		a, b := qualifier(pair[0]), qualifier(pair[1])
		return a == b || (a == "" || olds[root(a)]) && (b == "" || news[root(b)])
	}, nil
}

func qualifier(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, LastName(name)), ".")
}

func root(name string) string {
	r, _, _ := strings.Cut(name, ".")
	return r
}

var (
	namedImport = regexp.MustCompile(`(?m)^\s*(?:(?:from\s+\S+\s+)?import\s+(.+)|(?:const|let|var)\s+(.+?)\s*=\s*require\(.*)$`)
	goImport    = regexp.MustCompile(`(?m)^(?:import)?\s+(?:(\w+)\s+)?"(?:[^"\s]*/)?([\w.-]+?)(?:/v\d+)?"\s*$`)
)

// imports are the names that the import lines of a file bind, and some more that they hold.
func imports(src []byte) map[string]bool {
	out := map[string]bool{}
	for _, m := range goImport.FindAllSubmatch(src, -1) {
		out[string(m[1])], out[string(m[2])] = true, true
	}
	for _, m := range namedImport.FindAllSubmatch(src, -1) {
		for _, n := range identifier.FindAllString(string(m[1])+" "+string(m[2]), -1) {
			out[n] = true
		}
	}
	return out
}

func renamed(pair [2]string, symbols Symbols) bool {
	return slices.ContainsFunc(symbols.Dropped, func(name string) bool { return LastName(name) == LastName(pair[0]) })
}

// replaced lists the callee pairs of a hunk.
func replaced(h patch.Hunk) [][2]string {
	var out [][2]string
	var olds, news []string
	flush := func() {
		if len(olds) == len(news) {
			for i := range olds {
				if pair, ok := calleePair(olds[i], news[i]); ok {
					out = append(out, pair)
				}
			}
		}
		olds, news = nil, nil
	}
	for _, l := range h.Lines {
		switch l.Op {
		case '-':
			if len(news) > 0 {
				flush()
			}
			olds = append(olds, l.Text)
		case '+':
			news = append(news, l.Text)
		default:
			flush()
		}
	}
	flush()
	return out
}

func calleePair(old, new string) ([2]string, bool) {
	if defines(old) || defines(new) {
		return [2]string{}, false
	}
	a, b := callees(old), callees(new)
	var gone, come []string
	for c, n := range a {
		if n > b[c] {
			gone = append(gone, c)
		}
	}
	for c, n := range b {
		if n > a[c] {
			come = append(come, c)
		}
	}
	if len(gone) != 1 || len(come) != 1 {
		return [2]string{}, false
	}
	return [2]string{gone[0], come[0]}, true
}

// defines reports whether a line begins a declaration, whose name is no callee.
func defines(line string) bool {
	if definition.MatchString(line) {
		return true
	}
	m := method.FindStringSubmatch(line)
	return m != nil && !keyword[m[1]]
}

func callees(line string) map[string]int {
	out := map[string]int{}
	for _, m := range call.FindAllStringSubmatch(line, -1) {
		if !keyword[m[1]] {
			out[m[1]]++
		}
	}
	return out
}

// calls reports whether a file of the patch still calls a callee.
func calls(callee string, source patch.Patch, t *tree.Tree) (bool, error) {
	site := regexp.MustCompile(`(?:^|[^\w.])` + regexp.QuoteMeta(callee) + `\s*\(`)
	for _, f := range source.Files {
		file, ok, err := t.Read(f.New)
		if err != nil {
			return false, err
		}
		if ok && site.Match(file.Data) {
			return true, nil
		}
	}
	return false, nil
}
