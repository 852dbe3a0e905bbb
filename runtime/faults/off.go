//go:build !errgen_faults

package faults

// Enabled reports whether the program is built with the tag errgen_faults.
const Enabled = false
