package gitio

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A bundle is a tar of a bare repository: the object files (those of alternates included),
// the references as one packed-refs, HEAD, and the boundary of a shallow clone. It holds no
// configuration, hook or work tree.

// bundled are the names that a bundle may hold.
var bundled = regexp.MustCompile(`^(?:HEAD|packed-refs|shallow|refs/remotes/origin/HEAD|objects/[0-9a-f]{2}/[0-9a-f]{38}|objects/pack/pack-[0-9a-f]{40}\.(?:pack|idx))$`)

// Bundle writes the repository, as it was opened, to w. Equal object files and references give
// equal bytes.
func (r *Repository) Bundle(ctx context.Context, w io.Writer) error {
	t := tar.NewWriter(w)
	head := "ref: " + r.refs.symbolic["HEAD"] + "\n"
	if _, ok := r.refs.symbolic["HEAD"]; !ok {
		i := r.refs.ids["HEAD"]
		head = string(i.hash()) + "\n"
	}
	texts := [][2]string{{"HEAD", head}, {"packed-refs", r.packedRefs()}}
	if target := r.upstreamHead(); target != "" {
		texts = append(texts, [2]string{"refs/remotes/origin/HEAD", "ref: " + target + "\n"})
	}
	if r.Shallow() {
		var ids []string
		for i := range r.shallow {
			ids = append(ids, string(i.hash())+"\n")
		}
		slices.Sort(ids)
		texts = append(texts, [2]string{"shallow", strings.Join(ids, "")})
	}
	for _, f := range texts {
		if err := addFile(t, f[0], int64(len(f[1])), strings.NewReader(f[1])); err != nil {
			return fmt.Errorf("bundle %s: %w", r.source.Repo, err)
		}
	}
	files, err := r.objectFiles()
	if err != nil {
		return fmt.Errorf("bundle %s: %w", r.source.Repo, err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := errors.Join(ctx.Err(), copyFile(t, name, files[name])); err != nil {
			return fmt.Errorf("bundle %s: %w", r.source.Repo, err)
		}
	}
	return t.Close()
}

// packedRefs is every reference that names an object.
func (r *Repository) packedRefs() string {
	var b strings.Builder
	b.WriteString("# pack-refs with: sorted \n")
	for _, name := range slices.Sorted(maps.Keys(r.refs.ids)) {
		if name != "HEAD" {
			i := r.refs.ids[name]
			fmt.Fprintf(&b, "%s %s\n", i.hash(), name)
		}
	}
	return b.String()
}

// objectFiles is where each object file of a bundle is.
func (r *Repository) objectFiles() (map[string]string, error) {
	files := map[string]string{}
	for _, dir := range r.objects.dirs {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(dir, file)
			name := path.Join("objects", filepath.ToSlash(rel))
			if err == nil && bundled.MatchString(name) && files[name] == "" {
				files[name] = file
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func copyFile(t *tar.Writer, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	return addFile(t, name, fi.Size(), f)
}

func addFile(t *tar.Writer, name string, size int64, r io.Reader) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := io.CopyN(t, r, size)
	return err
}

// Unbundle lays a bundle into dir, which appears only when it is whole; a dir that is there
// already is left as it is. A file of more than limit bytes in all, or of another name than a
// bundle has, is refused.
func Unbundle(ctx context.Context, bundle io.Reader, dir string, limit int64) error {
	err := replace(dir, func(tmp string) error {
		root, err := os.OpenRoot(tmp)
		if err != nil {
			return err
		}
		defer root.Close()
		if err := root.MkdirAll("refs", 0o755); err != nil {
			return err
		}
		if err := root.MkdirAll("objects/pack", 0o755); err != nil {
			return err
		}
		return extract(ctx, root, tar.NewReader(bundle), limit)
	})
	if err != nil {
		return fmt.Errorf("lay bundle: %w", err)
	}
	return nil
}

func extract(ctx context.Context, root *os.Root, t *tar.Reader, left int64) error {
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !bundled.MatchString(h.Name) {
			return fmt.Errorf("file %q does not belong in a bundle", h.Name)
		}
		if left -= h.Size; left < 0 {
			return ErrTooLarge
		}
		if err := root.MkdirAll(path.Dir(h.Name), 0o755); err != nil {
			return err
		}
		f, err := root.OpenFile(h.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, t)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}
