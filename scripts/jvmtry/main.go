package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/io/sandboxio/sandboxtest"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang/jvm"
	"github.com/taskmill/taskmill/transforms/tree"
)

func main() {
	kind, language, dir, work := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	files := sandboxtest.Files{}
	var list []model.File
	filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		if d.IsDir() {
			if rel == "target" || rel == ".taskmill" || rel == ".git" || rel == "build" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return nil
		}
		files[rel] = string(data)
		list = append(list, model.File{Path: rel, Mode: model.ModeFile, Data: data})
		return nil
	})
	t := tree.Of(list...)
	r := jvm.Runner{Language: language}
	recipe, err := r.Recipe(t)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(recipe.Toolchain, recipe.Self, recipe.Strip)
	archives := sandboxtest.Archives{}
	var tb testing.T
	h := archives.Add(&tb, files)
	ctx := context.Background()
	s, err := sandboxio.Open(ctx, kind, sandboxio.Options{Work: work, Archives: archives})
	check(err)
	at := time.Now()
	e, err := s.Prepare(ctx, model.Base{Tree: h.Hash, Language: language, Recipe: recipe}, nil)
	check(err)
	fmt.Printf("prepare %.1fs %d MB lock %d bytes\n", time.Since(at).Seconds(), e.Facts().Bytes>>20, len(e.Lock()))
	for i := 5; i < len(os.Args); i++ {
		unit := os.Args[i]
		state := h
		guarded := sandboxtest.Files{}
		for k, v := range files {
			guarded[k] = v
		}
		g, err := r.Guard(t, unit, "abc")
		if err != nil {
			fmt.Println(err)
		}
		var changes []model.TreeChange
		for _, f := range g.Files {
			changes = append(changes, model.TreeChange{Path: f.Path, Mode: model.ModeFile, Data: f.Data})
			fmt.Println(f.Path + "\n" + string(f.Data))
		}
		state = sandboxtest.Change(&tb, h, files, changes...)
		at = time.Now()
		st, err := e.Open(ctx, state)
		check(err)
		fmt.Printf("open+build %.1fs %s\n%s", time.Since(at).Seconds(), st.Build().Outcome, tail(st.Build().Log))
		run := model.Run{Unit: unit, With: g.With, Order: int64(i - 5)}
		run.Command = r.Command(recipe.Protocol, run)
		at = time.Now()
		o, err := st.Execute(ctx, run)
		check(err)
		res := r.Read(run, o)
		fmt.Printf("run %.1fs %s %d checks %d complete %v agrees %v build %v none %v %s\n", time.Since(at).Seconds(), o.Outcome, o.ExitCode, len(res.Checks), res.Complete, res.Agrees, res.BuildError, res.NoMatch, res.Detail)
		for n, c := range res.Checks {
			if n < 4 || !c.Verdict.Holds() || c.ID == g.Pass {
				fmt.Println(c.ID, c.Verdict)
			}
		}
		if len(res.Checks) < 3 {
			fmt.Println(tail(o.Log))
		}
		st.Close()
	}
}

func tail(b []byte) string { return string(b[max(0, len(b)-1500):]) }

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
