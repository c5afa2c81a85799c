package jvm

import (
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/jvmsource"
)

// A Language is Java or Kotlin: how it is prepared and run is its Runner's, its syntax is read by
// package jvmsource. A unit is a top-level class, module:Class; a check id is module:Class#name.
type Language struct{ Runner }

// The languages.
var (
	Java   = Language{Runner{"java"}}
	Kotlin = Language{Runner{"kotlin"}}
)

// Surfaces lists the test functions of the check file at p, be it Java or Kotlin.
func (Language) Surfaces(t lang.Files, p string) ([]model.Surface, error) {
	out, err := jvmsource.Surfaces(t, p)
	if err != nil || len(out) == 0 {
		return out, err
	}
	l, err := layoutOf(t)
	if err != nil {
		return nil, err
	}
	module := ""
	if m := l.of(p); m != nil {
		module = m.name
	}
	for i := range out {
		out[i].Unit = join(module, out[i].Unit)
	}
	return out, nil
}

// Symbols lists what the production file at p declares.
func (l Language) Symbols(t lang.Files, p string) ([]model.Symbol, error) {
	if l.Kind(p) != model.Production {
		return nil, nil
	}
	return jvmsource.Symbols(t, p)
}

// Syntax reports the first syntax error of a Java or Kotlin file; other files have none.
func (Language) Syntax(p string, src []byte) error { return jvmsource.Syntax(p, src) }

// Calls lists the callees of a Java or Kotlin file.
func (Language) Calls(p string, src []byte) ([]string, error) { return jvmsource.Calls(p, src) }

// Hide removes hidden test functions with all that only they used.
func (Language) Hide(t lang.Files, hidden []model.Surface) ([]model.TreeChange, error) {
	return jvmsource.Hide(t, hidden)
}

// Names lists those of symbols that the file at p names.
func (Language) Names(t lang.Files, p string, symbols []model.Symbol) ([]model.Symbol, error) {
	return jvmsource.Names(t, p, symbols)
}

// Open answers nothing: the compiler finds every name that does not resolve.
func (Language) Open(lang.Files, []model.Symbol, lang.Files) ([]string, error) { return nil, nil }
