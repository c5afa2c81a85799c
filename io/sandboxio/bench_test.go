package sandboxio_test

import (
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/io/sandboxio/sandboxtest"
	"github.com/taskmill/taskmill/model"
)

// BenchmarkExecute prints what one run of each kind takes beyond its command, and what opening
// a state takes.
func BenchmarkExecute(b *testing.B) {
	for _, kind := range []string{"local", "bwrap", "docker"} {
		b.Run(kind, func(b *testing.B) {
			if kind == "bwrap" {
				if _, err := exec.LookPath("bwrap"); err != nil {
					b.Skip("bubblewrap is not installed")
				}
			}
			if kind == "docker" && exec.Command("docker", "image", "inspect", "taskmill-base:python").Run() != nil {
				b.Skip("no Docker engine with the image taskmill-base:python")
			}
			archives := sandboxtest.Archives{}
			o := sandboxio.Options{}
			if kind == "docker" {
				o = dockerOptions(b)
			}
			o.Work, o.Archives = b.TempDir(), archives
			p, err := sandboxio.Open(b.Context(), kind, o)
			if err != nil {
				b.Fatal(err)
			}
			defer p.(io.Closer).Close()
			tree := archives.Add(b, sandboxtest.Files{"a": "1"})
			e, err := p.Prepare(b.Context(), model.Base{Tree: tree.Hash, Recipe: model.Recipe{Language: "sh"}}, nil)
			if err != nil {
				b.Fatal(err)
			}
			begin := time.Now()
			s, err := e.Open(b.Context(), tree)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			opened := time.Since(begin)
			r := model.Run{Command: model.Command{Argv: []string{"/bin/sleep", "0.1"}}}
			for b.Loop() {
				if o, err := s.Execute(b.Context(), r); err != nil || o.Outcome != model.OutcomeOK {
					b.Fatal(o, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)-100, "ms-overhead/run")
			b.ReportMetric(float64(opened.Milliseconds()), "ms/open")
		})
	}
}
