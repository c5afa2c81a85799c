package patch

import (
	"errors"
	"fmt"
	"strings"
)

// quote writes a path as git does: as it is, or in double quotes with C escapes where it holds a
// control character, a quote, a backslash or a byte beyond ASCII.
func quote(name string) string {
	clean := true
	for i := 0; i < len(name); i++ {
		if c := name[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			clean = false
			break
		}
	}
	if clean {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); {
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquote reads a quoted path at the start of s and returns it with what follows.
func unquote(s string) (name, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], nil
		case '\\':
			n, c, err := escape(s[i+1:])
			if err != nil {
				return "", "", err
			}
			b.WriteByte(c)
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errors.New("quoted name without an end")
}

// escape reads what follows a backslash: how many bytes, and which byte they stand for.
func escape(s string) (int, byte, error) {
	if s == "" {
		return 0, 0, errors.New("quoted name without an end")
	}
	if at := strings.IndexByte(`abtnvfr"\`, s[0]); at >= 0 {
		return 1, "\a\b\t\n\v\f\r\"\\"[at], nil
	}
	if len(s) < 3 {
		return 0, 0, fmt.Errorf("unknown escape \\%s", s)
	}
	v := 0
	for _, c := range []byte(s[:3]) {
		if c < '0' || c > '7' {
			return 0, 0, fmt.Errorf("unknown escape \\%s", s[:3])
		}
		v = v*8 + int(c-'0')
	}
	switch {
	case v > 0o377:
		return 0, 0, fmt.Errorf("escape \\%s is above \\377", s[:3])
	case v == 0:
		return 0, 0, errors.New("name holds a NUL")
	}
	return 3, byte(v), nil
}
