package sandboxio

import (
	"time"

	"github.com/taskmill/taskmill/model"
)

// DefaultLimits are the limits of a command that names none.
var DefaultLimits = model.Limits{
	Wall:        15 * time.Minute,
	MemoryBytes: 4 << 30,
	Processes:   1024,
	OutputBytes: 64 << 20,
	DiskBytes:   4 << 30,
	ReportBytes: 64 << 20,
}

// prepareLimits are those of preparing: it compiles and downloads.
var prepareLimits = model.Limits{
	Wall:        30 * time.Minute,
	MemoryBytes: 6 << 30,
	Processes:   4096,
	OutputBytes: 64 << 20,
	DiskBytes:   16 << 30,
	ReportBytes: 16 << 20,
}

// orElse fills the zero limits of l from d.
func orElse(l, d model.Limits) model.Limits {
	if l.Wall <= 0 {
		l.Wall = d.Wall
	}
	if l.MemoryBytes <= 0 {
		l.MemoryBytes = d.MemoryBytes
	}
	if l.Processes <= 0 {
		l.Processes = d.Processes
	}
	if l.OutputBytes <= 0 {
		l.OutputBytes = d.OutputBytes
	}
	if l.DiskBytes <= 0 {
		l.DiskBytes = d.DiskBytes
	}
	if l.ReportBytes <= 0 {
		l.ReportBytes = d.ReportBytes
	}
	return l
}
