package golang

import (
	"fmt"
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Guard plants a file zz_taskmill_<token>_test.go with one test that passes and one that fails.
// It joins the package of the unit's first check file. With holds the names of the two tests,
// which Command adds to a selection.
func (l Language) Guard(t lang.Files, unit, token string) (lang.Guard, error) {
	if token == "" || strings.Trim(token, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: token %q is not of a-z and 0-9", unit, token)
	}
	dir, ok := dirOf(t, unit)
	if !ok {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: no module of the tree holds it", unit)
	}
	files := l.UnitFiles(t, unit)
	if len(files) == 0 {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: no check file", unit)
	}
	s, err := parse(t, files[0])
	if err != nil {
		return lang.Guard{}, fmt.Errorf("plant checks in %s: %w", unit, err)
	}
	pass, fail := "TestTaskmill"+token+"Pass", "TestTaskmill"+token+"Fail"
	text := fmt.Sprintf("package %s\n\nimport %q\n\nfunc %s(t *testing.T) {}\n\nfunc %s(t *testing.T) { t.Fail() }\n",
		s.pkg, "testing", pass, fail)
	return lang.Guard{
		Files: []model.File{{
			Path: path.Join(dir, "zz_taskmill_"+token+"_test.go"), Mode: model.ModeFile, Data: []byte(text),
		}},
		With: []string{pass, fail},
		Pass: unit + "::" + pass,
		Fail: unit + "::" + fail,
	}, nil
}
