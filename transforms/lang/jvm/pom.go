package jvm

import (
	"bytes"
	"encoding/xml"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// Bounds of a model.
const (
	maxModules = 500
	maxDepth   = 20 // of parents and of properties
)

// A pom is what is read of one pom.xml. Inherited values are looked up by project.
type pom struct {
	Group        string       `xml:"groupId"`
	Artifact     string       `xml:"artifactId"`
	Packaging    string       `xml:"packaging"`
	Parent       parent       `xml:"parent"`
	Modules      []string     `xml:"modules>module"`
	Properties   properties   `xml:"properties"`
	Dependencies []dependency `xml:"dependencies>dependency"`
	Managed      []dependency `xml:"dependencyManagement>dependencies>dependency"`
	Build        build        `xml:"build"`
	Profiles     []profile    `xml:"profiles>profile"`
}

type parent struct {
	Group    string  `xml:"groupId"`
	Artifact string  `xml:"artifactId"`
	Relative *string `xml:"relativePath"`
}

type dependency struct {
	Group    string `xml:"groupId"`
	Artifact string `xml:"artifactId"`
	Version  string `xml:"version"`
	Scope    string `xml:"scope"`
}

type build struct {
	Source  string   `xml:"sourceDirectory"`
	Test    string   `xml:"testSourceDirectory"`
	Plugins []plugin `xml:"plugins>plugin"`
	Managed []plugin `xml:"pluginManagement>plugins>plugin"`
}

type plugin struct {
	Group         string        `xml:"groupId"`
	Artifact      string        `xml:"artifactId"`
	Configuration configuration `xml:"configuration"`
	Executions    []struct {
		Configuration configuration `xml:"configuration"`
	} `xml:"executions>execution"`
}

type configuration struct {
	Includes []string `xml:"includes>include"`
	Excludes []string `xml:"excludes>exclude"`
	Release  string   `xml:"release"`
	Source   string   `xml:"source"`
	Target   string   `xml:"target"`
	Dirs     []string `xml:"sourceDirs>sourceDir"`
}

type profile struct {
	ID      string   `xml:"id"`
	Default string   `xml:"activation>activeByDefault"`
	Modules []string `xml:"modules>module"`
}

// properties are free elements.
type properties map[string]string

// UnmarshalXML reads each child as a property.
func (p *properties) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) error {
	*p = properties{}
	for {
		tok, err := d.Token()
		if err != nil {
			return err
		}
		switch e := tok.(type) {
		case xml.StartElement:
			var v struct {
				Text string `xml:",chardata"`
			}
			if err := d.DecodeElement(&v, &e); err != nil {
				return err
			}
			(*p)[e.Name.Local] = strings.TrimSpace(v.Text)
		case xml.EndElement:
			return nil
		}
	}
}

func parsePom(data []byte) (*pom, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	// Other encodings than UTF-8 are read byte by byte: names are ASCII in practice.
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var p pom
	if err := d.Decode(&p); err != nil {
		return nil, err
	}
	return &p, nil
}

// A project is one module of a build, in its folder.
type project struct {
	dir    string // "" is the tree's root
	name   string // artifact id, or Gradle's project name
	pom    *pom   // nil for Gradle
	parent *project
}

// A layout is the modules of a tree.
type layout struct {
	tool       string // maven, gradle
	root       string // folder of the build
	projects   []*project
	byDir      map[string]*project
	apart      map[string]bool   // folders with a pom.xml that is in no module list
	catalog    catalog           // Gradle's, of libraries and plugins
	properties map[string]string // Gradle's
}

// layoutOf reads the build of a tree: Maven's where there is a pom.xml at the root, or in the
// folder nearest to it, else Gradle's.
func layoutOf(t lang.Files) (*layout, error) {
	var poms, gradles []string
	for _, p := range t.Paths() {
		if !strings.HasSuffix(p, "pom.xml") && !strings.Contains(p, ".gradle") {
			continue
		}
		dir, name := path.Split(p)
		dir = strings.TrimSuffix(dir, "/")
		if k := strings.Split(dir, "/"); lang.In(k, "src", "target") || lang.Vendored(k) {
			continue
		}
		switch name {
		case "pom.xml":
			poms = append(poms, dir)
		case "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts":
			gradles = append(gradles, dir)
		}
	}
	shallow := func(a, b string) int {
		if n := depth(a) - depth(b); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	}
	slices.SortFunc(poms, shallow)
	slices.SortFunc(gradles, shallow)
	switch {
	case len(poms) > 0 && (len(gradles) == 0 || depth(poms[0]) <= depth(gradles[0])):
		l := &layout{tool: "maven", root: poms[0], byDir: map[string]*project{}}
		if err := l.reactor(t, l.root, nil); err != nil {
			return nil, err
		}
		l.apart = map[string]bool{}
		for _, dir := range poms {
			l.apart[dir] = l.byDir[dir] == nil
		}
		return l, nil
	case len(gradles) > 0:
		l := &layout{tool: "gradle", root: gradles[0], byDir: map[string]*project{}}
		l.gradle(t)
		return l, nil
	}
	return &layout{byDir: map[string]*project{}}, nil
}

