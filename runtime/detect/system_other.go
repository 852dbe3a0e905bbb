//go:build !unix && !windows

package detect

import "os"

// errnoName returns false: the errors of this system have no numbers that are common.
func errnoName(error) (name string, ok bool) { return "", false }

// signalOf returns "": on this system no signal ends a process.
func signalOf(*os.ProcessState) string { return "" }
