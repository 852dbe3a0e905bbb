package state

import "github.com/errgen/errgen/runtime/internal/excerpt"

// Bounds in bytes on what is kept of texts.
const (
	maxError  = 4 << 10
	maxOutput = 16 << 10
	maxName   = 1 << 10
)

// beginning returns the beginning of s, masked, of at most n bytes.
func beginning(s string, n int) string { return excerpt.Beginning(s, n, masked) }

// ending returns the end of s, masked, of at most n bytes.
func ending(s string, n int) string { return excerpt.Ending(s, n, masked) }