func depth(dir string) int {
	if dir == "" {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

// reactor adds the module in dir and those that it names, profiles that are on by default
// among them.
func (l *layout) reactor(t lang.Files, dir string, up *project) error {
	if l.byDir[dir] != nil || len(l.projects) >= maxModules {
		return nil
	}
	file := path.Join(dir, "pom.xml")
	data, ok := text(t, file)
	if !ok {
		return nil
	}
	p, err := parsePom([]byte(data))
	if err != nil {
		return fault(environmentFailed, "parse "+file+": "+err.Error())
	}
	m := &project{dir: dir, pom: p, parent: l.parentOf(t, dir, p, up)}
	m.name = m.interpolate(p.Artifact)
	l.projects = append(l.projects, m)
	l.byDir[dir] = m
	names := slices.Clone(p.Modules)
	for _, f := range p.Profiles {
		if strings.TrimSpace(f.Default) == "true" {
			names = append(names, f.Modules...)
		}
	}
	for _, n := range names {
		n = strings.TrimSuffix(strings.TrimSpace(n), "/pom.xml")
		sub := path.Join(dir, n)
		if strings.HasSuffix(n, ".xml") || sub == ".." || strings.HasPrefix(sub, "../") {
			continue
		}
		if err := l.reactor(t, sub, m); err != nil {
			return err
		}
	}
	return nil
}

// parentOf is the parent in the tree: the module around, or the pom at the relative path.
func (l *layout) parentOf(t lang.Files, dir string, p *pom, up *project) *project {
	if p.Parent.Artifact == "" {
		return nil
	}
	for at := up; at != nil; at = at.parent {
		if at.pom.Artifact == p.Parent.Artifact {
			return at
		}
	}
	rel := ".."
	if p.Parent.Relative != nil {
		if rel = strings.TrimSpace(*p.Parent.Relative); rel == "" {
			return nil
		}
	}
	at := strings.TrimSuffix(path.Join(dir, strings.TrimSuffix(rel, "pom.xml")), "/")
	if at == "." {
		at = ""
	}
	if m := l.byDir[at]; m != nil {
		return m
	}
	data, ok := text(t, path.Join(at, "pom.xml"))
	if !ok || at == dir || depth(dir) > maxDepth {
		return nil
	}
	q, err := parsePom([]byte(data))
	if err != nil || q.Artifact != p.Parent.Artifact {
		return nil
	}
	return &project{dir: at, pom: q, name: q.Artifact}
}

// lineage is the project and its parents in the tree, nearest first.
func (m *project) lineage() []*project {
	var out []*project
	for at := m; at != nil && len(out) < maxDepth; at = at.parent {
		out = append(out, at)
	}
	return out
}

// group is the project's group id.
func (m *project) group() string {
	for _, at := range m.lineage() {
		if at.pom == nil {
			break
		}
		if g := at.pom.Group; g != "" {
			return m.interpolate(g)
		}
		if g := at.pom.Parent.Group; g != "" {
			return m.interpolate(g)
		}
	}
	return ""
}

var property = regexp.MustCompile(`\$\{([^{}]+)\}`)

// interpolate replaces the properties that the tree defines.
func (m *project) interpolate(s string) string {
	for range maxDepth {
		next := property.ReplaceAllStringFunc(s, func(ref string) string {
			name := ref[2 : len(ref)-1]
			if name == "project.artifactId" && m.pom != nil && !strings.Contains(m.pom.Artifact, "${") {
				return m.pom.Artifact
			}
			for _, at := range m.lineage() {
				if at.pom == nil {
					break
				}
				if v, ok := at.pom.Properties[name]; ok {
					return v
				}
			}
			return ref
		})
		if next == s || len(next) > 1<<16 {
			return s
		}
		s = next
	}
	return s
}

// plugins lists a plugin's sections, the project's own first.
func (m *project) plugins(artifact string) []plugin {
	var out []plugin
	for _, at := range m.lineage() {
		if at.pom == nil {
			break
		}
		for _, list := range [][]plugin{at.pom.Build.Plugins, at.pom.Build.Managed} {
			for _, p := range list {
				if p.Artifact == artifact {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// of is the project that a path belongs to; nil where it is in none.
func (l *layout) of(p string) *project {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if dir == "." || dir == "/" {
			return l.byDir[""]
		}
		if m := l.byDir[dir]; m != nil || l.apart[dir] {
			return m
		}
	}
}

// named is the project of a name.
func (l *layout) named(name string) *project {
	for _, m := range l.projects {
		if m.name == name {
			return m
		}
	}
	return nil
}
