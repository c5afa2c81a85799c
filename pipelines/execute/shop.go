package execute

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/io/ledgerio"
	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/io/treeio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/ecmascript"
	"github.com/taskmill/taskmill/transforms/lang/golang"
	"github.com/taskmill/taskmill/transforms/lang/jvm"
	"github.com/taskmill/taskmill/transforms/lang/python"
	"github.com/taskmill/taskmill/transforms/tree"
)

// maxBlob bounds a file of a tree, in bytes: what code hosts take.
const maxBlob = 100 << 20

// Languages are the supported languages, in the order that decides ties.
func Languages() []lang.Language {
	return []lang.Language{golang.Language{}, python.Language{}, ecmascript.JavaScript, ecmascript.TypeScript, jvm.Java, jvm.Kotlin}
}

// Settings say where work is kept and how runs are isolated. They travel with the DoFns; none
// of them changes a row but Sandbox.
type Settings struct {
	Work       string // folder or gs:// prefix of ledger and blobs
	Cache      string // local folder of mirrors, environments and states
	Sandbox    string // docker, bwrap, local: resolved, never auto
	BaseImages map[string]string
	Jobs       int
	BuildID    string
	// Trees is a corpus whose trees/ holds base archives, for commands that have a corpus
	// and no repository.
	Trees string
}

// A Shop is what a process needs to run things: store, ledger, sandbox and repositories. There
// is one a process for equal settings.
type Shop struct {
	Settings Settings
	Store    blobio.Store
	Ledger   *ledgerio.Journal
	Bench    *Bench

	mu       sync.Mutex
	preparer sandboxio.Preparer
	repos    map[model.Source]*opening
}

type opening struct {
	once sync.Once
	repo *gitio.Repository
	err  error
}

var shops struct {
	sync.Mutex
	byKey map[model.Hash]*Shop
}

// Open is the process's shop for s.
func (s Settings) Open(ctx context.Context) (*Shop, error) {
	shops.Lock()
	defer shops.Unlock()
	key := model.Digest(s)
	if sh := shops.byKey[key]; sh != nil {
		return sh, nil
	}
	store, err := blobio.Open(ctx, s.Work)
	if err != nil {
		return nil, err
	}
	ledger := ledgerio.New(store)
	sh := &Shop{Settings: s, Store: store, Ledger: ledger, repos: map[model.Source]*opening{},
		Bench: &Bench{Ledger: ledger, Store: store, Jobs: s.Jobs, Remember: true}}
	if shops.byKey == nil {
		shops.byKey = map[model.Hash]*Shop{}
	}
	shops.byKey[key] = sh
	return sh, nil
}

// Preparer opens the sandbox at the first call.
func (sh *Shop) Preparer(ctx context.Context) (sandboxio.Preparer, error) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.preparer != nil {
		return sh.preparer, nil
	}
	p, err := sandboxio.Open(ctx, sh.Settings.Sandbox, sandboxio.Options{
		Work: sh.Settings.Cache, Archives: sh, BaseImages: sh.Settings.BaseImages,
		Jobs: sh.Settings.Jobs, BuildID: sh.Settings.BuildID, Log: slog.Default(),
	})
	if err != nil {
		return nil, err
	}
	sh.preparer = p
	return p, nil
}

// Repository opens a source once a process.
func (sh *Shop) Repository(ctx context.Context, src model.Source) (*gitio.Repository, error) {
	sh.mu.Lock()
	o := sh.repos[src]
	if o == nil {
		o = &opening{}
		sh.repos[src] = o
	}
	sh.mu.Unlock()
	o.once.Do(func() {
		o.repo, o.err = gitio.Open(ctx, src, gitio.Options{MaxBlob: maxBlob, WorkDir: filepath.Join(sh.Settings.Cache, "mirrors")})
	})
	return o.repo, o.err
}

// Tree is the tree of a commit, contents read when asked for.
func (sh *Shop) Tree(ctx context.Context, repo *gitio.Repository, commit model.Hash) (*tree.Tree, error) {
	entries, _, err := repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	return tree.New(entries, repo.Blob), nil
}

func archiveName(h model.Hash) string { return "trees/" + string(h) + ".tar.zst" }

// Keep stores the archive of t, once, and returns its SHA-256.
func (sh *Shop) Keep(ctx context.Context, t *tree.Tree) (model.Hash, error) {
	name := archiveName(t.Hash())
	if b, err := sh.Store.Read(ctx, name); err == nil {
		return model.Sum(b), nil
	} else if !errors.Is(err, blobio.ErrNotFound) {
		return "", err
	}
	var b bytes.Buffer
	err := treeio.Write(&b, func(yield func(model.File, error) bool) {
		for _, p := range t.Paths() {
			f, _, err := t.Read(p)
			if !yield(f, err) {
				return
			}
		}
	})
	if err != nil {
		return "", fmt.Errorf("archive tree %s: %w", t.Hash().Short(12), err)
	}
	return model.Sum(b.Bytes()), sh.Store.Write(ctx, name, b.Bytes())
}

