package recordio

import (
	"encoding/json"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// fields are the members of a JSON object, undecoded.
type fields map[string]json.RawMessage

func (f fields) has(names ...string) bool {
	for _, n := range names {
		if _, ok := f[n]; !ok {
			return false
		}
	}
	return true
}

// object is the member as an object; nil where it is none.
func (f fields) object(name string) fields {
	var out fields
	if json.Unmarshal(f[name], &out) != nil {
		return nil
	}
	return out
}

// text is the member as a text; empty where it is none.
func (f fields) text(name string) string {
	var s string
	if json.Unmarshal(f[name], &s) != nil {
		return ""
	}
	return s
}

// shape is the source whose object this is.
func (f fields) shape() string {
	switch {
	case f.has("instance_id"):
		return model.ToldSWEBench
	case f.has("repo", "number", "kind"), f.has("change", "repo"):
		return model.ToldJSONL
	}
	return model.ToldDump
}

// value reads one JSON value of a file.
func (r *reader) value(place string, text []byte) error {
	var f fields
	if err := json.Unmarshal(text, &f); err != nil || f == nil {
		r.reject(place, r.source(), r.feed.Repo, 0, model.NoParse, "it is no JSON object")
		return nil
	}
	shape := f.shape()
	if r.feed.Source != Auto && shape != r.feed.Source {
		r.reject(place, r.feed.Source, r.feed.Repo, 0, model.NoParse, "%s", lacking[r.feed.Source])
		return nil
	}
	switch shape {
	case model.ToldSWEBench:
		return r.benchmark(place, text)
	case model.ToldJSONL:
		return r.row(place, text, f)
	}
	return r.service(place, f, "", 0)
}

// lacking says what an object of another source lacks.
var lacking = map[string]string{
	model.ToldJSONL:    "it is no row of ours: it lacks change and repo (a change), or repo, number and kind (a record)",
	model.ToldSWEBench: "it is no benchmark row: it lacks instance_id",
	model.ToldDump:     "it is no object of a service but a row of a table",
}

// maxDepth bounds the envelopes around an object.
const maxDepth = 8

// service finds the pull requests and issues in what a service says: the object itself, an edge
// with its node, a page, an answer, a webhook's or an archive's envelope.
func (r *reader) service(place string, f fields, repo string, depth int) error {
	if own := nameOf(f); own != "" {
		repo = own
	}
	if depth > maxDepth {
		r.reject(place, model.ToldDump, repo, 0, model.NoParse, "envelopes %d deep", depth)
		return nil
	}
	for _, wrap := range []string{"pull_request", "issue"} {
		if inner := f.object(wrap); inner != nil && (f.has("action") || !f.has("number")) {
			return r.event(place, f, inner, wrap, repo)
		}
	}
	if f.has("number") {
		return r.subject(place, f, "", repo)
	}
	for _, wrap := range []string{"node", "payload", "data", "repository", "pullRequest", "pullRequests", "issues", "search"} {
		if inner := f.object(wrap); inner != nil && !(wrap == "repository" && f.has("action")) {
			return r.several(place, f, wrap, repo, depth)
		}
	}
	for _, list := range []string{"nodes", "edges", "items"} {
		var found []json.RawMessage
		if f.has(list) && json.Unmarshal(f[list], &found) == nil {
			return r.elements(place, found, repo, depth)
		}
	}
	r.reject(place, model.ToldDump, repo, 0, model.NoParse, "it is neither a pull request nor an issue: it has no number")
	return nil
}

// several reads each envelope that an object has: an answer may hold pull requests and issues.
func (r *reader) several(place string, f fields, first, repo string, depth int) error {
	wraps := []string{first}
	if first == "pullRequests" && f.object("issues") != nil {
		wraps = append(wraps, "issues")
	}
	for _, wrap := range wraps {
		if err := r.service(place, f.object(wrap), repo, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) elements(place string, found []json.RawMessage, repo string, depth int) error {
	for _, raw := range found {
		var inner fields
		if json.Unmarshal(raw, &inner) != nil || inner == nil {
			r.reject(place, model.ToldDump, repo, 0, model.NoParse, "an element is no object")
			continue
		}
		if err := r.service(place, inner, repo, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// nameOf is the repository that an envelope or object names.
func nameOf(f fields) string {
	if o := f.object("repository"); o != nil {
		for _, key := range []string{"full_name", "nameWithOwner"} {
			if s := o.text(key); s != "" {
				return s
			}
		}
	}
	for _, key := range []string{"full_name", "nameWithOwner"} {
		if s := f.text(key); s != "" {
			return s
		}
	}
	if o := f.object("repo"); o != nil {
		return o.text("name")
	}
	if rest, ok := cutAfter(f.text("repository_url"), "/repos/"); ok {
		return firstTwo(rest)
	}
	if o := f.object("base").object("repo"); o != nil {
		return o.text("full_name")
	}
	for _, key := range []string{"html_url", "url"} {
		if s := f.text(key); strings.Contains(s, "/pull/") || strings.Contains(s, "/issues/") || strings.Contains(s, "/pulls/") {
			if rest, ok := cutAfter(s, "/repos/"); ok {
				return firstTwo(rest)
			}
			if _, rest, ok := strings.Cut(s, "://"); ok {
				_, rest, _ = strings.Cut(rest, "/")
				return firstTwo(rest)
			}
		}
	}
	return ""
}

func cutAfter(s, mark string) (string, bool) {
	_, rest, ok := strings.Cut(s, mark)
	return rest, ok
}

func firstTwo(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 2 {
		return ""
	}
	return parts[0] + "/" + parts[1]
}
