package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// lockFile takes the lock of a file, which other processes and other calls of this one take
// too.
func lockFile(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// removeAll removes what untrusted code may have left: folders without permissions, and paths
// deeper than os.RemoveAll can hold open.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	if out, err := exec.Command("rm", "-rf", "--", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("remove %s: %w: %.200s", dir, err, out)
	}
	return nil
}

// cloneDir copies the folder from to the new folder to: kinds, permissions, times; neither
// following nor keeping anything but folders, regular files and symlinks. With link, files
// become hard links of the originals.
func cloneDir(ctx context.Context, from, to string, link bool) error {
	type stamp struct {
		dir  string
		info fs.FileInfo
	}
	var dirs []stamp
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			dirs = append(dirs, stamp{target, info})
			if err := os.Mkdir(target, 0o700); err != nil && !(rel == "." && errors.Is(err, fs.ErrExist)) {
				return err
			}
			return nil
		case info.Mode()&fs.ModeSymlink != 0:
			name, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return os.Symlink(name, target)
		case info.Mode().IsRegular() && link && os.Link(p, target) == nil:
			return nil
		case info.Mode().IsRegular():
			return cloneFile(p, target, info)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	for i := len(dirs) - 1; i >= 0; i-- {
		if err := os.Chmod(dirs[i].dir, dirs[i].info.Mode().Perm()); err != nil {
			return fmt.Errorf("copy %s: %w", from, err)
		}
		if err := os.Chtimes(dirs[i].dir, dirs[i].info.ModTime(), dirs[i].info.ModTime()); err != nil {
			return fmt.Errorf("copy %s: %w", from, err)
		}
	}
	return nil
}

// ficlone asks the file system to share the extents of two files until one is written.
const ficlone = 0x40049409

func cloneFile(from, to string, info fs.FileInfo) (err error) {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, w.Fd(), ficlone, r.Fd()); no != 0 {
		if _, err := io.Copy(w, r); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	if err := errors.Join(w.Chmod(info.Mode().Perm()), w.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// diskUse is the space that a folder takes, in bytes: its blocks, and half a block for each
// path, so that empty files are not free. deep tells that it holds paths longer than the
// system can name, below which nothing was counted.
func diskUse(dir string) (bytes int64, deep bool) {
	filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, syscall.ENAMETOOLONG) {
			deep = true
			return fs.SkipDir
		}
		if err != nil {
			return nil
		}
		bytes += 256
		info, err := d.Info()
		if errors.Is(err, syscall.ENAMETOOLONG) {
			deep = true
			return fs.SkipDir
		}
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			bytes += st.Blocks * 512
		}
		return nil
	})
	return bytes, deep
}

// freeSpace is the free space of the file system of dir; -1 when it does not tell.
func freeSpace(dir string) int64 {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return -1
	}
	return int64(st.Bavail) * st.Bsize
}
