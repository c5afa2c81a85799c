package lang

// An Aligner is a Language whose test functions have titles for names: tests are put into
// another group, and titles are spelled another way, without the tests being others.
type Aligner interface {
	// Align is the one among functions, of one file, that a function which the file no
	// longer has by its name has become; false where none is, or several may be.
	Align(function string, functions []string) (string, bool)
}
