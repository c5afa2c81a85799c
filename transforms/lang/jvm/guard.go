package jvm

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/jvmsource"
)

// Guard plants a Java class of two checks, named with the unit's own words, into the unit's
// package. It names the production classes that the unit names, so that it compiles where the
// unit does and loads beside them; it runs in the unit's process. For a Kotlin unit it is Java
// too: the run compiles it in a moment where the build has not.
func (r Runner) Guard(t lang.Files, unit, token string) (lang.Guard, error) {
	for _, c := range token {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return lang.Guard{}, fmt.Errorf("guard %s: token %q is not made of a-z and 0-9", unit, token)
		}
	}
	l, err := layoutOf(t)
	if err != nil {
		return lang.Guard{}, fmt.Errorf("guard %s: %w", unit, err)
	}
	file := r.unitFile(t, l, unit)
	if file == "" {
		return lang.Guard{}, fmt.Errorf("guard %s: no file declares the class", unit)
	}
	data, _ := text(t, file)
	s := readSource(data)
	module, class, _ := strings.Cut(unit, ":")
	dir := guardDir(file)
	name, pass, fail, err := lang.Planted(token, ownWords(class, data), func(n string) bool {
		_, there, err := t.Read(path.Join(dir, className(n)+".java"))
		return there || err != nil
	})
	if err != nil {
		return lang.Guard{}, fmt.Errorf("guard %s: %w", unit, err)
	}
	frame := r.framework(t, l, module, data)
	p := path.Join(dir, className(name)+".java")
	full := qualified(s.pkg, className(name))
	id := join(module, full) + "#"
	return lang.Guard{
		Files: []model.File{{Path: p, Mode: model.ModeFile, Data: []byte(plantedClass(s.pkg, className(name), methodName(pass), methodName(fail), frame, r.subjects(t, l, module, file, s)))}},
		With:  []string{p},
		Pass:  id + methodName(pass),
		Fail:  id + methodName(fail),
	}, nil
}

// guardDir is the folder of the unit's file, in the module's Java tests where the file is
// Kotlin's.
func guardDir(file string) string {
	dir := path.Dir(file)
	if path.Ext(file) == ".java" {
		return dir
	}
	return strings.Replace(dir+"/", "/kotlin/", "/java/", 1)
}

var testMethod = regexp.MustCompile("(?:void|fun)\\s+`?([\\pL_$][\\pL\\pN_$ ]*)`?\\s*\\(")

// ownWords are names for Planted: of the class and its methods, in its snake form.
func ownWords(class, data string) []string {
	var out []string
	add := func(n string) {
		if n = snake(n); n != "" && len(n) < 60 {
			out = append(out, n)
		}
	}
	for _, m := range testMethod.FindAllStringSubmatch(blank(data), 500) {
		add(strings.TrimPrefix(m[1], "test"))
	}
	if len(out) == 0 {
		name := class[strings.LastIndexByte(class, '.')+1:]
		add(strings.TrimSuffix(strings.TrimSuffix(name, "Tests"), "Test"))
	}
	return out
}

