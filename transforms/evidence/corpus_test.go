package evidence

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/ecmascript"
	"github.com/taskmill/taskmill/transforms/lang/golang"
	"github.com/taskmill/taskmill/transforms/lang/python"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

var update = flag.Bool("update", false, "rewrite the wanted results in testdata")

var languages = []lang.Language{golang.Language{}, python.Language{}, ecmascript.JavaScript, ecmascript.TypeScript}

// TestOf reads a case from each file of testdata/of: the record in lines "name: value" of the
// comment, the trees below before/ and after/, and the wanted evidence. A file that ends in
// .mode holds the git mode of its path; a submodule is a path whose mode is 160000.
func TestOf(t *testing.T) {
	files, err := filepath.Glob("testdata/of/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := evidenceOf(t, a)
			if *update {
				setFile(a, "want", got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(content(a, "want"), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func evidenceOf(t *testing.T, a *txtar.Archive) string {
	rec := model.Record{Repo: "o/r", Number: 7, Kind: "pr", State: "merged", TextSource: "git",
		MergedAt: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)}
	for line := range strings.Lines(string(a.Comment)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch k {
		case "title":
			rec.Title = v
		case "body":
			rec.Body = strings.ReplaceAll(v, `\n`, "\n")
		case "source":
			rec.TextSource = v
		case "author":
			rec.AuthorKind = v
		case "label":
			rec.Labels = append(rec.Labels, model.Label{Name: v})
		case "open":
			rec.MergedAt = time.Time{}
		}
	}
	stored := map[model.Hash][]byte{}
	c, err := Of(rec, side(a, "before/"), side(a, "after/"), languages, func(b []byte) (model.Hash, error) {
		stored[model.Sum(b)] = b
		return model.Sum(b), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return describe(t, c, stored)
}

// side is the tree of an archive's files below a prefix.
func side(a *txtar.Archive, prefix string) *tree.Tree {
	modes := map[string]uint32{}
	for _, f := range a.Files {
		if p, ok := strings.CutSuffix(f.Name, ".mode"); ok {
			var m uint32
			fmt.Sscanf(string(f.Data), "%o", &m)
			modes[p] = m
		}
	}
	var files []model.File
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, prefix); ok && !strings.HasSuffix(p, ".mode") {
			data := []byte(strings.NewReplacer("<NUL>", "\x00", "<CR>", "\r").Replace(string(f.Data)))
			files = append(files, model.File{Path: p, Mode: modes[f.Name], Data: data})
		}
	}
	return tree.Of(files...)
}

func describe(t *testing.T, c model.Change, stored map[model.Hash][]byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "eligible %v %s %s\nlanguage %s family %s origin %s\n", c.Eligible, c.Reason, c.Detail, c.Language, c.Family, c.SpecificationOrigin)
	fmt.Fprintf(&b, "profile %+v\n", c.Profile)
	for _, f := range c.Record.Files {
		fmt.Fprintf(&b, "file %s %s %s\n", f.Path, f.Kind, f.Change)
	}
	for _, s := range c.Touched {
		fmt.Fprintf(&b, "touched %s\n", s.Key())
	}
	for _, s := range c.Removed {
		fmt.Fprintf(&b, "removed %s %s\n", s.Path, s.Name)
	}
	for _, p := range []struct {
		name string
		hash model.Hash
	}{{"source", c.SourcePatch}, {"docs", c.DocsPatch}, {"check", c.CheckPatch}} {
		if p.hash == "" {
			continue
		}
		read, err := patch.Parse(stored[p.hash])
		if err != nil {
			t.Errorf("stored %s patch: %v", p.name, err)
		}
		fmt.Fprintf(&b, "%s %s\n", p.name, strings.Join(read.Paths(), " "))
	}
	fmt.Fprintf(&b, "text:\n%s\n", c.Text)
	return b.String()
}

func content(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func setFile(a *txtar.Archive, name, data string) {
	for i, f := range a.Files {
		if f.Name == name {
			a.Files[i].Data = []byte(data)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
}
