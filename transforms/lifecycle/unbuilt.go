package lifecycle

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// closed: a build error on C that lies in production code means that C itself does not build.
func (p *planner) closed(views map[string][]view) *model.Fault {
	for _, u := range p.TargetUnits {
		if f := p.openProduction(views[u][0]); f != nil {
			return f
		}
	}
	return nil
}

func (p *planner) openProduction(v view) *model.Fault {
	if !v.observation.BuildError {
		return nil
	}
	for _, d := range v.observation.Diagnostics {
		if p.Naming.Kind(d.Path) == model.Production {
			return fault(model.NoBuild, "%s: %s", d.Path, d.Message)
		}
	}
	return nil
}

// acceptable judges the target units that are a build error on C, and hides the touched
// functions there that name a symbol which D removes or changes.
func (p *planner) acceptable(views map[string][]view) *model.Fault {
	for _, u := range p.TargetUnits {
		if p.unbuilt[u] && !p.accepts() {
			return fault(model.BuildErrorOnly, "unit %s does not build on C", u)
		}
	}
	for _, s := range p.Targets {
		if p.unbuilt[s.Unit] && len(p.RemovedUses[s.Key()]) > 0 {
			p.hide(functionKey(s.Unit, s.Function))
		}
	}
	for _, u := range p.TargetUnits {
		if p.unbuilt[u] {
			if f := p.explained(u, views[u][0]); f != nil {
				return f
			}
		}
	}
	return nil
}

// explained: each diagnostic lies in a file with hidden checks and names a symbol that D
// removes or changes; an unused name or import there is a consequence.
func (p *planner) explained(unit string, v view) *model.Fault {
	files := map[string]bool{}
	for _, s := range p.hidden {
		files[s.Path] = true
	}
	direct := false
	for _, d := range v.observation.Diagnostics {
		named := p.namesRemoved(d)
		switch {
		case files[d.Path] && d.FollowUp:
		case files[d.Path] && named:
			direct = true
		case named:
			return fault(model.TestsEntangled, "%s has no hidden check and names what the change removes: %s", d.Path, d.Message)
		default:
			return fault(model.BuildErrorOnly, "%s: not by what the change removes: %s", d.Path, d.Message)
		}
	}
	if !direct {
		return fault(model.BuildErrorOnly, "unit %s does not build on C and no diagnostic says why", unit)
	}
	return nil
}

func (p *planner) namesRemoved(d model.Diagnostic) bool {
	for _, n := range d.Names {
		if p.removed[lastName(n)] || slices.ContainsFunc(p.Removed, func(s model.Symbol) bool { return namesModule(n, s.Path) }) {
			return true
		}
	}
	return false
}

// namesModule reports whether a diagnostic's name is the module or package that the file at
// path is or lies in: a change that adds a module removes it whole. Dotted names are matched
// anywhere in the path (pkg.new in src/pkg/new/x.py), import paths by their end.
func namesModule(name, file string) bool {
	stem := "/" + strings.TrimSuffix(file, path.Ext(file)) + "/"
	if !strings.Contains(name, "/") {
		return name != "" && strings.Contains(stem, "/"+strings.ReplaceAll(name, ".", "/")+"/")
	}
	dir := path.Dir(file)
	return dir != "." && strings.HasSuffix("/"+name, "/"+dir)
}

// lastName is the unqualified name: T.Method, pkg.Func and Class#m are named by diagnostics in
// more than one form.
func lastName(name string) string {
	if i := strings.LastIndexAny(name, ".:#/"); i >= 0 {
		return name[i+1:]
	}
	return name
}
