package python

import (
	"errors"
	"fmt"
	"path"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Guard plants a file with one check that passes and one that fails into the unit's folder; it
// runs in the unit's process, under the same conftest.py files.
func (Language) Guard(t lang.Files, unit, token string) (lang.Guard, error) {
	for _, r := range token {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return lang.Guard{}, fmt.Errorf("guard %s: token %q is not made of a-z and 0-9", unit, token)
		}
	}
	p := path.Join(path.Dir(unit), "test_taskmill_"+token+".py")
	if _, there, err := t.Read(p); err != nil || there {
		return lang.Guard{}, errors.Join(fmt.Errorf("guard %s: %s is there already", unit, p), err)
	}
	text := "def test_holds_" + token + "():\n    assert True\n\n\ndef test_breaks_" + token + "():\n    assert False\n"
	return lang.Guard{
		Files: []model.File{{Path: p, Mode: model.ModeFile, Data: []byte(text)}},
		With:  []string{p},
		Pass:  p + "::test_holds_" + token,
		Fail:  p + "::test_breaks_" + token,
	}, nil
}
