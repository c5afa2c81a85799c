package lang

import (
	"time"

	"github.com/taskmill/taskmill/model"
)

// A Dater is a Language whose package manager can choose versions as of a date.
type Dater interface {
	// AsOf is the recipe of a tree that was committed at a time: what no lock file pins is
	// resolved as of that day, whenever it is prepared. A recipe that leaves nothing open, or
	// whose manager cannot, is returned as it is.
	AsOf(r model.Recipe, committed time.Time) (model.Recipe, error)
}

// A HistoricalDater is a Language that dates the recipes of changes' own revisions alone: those of
// bases of the plan are as of now.
type HistoricalDater interface {
	AsOfRevision(r model.Recipe, committed time.Time) (model.Recipe, error)
}
