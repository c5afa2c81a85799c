package recordio

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
)

// A subject is a pull request or issue as GitHub's REST (snake case) or GraphQL (camel case)
// interface gives it. What else they say is not read.
type subject struct {
	Number      int64           `json:"number"`
	Typename    string          `json:"__typename"`
	Title       string          `json:"title"`
	Body        json.RawMessage `json:"body"` // absent: not asked for; null: none
	State       string          `json:"state"`
	Labels      labelList       `json:"labels"`
	User        *account        `json:"user"`
	Author      *account        `json:"author"`
	Merged      bool            `json:"merged"`
	PullRequest *struct {
		MergedAt instant `json:"merged_at"`
	} `json:"pull_request"`
	HTMLURL       string  `json:"html_url"`
	URL           string  `json:"url"`
	CreatedREST   instant `json:"created_at"`
	CreatedGraph  instant `json:"createdAt"`
	MergedREST    instant `json:"merged_at"`
	MergedGraph   instant `json:"mergedAt"`
	ClosedREST    instant `json:"closed_at"`
	ClosedGraph   instant `json:"closedAt"`
	UpdatedREST   instant `json:"updated_at"`
	UpdatedGraph  instant `json:"updatedAt"`
	BaseRefName   string  `json:"baseRefName"`
	Base          *end    `json:"base"`
	Head          *end    `json:"head"`
	HeadRefOid    string  `json:"headRefOid"`
	MergeREST     string  `json:"merge_commit_sha"`
	MergeGraph    *commit `json:"mergeCommit"`
	ClosingIssues *page   `json:"closingIssuesReferences"`
}

type account struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type end struct {
	Ref string `json:"ref"`
	SHA string `json:"sha"`
}

type commit struct {
	Oid string `json:"oid"`
}

type page struct {
	Nodes []*issue `json:"nodes"`
	Edges []struct {
		Node *issue `json:"node"`
	} `json:"edges"`
}

type issue struct {
	Number     int64           `json:"number"`
	Title      string          `json:"title"`
	Body       json.RawMessage `json:"body"`
	Labels     labelList       `json:"labels"`
	Repository *struct {
		Name string `json:"nameWithOwner"`
	} `json:"repository"`
}

// A labelList is labels in each of the interfaces' forms: objects, names, nodes or edges.
type labelList []model.Label

func (l *labelList) UnmarshalJSON(b []byte) error {
	var connection struct {
		Nodes []json.RawMessage `json:"nodes"`
		Edges []struct {
			Node json.RawMessage `json:"node"`
		} `json:"edges"`
	}
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil {
		if err := json.Unmarshal(b, &connection); err != nil {
			return errors.New("labels is no list of labels")
		}
		list = connection.Nodes
		for _, e := range connection.Edges {
			list = append(list, e.Node)
		}
	}
	for _, raw := range list {
		var name string
		if json.Unmarshal(raw, &name) != nil {
			var named struct {
				Name *string `json:"name"`
			}
			if err := json.Unmarshal(raw, &named); err != nil || string(raw) != "null" && named.Name == nil {
				return errors.New("labels is no list of labels")
			} else if named.Name != nil {
				name = *named.Name
			}
		}
		if name != "" {
			*l = append(*l, model.Label{Name: name})
		}
	}
	return nil
}

// An instant is a time in RFC 3339, or seconds since 1970 as pushes have it; null is zero.
type instant struct{ time.Time }

