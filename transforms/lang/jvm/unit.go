package jvm

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/jvmsource"
)

const environmentFailed = model.EnvironmentFailed

// Unit is the test class of the file at path: the class of the file's own name, else its first
// concrete one. A file is in a unit if it is a check of the build that runs, its class has the
// name of a test where the build goes by names (surefire's defaults or what the pom configures),
// and it marks tests where it does not (Gradle).
func (r Runner) Unit(t lang.Files, p string) (string, bool) {
	l, err := layoutOf(t)
	if err != nil {
		return "", false
	}
	return r.unit(t, l, p)
}

func (r Runner) unit(t lang.Files, l *layout, p string) (string, bool) {
	if r.Kind(p) != model.CheckFile || path.Ext(p) != ".java" && path.Ext(p) != ".kt" || !runs(p) {
		return "", false
	}
	m := l.of(p)
	if m == nil {
		return "", false
	}
	data, ok := text(t, p)
	if !ok {
		return "", false
	}
	s := readSource(data)
	class, ok := s.main(p)
	if !ok || !m.takes(s, class) {
		return "", false
	}
	return join(m.name, qualified(s.pkg, class)), true
}

// runs reports whether the test task of a build runs the tests of a path's source set: test
// alone, other sets have tasks of their own.
func runs(p string) bool {
	set := jvmsource.SourceSet(p)
	return set == "" || set == "test"
}

func qualified(pkg, class string) string {
	if pkg == "" {
		return class
	}
	return pkg + "." + class
}

// main is the class that a file is named for, else its first concrete one.
func (s source) main(p string) (string, bool) {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	switch {
	case slices.Contains(s.classes, stem):
		return stem, true
	case len(s.classes) == 0 || slices.Contains(s.all, stem) && path.Ext(p) == ".java":
		return "", false
	}
	return s.classes[0], true
}

// defaults are the classes that surefire runs.
var defaults = []string{"**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"}

// takes reports whether the build's test task runs a class.
func (m *project) takes(s source, class string) bool {
	if m.pom == nil {
		return s.tests
	}
	includes, excludes := defaults, []string(nil)
	for _, p := range m.plugins("maven-surefire-plugin") {
		for _, e := range p.Executions {
			p.Configuration.Includes = append(p.Configuration.Includes, e.Configuration.Includes...)
		}
		if len(p.Configuration.Includes) > 0 && slices.Equal(includes, defaults) {
			includes = p.Configuration.Includes
		}
		excludes = append(excludes, p.Configuration.Excludes...)
	}
	name := path.Join(strings.ReplaceAll(s.pkg, ".", "/"), class)
	return slices.ContainsFunc(includes, func(g string) bool { return m.matches(g, name) }) &&
		!slices.ContainsFunc(excludes, func(g string) bool { return m.matches(g, name) })
}

// matches compares a class, slashed and without extension, with one of surefire's patterns: an
// Ant pattern with or without extension, or %regex[…].
func (m *project) matches(pattern, name string) bool {
	pattern = strings.TrimSpace(m.interpolate(pattern))
	if re, ok := strings.CutPrefix(pattern, "%regex["); ok {
		x, err := regexp.Compile("^(?:" + strings.TrimSuffix(re, "]") + ")$")
		return err == nil && (x.MatchString(name+".class") || x.MatchString(name))
	}
	for _, ext := range []string{".java", ".class", ".kt"} {
		pattern = strings.TrimSuffix(pattern, ext)
	}
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	return ant(pattern).MatchString(name)
}

// ant compiles an Ant pattern: ** any folders, * and ? within one name.
func ant(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^")
	for i := 0; i < len(pattern); i++ {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
	}
	b.WriteString("$")
	x, err := regexp.Compile(b.String())
	if err != nil {
		return regexp.MustCompile(`^\b$`)
	}
	return x
}

// UnitFiles lists the file that declares a unit's class: the one named for it, else one of its
// package that declares it.
func (r Runner) UnitFiles(t lang.Files, unit string) []string {
	l, err := layoutOf(t)
	if err != nil {
		return nil
	}
	if f := r.unitFile(t, l, unit); f != "" {
		return []string{f}
	}
	return nil
}

func (r Runner) unitFile(t lang.Files, l *layout, unit string) string {
	module, class, _ := strings.Cut(unit, ":")
	m := l.named(module)
	if m == nil {
		return ""
	}
	pkg, name := "", class
	if dot := strings.LastIndexByte(class, '.'); dot >= 0 {
		pkg, name = class[:dot], class[dot+1:]
	}
	// Reading all check files is slow; most classes lie in a file of their own name.
	for _, own := range []bool{true, false} {
		for _, p := range t.Paths() {
			ext := path.Ext(p)
			if ext != ".java" && ext != ".kt" || strings.TrimSuffix(path.Base(p), ext) == name != own ||
				r.Kind(p) != model.CheckFile || l.of(p) != m || !runs(p) {
				continue
			}
			data, ok := text(t, p)
			if !ok || !strings.Contains(data, name) {
				continue
			}
			if s := readSource(data); s.pkg == pkg && slices.Contains(s.all, name) {
				return p
			}
		}
	}
	return ""
}
