//go:build unix && !linux

package detect

import "syscall"

// systemErrno names the errors that Unix has and other systems do not.
func systemErrno(e syscall.Errno) string {
	switch e {
	case syscall.EHOSTDOWN:
		return "EHOSTDOWN"
	case syscall.ENOTBLK:
		return "ENOTBLK"
	case syscall.EPFNOSUPPORT:
		return "EPFNOSUPPORT"
	case syscall.EREMOTE:
		return "EREMOTE"
	case syscall.ESHUTDOWN:
		return "ESHUTDOWN"
	case syscall.ESOCKTNOSUPPORT:
		return "ESOCKTNOSUPPORT"
	case syscall.ETOOMANYREFS:
		return "ETOOMANYREFS"
	case syscall.ETXTBSY:
		return "ETXTBSY"
	case syscall.EUSERS:
		return "EUSERS"
	}
	return ""
}
