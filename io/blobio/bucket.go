package blobio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"cloud.google.com/go/storage"
	"github.com/taskmill/taskmill/model"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
)

// attempts bounds how often one request is sent: about a minute with the client's backoff.
const attempts = 8

// chunk bounds what one upload holds in memory for sending it again.
const chunk = 16 << 20

// A bucket is a Store below a prefix of a Google Cloud Storage bucket. An object appears there
// when its upload ends, whole or not at all. Credentials are the environment's.
type bucket struct {
	url    string
	prefix string // "" or with a slash at its end
	handle *storage.BucketHandle
}

func openBucket(ctx context.Context, location string) (Store, error) {
	name, prefix, _ := strings.Cut(location, "/")
	prefix = strings.Trim(prefix, "/")
	if name == "" || prefix != "" && checkName(prefix) != nil {
		return nil, fmt.Errorf("open store gs://%s: want gs://bucket/prefix", location)
	}
	client, err := storage.NewClient(ctx, storage.WithDisabledClientMetrics())
	if err != nil {
		return nil, fmt.Errorf("open store gs://%s: %w", location, err)
	}
	// Every request here may be sent twice: writes are whole and equal, and Create names the
	// generation that it wants.
	client.SetRetry(storage.WithPolicy(storage.RetryAlways), storage.WithMaxAttempts(attempts))
	b := &bucket{url: "gs://" + path.Join(name, prefix), handle: client.Bucket(name)}
	if prefix != "" {
		b.prefix = prefix + "/"
	}
	return b, nil
}

func (b *bucket) Put(ctx context.Context, content []byte) (model.Hash, error) {
	h := model.Sum(content)
	name, err := blobName(h)
	if err != nil {
		return "", err
	}
	_, err = b.Create(ctx, name, Compress(content))
	return h, err
}

func (b *bucket) Get(ctx context.Context, h model.Hash) ([]byte, error) {
	name, err := blobName(h)
	if err != nil {
		return nil, err
	}
	packed, err := b.Read(ctx, name)
	if err != nil {
		return nil, err
	}
	content, err := unpack(h, packed)
	if err != nil {
		return nil, fmt.Errorf("read %s/%s: %w", b.url, name, err)
	}
	return content, nil
}

func (b *bucket) Write(ctx context.Context, name string, content []byte) error {
	return b.upload(ctx, name, content, func(o *storage.ObjectHandle) *storage.ObjectHandle { return o })
}

func (b *bucket) Create(ctx context.Context, name string, content []byte) (bool, error) {
	err := b.upload(ctx, name, content, func(o *storage.ObjectHandle) *storage.ObjectHandle {
		return o.If(storage.Conditions{DoesNotExist: true})
	})
	var status *googleapi.Error
	if errors.As(err, &status) && status.Code == http.StatusPreconditionFailed {
		return false, nil
	}
	return err == nil, err
}

func (b *bucket) upload(ctx context.Context, name string, content []byte, when func(*storage.ObjectHandle) *storage.ObjectHandle) error {
	if err := checkName(name); err != nil {
		return err
	}
	// A cancelled context is what aborts an upload: Close would finish it.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := when(b.handle.Object(b.prefix + name)).NewWriter(ctx)
	w.ChunkSize = min(len(content)+1, chunk)
	if _, err := w.Write(content); err != nil {
		return fmt.Errorf("write %s/%s: %w", b.url, name, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("write %s/%s: %w", b.url, name, err)
	}
	return nil
}

func (b *bucket) Read(ctx context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	r, err := b.handle.Object(b.prefix + name).NewReader(ctx)
	if errors.Is(err, storage.ErrObjectNotExist) {
		return nil, fmt.Errorf("read %s/%s: %w", b.url, name, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s/%s: %w", b.url, name, err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s/%s: %w", b.url, name, err)
	}
	return content, nil
}

func (b *bucket) Remove(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := b.handle.Object(b.prefix + name).Delete(ctx)
	if err != nil && !errors.Is(err, storage.ErrObjectNotExist) {
		return fmt.Errorf("remove %s/%s: %w", b.url, name, err)
	}
	return nil
}

func (b *bucket) List(ctx context.Context, prefix string) ([]string, error) {
	query := &storage.Query{Prefix: b.prefix + prefix}
	if err := query.SetAttrSelection([]string{"Name"}); err != nil {
		return nil, fmt.Errorf("list %s/%s: %w", b.url, prefix, err)
	}
	var names []string
	for objects := b.handle.Objects(ctx, query); ; {
		o, err := objects.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("list %s/%s: %w", b.url, prefix, err)
		}
		names = append(names, strings.TrimPrefix(o.Name, b.prefix))
	}
	slices.Sort(names)
	return names, nil
}
