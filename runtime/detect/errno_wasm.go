package detect

import "syscall"

// systemErrno knows no errors beside those that every system has.
func systemErrno(syscall.Errno) string { return "" }
