package golang

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Kind decides in this order:
//
//   - vendored code as everywhere;
//   - testdata folders and golden files are check_data, Go text in them included;
//   - files and folders that begin with "_" or "." are not Go's: the general kinds decide, so
//     _examples is docs;
//   - *_test.go is check, in examples too, since go test runs it there;
//   - Go text below examples or example is docs: it shows the API and tells the answer;
//   - Go text in a test or tests folder at the root, or in a test-support folder below
//     internal, is check: helpers that no one outside can import;
//   - every other .go and .s file is production, in folders named doc or docs too, where it
//     is a package of that name;
//   - what is left is of a general kind or Other.
func (Language) Kind(p string) model.Kind {
	dirs, name := lang.Split(p)
	general := lang.Kind(p)
	ext := path.Ext(name)
	source := ext == ".go" || ext == ".s"
	switch {
	case general == model.Vendored:
		return general
	case lang.In(dirs, "testdata"):
		return model.CheckData
	case !source && (ext == ".golden" || lang.In(dirs, "golden", "goldens", "test-fixtures", "__snapshots__", ".snapshots")):
		return model.CheckData
	case !source || ignored(dirs, name):
		return general
	case generated(name):
		return model.Generated
	case strings.HasSuffix(name, "_test.go"):
		return model.CheckFile
	case lang.In(dirs, "examples", "example"):
		return model.Docs
	case name == "magefile.go":
		return model.Configuration
	case support(dirs):
		return model.CheckFile
	}
	return model.Production
}

// ignored reports whether the go command leaves the file out of every package pattern.
func ignored(dirs []string, name string) bool {
	hidden := func(s string) bool { return strings.HasPrefix(s, "_") || strings.HasPrefix(s, ".") }
	return hidden(name) || slices.ContainsFunc(dirs, hidden)
}

// generated knows the names that Go's usual generators give their files. x_gen.go and
// x_string.go are left out: hand-written files have such names too.
func generated(name string) bool {
	if lang.Kind(name) == model.Generated || name == "wire_gen.go" || name == "bindata.go" {
		return true
	}
	for _, suffix := range []string{"_generated.go", "_easyjson.go", "_ffjson.go", ".capnp.go", ".twirp.go"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.HasPrefix(name, "zz_generated")
}

func support(dirs []string) bool {
	if len(dirs) > 0 && (dirs[0] == "test" || dirs[0] == "tests") {
		return true
	}
	i := slices.Index(dirs, "internal")
	return i >= 0 && lang.In(dirs[i+1:], "test", "tests", "testing", "testutil", "testutils", "testhelper",
		"testhelpers", "testsupport", "testlib", "testtools", "testkit")
}
