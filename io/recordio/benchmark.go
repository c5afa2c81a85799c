package recordio

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// A benchmark row, in SWE-bench's names. What else such rows have (version, hashes of images) is
// not read: environments are made anew.
type benchmark struct {
	InstanceID string    `json:"instance_id"`
	Repo       string    `json:"repo"`
	PullNumber int64     `json:"pull_number"`
	BaseCommit string    `json:"base_commit"`
	Patch      string    `json:"patch"`
	TestPatch  string    `json:"test_patch"`
	Problem    string    `json:"problem_statement"`
	Hints      string    `json:"hints_text"`
	CreatedAt  instant   `json:"created_at"`
	FailToPass checkList `json:"FAIL_TO_PASS"`
	PassToPass checkList `json:"PASS_TO_PASS"`
}

// A checkList is a list of check ids, or the same as JSON in a text. Its ids are another
// runner's: they are checked for form and not used.
type checkList []string

func (c *checkList) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		if s == "" {
			return nil
		}
		b = []byte(s)
	}
	var ids []string
	if json.Unmarshal(b, &ids) != nil {
		return errors.New("FAIL_TO_PASS and PASS_TO_PASS: want lists of check ids, or such a list as JSON in a text")
	}
	*c = ids
	return nil
}

// instance is owner__name-N.
var instance = regexp.MustCompile(`^([\w.-]+?)__([\w.-]+)-(\d+)$`)

// benchmark reads one row: a change with a base commit and a merged patch of its own.
func (r *reader) benchmark(place string, text []byte) error {
	var b benchmark
	fail := func(format string, args ...any) error {
		r.reject(place, model.ToldSWEBench, b.Repo, b.PullNumber, model.NoParse, format, args...)
		return nil
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return fail("%s", typeFault(err))
	}
	if m := instance.FindStringSubmatch(b.InstanceID); m != nil {
		if b.Repo == "" {
			b.Repo = m[1] + "/" + m[2]
		}
		if n, err := strconv.ParseInt(m[3], 10, 64); err == nil && b.PullNumber == 0 {
			b.PullNumber = n
		}
	}
	switch {
	case b.PullNumber <= 0:
		return fail("instance_id %q ends in no pull request's number, and there is no pull_number", short(b.InstanceID))
	case b.BaseCommit == "":
		return fail("it has no base_commit")
	case strings.TrimSpace(b.Patch) == "":
		return fail("it has no patch")
	}
	rec := model.Record{Repo: b.Repo, Number: b.PullNumber, Kind: "pr", State: "merged", Told: model.ToldSWEBench,
		Before: model.Hash(b.BaseCommit), CreatedAt: b.CreatedAt.Time, MergedAt: b.CreatedAt.Time, Hints: b.Hints, Confidence: 1}
	if strings.TrimSpace(b.Problem) != "" {
		rec.Issues = []model.Issue{{Body: b.Problem}}
	}
	return r.emit(Entry{Record: rec, Patch: ended(b.Patch) + ended(b.TestPatch), Place: place})
}

// ended is a text whose last line ends.
func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
