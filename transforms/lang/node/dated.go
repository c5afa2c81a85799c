package node

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/taskmill/taskmill/model"
)

// AsOf lets npm choose, where there is no lock file, among the versions that were published by
// the end of the day of the commit. Where these cannot be installed together it takes today's.
// pnpm and yarn know no date.
//
// Every such base is dated, a young one too: a rule by age would give another recipe, and other
// rows, on another day.
func AsOf(r model.Recipe, committed time.Time) (model.Recipe, error) {
	var p plan
	for _, f := range r.Files {
		if f.Path != planFile {
			continue
		}
		if err := json.Unmarshal(f.Data, &p); err != nil {
			return r, fmt.Errorf("read %s: %w", planFile, err)
		}
	}
	if p.Manager.Name != "npm" || p.Manager.Lock != "" {
		return r, nil
	}
	day := committed.UTC().AddDate(0, 0, 1).Format(time.DateOnly) // its first moment
	r.Prepare = []model.Command{script("install", day)}
	r.Protocol.Prepare = described(r.Prepare)
	return r, nil
}
