package detect

import "syscall"

// stackFault is SIGSTKFLT, which the MIPS, where the number is that of another signal, do not have.
const stackFault = 16

func systemSignal(s syscall.Signal) string {
	switch s {
	case syscall.SIGPWR:
		return "SIGPWR"
	case stackFault:
		return "SIGSTKFLT"
	}
	return ""
}
