package ledgerio

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/model"
)

// inline is the size in bytes up to which a report or a log lies in its execution's object; a
// larger one is a blob of its own.
const inline = 4 << 10

// A Journal is a Ledger and Values over a Store:
//
//	runs/aa/<run key>/00000001      finished executions, numbered as they ended
//	locks/aa/<recipe>/<sandbox>
//	values/<kind>/aa/<key>
//
// Numbers are taken by creating the object, which one process only can, so the first execution
// stays the first whatever the clocks of the machines say. Safe for concurrent use, also by
// several processes.
type Journal struct{ store blobio.Store }

// New returns the journal in s.
func New(s blobio.Store) *Journal { return &Journal{s} }

// An execution is what is stored of an Outcome: the same, with large parts by hash.
type execution struct {
	ID      string // random: tells equal executions apart
	Outcome model.Outcome
	Report  model.Hash `json:",omitempty"` // set: Outcome.Report is this blob
	Log     model.Hash `json:",omitempty"`
}

// Outcome implements Ledger.
func (j *Journal) Outcome(ctx context.Context, key model.Hash) (model.Outcome, int, error) {
	names, err := j.executions(ctx, key)
	if err != nil || len(names) == 0 {
		return model.Outcome{}, 0, err
	}
	var e execution
	b, err := j.read(ctx, names[0])
	if err == nil {
		err = json.Unmarshal(b, &e)
	}
	if err == nil && e.Report != "" {
		e.Outcome.Report, err = j.store.Get(ctx, e.Report)
	}
	if err == nil && e.Log != "" {
		e.Outcome.Log, err = j.store.Get(ctx, e.Log)
	}
	if err != nil {
		return model.Outcome{}, 0, fmt.Errorf("read outcome of run %s: %w", key, err)
	}
	return e.Outcome, len(names), nil
}

// Store implements Ledger. When it returns nil the execution is counted.
func (j *Journal) Store(ctx context.Context, key model.Hash, o model.Outcome) error {
	names, err := j.executions(ctx, key)
	if err != nil {
		return err
	}
	e := execution{ID: rand.Text(), Outcome: o}
	// Blobs first: what names them must never be there without them.
	if e.Outcome.Report, e.Report, err = j.place(ctx, o.Report); err != nil {
		return fmt.Errorf("store outcome of run %s: %w", key, err)
	}
	if e.Outcome.Log, e.Log, err = j.place(ctx, o.Log); err != nil {
		return fmt.Errorf("store outcome of run %s: %w", key, err)
	}
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("store outcome of run %s: %w", key, err)
	}
	for n := len(names) + 1; ; n++ {
		first, err := j.first(ctx, fmt.Sprintf("runs/%s/%s/%08d", key.Short(2), key, n), b)
		if err != nil {
			return fmt.Errorf("store outcome of run %s: %w", key, err)
		}
		if string(first) == string(b) {
			return nil
		}
	}
}

// executions are the names of the stored executions of key, the first first.
func (j *Journal) executions(ctx context.Context, key model.Hash) ([]string, error) {
	if key == "" {
		return nil, errors.New("find run: empty key")
	}
	return j.store.List(ctx, "runs/"+key.Short(2)+"/"+string(key)+"/")
}

// place is b itself where it is small, else the hash of the blob that now holds it.
func (j *Journal) place(ctx context.Context, b []byte) ([]byte, model.Hash, error) {
	if len(b) <= inline {
		return b, "", nil
	}
	h, err := j.store.Put(ctx, b)
	return nil, h, err
}

// Lock implements Ledger.
func (j *Journal) Lock(ctx context.Context, recipe model.Hash, sandbox string) ([]byte, error) {
	b, err := j.read(ctx, lockName(recipe, sandbox))
	if errors.Is(err, blobio.ErrNotFound) {
		return nil, nil
	}
	return b, err
}

// StoreLock implements Ledger.
func (j *Journal) StoreLock(ctx context.Context, recipe model.Hash, sandbox string, lock []byte) ([]byte, error) {
	return j.first(ctx, lockName(recipe, sandbox), lock)
}

func lockName(recipe model.Hash, sandbox string) string {
	return "locks/" + recipe.Short(2) + "/" + string(recipe) + "/" + sandbox
}

// Value implements Values.
func (j *Journal) Value(ctx context.Context, kind string, key model.Hash) ([]byte, bool, error) {
	name, err := valueName(kind, key)
	if err != nil {
		return nil, false, err
	}
	b, err := j.read(ctx, name)
	if errors.Is(err, blobio.ErrNotFound) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// StoreValue implements Values.
func (j *Journal) StoreValue(ctx context.Context, kind string, key model.Hash, value []byte) error {
	name, err := valueName(kind, key)
	if err != nil {
		return err
	}
	_, err = j.first(ctx, name, value)
	return err
}

// valueName keeps kinds apart: a kind with a slash could be another's key.
func valueName(kind string, key model.Hash) (string, error) {
	if kind == "" || strings.ContainsAny(kind, "/") {
		return "", fmt.Errorf("remember a value: kind %q has a slash or is empty", kind)
	}
	return "values/" + kind + "/" + key.Short(2) + "/" + string(key), nil
}

// first stores b under name unless something is there, and returns what then is there.
func (j *Journal) first(ctx context.Context, name string, b []byte) ([]byte, error) {
	made, err := j.store.Create(ctx, name, blobio.Compress(b))
	if err != nil {
		return nil, err
	}
	if made {
		return b, nil
	}
	return j.read(ctx, name)
}

func (j *Journal) read(ctx context.Context, name string) ([]byte, error) {
	packed, err := j.store.Read(ctx, name)
	if err != nil {
		return nil, err
	}
	b, err := blobio.Decompress(packed)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", name, blobio.ErrCorrupt, err)
	}
	return b, nil
}
