//go:build !unix

package state

import "io/fs"

// writable returns nil: here only writing shows whether a database can be written.
func writable(string) error { return nil }

// linked returns false: here a file must be opened to find out.
func linked(fs.FileInfo) bool { return false }
