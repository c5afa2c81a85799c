package sandboxio

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/klauspost/compress/zstd"
)

// Walk visits the regular files of every layer above the base image, also those that a later
// layer hides. Paths are absolute.
func (e *dockerEnvironment) Walk(ctx context.Context, visit func(path string, size int64, open func() (io.ReadCloser, error)) error) (err error) {
	saved, err := e.d.cli.ImageSave(ctx, []string{e.image})
	if err != nil {
		return fmt.Errorf("walk environment: %w", err)
	}
	defer saved.Close()
	f, err := os.CreateTemp(e.d.opt.Work, "image-")
	if err != nil {
		return fmt.Errorf("walk environment: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if _, err := io.Copy(f, saved); err != nil {
		return fmt.Errorf("walk environment: %w", err)
	}
	layers, members, err := savedLayers(f)
	if err != nil {
		return fmt.Errorf("walk environment: %w", err)
	}
	below := len(e.base.RootFS.Layers)
	if below >= len(layers) {
		return fmt.Errorf("walk environment: image %s has no layer above its base", e.image)
	}
	for _, name := range layers[below:] {
		at, ok := members[path.Clean(name)]
		if !ok {
			return fmt.Errorf("walk environment: the engine left out layer %s", name)
		}
		if err := walkLayer(ctx, io.NewSectionReader(f, at[0], at[1]), visit); err != nil {
			return err
		}
	}
	return nil
}

// savedLayers reads a saved image: the names of its layers from the lowest on, and where each
// member lies in the file.
func savedLayers(f *os.File) (layers []string, members map[string][2]int64, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	members = map[string][2]int64{}
	links := map[string]string{}
	r := tar.NewReader(f)
	var manifest []struct{ Layers []string }
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		name := path.Clean(h.Name)
		if h.Typeflag == tar.TypeSymlink { // equal layers are stored once
			links[name] = path.Join(path.Dir(name), h.Linkname)
			continue
		}
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, nil, err
		}
		members[name] = [2]int64{at, h.Size}
		if name == "manifest.json" {
			if err := json.NewDecoder(io.LimitReader(r, 16<<20)).Decode(&manifest); err != nil {
				return nil, nil, err
			}
		}
	}
	for from, to := range links {
		if at, ok := members[to]; ok {
			members[from] = at
		}
	}
	if len(manifest) != 1 {
		return nil, nil, fmt.Errorf("saved image has %d manifests", len(manifest))
	}
	return manifest[0].Layers, members, nil
}

func walkLayer(ctx context.Context, layer io.Reader, visit func(path string, size int64, open func() (io.ReadCloser, error)) error) error {
	plain, err := decompress(layer)
	if err != nil {
		return fmt.Errorf("walk layer: %w", err)
	}
	r := tar.NewReader(plain)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("walk layer: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := visit(path.Clean("/"+h.Name), h.Size, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }); err != nil {
			return err
		}
	}
}

// decompress knows what engines keep layers as.
func decompress(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(4)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(b)
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(b)
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return b, nil
}
