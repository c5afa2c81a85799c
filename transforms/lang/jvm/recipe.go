package jvm

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

//go:embed support/*.java support/init.gradle
var support embed.FS

// Versions of what the preparation brings: Maven and the plugin that fetches it.
const (
	mavenVersion     = "3.9.16"
	dependencyPlugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
	reportFormat     = "taskmill-jvm-jsonl"
	reportVersion    = 1
	maven            = "{env}/maven/bin/mvn"
	listener         = "-Dmaven.ext.class.path={env}/taskmill/spy.jar"
	repository       = "-Dmaven.repo.local={env}/m2"
)

// Recipe fetches Maven and compiles the tree once with the network on, so that every plugin and
// artifact that compiling and testing it needs comes into the environment's local repository;
// what runs its tests (JUnit's launcher, an engine that surefire would have brought) is added.
// Nothing is installed there, so the repository holds nothing of the tree; a release of it that
// something brings along is stripped.
//
// A state is built by Maven's own test-compile; a listener of ours keeps, for each module, the
// class path and what surefire is configured with. A unit then runs in a virtual machine of its
// own, without Maven. A Gradle project of one source set whose build file holds only literals, or
// names of the version catalog's, is built the same way, with a pom.xml of ours outside the tree;
// any other by Gradle itself, with an init script in the listener's place.
func (r Runner) Recipe(t lang.Files) (model.Recipe, error) {
	l, err := layoutOf(t)
	if err != nil {
		return model.Recipe{}, err
	}
	if reason, detail := r.unfit(t, l); reason != "" {
		return model.Recipe{}, fault(reason, detail)
	}
	files, err := supportFiles()
	if err != nil {
		return model.Recipe{}, err
	}
	tool, more, err := r.tool(t, l)
	if err != nil {
		return model.Recipe{}, err
	}
	files = append(files, more...)
	out := model.Recipe{
		Language:  r.Language,
		Toolchain: "java" + strconv.Itoa(l.release(t)),
		Manifests: l.manifests(t),
		Whole:     true,
		Files:     files,
		Strip:     []string{"m2/**/*.lastUpdated", "m2/**/_remote.repositories"},
	}
	for _, m := range l.projects {
		if m.pom == nil {
			continue
		}
		if g := m.group(); g != "" && !strings.Contains(g+m.name, "${") {
			out.Self = append(out.Self, g+":"+m.name)
			out.Strip = append(out.Strip, "m2/"+strings.ReplaceAll(g, ".", "/")+"/"+m.name)
		}
	}
	command := func(argv ...string) model.Command { return model.Command{Argv: argv, Env: environ(), Dir: "."} }
	setup := command(append(program("Setup", "{testbed}", "{env}", strconv.Itoa(l.release(t))), tool.online...)...)
	out.Lock = command(program("Lock", "{env}")...)
	out.Prepare = []model.Command{command("sh", "-c", fetchMaven, "fetch", mavenVersion, dependencyPlugin), command("sh", "-c", compileSupport), setup}
	out.FromLock = append(slices.Clone(out.Prepare), command(program("Lock", "{env}", "{env}/lock")...))
	out.Probe = command(program("Probe", "{testbed}")...)
	out.Protocol = model.Protocol{
		Language: r.Language,
		Cwd:      ".",
		Env:      environ(),
		Build:    []model.Command{command(append(program("Build", "{testbed}"), tool.offline...)...)},
		Test:     append(program("Run"), "--testbed", "{testbed}", "--env", "{env}", "--report", "{report}", "--unit", "{unit}"),
		Unit:     "class", Isolation: "unit",
		Report:    model.Report{Format: reportFormat, Path: "{report}", Version: reportVersion},
		Protected: protectedGlobs,
		Network:   "none",
	}
	for _, c := range out.Prepare {
		out.Protocol.Prepare = append(out.Protocol.Prepare, strings.Join(c.Argv, " "))
	}
	return out, nil
}

// A tool is the command that compiles a tree and its tests, with the network and without.
type tool struct{ online, offline []string }

// tool is Maven on the tree's own pom.xml, Maven on one of ours for a simple Gradle project, or
// Gradle: the tree's wrapper, else the installed one. The files are for {env}/taskmill.
func (r Runner) tool(t lang.Files, l *layout) (tool, []model.File, error) {
	if l.tool == "maven" {
		return mavenTool(path.Join("{testbed}", l.root, "pom.xml")), nil, nil
	}
	s, why := l.simpleGradle(t)
	if why == "" {
		build := l.script(t, l.root, "build.gradle")
		p := s.pom(!strings.Contains(build, "useJUnit()") || strings.Contains(build, "useJUnitPlatform"))
		return mavenTool("{env}/taskmill/gradle/pom.xml", "-Dtaskmill.testbed="+path.Join("{testbed}", l.root)),
			[]model.File{{Path: "gradle/pom.xml", Mode: model.ModeFile, Data: []byte(p)}}, nil
	}
	command := []string{"gradle"}
	if _, ok, err := t.Read(path.Join(l.root, "gradlew")); err != nil {
		return tool{}, nil, err
	} else if ok {
		command = []string{"sh", path.Join("{testbed}", l.root, "gradlew")}
	}
	rest := []string{"-p", path.Join("{testbed}", l.root), "-g", "{env}/gradle", "-I", "{env}/taskmill/init.gradle",
		"--no-daemon", "--no-build-cache", "--continue", "-q", "testClasses"}
	return tool{
		online:  slices.Concat(command, rest),
		offline: slices.Concat(command, []string{"--offline"}, rest),
	}, nil, nil
}

