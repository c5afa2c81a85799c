package parquetio

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/taskmill/taskmill/model"
)

func init() {
	beam.RegisterDoFn(&togetherFn{})
	beam.RegisterDoFn(&collectFn{})
	register.Iter1[Part]()
}

// Collect notes the Parts of all tables in the output folder, where Commit finds them when the
// pipeline has ended, on whatever machine it ran. It gives how many there are.
func Collect(s beam.Scope, cfg Config, tables ...beam.PCollection) beam.PCollection {
	s = s.Scope("parquetio.Collect")
	all := beam.ParDo(s, &togetherFn{}, beam.Flatten(s, tables...))
	return beam.ParDo(s, &collectFn{Dir: cfg.Dir}, beam.GroupByKey(s, all))
}

type togetherFn struct{}

func (*togetherFn) ProcessElement(p Part) (int, Part) { return 0, p }

type collectFn struct{ Dir string }

func (f *collectFn) ProcessElement(ctx context.Context, _ int, next func(*Part) bool) (int, error) {
	var parts []Part
	for p := (Part{}); next(&p); p = (Part{}) {
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.File, b.File) })
	parts = slices.Compact(parts)
	out, err := openFolder(ctx, f.Dir)
	if err != nil {
		return 0, fmt.Errorf("collect parts: %w", err)
	}
	defer out.close()
	if err := writeJSON(ctx, out, partsFile, parts); err != nil {
		return 0, fmt.Errorf("collect parts in %s: %w", f.Dir, err)
	}
	return len(parts), nil
}

// Commit writes the manifest of what Collect noted, and returns it.
func Commit(ctx context.Context, dir string, configHash model.Hash, version string) (Manifest, error) {
	out, err := openFolder(ctx, dir)
	if err != nil {
		return Manifest{}, fmt.Errorf("commit build: %w", err)
	}
	defer out.close()
	var parts []Part
	if err := readJSON(ctx, out, partsFile, &parts); err != nil {
		return Manifest{}, fmt.Errorf("commit build in %s: %w", dir, err)
	}
	m := Manifest{ConfigHash: configHash, Version: version, Tables: map[string][]Part{}}
	for _, p := range parts {
		m.Tables[p.Table] = append(m.Tables[p.Table], p)
	}
	return m, WriteManifest(ctx, dir, m)
}