// snake is aNameLikeThis as a_name_like_this, of ASCII letters and digits.
func snake(n string) string {
	var b strings.Builder
	for i, c := range n {
		switch {
		case c >= 'A' && c <= 'Z':
			if i > 0 && !strings.HasSuffix(b.String(), "_") {
				b.WriteByte('_')
			}
			b.WriteRune(c - 'A' + 'a')
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// className is words_of_a_name as WordsOfANameTest.
func className(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String() + "Test"
}

// methodName is words_of_a_name as testWordsOfAName.
func methodName(name string) string {
	n := className(name)
	return "test" + strings.TrimSuffix(n, "Test")
}

// framework is the runner that a unit's checks are written for: junit5, junit4, testng.
func (r Runner) framework(t lang.Files, l *layout, module, data string) string {
	for _, f := range []struct{ mark, name string }{{"org.junit.jupiter", "junit5"}, {"org.testng", "testng"}, {"org.junit.Test", "junit4"}, {"junit.framework", "junit4"}, {"org.junit.runner", "junit4"}} {
		if strings.Contains(data, f.mark) {
			return f.name
		}
	}
	m := l.named(module)
	votes := map[string]int{}
	for _, p := range t.Paths() {
		if r.Kind(p) != model.CheckFile || l.of(p) != m {
			continue
		}
		if s, ok := text(t, p); ok {
			switch {
			case strings.Contains(s, "org.junit.jupiter"):
				votes["junit5"]++
			case strings.Contains(s, "org.testng"):
				votes["testng"]++
			case strings.Contains(s, "import org.junit."):
				votes["junit4"]++
			}
		}
	}
	for _, name := range []string{"junit5", "junit4", "testng"} {
		if votes[name] > 0 {
			return name
		}
	}
	build := ""
	if m != nil && m.pom != nil {
		for _, at := range m.lineage() {
			for _, d := range append(slices.Clone(at.pom.Dependencies), at.pom.Managed...) {
				build += d.Artifact + "\n"
			}
		}
	} else if m != nil {
		build = l.script(t, m.dir, "build.gradle")
	}
	switch {
	case strings.Contains(build, "testng"):
		return "testng"
	case strings.Contains(build, "kotlin-test-junit\n"), strings.Contains(build, "useJUnit()"), strings.Contains(build, "junit:junit"):
		return "junit4"
	}
	return "junit5"
}

// subjects are the production classes that a unit names: those that it imports from the tree,
// and those of its own package.
func (r Runner) subjects(t lang.Files, l *layout, module, file string, s source) []string {
	data, _ := text(t, file)
	code := blank(data)
	m := l.named(module)
	var out []string
	near := "" // a class that the unit does not name: of its package, else any of its module
	for _, p := range t.Paths() {
		ext := path.Ext(p)
		if ext != ".java" && ext != ".kt" || testSetOf(p) || lang.Vendored(strings.Split(p, "/")) || len(out) == 3 {
			continue
		}
		stem := strings.TrimSuffix(path.Base(p), ext)
		if l.of(p) == nil || m == nil {
			continue
		}
		named := regexp.MustCompile(`\b` + regexp.QuoteMeta(stem) + `\b`).MatchString(code)
		if !named && (near != "" && strings.HasPrefix(near, s.pkg+".") || l.of(p) != m) {
			continue
		}
		src, ok := text(t, p)
		if !ok {
			continue
		}
		prod := readSource(src)
		full := qualified(prod.pkg, stem)
		if !named {
			if slices.Contains(prod.all, stem) && (near == "" || prod.pkg == s.pkg) && prod.pkg != "" && visible(src, ext, stem, prod.pkg == s.pkg) {
				near = full
			}
			continue
		}
		if !slices.Contains(prod.all, stem) || prod.pkg != s.pkg && !(slices.Contains(s.imports, full) || slices.Contains(s.imports, prod.pkg+".*")) {
			continue
		}
		if visible(src, ext, stem, prod.pkg == s.pkg) {
			out = append(out, full)
		}
	}
	if len(out) == 0 && near != "" {
		out = append(out, near)
	}
	return out
}

func testSetOf(p string) bool {
	dirs, _ := lang.Split(p)
	set := jvmsource.SourceSet(p)
	return set != "main" && (set != "" || lang.In(dirs, "test", "tests"))
}

// visible reports whether a Java class of the unit's package may name the class.
func visible(src, ext, name string, same bool) bool {
	m := regexp.MustCompile(`(?m)^([\w@ ]*)\b(?:class|interface|enum|record|object)\s+` + regexp.QuoteMeta(name) + `\b`).FindStringSubmatch(blank(src))
	if m == nil {
		return false
	}
	if ext == ".kt" {
		return !strings.Contains(m[1], "private") && !strings.Contains(m[1], "internal") && !strings.Contains(m[1], "inline") && !strings.Contains(m[1], "value")
	}
	return same || strings.Contains(m[1], "public")
}

// frameworks have the import of their mark and of their assertions, and the order of the
// arguments of assertEquals.
var frameworks = map[string][2]string{
	"junit5": {"org.junit.jupiter.api.Test", "org.junit.jupiter.api.Assertions"},
	"junit4": {"org.junit.Test", "org.junit.Assert"},
	"testng": {"org.testng.annotations.Test", "org.testng.Assert"},
}

func plantedClass(pkg, class, pass, fail, frame string, subjects []string) string {
	f := frameworks[frame]
	assert := f[1][strings.LastIndexByte(f[1], '.')+1:]
	var b strings.Builder
	if pkg != "" {
		b.WriteString("package " + pkg + ";\n\n")
	}
	imports := []string{f[0], f[1]}
	subject := "String"
	for i, s := range subjects {
		if dot := strings.LastIndexByte(s, '.'); dot >= 0 && s[:dot] != pkg {
			imports = append(imports, s)
		}
		if i == 0 {
			subject = s[strings.LastIndexByte(s, '.')+1:]
		}
	}
	slices.Sort(imports)
	for _, i := range imports {
		b.WriteString("import " + i + ";\n")
	}
	b.WriteString("\npublic class " + class + " {\n")
	for _, m := range []struct{ name, want string }{{pass, subject}, {fail, "The" + subject}} {
		b.WriteString("    @Test\n    public void " + m.name + "() {\n        " + assert + ".assertEquals(\"" + m.want + "\", " + subject + ".class.getSimpleName());\n    }\n")
		if m.name == pass {
			b.WriteString("\n")
		}
	}
	b.WriteString("}\n")
	return b.String()
}
