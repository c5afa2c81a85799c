package patch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// maxFileBytes bounds a file that is read from a directory.
const maxFileBytes = 512 << 20

// Dir reads the tree below a directory. A symlink is read as its target, never followed, and
// nothing is below it. Other special files are errors. Files must not change meanwhile.
type Dir struct{ Root *os.Root }

// Read returns the file at path; false where there is none.
func (d Dir) Read(path string) (model.File, bool, error) {
	f, ok, err := d.read(path)
	if err != nil {
		return f, ok, fmt.Errorf("read %s: %w", path, err)
	}
	return f, ok, nil
}

func (d Dir) read(path string) (model.File, bool, error) {
	for dir := range parents(path) {
		info, err := d.Root.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			return model.File{}, false, nil
		}
		if err != nil {
			return model.File{}, false, err
		}
	}
	info, err := d.Root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return model.File{}, false, nil
	case err != nil:
		return model.File{}, false, err
	case info.IsDir():
		return model.File{}, false, nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := d.Root.Readlink(path)
		return model.File{Path: path, Mode: model.ModeSymlink, Data: []byte(target)}, true, err
	case !info.Mode().IsRegular():
		return model.File{}, true, errors.New("not a regular file")
	case info.Size() > maxFileBytes:
		return model.File{}, true, errors.New("file is too large")
	}
	return d.regular(path, info)
}

func (d Dir) regular(path string, info fs.FileInfo) (model.File, bool, error) {
	in, err := d.Root.Open(path)
	if err != nil {
		return model.File{}, true, err
	}
	defer in.Close()
	if now, err := in.Stat(); err != nil || !os.SameFile(now, info) {
		return model.File{}, true, errors.Join(err, errors.New("file was replaced"))
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFileBytes))
	f := model.File{Path: path, Mode: model.ModeFile, Data: data}
	if info.Mode()&0o100 != 0 {
		f.Mode = model.ModeExecutable
	}
	return f, true, err
}

// Under lists the files below a folder, sorted; symlinks count as files.
func (d Dir) Under(dir string) []string {
	if info, err := d.Root.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	var out []string
	// What cannot be listed cannot be overwritten either: writing there fails.
	_ = fs.WalkDir(d.Root.FS(), path.Clean(dir), func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, p)
		}
		return nil
	})
	slices.Sort(out)
	return out
}
