package jvm

import (
	"regexp"
	"strings"
)

// A file of Java or Kotlin as far as it is read without a parser: comments and the content of
// strings are blanked, so that words are code.
type source struct {
	pkg     string
	classes []string // top-level, concrete or object, in order; abstract ones and interfaces are left out
	all     []string // top-level, of every kind
	imports []string // qualified names, static ones and aliases without their tail
	tests   bool     // names something that marks a test
}

var (
	packageLine = regexp.MustCompile(`(?m)^\s*package\s+([\w.` + "`" + `]+)`)
	importLine  = regexp.MustCompile(`(?m)^\s*import\s+(static\s+)?([\w.` + "`" + `]+(?:\.\*)?)`)
	classWord   = regexp.MustCompile(`\b(class|interface|enum|record|object)\s+([\pL_$][\pL\pN_$]*)`)
	testMark    = regexp.MustCompile(`@(?:\w+\.)*\w*Test\b|@TestFactory\b|@TestTemplate\b|@RunWith\b|\bextends\s+\w*TestCase\b|:\s*\w*TestCase\s*\(`)
)

func readSource(src string) source {
	code := blank(src)
	var s source
	if m := packageLine.FindStringSubmatch(code); m != nil {
		s.pkg = strings.ReplaceAll(m[1], "`", "")
	}
	for _, m := range importLine.FindAllStringSubmatch(code, 2000) {
		name := strings.ReplaceAll(m[2], "`", "")
		if m[1] != "" {
			name = name[:max(0, strings.LastIndexByte(name, '.'))]
		}
		s.imports = append(s.imports, name)
	}
	s.tests = testMark.MatchString(code)
	at, level := 0, 0
	for _, m := range classWord.FindAllStringSubmatchIndex(code, 10_000) {
		level += strings.Count(code[at:m[0]], "{") - strings.Count(code[at:m[0]], "}") + strings.Count(code[at:m[0]], "(") - strings.Count(code[at:m[0]], ")")
		at = m[0]
		if level != 0 {
			continue
		}
		word, name := code[m[2]:m[3]], code[m[4]:m[5]]
		head := code[strings.LastIndexAny(code[:m[0]], ";}\n")+1 : m[0]]
		s.all = append(s.all, name)
		if word == "interface" || regexp.MustCompile(`\b(?:abstract|sealed|annotation)\b`).MatchString(head) || strings.HasSuffix(strings.TrimSpace(head), "@") {
			continue
		}
		s.classes = append(s.classes, name)
	}
	return s
}

// blank replaces comments and the content of strings and character literals by blanks; line
// breaks stay. Kotlin's comments nest; a Java comment that holds /* ends later than it should,
// which costs what follows it and nothing else.
func blank(src string) string {
	b := []byte(src)
	fill := func(from, to int) {
		for i := from; i < to && i < len(b); i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	for i := 0; i < len(src); {
		switch {
		case strings.HasPrefix(src[i:], "//"):
			end := i + len(src[i:])
			if n := strings.IndexByte(src[i:], '\n'); n >= 0 {
				end = i + n
			}
			fill(i, end)
			i = end
		case strings.HasPrefix(src[i:], "/*"):
			end := len(src)
			if n := strings.Index(src[i+2:], "*/"); n >= 0 {
				end = i + 2 + n + 2
			}
			fill(i, end)
			i = end
		case strings.HasPrefix(src[i:], `"""`):
			end := len(src)
			if n := strings.Index(src[i+3:], `"""`); n >= 0 {
				end = i + 3 + n + 3
				for end < len(src) && src[end] == '"' {
					end++
				}
			}
			fill(i, end)
			i = end
		case src[i] == '"' || src[i] == '\'':
			end := i + 1
			for end < len(src) && src[end] != src[i] && src[end] != '\n' {
				if src[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(src))
			fill(i, end)
			i = end
		default:
			i++
		}
	}
	return string(b)
}
