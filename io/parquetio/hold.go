package parquetio

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// ErrBusy is in CheckOut's error for a folder that another process is writing.
var ErrBusy = errors.New("wait until it has ended or choose another folder")

// hold locks a local folder for this process. The lock is the kernel's, on the folder itself: it
// leaves no file behind and ends with the process, however that ends. A file system without
// locks is not locked.
func hold(dir string) (release func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		by := holder(f)
		f.Close()
		return nil, fmt.Errorf("%s is writing there: %w", by, ErrBusy)
	}
	return func() { f.Close() }, nil
}

// holder names the process that has the lock of an open folder, where the kernel tells.
func holder(f *os.File) string {
	var st syscall.Stat_t
	if syscall.Fstat(int(f.Fd()), &st) == nil {
		locks, _ := os.ReadFile("/proc/locks") // 1: FLOCK ADVISORY WRITE pid major:minor:inode 0 EOF
		for line := range strings.Lines(string(locks)) {
			w := strings.Fields(line)
			if len(w) > 5 && w[1] == "FLOCK" && strings.HasSuffix(w[5], fmt.Sprintf(":%d", st.Ino)) {
				return "process " + w[4]
			}
		}
	}
	return "another process"
}
