package execute

import "sync/atomic"

// Progress counts what this process does, for a progress line. A remote worker's counts stay
// with it; the final figures come from the tables.
var Progress struct {
	Records    atomic.Int64 // records read
	Changes    atomic.Int64 // changes with evidence
	Bases      atomic.Int64 // bases prepared
	Runs       atomic.Int64 // commands run
	FromLedger atomic.Int64 // runs that the ledger held
	Tasks      atomic.Int64
	Rejected   atomic.Int64
	Candidates atomic.Int64 // candidates assigned
}
