package execute

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/model"
)

// Alone prepares the environment of a base again from the language's base image, in a folder or
// image of its own, from its lock, and discards it: what one task would take that shared no base.
// Seconds and Bytes of the facts count, bytes above the base image.
func (sh *Shop) Alone(ctx context.Context, b model.Base) (facts sandboxio.Facts, err error) {
	dir, err := os.MkdirTemp(sh.Settings.Cache, "alone-")
	if err != nil {
		return facts, fmt.Errorf("prepare an environment alone: %w", err)
	}
	defer os.RemoveAll(dir)
	p, err := sandboxio.Open(ctx, sh.Settings.Sandbox, sandboxio.Options{
		Work: dir, Archives: sh, BaseImages: sh.Settings.BaseImages, Jobs: sh.Settings.Jobs, BuildID: sh.Settings.BuildID, Log: slog.Default(),
	})
	if err != nil {
		return facts, err
	}
	if c, ok := p.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	lock, err := sh.Ledger.Lock(ctx, b.Recipe.ID(), p.Kind())
	if err != nil {
		return facts, err
	}
	// A file that no other environment has makes this one new to an engine that is shared.
	token := make([]byte, 16)
	rand.Read(token)
	b.Recipe.Files = append(b.Recipe.Files[:len(b.Recipe.Files):len(b.Recipe.Files)], model.File{Path: "alone", Mode: model.ModeFile, Data: []byte(hex.EncodeToString(token))})
	inflight.Add(1)
	defer inflight.Done()
	env, err := p.Prepare(ctx, b, lock)
	if err != nil {
		return facts, err
	}
	facts = env.Facts()
	err = env.Close()
	if d, ok := env.(interface{ Discard(context.Context) error }); ok {
		err = errors.Join(err, d.Discard(ctx))
	}
	return facts, err
}
