package python

import (
	_ "embed" // a support file
	"slices"
	"time"

	"github.com/taskmill/taskmill/model"
)

//go:embed taskmill_dated.py
var datedScript []byte

// AsOfRevision resolves dependencies, those of builds too, as of the end of the day of a commit. pip
// can do so since version 26, and only where the index says when a file was uploaded; elsewhere it
// resolves them as of now, and the log says so.
func (Language) AsOfRevision(r model.Recipe, committed time.Time) (model.Recipe, error) {
	end := committed.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1).Format(time.RFC3339)
	r.Files = append(slices.Clip(r.Files), model.File{Path: "taskmill_dated.py", Mode: model.ModeFile, Data: datedScript})
	for _, steps := range []*[]model.Command{&r.Prepare, &r.FromLock} {
		*steps = slices.Clone(*steps)
		for i, c := range *steps {
			if len(c.Argv) == 3 && c.Argv[0] == interpreter {
				(*steps)[i].Argv = []string{interpreter, "{env}/taskmill/taskmill_dated.py", end, c.Argv[2]}
			}
		}
	}
	return r, nil
}
