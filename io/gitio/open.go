package gitio

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/taskmill/taskmill/io/sampleio"
	"github.com/taskmill/taskmill/model"
)

// Open opens a source: a path, a URL (kept as a mirror below WorkDir, fetched again at each
// Open unless Offline), or sample:NAME. The error is one line that names the location.
func Open(ctx context.Context, source model.Source, o Options) (*Repository, error) {
	dir, err := local(ctx, source.Location, o)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", source.Location, err)
	}
	r, err := openDir(dir, o)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", source.Location, err)
	}
	origin := ""
	if c := r.config.Remotes["origin"]; c != nil && len(c.URLs) > 0 {
		origin = c.URLs[0]
	}
	r.source = source
	if r.source.Repo == "" {
		r.source.Repo = RepoName(source.Location, origin, o.Name)
	}
	if _, _, _, err := r.DefaultBranch(); err != nil {
		if len(r.refs.ids) > 0 {
			return nil, errors.Join(fmt.Errorf("open %s: %w", source.Location, err), r.Close())
		}
	}
	return r, nil
}

// local is the folder that holds a location's repository.
func local(ctx context.Context, location string, o Options) (string, error) {
	if name, ok := strings.CutPrefix(location, "sample:"); ok {
		return sample(name, o)
	}
	if path, ok := strings.CutPrefix(location, "file://"); ok {
		if path, ok = strings.CutPrefix(path, "localhost"); !ok || path[:min(1, len(path))] == "/" {
			return url.PathUnescape(path)
		}
	}
	if isURL(location) {
		return mirror(ctx, location, o)
	}
	return location, nil
}

func isURL(s string) bool {
	if strings.Contains(s, "://") {
		return true
	}
	user, rest, ok := strings.Cut(s, "@")
	host, _, scp := strings.Cut(rest, ":")
	return ok && scp && !strings.ContainsAny(user+host, `/\`)
}

// sample lays a sample below WorkDir, under a name that changes with its content.
func sample(name string, o Options) (string, error) {
	if o.WorkDir == "" {
		return "", errors.New("a work folder is needed for samples")
	}
	digest, err := sampleio.Digest(name)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(o.WorkDir, "samples", name+"-"+digest.Short(12)+".git")
	return dir, replace(dir, func(tmp string) error { return sampleio.Materialise(name, tmp) })
}

// replace fills dir unless it is there: fill writes beside it and the folder is renamed, so that
// neither a kill nor another process leaves half of it.
func replace(dir string, fill func(tmp string) error) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return err
	}
	err = fill(tmp)
	if err == nil {
		err = os.Rename(tmp, dir)
	}
	if err == nil {
		return nil
	}
	err = errors.Join(err, os.RemoveAll(tmp))
	if _, serr := os.Stat(dir); serr == nil {
		return nil // another process was first
	}
	return err
}

// mirrors serialises the work on one mirror within the process.
var mirrors sync.Map

// mirror is the bare mirror of a URL below WorkDir: cloned the first time, then fetched.
func mirror(ctx context.Context, location string, o Options) (string, error) {
	if o.WorkDir == "" {
		return "", errors.New("a work folder is needed for a URL")
	}
	dir := filepath.Join(o.WorkDir, "mirrors", clean(lastTwo(location))+"-"+model.Sum([]byte(location)).Short(12)+".git")
	lock, _ := mirrors.LoadOrStore(dir, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if _, err := os.Stat(dir); err == nil {
		if o.Offline {
			return dir, nil
		}
		return dir, fetch(ctx, dir, location)
	}
	return dir, replace(dir, func(tmp string) error {
		_, err := git.PlainCloneContext(ctx, tmp, true, &git.CloneOptions{URL: location, Mirror: true, Auth: auth(location)})
		if errors.Is(err, transport.ErrEmptyRemoteRepository) {
			return errors.New("repository has no commits")
		}
		return cloneError(err)
	})
}

func fetch(ctx context.Context, dir, location string) error {
	r, err := git.PlainOpen(dir)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	err = r.FetchContext(ctx, &git.FetchOptions{
		RemoteURL: location,
		RefSpecs:  []config.RefSpec{"+refs/*:refs/*"},
		Auth:      auth(location),
		Tags:      git.AllTags,
		Force:     true,
	})
	if errors.Is(err, git.NoErrAlreadyUpToDate) {
		return nil
	}
	return cloneError(err)
}

// cloneError keeps a transport's error to one line; several end in a newline.
func cloneError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("fetch: %s", strings.Join(strings.Fields(err.Error()), " "))
}

// auth is the token of the environment for GitHub over https; other hosts get none.
func auth(location string) transport.AuthMethod {
	u, err := url.Parse(location)
	token := os.Getenv("GITHUB_TOKEN")
	if err != nil || token == "" || u.Scheme != "https" || u.Host != "github.com" {
		return nil
	}
	return &http.BasicAuth{Username: "x-access-token", Password: token}
}
