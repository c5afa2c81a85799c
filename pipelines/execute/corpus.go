package execute

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A Corpus is what eval, verify, show and export read: the tasks and the bases they stand on.
type Corpus struct {
	Dir   string
	Tasks []model.Task
	bases map[string]model.BaseRow
}

func corpusKey(repo, commit, recipe string) string { return repo + "@" + commit + "#" + recipe }

// ReadCorpus reads the tasks and bases of a corpus folder.
func ReadCorpus(ctx context.Context, dir string) (*Corpus, error) {
	c := &Corpus{Dir: dir, bases: map[string]model.BaseRow{}}
	for b, err := range parquetio.ReadTable[model.BaseRow](ctx, dir, "bases") {
		if err != nil {
			return nil, err
		}
		c.bases[corpusKey(b.Repo, b.BaseCommit, b.RecipeHash)] = b
	}
	for t, err := range parquetio.ReadTable[model.Task](ctx, dir, "tasks") {
		if err != nil {
			return nil, err
		}
		c.Tasks = append(c.Tasks, t)
	}
	return c, nil
}

// Task finds a task by its id.
func (c *Corpus) Task(id string) (model.Task, error) {
	for _, t := range c.Tasks {
		if t.InstanceID == id {
			return t, nil
		}
	}
	return model.Task{}, fmt.Errorf("no task %q in %s: taskmill show %s lists its tasks", id, c.Dir, c.Dir)
}

// BaseOf is the base that a task stands on.
func (c *Corpus) BaseOf(t model.Task) (model.BaseRow, error) {
	b, ok := c.bases[corpusKey(t.Repo, t.BaseCommit, t.RecipeHash)]
	if !ok {
		return b, fmt.Errorf("task %s: its base %s is not in the table bases of %s", t.InstanceID, t.BaseCommit, c.Dir)
	}
	return b, nil
}

// A Place is where the tasks of one base are run.
type Place struct {
	Base model.Base
	Lang lang.Language
	Site *Site
	H    *tree.Tree
}

// Place readies a base from its row and the corpus's own tree archive; no repository is needed.
func (sh *Shop) Place(ctx context.Context, row model.BaseRow) (*Place, error) {
	p := &Place{Base: model.Base{
		Repo: row.Repo, Source: model.Source{Repo: row.Repo, Location: row.Source}, Commit: model.Hash(row.BaseCommit),
		Kind: row.BaseKind, Tree: model.Hash(row.TreeHash), Archive: model.Hash(row.TreeBlob), Language: row.Language,
	}}
	if err := json.Unmarshal([]byte(row.Recipe), &p.Base.Recipe); err != nil {
		return nil, fmt.Errorf("read recipe of base %s: %w", row.BaseCommit, err)
	}
	var ok bool
	if p.Lang, ok = lang.ByName(Languages(), row.Language); !ok {
		return nil, fmt.Errorf("base %s: unknown language %q", row.BaseCommit, row.Language)
	}
	lock := []byte(row.Lock)
	if _, err := sh.Ledger.StoreLock(ctx, p.Base.Recipe.ID(), sh.Settings.Sandbox, lock); err != nil {
		return nil, err
	}
	p.Base.Lock = model.Sum(lock)
	var err error
	if p.H, err = sh.Archived(ctx, p.Base.Tree); err != nil {
		return nil, err
	}
	p.Site = sh.Site(p.Base, p.Lang)
	return p, nil
}

// Trees are the trees of a task: what the solver gets and the task condition.
func (p *Place) Trees(t model.Task) (s, c *tree.Tree, err error) {
	if s, err = apply(p.H, t.TaskPatch); err != nil {
		return nil, nil, fmt.Errorf("task %s: apply task_patch: %w", t.InstanceID, err)
	}
	if c, err = apply(s, t.TestPatch); err != nil {
		return nil, nil, fmt.Errorf("task %s: apply test_patch: %w", t.InstanceID, err)
	}
	if string(s.Hash()) != t.TreeS || string(c.Hash()) != t.TreeC {
		return nil, nil, fmt.Errorf("task %s: its patches do not lead to its trees", t.InstanceID)
	}
	return s, c, nil
}

// Restored is C with the gold patch: H'.
func (p *Place) Restored(t model.Task, c *tree.Tree) (*tree.Tree, error) {
	r, err := apply(c, t.Patch)
	if err != nil {
		return nil, fmt.Errorf("task %s: apply patch: %w", t.InstanceID, err)
	}
	return r, nil
}

func apply(t *tree.Tree, text string) (*tree.Tree, error) {
	if text == "" {
		return t, nil
	}
	p, err := patch.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	r, err := patch.Apply(p, t)
	if err != nil {
		return nil, err
	}
	return t.With(r.Changes...), nil
}

// BaseKey names the base that a task stands on: the tasks of one key share an environment.
func BaseKey(t model.Task) string { return corpusKey(t.Repo, t.BaseCommit, t.RecipeHash) }

// PlaceOf opens the process's corpus and shop and readies the base of a task.
func (s Settings) PlaceOf(ctx context.Context, dir, instance string) (*Corpus, *Shop, *Place, error) {
	corpus, err := s.Corpus(ctx, dir)
	if err != nil {
		return nil, nil, nil, err
	}
	shop, err := s.Open(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	t, err := corpus.Task(instance)
	if err != nil {
		return nil, nil, nil, err
	}
	row, err := corpus.BaseOf(t)
	if err != nil {
		return nil, nil, nil, err
	}
	place, err := shop.Place(ctx, row)
	return corpus, shop, place, err
}

var corpora struct {
	sync.Mutex
	byDir map[string]*Corpus
}

// Corpus reads a corpus once a process.
func (s Settings) Corpus(ctx context.Context, dir string) (*Corpus, error) {
	corpora.Lock()
	defer corpora.Unlock()
	if c := corpora.byDir[dir]; c != nil {
		return c, nil
	}
	c, err := ReadCorpus(ctx, dir)
	if err != nil {
		return nil, err
	}
	if corpora.byDir == nil {
		corpora.byDir = map[string]*Corpus{}
	}
	corpora.byDir[dir] = c
	return c, nil
}
