package dataflow

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/option"
)

// service answers for Dataflow with the states in order, the last for ever, and keeps what it
// was asked to change.
type service struct {
	mu     sync.Mutex
	states []string
	asked  chan struct{}
	sent   []df.Job
	refuse bool
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.HasSuffix(r.URL.Path, "/projects/p/locations/r/jobs/7") {
		http.NotFound(w, r)
		return
	}
	if r.Method == http.MethodPut {
		var j df.Job
		if err := json.NewDecoder(r.Body).Decode(&j); err != nil || s.refuse {
			http.Error(w, "refused", http.StatusForbidden)
			return
		}
		s.sent = append(s.sent, j)
		w.Write([]byte(`{"id":"7"}`))
		return
	}
	w.Write([]byte(`{"id":"7","currentState":"` + s.states[0] + `"}`))
	if len(s.states) > 1 {
		s.states = s.states[1:]
	} else if s.asked != nil {
		close(s.asked)
		s.asked = nil
	}
}

func (s *service) job(t *testing.T) job {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	client, err := df.NewService(t.Context(), option.WithEndpoint(srv.URL), option.WithoutAuthentication())
	if err != nil {
		t.Fatal(err)
	}
	return job{client.Projects.Locations.Jobs, "p", "r", "7"}
}

func TestWait(t *testing.T) {
	for _, tt := range []struct {
		states []string
		want   string // "" is no error
	}{
		{[]string{"JOB_STATE_PENDING", "JOB_STATE_RUNNING", "JOB_STATE_DONE"}, ""},
		{[]string{"JOB_STATE_RUNNING", "JOB_STATE_FAILED"}, "job 7 ended as JOB_STATE_FAILED"},
		{[]string{"JOB_STATE_CANCELLED"}, "job 7 ended as JOB_STATE_CANCELLED"},
	} {
		s := &service{states: tt.states}
		err := s.job(t).wait(t.Context(), time.Millisecond)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: %v, want %q", tt.states, err, tt.want)
		}
		if len(s.sent) > 0 {
			t.Errorf("%v: %v was sent", tt.states, s.sent)
		}
	}
}

func TestInterruptCancels(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		interrupted := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		asked := make(chan struct{})
		s := &service{states: []string{"JOB_STATE_RUNNING"}, asked: asked, refuse: refuse}
		j := s.job(t)
		go func() {
			<-asked
			cancel(interrupted)
		}()
		err := j.wait(ctx, time.Hour)
		if !errors.Is(err, interrupted) {
			t.Errorf("%v: want %v", err, interrupted)
		}
		if refuse {
			if !strings.Contains(err.Error(), "which goes on") {
				t.Errorf("%v does not say that the job goes on", err)
			}
			continue
		}
		if len(s.sent) != 1 || s.sent[0].RequestedState != "JOB_STATE_CANCELLED" {
			t.Errorf("sent %v, want one request to cancel", s.sent)
		}
	}
}
