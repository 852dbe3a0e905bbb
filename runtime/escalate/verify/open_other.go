//go:build !unix

package verify

import "io/fs"

// openFlags open what should be a file.
const openFlags = 0

// notPermitted is what the system says of what it does not permit.
var notPermitted = fs.ErrPermission

// isNotDir reports whether err says that something above a path is not a directory. Systems without
// that say that the path is not there.
func isNotDir(error) bool { return false }

// isNoName reports whether err says that there can be nothing of that name.
func isNoName(error) bool { return false }
