package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const sdk = "github.com/apache/beam/sdks/v2"

// buildApp builds the binary as it is released: stripped, since workers are sent it.
func buildApp(ctx context.Context, b *bench) (string, error) {
	app := filepath.Join(b.dir, "taskmill")
	if err := goBuild(ctx, app, "."); err != nil {
		return "", err
	}
	info, err := os.Stat(app)
	if err != nil {
		return "", err
	}
	b.app = app
	return fmt.Sprintf("%d MB", info.Size()>>20), nil
}

func goBuild(ctx context.Context, out, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", out, pkg)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w: %s", pkg, err, lastLines(string(text), 15))
	}
	return nil
}

// sdkVersion is the version of the SDK that go.mod names.
func sdkVersion(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", sdk).Output()
	if err != nil {
		return "", fmt.Errorf("find the version of Beam: %w", err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), nil
}

// beamTool builds a program of the SDK once a version: prism, and boot, which is the worker pool.
func (b *bench) beamTool(ctx context.Context, name, pkg string) (string, error) {
	version, err := sdkVersion(ctx)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(b.cache, name+"-"+version)
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	if err := goBuild(ctx, bin+".new", sdk+"/"+pkg); err != nil {
		return "", err
	}
	return bin, os.Rename(bin+".new", bin)
}

// portableRunner installs the Python SDK once a version and gives its interpreter.
func (b *bench) portableRunner(ctx context.Context) (string, error) {
	version, err := sdkVersion(ctx)
	if err != nil {
		return "", err
	}
	venv := filepath.Join(b.cache, "beam-"+version)
	python := filepath.Join(venv, "bin", "python")
	if exec.CommandContext(ctx, python, "-c", "import apache_beam, grpc").Run() == nil {
		return python, nil
	}
	for _, c := range [][]string{
		{"python3", "-m", "venv", venv},
		{python, "-m", "pip", "install", "--quiet", "apache-beam==" + version},
	} {
		if out, err := exec.CommandContext(ctx, c[0], c[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("install apache-beam %s: %s: %w: %s", version, c[0], err, lastLines(string(out), 15))
		}
	}
	return python, nil
}
