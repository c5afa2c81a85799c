package build

import (
	"context"
	"errors"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/base"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// searched is how far before its base a slot looks for alternates, in first-parent commits.
const searched = 16

// options are those of a plan: a base that was not declared by the user may be replaced by an
// older commit that covers nearly as much, should it turn out unhealthy.
func options(ctx context.Context, shop *execute.Shop, repo *gitio.Repository, commit model.Hash, kind string) (base.Options, error) {
	o := base.Options{Base: commit, Kind: kind}
	if kind == base.Declared {
		return o, nil
	}
	line, err := repo.FirstParents(ctx, commit, searched)
	if err != nil {
		return o, err
	}
	o.Older = line
	o.Covers = covers(ctx, shop, repo)
	return o, nil
}

// covers tells whether a change comes as far as a run on a commit, by git objects alone.
func covers(ctx context.Context, shop *execute.Shop, repo *gitio.Repository) func(model.Change, model.Hash) (bool, error) {
	trees := map[model.Hash]*tree.Tree{}
	return func(c model.Change, commit model.Hash) (bool, error) {
		l, ok := lang.ByName(execute.Languages(), c.Language)
		if !ok {
			return false, nil
		}
		err := base.Hosts(c, commit, repo)
		if err == nil {
			h := trees[commit]
			if h == nil {
				if h, err = shop.Tree(ctx, repo, commit); err != nil {
					return false, err
				}
				trees[commit] = h
			}
			_, err = newWork(ctx, shop, l, c, h)
		}
		var fault *model.Fault
		if errors.As(err, &fault) {
			return false, nil
		}
		return err == nil, err
	}
}
