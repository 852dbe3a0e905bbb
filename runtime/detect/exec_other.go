//go:build !unix

package detect

import "os"

// signalOf returns "": here no signal ends a process.
func signalOf(*os.ProcessState) string { return "" }
