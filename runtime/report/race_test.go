//go:build race

package report

// raced says that the tests look for races, and take many times longer.
const raced = true