func mavenTool(pom string, more ...string) tool {
	rest := slices.Concat([]string{"-B", "-q", "-fn", "-f", pom, repository, listener}, quick, more, []string{"test-compile"})
	return tool{online: append([]string{maven}, rest...), offline: append([]string{maven, "-o"}, rest...)}
}

// quick turns off what neither compiles nor tests.
var quick = []string{
	"-Dstyle.color=never", "-Drat.skip", "-Dcheckstyle.skip", "-Denforcer.skip", "-Djacoco.skip", "-Danimal.sniffer.skip",
	"-Dspotbugs.skip", "-Dfindbugs.skip", "-Dlicense.skip", "-Dlicense.skipCheckLicense", "-Dmaven.javadoc.skip", "-Dgpg.skip",
	"-Dspotless.check.skip", "-Dspotless.apply.skip", "-Dpmd.skip", "-Dcpd.skip", "-Dformatter.skip", "-Dimpsort.skip", "-Dsortpom.skip",
	"-Dmdep.analyze.skip", "-Drevapi.skip", "-Djapicmp.skip", "-Dcyclonedx.skip", "-Dmaven.gitcommitid.skip", "-Dfmt.skip", "-Dforbiddenapis.skip",
}

// The installed Maven, of any version, fetches the one that everything runs with. It runs
// outside the tree, whose own settings (.mvn) are for the other.
const fetchMaven = `set -e
cd -- "$TMPDIR"
mvn -B -q -Dmaven.repo.local={env}/m2 "$2:unpack" "-Dartifact=org.apache.maven:apache-maven:$1:tar.gz:bin" -DoutputDirectory={env}
mv "{env}/apache-maven-$1" {env}/maven
`

const compileSupport = `set -e
cd {env}/taskmill
javac -nowarn -d classes Build.java Javac.java Kotlinc.java Lock.java Module.java Out.java Partial.java Probe.java Run.java Setup.java Surefire.java
`

func supportFiles() ([]model.File, error) {
	var out []model.File
	names, err := fs.Glob(support, "support/*")
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		data, err := support.ReadFile(n)
		if err != nil {
			return nil, err
		}
		out = append(out, model.File{Path: path.Base(n), Mode: model.ModeFile, Data: data})
	}
	return out, nil
}

// manifests are the build files of the tree.
func (l *layout) manifests(t lang.Files) []model.File {
	var out []model.File
	for _, p := range t.Paths() {
		dirs, name := lang.Split(p)
		if !buildFile(dirs, name) || lang.In(dirs, "src") {
			continue
		}
		if f, ok, err := t.Read(p); err == nil && ok && len(f.Data) <= 1<<20 && (f.Mode == model.ModeFile || f.Mode == model.ModeExecutable || f.Mode == 0) {
			out = append(out, f)
		}
	}
	return out
}

// release is the Java that the build asks for at least, 8 where it says nothing.
func (l *layout) release(t lang.Files) int {
	newest := 8
	take := func(v string) {
		v = strings.TrimPrefix(strings.TrimSpace(v), "1.")
		if n, err := strconv.Atoi(v); err == nil && n > newest && n < 100 {
			newest = n
		}
	}
	for _, m := range l.projects {
		if m.pom == nil {
			take(javaRelease(l.script(t, m.dir, "build.gradle")))
			continue
		}
		for _, name := range []string{"maven.compiler.release", "maven.compiler.source", "java.version", "release"} {
			if v, ok := m.pom.Properties[name]; ok && name != "release" {
				take(m.interpolate(v))
			}
		}
		for _, p := range m.plugins("maven-compiler-plugin") {
			take(m.interpolate(p.Configuration.Release))
			take(m.interpolate(p.Configuration.Source))
		}
	}
	return newest
}

var (
	serviceImport = regexp.MustCompile(`(?m)^\s*import\s+(?:static\s+)?org\.testcontainers\b`)
	otherRunner   = regexp.MustCompile(`(?m)^\s*import\s+(io\.kotest|spock\.lang|org\.scalatest|org\.spekframework|io\.cucumber)\b`)
)

// unfit says what stands in the way of preparing a tree by rule: no build, a platform that is
// not here, a service that every test file needs, a runner that is not known.
func (r Runner) unfit(t lang.Files, l *layout) (model.Reason, string) {
	if l.tool == "" {
		return model.EnvironmentFailed, "no pom.xml and no build.gradle"
	}
	for _, m := range l.projects {
		if m.pom == nil && strings.Contains(l.script(t, m.dir, "build.gradle"), "com.android.") {
			return model.EnvironmentFailed, "the build is for Android"
		}
		if m.pom != nil && (strings.TrimSpace(m.pom.Packaging) == "apk" || strings.TrimSpace(m.pom.Packaging) == "aar") {
			return model.EnvironmentFailed, "the build is for Android"
		}
	}
	tests, services, others, other := 0, 0, 0, ""
	for _, p := range t.Paths() {
		if r.Kind(p) != model.CheckFile {
			if path.Ext(p) != ".groovy" && path.Ext(p) != ".scala" || r.Kind(p) != model.CheckData {
				continue
			}
		}
		data, ok := text(t, p)
		if !ok {
			continue
		}
		if serviceImport.MatchString(data) {
			services++
		}
		if m := otherRunner.FindStringSubmatch(data); m != nil {
			others, other = others+1, m[1]
		} else if testMark.MatchString(data) {
			tests++
		}
	}
	switch {
	case others > 0 && tests == 0:
		return model.EnvironmentFailed, "tests run with " + other + ", which is not supported"
	case services > 0 && 2*services >= tests:
		return model.NeedsService, "tests start containers"
	case tests == 0:
		return model.EnvironmentFailed, "no tests"
	}
	return "", ""
}
