package golang

import (
	"bytes"
	"encoding/json"

	"github.com/taskmill/taskmill/model"
)

// Limits of a report. go test cuts long output into events of a few KB, so that a longer line
// is not its own.
const (
	maxLine  = 1 << 20
	maxTests = 200_000
)

// An event is one line of `go test -json`.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
}

// A test is what the stream said about one test.
type test struct {
	name    string
	begun   bool
	paused  bool
	beside  bool // has been paused, so that others may run beside it
	active  int  // number of its last event
	verdict model.Verdict
	seconds float64
}

// A stream is what the events of one package said.
type stream struct {
	tests       map[string]*test
	order       []*test
	last        *test  // of the last event of a test
	judged      *test  // of the last verdict
	end         string // the package's own verdict: pass, fail, skip
	seconds     float64
	closed      bool // the runner printed its closing PASS or FAIL
	failedBuild string
	builds      []output
	malformed   int
	conflict    bool
}

// An output is the compiler output for one package.
type output struct {
	pkg    string
	output []byte
}

func scan(unit string, report []byte) *stream {
	s := &stream{tests: map[string]*test{}}
	for n := 0; len(report) > 0; n++ {
		line, rest, _ := bytes.Cut(report, []byte("\n"))
		report = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e event
		if len(line) > maxLine || line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
			s.malformed++
			continue
		}
		switch {
		case e.Action == "build-output":
			s.compiled(e)
		case e.Package != unit:
		case e.Test == "":
			s.ofPackage(e)
		default:
			s.ofTest(e, n)
		}
	}
	s.parents()
	return s
}

func (s *stream) compiled(e event) {
	if n := len(s.builds); n == 0 || s.builds[n-1].pkg != e.ImportPath {
		s.builds = append(s.builds, output{pkg: e.ImportPath})
	}
	b := &s.builds[len(s.builds)-1]
	b.output = append(b.output, e.Output...)
}

func (s *stream) ofPackage(e event) {
	switch e.Action {
	case "output":
		if e.Output == "PASS\n" || e.Output == "FAIL\n" {
			s.closed = true
		}
	case "pass", "fail", "skip":
		if s.end != "" && s.end != e.Action {
			s.conflict = true
		}
		if s.end != "fail" {
			s.end = e.Action
		}
		s.seconds = e.Elapsed
		if e.FailedBuild != "" {
			s.failedBuild = e.FailedBuild
		}
	}
}

func (s *stream) ofTest(e event, n int) {
	t := s.tests[e.Test]
	if t == nil {
		if len(s.tests) >= maxTests {
			s.conflict = true
			return
		}
		t = &test{name: e.Test}
		s.tests[e.Test] = t
		s.order = append(s.order, t)
	}
	t.active, s.last = n, t
	switch e.Action {
	case "run":
		t.begun = true
	case "pause":
		t.paused, t.beside = true, true
	case "cont":
		t.paused = false
	case "pass":
		s.settle(t, model.Pass, e.Elapsed)
	case "fail":
		s.settle(t, model.Fail, e.Elapsed)
	case "skip":
		s.settle(t, model.Skip, e.Elapsed)
	}
}

// settle gives t its verdict. A second one is a forgery or a broken runner, and the worse one
// stays. So is a good one of a test that never began: go test believes lines that a program
// prints before its tests.
func (s *stream) settle(t *test, v model.Verdict, seconds float64) {
	s.judged = t
	if !t.begun || t.verdict != "" {
		s.conflict = true
	}
	if !t.begun && v != model.Fail {
		return
	}
	if t.verdict == "" || v == model.Fail || t.verdict == model.Pass {
		t.verdict, t.seconds = v, seconds
	}
}

// parents finds passed tests with a failed subtest, which the runner never reports.
func (s *stream) parents() {
	for _, t := range s.order {
		if t.verdict != model.Fail {
			continue
		}
		for i := len(t.name) - 1; i > 0; i-- {
			if t.name[i] != '/' {
				continue
			}
			if p := s.tests[t.name[:i]]; p != nil && (p.verdict == model.Pass || p.verdict == model.Skip) {
				p.verdict, s.conflict = model.Fail, true
			}
		}
	}
}
