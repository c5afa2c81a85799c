package golang

import (
	"testing"

	"github.com/taskmill/taskmill/transforms/lang/langtest"
)

// What go test reported reads as it did when it was recorded.
func TestRecorded(t *testing.T) {
	langtest.Recorded(t, "testdata/recorded", *update, Language{}.Read)
}
