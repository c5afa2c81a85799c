package lang

// A Snapshotter is a Language whose runners keep expectations of titled checks in files of their
// own, which Surfaces counts to the checks.
type Snapshotter interface {
	// Snapshot is the check file whose expectations the file at path holds.
	Snapshot(path string) (file string, ok bool)
}
