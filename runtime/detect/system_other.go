//go:build !unix && !windows

package detect

import "os"

// errnoName returns false, because this system has no common error numbers.
func errnoName(error) (name string, ok bool) { return "", false }

// signalOf returns "", because signals do not end processes on this system.
func signalOf(*os.ProcessState) string { return "" }
