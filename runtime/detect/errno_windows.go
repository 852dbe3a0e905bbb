package detect

import "syscall"

// systemErrno names the errors of Windows that correspond to one of Linux, by the numbers of
// winerror.h.
func systemErrno(e syscall.Errno) string {
	switch e {
	case syscall.ERROR_FILE_NOT_FOUND, syscall.ERROR_PATH_NOT_FOUND:
		return "ENOENT"
	case syscall.ERROR_ACCESS_DENIED, 10013:
		return "EACCES"
	case syscall.ERROR_FILE_EXISTS, syscall.ERROR_ALREADY_EXISTS:
		return "EEXIST"
	case syscall.ERROR_DIR_NOT_EMPTY:
		return "ENOTEMPTY"
	case syscall.ERROR_BROKEN_PIPE:
		return "EPIPE"
	case 112: // ERROR_DISK_FULL
		return "ENOSPC"
	case 8, 14: // ERROR_NOT_ENOUGH_MEMORY, ERROR_OUTOFMEMORY
		return "ENOMEM"
	case 10004:
		return "EINTR"
	case 10022:
		return "EINVAL"
	case 10024:
		return "EMFILE"
	case 10035:
		return "EAGAIN"
	case 10040:
		return "EMSGSIZE"
	case 10048:
		return "EADDRINUSE"
	case 10049:
		return "EADDRNOTAVAIL"
	case 10050:
		return "ENETDOWN"
	case 10051:
		return "ENETUNREACH"
	case 10052:
		return "ENETRESET"
	case 10053:
		return "ECONNABORTED"
	case 10054:
		return "ECONNRESET"
	case 10055:
		return "ENOBUFS"
	case 10057:
		return "ENOTCONN"
	case 10060:
		return "ETIMEDOUT"
	case 10061, 1225: // 1225 is ERROR_CONNECTION_REFUSED
		return "ECONNREFUSED"
	case 10064:
		return "EHOSTDOWN"
	case 10065, 1232: // 1232 is ERROR_HOST_UNREACHABLE
		return "EHOSTUNREACH"
	}
	return ""
}
