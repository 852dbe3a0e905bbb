// Package sysname has the names of system errors and signals that a taxonomy may use.
package sysname

import (
	"slices"
	"strings"
)

// Errnos returns the names of Linux's error numbers, sorted. They are names only: the numbers
// differ between systems, and generated code compares by name.
func Errnos() []string { return slices.Clone(errnos) }

// IsErrno reports whether name is one of [Errnos].
func IsErrno(name string) bool {
	_, found := slices.BinarySearch(errnos, name)
	return found
}

// Signals returns the names of Linux's signals, sorted.
func Signals() []string { return slices.Clone(signals) }

// IsSignal reports whether name is one of [Signals].
func IsSignal(name string) bool {
	_, found := slices.BinarySearch(signals, name)
	return found
}

// ErrnoOf returns the one of [Errnos] that name is but for its case or the letter E before it, or
// "".
func ErrnoOf(name string) string { return fullName(name, "E", IsErrno) }

// SignalOf returns the one of [Signals] that name is but for its case or the letters SIG before it,
// or "".
func SignalOf(name string) string { return fullName(name, "SIG", IsSignal) }

func fullName(name, prefix string, known func(string) bool) string {
	upper := strings.ToUpper(name)
	for _, full := range []string{upper, prefix + upper} {
		if known(full) {
			return full
		}
	}
	return ""
}

var errnos = sorted(`
	E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG
	EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET
	EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EIDRM
	EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT
	EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK
	EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI
	ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT
	ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP
	ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT
	EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE
	ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK
	EXDEV EXFULL`)

var signals = sorted(`
	SIGABRT SIGALRM SIGBUS SIGCHLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL
	SIGPROF SIGPWR SIGQUIT SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG
	SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ`)

func sorted(table string) []string {
	words := strings.Fields(table)
	slices.Sort(words)
	return words
}
