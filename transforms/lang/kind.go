package lang

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// Kind is the kind of a path that holds in every language: vendored, generated, docs or
// configuration; Other where none of them does. A language asks it after its own rules for
// check, check_data and source files that override a general kind (Go packages named doc).
//
// It compares whole path segments, whole names and whole extensions, never substrings.
// On several matches the first of vendored, generated, docs, configuration counts: a README of
// a vendored module is vendored.
func Kind(p string) model.Kind {
	dirs, name := Split(p)
	lower := strings.ToLower(name)
	switch {
	case name == "":
		return model.Other
	case Vendored(dirs):
		return model.Vendored
	case generated(lower):
		return model.Generated
	case docs(dirs, lower):
		return model.Docs
	case configuration(dirs, lower):
		return model.Configuration
	}
	return model.Other
}

// Split cuts a slash-separated path into its folders and its last name.
func Split(p string) (dirs []string, name string) {
	s := strings.Split(p, "/")
	return s[:len(s)-1], s[len(s)-1]
}

// In reports whether one of the folders is one of names.
func In(dirs []string, names ...string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(names, d) })
}

// Vendored reports whether the folders lie in a copy of other projects' code.
func Vendored(dirs []string) bool {
	return In(dirs, "vendor", "_vendor", "vendored", "node_modules", "bower_components",
		"third_party", "thirdparty", "third-party", "site-packages")
}

// generated knows the names that generators of several languages give; lower is in lower case.
func generated(lower string) bool {
	for _, suffix := range []string{
		".pb.go", ".pb.gw.go", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.cc", ".pb.h",
		".min.js", ".min.css", ".js.map", ".css.map", ".g.dart", ".egg-info",
	} {
		if len(lower) > len(suffix) && strings.HasSuffix(lower, suffix) {
			return true
		}
	}
	// parser.gen.go, schema.generated.ts
	parts := strings.Split(lower, ".")
	if len(parts) > 2 && slices.Contains([]string{"gen", "generated"}, parts[len(parts)-2]) {
		return true
	}
	return strings.HasPrefix(lower, "zz_generated.")
}

// sources are the extensions of program text: such a file is not docs where it lies in a docs
// folder that is itself a part of a source folder (src/pkg/docs/render.py).
var sources = []string{".go", ".py", ".pyi", ".pyx", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx",
	".mts", ".cts", ".java", ".kt", ".kts", ".c", ".h", ".cc", ".cpp", ".rs", ".rb"}

func docs(dirs []string, lower string) bool {
	ext := path.Ext(lower)
	switch ext {
	case ".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".textile", ".org", ".tex", ".texi", ".ipynb":
		return true
	case ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9":
		// A manual page; v1.2.3 and files such as libz.so.1 have more dots.
		return strings.Count(lower, ".") == 1
	}
	stem := strings.TrimSuffix(lower, ext)
	if ext == "" || ext == ".txt" || ext == ".html" {
		switch stem {
		case "readme", "license", "licence", "copying", "notice", "patents", "changelog", "changes",
			"history", "news", "releases", "release_notes", "authors", "contributors", "maintainers",
			"contributing", "code_of_conduct", "security", "todo", "install", "upgrading", "thanks",
			"codeowners", "unlicense", "credits":
			return true
		}
	}
	if In(dirs, "changelog.d", "changes.d", "newsfragments", "changelogs", ".changes", ".changeset") {
		return true
	}
	for i, d := range dirs {
		switch d {
		case "docs", "doc", "documentation", "docs_src", "website",
			"examples", "example", "_examples", "_example", "samples", "man", "javadoc":
			if slices.Contains(sources, ext) && In(dirs[:i], "src", "lib", "internal", "pkg") {
				continue
			}
			return true
		}
	}
	return false
}

func configuration(dirs []string, lower string) bool {
	if In(dirs, ".github", ".gitlab", ".circleci", ".buildkite", ".ci", ".devcontainer", ".vscode",
		".idea", ".azure-pipelines", ".husky", ".cargo", ".mvn", ".config", ".travis", ".semaphore") {
		return true
	}
	switch lower {
	case "makefile", "gnumakefile", "dockerfile", "containerfile", "vagrantfile", "justfile", "procfile",
		"jenkinsfile", "brewfile", "cmakelists.txt", "go.mod", "go.sum", "go.work", "go.work.sum",
		"package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
		"pnpm-workspace.yaml", "lerna.json", "deno.json", "jsconfig.json", "pyproject.toml", "setup.cfg", "setup.py",
		"tox.ini", "noxfile.py", "pytest.ini", "mypy.ini", "pipfile", "pipfile.lock", "poetry.lock",
		"uv.lock", "pdm.lock", "manifest.in", "pom.xml", "build.gradle", "build.gradle.kts",
		"settings.gradle", "settings.gradle.kts", "gradle.properties", "gradlew", "gradlew.bat",
		"mvnw", "mvnw.cmd", "renovate.json", "build.bazel", "workspace.bazel", "module.bazel",
		"requirements.txt", "constraints.txt", "appveyor.yml", "codecov.yml", "environment.yml", "py.typed":
		return true
	}
	if strings.HasPrefix(lower, ".") && strings.Count(lower, "") > 2 {
		return true // .editorconfig, .golangci.yml, .gitignore
	}
	ext := path.Ext(lower)
	stem := strings.TrimSuffix(lower, ext)
	switch ext {
	case ".txt", ".in":
		// requirements-dev.txt, requirements/test.txt
		return strings.HasPrefix(stem, "requirements-") || strings.HasPrefix(stem, "requirements_") ||
			strings.HasPrefix(stem, "dev-requirements") || strings.HasPrefix(stem, "test-requirements") ||
			In(dirs, "requirements")
	case ".yml", ".yaml", ".toml", ".cfg", ".ini", ".conf", ".mk", ".bazelrc", ".lock":
		return len(dirs) == 0
	case ".json":
		return len(dirs) == 0 || strings.HasPrefix(lower, "tsconfig.")
	case ".js", ".cjs", ".mjs", ".ts", ".mts", ".cts":
		// vitest.config.ts, jest.config.js
		return strings.HasSuffix(stem, ".config") || strings.HasSuffix(stem, ".conf")
	}
	return false
}
