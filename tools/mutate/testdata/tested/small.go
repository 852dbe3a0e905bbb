// Package tested is a package with tests that miss one thing.
package tested

// Limit is asserted by no test.
const Limit = 10

// Big reports whether n is big.
func Big(n int) bool {
	return n > 3
}
