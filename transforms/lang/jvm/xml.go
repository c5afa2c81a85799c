package jvm

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// A suite is one report of surefire, Gradle or JUnit's console launcher.
type suite struct {
	XMLName  xml.Name
	Name     string    `xml:"name,attr"`
	Failures int       `xml:"failures,attr"`
	Errors   int       `xml:"errors,attr"`
	Cases    []xmlCase `xml:"testcase"`
	Suites   []suite   `xml:"testsuite"`
}

type xmlCase struct {
	Name    string  `xml:"name,attr"`
	Class   string  `xml:"classname,attr"`
	Time    string  `xml:"time,attr"`
	Failure *xmlEnd `xml:"failure"`
	Error   *xmlEnd `xml:"error"`
	Skipped *xmlEnd `xml:"skipped"`
	// A rerun that passed after a failure.
	Flaky      *xmlEnd `xml:"flakyFailure"`
	FlakyError *xmlEnd `xml:"flakyError"`
}

type xmlEnd struct {
	Type string `xml:"type,attr"`
}

// ParseXML reads the checks of a JUnit XML report of surefire, failsafe, Gradle or JUnit's
// console launcher; module stands before their class. A case without an element of its own
// passed; flaky reruns count by their first outcome. A suite whose counts deny its cases is an
// error.
func ParseXML(module string, document []byte) ([]model.Check, error) {
	d := xml.NewDecoder(strings.NewReader(string(document)))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	d.Entity = nil
	var s suite
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if s.XMLName.Local != "testsuite" && s.XMLName.Local != "testsuites" {
		return nil, errors.New("read report: no test suite")
	}
	var out []model.Check
	if err := s.collect(module, &out, 0); err != nil {
		return nil, err
	}
	return out, nil
}

func (s suite) collect(module string, out *[]model.Check, depth int) error {
	if depth > maxDepth {
		return errors.New("read report: suites too deep")
	}
	bad := 0
	for _, c := range s.Cases {
		v := c.verdict()
		if v.Fails() {
			bad++
		}
		if c.Flaky != nil || c.FlakyError != nil {
			bad--
		}
		class, name := c.Class, c.Name
		if class == "" {
			class = s.Name
		}
		if name == "" || name == class {
			name = "[class]"
		}
		*out = append(*out, model.Check{ID: join(module, class) + "#" + plain(name), Verdict: v, Seconds: seconds(c.Time)})
		if len(*out) > maxChecks {
			return errors.New("read report: too many checks")
		}
	}
	if len(s.Suites) == 0 && (s.Failures+s.Errors > 0 && bad <= 0 || s.Failures+s.Errors == 0 && bad > 0) {
		return fmt.Errorf("read report: %s counts %d failures and errors, its cases say %d", s.Name, s.Failures+s.Errors, bad)
	}
	for _, sub := range s.Suites {
		if err := sub.collect(module, out, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// plain drops the empty parentheses that Gradle writes after the name of a method.
func plain(name string) string {
	if m, ok := strings.CutSuffix(name, "()"); ok && !strings.ContainsAny(m, "()[] ") {
		return m
	}
	return name
}

func (c xmlCase) verdict() model.Verdict {
	switch {
	case c.Failure != nil, c.Flaky != nil:
		return model.Fail
	case c.Error != nil, c.FlakyError != nil:
		return model.Error
	case c.Skipped != nil:
		return model.Skip
	}
	return model.Pass
}

// seconds reads 1,234.5 as surefire writes it.
func seconds(s string) float64 {
	var f float64
	if _, err := fmt.Sscanf(strings.ReplaceAll(s, ",", ""), "%g", &f); err != nil || f < 0 || f > 1e9 || f != f {
		return 0
	}
	return f
}

// document adds the checks of an XML report.
func (rep *report) document(module, text string) {
	checks, err := ParseXML(module, []byte(text))
	if err != nil {
		rep.bad = err
		return
	}
	for _, c := range checks {
		rep.check(c.ID).end(c.Verdict, c.Seconds)
	}
}
