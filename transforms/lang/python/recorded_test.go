package python

import (
	"testing"

	"github.com/taskmill/taskmill/transforms/lang/langtest"
)

// What pytest reported reads as it did when it was recorded.
func TestRecorded(t *testing.T) {
	langtest.Recorded(t, "testdata/recorded", *update, Language{}.Read)
}
