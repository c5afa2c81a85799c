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
	if err != nil {
		return model.Outcome{}, 0, err
	}
	sound := 0
	var first model.Outcome
	for _, name := range names {
		o, err := j.execution(ctx, name)
		switch {
		case errors.Is(err, errDamaged):
			// A power cut or a full disk left it: it is taken away, and the run made again.
			if err := j.store.Remove(ctx, name); err != nil {
				return model.Outcome{}, 0, fmt.Errorf("remove damaged outcome %s: %w", name, err)
			}
		case err != nil:
			return model.Outcome{}, 0, fmt.Errorf("read outcome of run %s: %w", key, err)
		default:
			if sound++; sound == 1 {
				first = o
			}
		}
	}
	return first, sound, nil
}

// errDamaged is in the error of an entry that is there and cannot be read.
var errDamaged = errors.New("damaged")

// execution reads one stored execution.
func (j *Journal) execution(ctx context.Context, name string) (model.Outcome, error) {
	var e execution
	b, err := j.read(ctx, name)
	if err == nil {
		if json.Unmarshal(b, &e) != nil {
			return e.Outcome, errDamaged
		}
	}
	if err == nil && e.Report != "" {
		e.Outcome.Report, err = j.store.Get(ctx, e.Report)
	}
	if err == nil && e.Log != "" {
		e.Outcome.Log, err = j.store.Get(ctx, e.Log)
	}
	if errors.Is(err, blobio.ErrCorrupt) || errors.Is(err, blobio.ErrNotFound) {
		return e.Outcome, errDamaged
	}
	return e.Outcome, err
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
	b, _, err := j.sound(ctx, lockName(recipe, sandbox))
	return b, err
}

// sound reads an entry; one that is damaged is taken away and counts as absent.
func (j *Journal) sound(ctx context.Context, name string) ([]byte, bool, error) {
	b, err := j.read(ctx, name)
	switch {
	case errors.Is(err, blobio.ErrNotFound):
		return nil, false, nil
	case errors.Is(err, blobio.ErrCorrupt), err == nil && len(b) == 0:
		return nil, false, j.store.Remove(ctx, name)
	}
	return b, err == nil, err
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
	return j.sound(ctx, name)
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
