package jvm

import (
	"testing"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// In a module of both languages the tests of either are checks of each, the production code of the
// other is not its own.
func TestMixedModule(t *testing.T) {
	for _, tt := range []struct {
		l                 Language
		own, other, check model.File
	}{
		{
			Java,
			model.File{Path: "src/main/java/a/B.java", Data: []byte("package a;\npublic class B { public void run() { } }\n")},
			model.File{Path: "src/main/kotlin/a/C.kt", Data: []byte("package a\nclass C\n")},
			model.File{Path: "src/test/kotlin/a/BTest.kt", Data: []byte("package a\n\nimport kotlin.test.Test\n\nclass BTest {\n    @Test fun runs() = B().run()\n\n    @Test fun stays() {}\n}\n")},
		},
		{
			Kotlin,
			model.File{Path: "src/main/kotlin/a/B.kt", Data: []byte("package a\nclass B { fun run() {} }\n")},
			model.File{Path: "src/main/java/a/D.java", Data: []byte("package a;\nclass D { }\n")},
			model.File{Path: "src/test/java/a/BTest.java", Data: []byte("package a;\n\nimport org.junit.Test;\n\npublic class BTest {\n    @Test public void runs() { new B().run(); }\n\n    @Test public void stays() { }\n}\n")},
		},
	} {
		t.Run(tt.l.Name(), func(t *testing.T) {
			l := tt.l
			in := tree.Of(model.File{Path: "pom.xml", Data: []byte("<project><artifactId>lib</artifactId></project>")}, tt.own, tt.other, tt.check)
			for p, want := range map[string]model.Kind{tt.own.Path: model.Production, tt.other.Path: model.Other, tt.check.Path: model.CheckFile} {
				if got := l.Kind(p); got != want {
					t.Errorf("%s is %s, want %s", p, got, want)
				}
			}
			if s, err := l.Symbols(in, tt.other.Path); err != nil || len(s) > 0 {
				t.Errorf("symbols of the other language: %v, %v", s, err)
			}
			symbols, err := l.Symbols(in, tt.own.Path)
			if err != nil || len(symbols) != 2 {
				t.Fatalf("symbols: %v, %v", symbols, err)
			}
			named, err := l.Names(in, tt.check.Path, symbols)
			if err != nil || len(named) != 2 {
				t.Errorf("named: %v, %v", named, err)
			}
			surfaces, err := l.Surfaces(in, tt.check.Path)
			if err != nil || len(surfaces) != 2 || surfaces[0].Unit != "lib:a.BTest" {
				t.Fatalf("surfaces: %+v, %v", surfaces, err)
			}
			if unit, function := l.Function("lib:a.BTest#runs()"); unit != surfaces[0].Unit || function != surfaces[0].Function {
				t.Errorf("function of a check: %s of %s", function, unit)
			}
			changes, err := l.Hide(in, surfaces[:1])
			if err != nil || len(changes) != 1 || l.Syntax(changes[0].Path, changes[0].Data) != nil {
				t.Errorf("hide: %v, %v", changes, err)
			}
			if open, err := l.Open(in, symbols, in); err != nil || open != nil {
				t.Errorf("open: %v, %v", open, err)
			}
		})
	}
}
