//go:build !unix

package workspace

// openFlags open what should be a file.
const openFlags = 0

// isNotDir reports whether err says that something above a path is not a directory. Systems without
// that say that the path is not there.
func isNotDir(error) bool { return false }