// Archive gives the archive of a base tree, from the corpus when there is one, else from the
// store.
func (sh *Shop) Archive(ctx context.Context, h model.Hash) (io.ReadCloser, error) {
	store := sh.Store
	if sh.Settings.Trees != "" {
		var err error
		if store, err = blobio.Open(ctx, sh.Settings.Trees); err != nil {
			return nil, err
		}
	}
	b, err := store.Read(ctx, archiveName(h))
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", h.Short(12), err)
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

// Archived reads an archived base tree into memory.
func (sh *Shop) Archived(ctx context.Context, h model.Hash) (*tree.Tree, error) {
	r, err := sh.Archive(ctx, h)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var files []model.File
	for f, err := range treeio.Read(r, treeio.Limits{}) {
		if err != nil {
			return nil, fmt.Errorf("read tree %s: %w", h.Short(12), err)
		}
		files = append(files, f)
	}
	t := tree.Of(files...)
	if t.Hash() != h {
		return nil, fmt.Errorf("read tree %s: the archive holds tree %s", h.Short(12), t.Hash().Short(12))
	}
	return t, nil
}

// Site readies a base: its environment is prepared when a run needs it. The lock of the first
// preparation is kept in the ledger, and later preparations install from it.
func (sh *Shop) Site(b model.Base, l lang.Language) *Site {
	s := &Site{Language: l, Protocol: b.Recipe.Protocol}
	s.Template = model.Run{Lock: b.Lock, Protocol: b.Recipe.Protocol.ID(), Sandbox: sh.Settings.Sandbox, Limits: b.Recipe.Protocol.Limits}
	s.Prepare = func(ctx context.Context) (sandboxio.Environment, error) {
		p, err := sh.Preparer(ctx)
		if err != nil {
			return nil, err
		}
		lock, err := sh.Ledger.Lock(ctx, b.Recipe.ID(), p.Kind())
		if err != nil {
			return nil, err
		}
		inflight.Add(1)
		defer inflight.Done()
		return p.Prepare(ctx, b, lock)
	}
	return s
}

// ParseImages reads LANG=REF pairs.
func ParseImages(pairs []string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range pairs {
		l, ref, ok := strings.Cut(p, "=")
		if !ok || l == "" || ref == "" {
			return nil, fmt.Errorf("base image %q: want LANGUAGE=REFERENCE, as in python=registry/python:3.11", p)
		}
		if _, known := lang.ByName(Languages(), l); !known {
			return nil, fmt.Errorf("base image %q: unknown language %q", p, l)
		}
		out[l] = ref
	}
	return out, nil
}

// Prepared are the facts of an environment that rows tell.
type Prepared struct {
	Lock        []byte
	Seconds     float64
	Bytes       int64
	Image       string
	ImageDigest string
	Clock       bool
}

// Ready prepares the environment of b unless the ledger says that this base was prepared
// before, and fills b.Lock.
func (sh *Shop) Ready(ctx context.Context, b *model.Base, l lang.Language) (Prepared, error) {
	key := model.Digest([]string{string(b.Recipe.ID()), string(b.Tree), sh.Settings.Sandbox, sh.Settings.BaseImages[l.Name()]})
	var p Prepared
	if text, ok, err := sh.Ledger.Value(ctx, "prepared", key); err != nil {
		return p, err
	} else if ok {
		if err := json.Unmarshal(text, &p); err != nil {
			return p, fmt.Errorf("read preparation %s: %w", key.Short(12), err)
		}
		b.Lock, b.Clock = model.Sum(p.Lock), p.Clock
		return p, nil
	}
	env, err := sh.Site(*b, l).Environment(ctx)
	if err != nil {
		return p, err
	}
	defer env.Close()
	if p.Lock, err = sh.Ledger.StoreLock(ctx, b.Recipe.ID(), sh.Settings.Sandbox, env.Lock()); err != nil {
		return p, err
	}
	facts := env.Facts()
	p.Seconds, p.Bytes, p.Image, p.ImageDigest, p.Clock = facts.Seconds, facts.Bytes, facts.Image, facts.ImageDigest, facts.Clock
	b.Lock, b.Clock = model.Sum(p.Lock), p.Clock
	text, err := json.Marshal(p)
	if err != nil {
		return p, fmt.Errorf("encode preparation: %w", err)
	}
	return p, sh.Ledger.StoreValue(ctx, "prepared", key, text)
}
