package parquetio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/model"
)

// Files of an output folder beside its tables.
const (
	manifestFile   = "manifest.json"
	unfinishedFile = "unfinished.json" // whose build it is before there is a manifest
	partsFile      = "parts.json"      // what Collect wrote
)

// A Manifest names the files of a build. It is written last and is what readers follow.
type Manifest struct {
	ConfigHash model.Hash        `json:"config_hash"`
	Version    string            `json:"taskmill_version"`
	Tables     map[string][]Part `json:"tables"`
}

// ErrNoManifest is in the error of reading a folder in which no build has finished.
var ErrNoManifest = errors.New("no manifest.json: not a corpus, or its build has not finished")

// ErrOtherBuild is in CheckOut's error for a folder that holds something else.
var ErrOtherBuild = errors.New("choose another folder or remove it")

// WriteManifest commits a build: it checks that the parts are there, writes the manifest, then
// removes part files that it does not name and what killed writers left.
func WriteManifest(ctx context.Context, dir string, m Manifest) error {
	out, err := openFolder(ctx, dir)
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	defer out.close()
	keep, err := check(m)
	if err != nil {
		return fmt.Errorf("write manifest of %s: %w", dir, err)
	}
	there, err := out.list(ctx)
	if err != nil {
		return fmt.Errorf("write manifest of %s: %w", dir, err)
	}
	for name := range keep {
		if !slices.Contains(there, name) {
			return fmt.Errorf("write manifest of %s: %s is missing: is the folder the same on all workers?", dir, name)
		}
	}
	if err := writeJSON(ctx, out, manifestFile, m); err != nil {
		return fmt.Errorf("write manifest of %s: %w", dir, err)
	}
	stale := slices.DeleteFunc(there, func(name string) bool { return keep[name] })
	for _, name := range append(stale, partsFile, unfinishedFile) {
		if err := out.remove(ctx, name); err != nil {
			return fmt.Errorf("remove what the manifest of %s does not name: %w", dir, err)
		}
	}
	return nil
}

// check sorts the parts and returns their names. A manifest may come from anybody: its names
// may not lead anywhere else than to the part files of their table.
func check(m Manifest) (map[string]bool, error) {
	names := map[string]bool{}
	for table, parts := range m.Tables {
		slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.File, b.File) })
		for _, p := range parts {
			ok, _ := path.Match("part-*.parquet", path.Base(p.File))
			if !ok || !fs.ValidPath(p.File) || path.Dir(p.File) != table || p.Table != table || strings.Contains(table, "/") {
				return nil, fmt.Errorf("table %q has a part %q: not a name of its parts", table, p.File)
			}
			if names[p.File] {
				return nil, fmt.Errorf("table %q names part %q twice", table, p.File)
			}
			names[p.File] = true
		}
	}
	return names, nil
}

// ReadManifest is the manifest of a finished build. ErrNoManifest.
func ReadManifest(ctx context.Context, dir string) (Manifest, error) {
	if !strings.Contains(dir, "://") {
		if info, err := os.Stat(dir); err != nil {
			return Manifest{}, fmt.Errorf("read manifest: %w", err) // openFolder would make it
		} else if !info.IsDir() {
			return Manifest{}, fmt.Errorf("read manifest: %s is not a directory", dir)
		}
	}
	in, err := openFolder(ctx, dir)
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest: %w", err)
	}
	defer in.close()
	var m Manifest
	switch err := readJSON(ctx, in, manifestFile, &m); {
	case missing(err):
		return Manifest{}, fmt.Errorf("read %s: %w", dir, ErrNoManifest)
	case err != nil:
		return Manifest{}, fmt.Errorf("read manifest of %s: %w", dir, err)
	}
	if _, err := check(m); err != nil {
		return Manifest{}, fmt.Errorf("read manifest of %s: %w", dir, err)
	}
	return m, nil
}

// CheckOut makes the output folder, or finds that it is empty or belongs to a build with the
// same configuration, finished or not; and that it can be written to. It marks the folder as
// this build's and, where it is local, keeps other processes out until release is called or this
// one ends. An error is one line for the user.
func CheckOut(ctx context.Context, dir string, configHash model.Hash) (release func(), err error) {
	out, err := openFolder(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	defer out.close()
	release = func() {}
	if _, local := out.(directory); local {
		if release, err = hold(dir); err != nil {
			return nil, fmt.Errorf("output folder %s: %w", dir, err)
		}
	}
	if err := mark(ctx, out, dir, configHash); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// mark checks whose folder it is and makes it this build's.
func mark(ctx context.Context, out folder, dir string, configHash model.Hash) error {
	var marks int
	for _, name := range []string{manifestFile, unfinishedFile} {
		var m Manifest
		err := readJSON(ctx, out, name, &m)
		if missing(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("output folder %s: %s: %w", dir, name, err)
		}
		if m.ConfigHash != configHash {
			return fmt.Errorf("output folder %s holds a build with configuration %s, this one has %s: %w",
				dir, m.ConfigHash.Short(12), configHash.Short(12), ErrOtherBuild)
		}
		marks++
	}
	if _, local := out.(directory); local && marks == 0 {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("output folder: %w", err)
		}
		if len(entries) > 0 {
			return fmt.Errorf("output folder %s is not empty and holds no build (%s): %w", dir, filepath.Join(dir, entries[0].Name()), ErrOtherBuild)
		}
	}
	if err := writeJSON(ctx, out, unfinishedFile, Manifest{ConfigHash: configHash}); err != nil {
		return fmt.Errorf("output folder %s: %w", dir, err)
	}
	// What a killed build collected must not be taken for this one's.
	if err := out.remove(ctx, partsFile); err != nil {
		return fmt.Errorf("output folder %s: %w", dir, err)
	}
	return nil
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, blobio.ErrNotFound)
}

func writeJSON(ctx context.Context, out folder, name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return out.write(ctx, name, append(b, '\n'))
}

func readJSON(ctx context.Context, in folder, name string, v any) error {
	b, err := in.read(ctx, name)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