func (t *instant) UnmarshalJSON(b []byte) error {
	var seconds int64
	if string(b) == "null" || string(b) == `""` {
		return nil
	}
	if json.Unmarshal(b, &seconds) == nil {
		t.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	var s string
	if json.Unmarshal(b, &s) != nil {
		return fmt.Errorf("%s is no time", short(string(b)))
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05", "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, s); err == nil {
			t.Time = at.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is no time", short(s))
}

// event reads the subject of a webhook's or archive's envelope. A subject that left the
// repository is no record of it any more.
func (r *reader) event(place string, envelope, inner fields, wrap, repo string) error {
	if name := nameOf(inner); repo == "" {
		repo = name
	}
	var number int64
	json.Unmarshal(inner["number"], &number) // 0 where it is none
	switch action := envelope.text("action"); action {
	case "transferred", "deleted":
		if wrap == "issue" && envelope.object("comment") == nil {
			to := ""
			if moved := envelope.object("changes"); moved != nil {
				if name := moved.object("new_repository").text("full_name"); name != "" {
					to = " to " + short(name)
				}
			}
			r.reject(place, model.ToldDump, repo, number, model.NotMerged, "issue %d was %s%s", number, action, to)
			return nil
		}
	}
	if repo == "" {
		repo = r.feed.Repo
	}
	return r.subject(place, inner, wrap, repo)
}

// subject reads a pull request or issue. as is pull_request or issue where an envelope says so.
func (r *reader) subject(place string, f fields, as, repo string) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	var s subject
	if err := json.Unmarshal(text, &s); err != nil {
		var number int64
		json.Unmarshal(f["number"], &number)
		r.reject(place, model.ToldDump, repo, number, model.NoParse, "%s", typeFault(err))
		return nil
	}
	if s.Number <= 0 {
		r.reject(place, model.ToldDump, repo, 0, model.NoParse, "number %d: want 1 or more", s.Number)
		return nil
	}
	rec, err := s.record(repo, s.pull(f, as))
	if err != nil {
		r.reject(place, model.ToldDump, repo, s.Number, model.NoParse, "%v", err)
		return nil
	}
	return r.emit(Entry{Record: rec, Place: place})
}

// pull reports whether the subject is a pull request: REST's issues hold them too.
func (s subject) pull(f fields, as string) bool {
	return as == "pull_request" || s.Typename == "PullRequest" || s.PullRequest != nil || s.Base != nil || s.Head != nil ||
		f.has("mergedAt") || f.has("merged_at") || f.has("baseRefName") || strings.Contains(s.HTMLURL, "/pull/") || strings.Contains(s.URL, "/pull/")
}

func (s subject) record(repo string, pull bool) (model.Record, error) {
	rec := model.Record{Repo: repo, Number: s.Number, Kind: "issue", Title: s.Title, Labels: s.Labels, Told: model.ToldDump,
		CreatedAt: first(s.CreatedREST, s.CreatedGraph), ClosedAt: first(s.ClosedREST, s.ClosedGraph), UpdatedAt: first(s.UpdatedREST, s.UpdatedGraph),
		State: strings.ToLower(s.State), BaseRef: s.BaseRefName, HeadCommit: model.Hash(s.HeadRefOid), TimeCertain: true, Confidence: 1}
	rec.VisibleAt = rec.CreatedAt
	who := s.User
	if who == nil {
		who = s.Author
	}
	if who != nil { // of a deleted user there is only null
		rec.Author, rec.AuthorKind = who.Login, gitio.AuthorKind(who.Login, "")
		if who.Type == "Bot" && rec.AuthorKind == "person" {
			rec.AuthorKind = "maintenance_bot"
		}
	}
	var err error
	if rec.Body, rec.TextSource, err = textOf(s.Body); err != nil {
		return rec, err
	}
	if !pull {
		return rec, nil
	}
	rec.Kind, rec.MergedAt = "pr", first(s.MergedREST, s.MergedGraph)
	if s.PullRequest != nil {
		rec.MergedAt = first(instant{rec.MergedAt}, s.PullRequest.MergedAt)
	}
	if rec.MergedAt.IsZero() && (s.Merged || rec.State == "merged") {
		rec.MergedAt = rec.ClosedAt
	}
	if !rec.MergedAt.IsZero() {
		rec.State, rec.VisibleAt = "merged", rec.MergedAt
		rec.MergeCommit = model.Hash(s.MergeREST) // of an open one it is a trial merge
		if s.MergeGraph != nil {
			rec.MergeCommit = model.Hash(s.MergeGraph.Oid)
		}
	}
	if s.Base != nil {
		rec.BaseRef = s.Base.Ref
	}
	if s.Head != nil {
		rec.HeadCommit = model.Hash(s.Head.SHA)
	}
	return rec, s.closes(&rec)
}

// closes notes the issues that the service says it closes, with their text where that is told,
// and those that its body names with a keyword.
func (s subject) closes(rec *model.Record) error {
	known := map[string]bool{}
	if s.ClosingIssues != nil {
		found := s.ClosingIssues.Nodes
		for _, e := range s.ClosingIssues.Edges {
			found = append(found, e.Node)
		}
		for _, i := range found {
			if i == nil || i.Number <= 0 {
				continue
			}
			ref := model.Reference{Number: i.Number, Confidence: 1}
			if i.Repository != nil && !strings.EqualFold(i.Repository.Name, rec.Repo) {
				ref.Repo = i.Repository.Name
			}
			body, source, err := textOf(i.Body)
			if err != nil {
				return fmt.Errorf("issue %d: %w", i.Number, err)
			}
			if ref.Repo == "" && (source != "" || i.Title != "" || len(i.Labels) > 0) {
				rec.Issues = append(rec.Issues, model.Issue{Number: i.Number, Title: i.Title, Body: body, Labels: i.Labels})
			}
			known[fmt.Sprint(ref.Repo, "#", ref.Number)] = true
			rec.Closes = append(rec.Closes, ref)
		}
	}
	for _, ref := range gitio.Closes(bound(rec.Title)+"\n\n"+bound(rec.Body), rec.Repo) {
		if !known[fmt.Sprint(ref.Repo, "#", ref.Number)] {
			rec.Closes = append(rec.Closes, ref)
		}
	}
	return nil
}

// textOf is a body and whether it was told: null is a body that is empty.
func textOf(raw json.RawMessage) (body, source string, err error) {
	if raw == nil {
		return "", "", nil
	}
	if string(raw) != "null" && json.Unmarshal(raw, &body) != nil {
		return "", "", errors.New("body is no text")
	}
	return body, "api", nil
}

func first(times ...instant) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t.Time
		}
	}
	return time.Time{}
}
