package lang

// An Approximate language has a Syntax that knows less than its compilers do: an error in a file
// that has one in a working tree too says nothing.
type Approximate interface {
	// Approximate does nothing but to say so.
	Approximate()
}
