package node

import (
	"flag"
	"testing"

	"github.com/taskmill/taskmill/transforms/lang/langtest"
)

var update = flag.Bool("update", false, "rewrite what is read from the recorded reports")

// What the real runners reported reads as it did when it was recorded.
func TestRecorded(t *testing.T) {
	langtest.Recorded(t, "testdata", *update, Read)
}
