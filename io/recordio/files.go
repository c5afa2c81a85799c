package recordio

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// A source file: its path, how it is told, and the table where it is a corpus.
type file struct{ path, name, table string }

// endings are those of the files that are read in a folder; others lie there for themselves.
var endings = []string{".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz", ".parquet"}

// remote reports whether a path is a bucket's.
func remote(path string) bool { return strings.Contains(path, "://") }

// files lists a feed: the file itself, a corpus, or the files below a folder by name. Links are
// not followed.
func (f Feed) files(ctx context.Context) ([]file, error) {
	if remote(f.Path) {
		return f.corpus(ctx)
	}
	info, err := os.Stat(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &FileError{f.Name, ErrMissing}
	}
	if err != nil {
		return nil, &FileError{f.Name, errors.Unwrap(err)}
	}
	if !info.IsDir() {
		return []file{{path: f.Path, name: f.Name}}, nil
	}
	if _, err := os.Stat(filepath.Join(f.Path, "manifest.json")); err == nil {
		return f.corpus(ctx)
	}
	var out []file
	err = filepath.WalkDir(f.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type().IsRegular() && slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(d.Name(), e) }) {
			rel, err := filepath.Rel(f.Path, path)
			if err != nil {
				return err
			}
			out = append(out, file{path: path, name: filepath.ToSlash(filepath.Join(f.Name, rel))})
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, &FileError{f.Name, err}
	}
	if len(out) == 0 {
		return nil, &FileError{f.Name, fmt.Errorf("the folder has no file that ends in %s", strings.Join(endings, ", "))}
	}
	return out, nil
}

// Digest is the hash of all that feeds hold: rows are a function of it.
func Digest(ctx context.Context, feeds []Feed) (model.Hash, error) {
	h := sha256.New()
	for _, feed := range feeds {
		files, err := feed.files(ctx)
		if err != nil {
			return "", err
		}
		for _, f := range files {
			fmt.Fprintf(h, "%s\x00%s\x00%s\x00", feed.Source, feed.Repo, f.name)
			if f.table != "" {
				sum, err := digestTable(ctx, f)
				if err != nil {
					return "", err
				}
				fmt.Fprintf(h, "%s\n", sum)
				continue
			}
			r, err := f.open()
			if err != nil {
				return "", err
			}
			_, err = io.Copy(h, r)
			if err := errors.Join(err, r.Close()); err != nil {
				return "", &FileError{f.name, err}
			}
		}
	}
	return model.Hash(hex.EncodeToString(h.Sum(nil))), nil
}

// open opens a regular file; to open a pipe may never end.
func (f file) open() (*os.File, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, &FileError{f.name, errors.Unwrap(err)}
	}
	if !info.Mode().IsRegular() {
		return nil, &FileError{f.name, errors.New("it is no regular file")}
	}
	in, err := os.Open(f.path)
	if err != nil {
		return nil, &FileError{f.name, errors.Unwrap(err)}
	}
	return in, nil
}

// file reads one file by what its first bytes say it is.
func (r *reader) file(ctx context.Context, f file) error {
	if f.table != "" {
		return r.table(ctx, f)
	}
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	buffered := bufio.NewReaderSize(in, 256<<10)
	head, _ := buffered.Peek(4)
	switch {
	case len(head) == 0:
		return &FileError{f.name, errors.New("the file is empty")}
	case string(head) == "PAR1":
		return r.parquet(ctx, f)
	case strings.HasSuffix(f.name, ".parquet"):
		return &FileError{f.name, errors.New("it is no Parquet file")}
	case r.feed.Source == model.ToldParquet:
		return &FileError{f.name, errors.New("it is no Parquet file: name another source with --source")}
	case len(head) > 1 && head[0] == 0x1f && head[1] == 0x8b:
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return &FileError{f.name, fmt.Errorf("it is no gzip file: %w", err)}
		}
		buffered = bufio.NewReaderSize(unzipped, 256<<10)
	case strings.HasSuffix(f.name, ".gz"):
		return &FileError{f.name, errors.New("it is no gzip file")}
	}
	return r.json(ctx, f, buffered)
}
