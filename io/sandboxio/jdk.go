package sandboxio

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

var javaVersion = regexp.MustCompile(`(?m)^JAVA_VERSION="([^"]+)"`)

// jdk is the Java development kit that JAVA_HOME names, else the one on the search path, and the
// Maven beside it, which fetches the Maven that recipes run with.
func jdk() (toolchain, error) {
	root, err := javaRoot()
	if err != nil {
		return toolchain{}, err
	}
	release, _ := os.ReadFile(filepath.Join(root, "release"))
	t := toolchain{version: "java", bin: []string{filepath.Join(root, "bin")}}
	if m := javaVersion.FindSubmatch(release); m != nil {
		t.version += " " + string(m[1])
	}
	t.see(root)
	name, err := exec.LookPath("mvn")
	if err != nil {
		return toolchain{}, &model.Fault{Stage: model.StageEnvironment, Reason: model.EnvironmentFailed, Detail: "mvn is not installed"}
	}
	if name, err = filepath.EvalSymlinks(name); err == nil {
		home := filepath.Dir(filepath.Dir(name))
		t.see(home)
		if !slices.Contains(strings.Split(systemPath, ":"), filepath.Dir(name)) {
			t.bin = append(t.bin, filepath.Join(home, "bin"))
		}
	}
	return t, nil
}

func javaRoot() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		if _, err := os.Stat(filepath.Join(home, "bin", "javac")); err == nil {
			return filepath.EvalSymlinks(home)
		}
	}
	name, err := exec.LookPath("javac")
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	if err != nil {
		return "", &model.Fault{Stage: model.StageEnvironment, Reason: model.EnvironmentFailed, Detail: "javac is not installed: a JDK is needed"}
	}
	return filepath.Dir(filepath.Dir(name)), nil
}

// see adds a folder that is bound, unless it lies in what is bound anyway.
func (t *toolchain) see(dir string) {
	for _, s := range systemRoots {
		if dir == s || strings.HasPrefix(dir, s+"/") {
			return
		}
	}
	if !slices.Contains(t.roots, dir) {
		t.roots = append(t.roots, dir)
	}
}
