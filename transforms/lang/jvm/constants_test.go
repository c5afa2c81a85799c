package jvm

import "testing"

func TestInterpolate(t *testing.T) {
	properties := propertiesOf(files("gradle.properties", "# junit=1\nmockk=1.13\r\nkotlin_version = 1.9.0\norg.gradle.jvmargs=-Xmx1g\nspaced=a b\n"), "")
	for build, want := range map[string]string{
		"val junit = \"5.8\"\napi(\"a:b:$junit\")":                         "val junit = \"5.8\"\napi(\"a:b:5.8\")",
		"  private const val junit: String = \"5\"\napi(\"a:b:${junit}\")": "  private const val junit: String = \"5\"\napi(\"a:b:5\")",
		"def v = '2'\napi \"a:b:$v\"":                                      "def v = '2'\napi \"a:b:2\"",
		"ext.v = '2'\napi \"a:b:$v-x\"":                                    "ext.v = '2'\napi \"a:b:2-x\"",
		"api(\"a:b:$mockk\")":                                              "api(\"a:b:1.13\")",
		"val mockk = \"2\"\napi(\"a:b:$mockk\")":                           "val mockk = \"2\"\napi(\"a:b:2\")",
		"apply plugin: \"x\"\napi \"a:b:${kotlin_version}\"":               "apply plugin: \"x\"\napi \"a:b:1.9.0\"",
		// What is computed, or set twice, is not guessed at.
		"val v = if (x) \"1\" else \"2\"\napi(\"a:b:$v\")":   "val v = if (x) \"1\" else \"2\"\napi(\"a:b:$v\")",
		"def v = '1'\ndef v = '2'\napi \"a:b:$v\"":           "def v = '1'\ndef v = '2'\napi \"a:b:$v\"",
		"def mockk = '1'\ndef mockk = '2'\napi \"a:$mockk\"": "def mockk = '1'\ndef mockk = '2'\napi \"a:$mockk\"",
		"api(\"a:b:${libs.x}\")":                             "api(\"a:b:${libs.x}\")",
		"api(\"a:b:$spaced$junit\")":                         "api(\"a:b:$spaced$junit\")",
	} {
		if got := interpolate(build, properties); got != want {
			t.Errorf("%q becomes %q, want %q", build, got, want)
		}
	}
}
