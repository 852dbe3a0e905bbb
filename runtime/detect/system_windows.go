package detect

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// errnos are the system errors of Windows that correspond to one of Unix. For some of them, package
// syscall defines additional numbers.
var errnos = [...]struct {
	name    string
	numbers []syscall.Errno
}{
	{"EACCES", []syscall.Errno{syscall.EACCES, windows.ERROR_ACCESS_DENIED, windows.WSAEACCES}},
	{"EADDRINUSE", []syscall.Errno{syscall.EADDRINUSE, windows.WSAEADDRINUSE}},
	{"EADDRNOTAVAIL", []syscall.Errno{syscall.EADDRNOTAVAIL, windows.WSAEADDRNOTAVAIL}},
	{"EAGAIN", []syscall.Errno{syscall.EAGAIN, windows.WSAEWOULDBLOCK}},
	{"ECANCELED", []syscall.Errno{syscall.ECANCELED}},
	{"ECONNABORTED", []syscall.Errno{syscall.ECONNABORTED, windows.WSAECONNABORTED}},
	{"ECONNREFUSED", []syscall.Errno{
		syscall.ECONNREFUSED, windows.WSAECONNREFUSED, windows.ERROR_CONNECTION_REFUSED}},
	{"ECONNRESET", []syscall.Errno{syscall.ECONNRESET, windows.WSAECONNRESET}},
	{"EEXIST", []syscall.Errno{syscall.EEXIST, windows.ERROR_FILE_EXISTS, windows.ERROR_ALREADY_EXISTS}},
	{"EHOSTDOWN", []syscall.Errno{syscall.EHOSTDOWN, windows.WSAEHOSTDOWN}},
	{"EHOSTUNREACH", []syscall.Errno{
		syscall.EHOSTUNREACH, windows.WSAEHOSTUNREACH, windows.ERROR_HOST_UNREACHABLE}},
	{"EINTR", []syscall.Errno{syscall.EINTR, windows.WSAEINTR}},
	{"EINVAL", []syscall.Errno{syscall.EINVAL, windows.WSAEINVAL}},
	{"EISDIR", []syscall.Errno{syscall.EISDIR}},
	{"EMFILE", []syscall.Errno{syscall.EMFILE, windows.WSAEMFILE}},
	{"EMSGSIZE", []syscall.Errno{syscall.EMSGSIZE, windows.WSAEMSGSIZE}},
	{"ENETDOWN", []syscall.Errno{syscall.ENETDOWN, windows.WSAENETDOWN}},
	{"ENETRESET", []syscall.Errno{syscall.ENETRESET, windows.WSAENETRESET}},
	{"ENETUNREACH", []syscall.Errno{syscall.ENETUNREACH, windows.WSAENETUNREACH}},
	{"ENOBUFS", []syscall.Errno{syscall.ENOBUFS, windows.WSAENOBUFS}},
	{"ENOENT", []syscall.Errno{windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND}},
	{"ENOMEM", []syscall.Errno{syscall.ENOMEM, windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_OUTOFMEMORY}},
	{"ENOSPC", []syscall.Errno{syscall.ENOSPC, windows.ERROR_DISK_FULL}},
	{"ENOSYS", []syscall.Errno{syscall.ENOSYS}},
	{"ENOTCONN", []syscall.Errno{syscall.ENOTCONN, windows.WSAENOTCONN}},
	{"ENOTDIR", []syscall.Errno{windows.ERROR_DIRECTORY}},
	{"ENOTEMPTY", []syscall.Errno{syscall.ENOTEMPTY, windows.ERROR_DIR_NOT_EMPTY}},
	{"EOPNOTSUPP", []syscall.Errno{syscall.EOPNOTSUPP, syscall.ENOTSUP}},
	{"EPERM", []syscall.Errno{syscall.EPERM}},
	{"EPIPE", []syscall.Errno{syscall.EPIPE, windows.ERROR_BROKEN_PIPE}},
	{"ETIMEDOUT", []syscall.Errno{syscall.ETIMEDOUT, windows.WSAETIMEDOUT}},
}

// errnoName returns the name of a system error, and whether err is one. A number without a name
// gives "".
func errnoName(err error) (name string, ok bool) {
	e, ok := err.(syscall.Errno)
	if !ok {
		return "", false
	}
	for _, known := range errnos {
		for _, number := range known.numbers {
			if number == e {
				return known.name, true
			}
		}
	}
	return "", true
}

// signalOf returns "", because signals do not end processes on Windows.
func signalOf(*os.ProcessState) string { return "" }
