package base

import (
	"regexp"
	"slices"
	"time"

	"github.com/taskmill/taskmill/model"
)

// A Point is a commit of the default branch's first-parent line that may serve as a base.
type Point struct {
	Commit model.Hash
	At     int       // place on the line, 0 is the newest commit
	When   time.Time // committer date
	Why    string    // newest, tag, date
}

// Why a commit is a point.
const (
	WhyNewest = "newest"
	WhyTag    = "tag"
	WhyDate   = "date"
)

// Bounds of the points of a plan, ours: a date every 30 days, and 40 points in all.
const (
	DateEvery = 30 * 24 * time.Hour
	MaxPoints = 40
)

// DefaultAge is how much older than the newest commit a base may be.
const DefaultAge = 730 * 24 * time.Hour

var release = regexp.MustCompile(`^(?:.*[/@_-])?[vV]?\d+(?:\.\d+)+(?:\.?(?i:post|final|ga|release)\d*)?$`)

// Release reports whether a tag's name is that of a release: a version of at least two numbers,
// perhaps behind a package's name, and no pre-release.
func Release(tag string) bool { return release.MatchString(tag) }

// Points are the commits of line that are asked for coverage: the newest, those with a release
// tag, and the newest at or before each DateEvery before the newest; none older than age before
// the newest, at most max, spread evenly over the line where there are more. line is newest
// first; tagged says which of its commits have a release tag. The result is newest first.
func Points(line []Point, tagged map[model.Hash]bool, age time.Duration, max int) []Point {
	if len(line) == 0 {
		return nil
	}
	newest := line[0].When
	next := DateEvery
	var out []Point
	for i, p := range line {
		before := newest.Sub(p.When)
		if before > age {
			continue // dates need not fall along the line
		}
		switch {
		case i == 0:
			p.Why = WhyNewest
		case tagged[p.Commit]:
			p.Why = WhyTag
		case before >= next:
			p.Why = WhyDate
		default:
			continue
		}
		for before >= next {
			next += DateEvery
		}
		out = append(out, p)
	}
	return spread(out, max)
}

// spread keeps the first and max-1 others at even distances.
func spread(points []Point, max int) []Point {
	if len(points) <= max {
		return points
	}
	out := []Point{points[0]}
	for i := 1; i < max; i++ {
		out = append(out, points[1+(i-1)*(len(points)-1)/(max-1)])
	}
	return slices.CompactFunc(out, func(a, b Point) bool { return a.Commit == b.Commit })
}
