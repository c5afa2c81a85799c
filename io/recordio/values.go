package recordio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// json reads the values of a file: an array, one object a line, or objects one after another.
func (r *reader) json(ctx context.Context, f file, in *bufio.Reader) error {
	first, skipped, err := peekValue(in)
	switch {
	case errors.Is(err, io.EOF):
		return &FileError{f.name, errors.New("the file is empty")}
	case err != nil:
		return &FileError{f.name, unzipFault(err)}
	case first == '[':
		return r.stream(ctx, f, in, skipped, true)
	case first == '{':
		line, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLong) {
			return &FileError{f.name, unzipFault(err)}
		}
		if byLine(f.name) || json.Valid(line) {
			return r.lines(ctx, f, in, line, skipped+1, err)
		}
		return r.stream(ctx, f, bufio.NewReader(io.MultiReader(bytes.NewReader(append(line, '\n')), in)), skipped, false)
	case byLine(f.name):
		line, err := readLine(in)
		return r.lines(ctx, f, in, line, skipped+1, err)
	}
	return &FileError{f.name, fmt.Errorf("it is no JSON: it begins with %q", first)}
}

func byLine(name string) bool {
	name = strings.TrimSuffix(name, ".gz")
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson")
}

func unzipFault(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the gzip file is cut off")
	}
	return err
}

// peekValue skips space (and a byte order mark) up to the first byte of a value and counts the
// lines on the way.
func peekValue(in *bufio.Reader) (byte, int, error) {
	if b, _ := in.Peek(3); string(b) == "\xef\xbb\xbf" {
		in.Discard(3)
	}
	for lines := 0; ; {
		b, err := in.ReadByte()
		if err != nil {
			return 0, lines, err
		}
		switch b {
		case '\n':
			lines++
		case ' ', '\t', '\r':
		default:
			return b, lines, in.UnreadByte()
		}
	}
}

var errLong = fmt.Errorf("a line of over %d MB", MaxObject>>20)

// readLine is the next line without its end, io.EOF with the last. A line that is too long is
// read over.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > MaxObject {
			line, long = nil, true
		}
		if !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && err == nil:
			return nil, errLong
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

// lines reads one object a line: a line that is none is a fault, the rest goes on. At least one
// line must be JSON.
func (r *reader) lines(ctx context.Context, f file, in *bufio.Reader, line []byte, n int, err error) error {
	valid := false
	var faults []Fault // until the first line that is JSON
	for ; ; n++ {
		place := fmt.Sprintf("%s:%d", f.name, n)
		detail := ""
		switch text := bytes.TrimSpace(line); {
		case errors.Is(err, errLong):
			detail = err.Error()
		case len(text) == 0:
		case !json.Valid(text):
			detail = "the line is no JSON"
		default:
			if !valid {
				valid = true
				for _, old := range faults {
					r.fault(old)
				}
			}
			if err := r.value(place, text); err != nil {
				return err
			}
			if r.one {
				return errEnough
			}
		}
		if detail != "" {
			fault := Fault{Place: place, Source: r.source(), Repo: r.feed.Repo, Reason: model.NoParse, Detail: detail}
			if valid {
				r.fault(fault)
			} else if faults = append(faults, fault); len(faults) > 1000 {
				break
			}
		}
		if err != nil && !errors.Is(err, errLong) {
			if !errors.Is(err, io.EOF) && !valid {
				return &FileError{f.name, unzipFault(err)}
			} else if !errors.Is(err, io.EOF) {
				r.fault(Fault{Place: place, Source: r.source(), Repo: r.feed.Repo, Reason: model.NoParse, Detail: "the rest cannot be read: " + unzipFault(err).Error()})
			}
			break
		}
		if len(faults) > 1000 && !valid {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line, err = readLine(in)
	}
	if !valid {
		return &FileError{f.name, errors.New("no line of it is JSON")}
	}
	return nil
}

// stream reads the elements of an array, or values one after another. What follows a fault of
// the syntax cannot be read: one fault, unless nothing came before it.
func (r *reader) stream(ctx context.Context, f file, in io.Reader, skipped int, array bool) error {
	marks := &counter{in: in, left: MaxObject, line: skipped + 1}
	dec := json.NewDecoder(marks)
	if array {
		if _, err := dec.Token(); err != nil {
			return &FileError{f.name, err}
		}
	}
	for n := 1; ; n++ {
		marks.left = MaxObject
		if array && !dec.More() {
			break
		}
		start := dec.InputOffset()
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) && !array {
			return nil
		}
		if err == nil {
			start = dec.InputOffset() - int64(len(value))
		}
		place := fmt.Sprintf("%s:%d", f.name, marks.at(start))
		if array {
			place = fmt.Sprintf("%s element %d", place, n)
		}
		if err != nil {
			err = cutOff(err)
			if n == 1 {
				return &FileError{f.name, fmt.Errorf("it is no JSON: %w", err)}
			}
			r.reject(place, r.source(), r.feed.Repo, 0, model.NoParse, "the rest of the file cannot be read: %v", err)
			return nil
		}
		if err := r.value(place, value); err != nil {
			return err
		}
		if r.one {
			return errEnough
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if _, err := dec.Token(); err != nil {
		r.reject(f.name, r.source(), r.feed.Repo, 0, model.NoParse, "the end of the list is missing: %v", cutOff(err))
	}
	return nil
}

func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("it is cut off")
	}
	return err
}

// source is what a fault's object was meant to be.
func (r *reader) source() string {
	if r.feed.Source == Auto {
		return ""
	}
	return r.feed.Source
}

// A counter counts lines by offset and bounds what is read for one value.
type counter struct {
	in       io.Reader
	left     int
	offset   int64
	line     int     // of the offset asked last
	newlines []int64 // offsets of later newlines
}

func (c *counter) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("an object of over %d MB", MaxObject>>20)
	}
	n, err := c.in.Read(b)
	c.left -= n
	for i, x := range b[:n] {
		if x == '\n' {
			c.newlines = append(c.newlines, c.offset+int64(i))
		}
	}
	c.offset += int64(n)
	return n, err
}

// at is the line of an offset, which never goes back.
func (c *counter) at(offset int64) int {
	k := 0
	for k < len(c.newlines) && c.newlines[k] < offset {
		k++
	}
	c.line += k
	c.newlines = c.newlines[k:]
	return c.line
}
