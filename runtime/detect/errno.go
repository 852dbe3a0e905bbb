//go:build !plan9

package detect

import "syscall"

// errnoName returns the name of a system error, and whether err is one. A number without a name
// here has none.
func errnoName(err error) (name string, ok bool) {
	e, ok := err.(syscall.Errno)
	if !ok {
		return "", false
	}
	if name = commonErrno(e); name == "" {
		name = systemErrno(e)
	}
	return name, true
}

// commonErrno names the errors that every system has.
func commonErrno(e syscall.Errno) string {
	switch e {
	case syscall.E2BIG:
		return "E2BIG"
	case syscall.EACCES:
		return "EACCES"
	case syscall.EADDRINUSE:
		return "EADDRINUSE"
	case syscall.EADDRNOTAVAIL:
		return "EADDRNOTAVAIL"
	case syscall.EAFNOSUPPORT:
		return "EAFNOSUPPORT"
	case syscall.EAGAIN:
		return "EAGAIN"
	case syscall.EALREADY:
		return "EALREADY"
	case syscall.EBADF:
		return "EBADF"
	case syscall.EBADMSG:
		return "EBADMSG"
	case syscall.EBUSY:
		return "EBUSY"
	case syscall.ECANCELED:
		return "ECANCELED"
	case syscall.ECHILD:
		return "ECHILD"
	case syscall.ECONNABORTED:
		return "ECONNABORTED"
	case syscall.ECONNREFUSED:
		return "ECONNREFUSED"
	case syscall.ECONNRESET:
		return "ECONNRESET"
	case syscall.EDEADLK:
		return "EDEADLK"
	case syscall.EDESTADDRREQ:
		return "EDESTADDRREQ"
	case syscall.EDOM:
		return "EDOM"
	case syscall.EDQUOT:
		return "EDQUOT"
	case syscall.EEXIST:
		return "EEXIST"
	case syscall.EFAULT:
		return "EFAULT"
	case syscall.EFBIG:
		return "EFBIG"
	case syscall.EHOSTUNREACH:
		return "EHOSTUNREACH"
	case syscall.EIDRM:
		return "EIDRM"
	case syscall.EILSEQ:
		return "EILSEQ"
	case syscall.EINPROGRESS:
		return "EINPROGRESS"
	case syscall.EINTR:
		return "EINTR"
	case syscall.EINVAL:
		return "EINVAL"
	case syscall.EIO:
		return "EIO"
	case syscall.EISCONN:
		return "EISCONN"
	case syscall.EISDIR:
		return "EISDIR"
	case syscall.ELOOP:
		return "ELOOP"
	case syscall.EMFILE:
		return "EMFILE"
	case syscall.EMLINK:
		return "EMLINK"
	case syscall.EMSGSIZE:
		return "EMSGSIZE"
	case syscall.ENAMETOOLONG:
		return "ENAMETOOLONG"
	case syscall.ENETDOWN:
		return "ENETDOWN"
	case syscall.ENETRESET:
		return "ENETRESET"
	case syscall.ENETUNREACH:
		return "ENETUNREACH"
	case syscall.ENFILE:
		return "ENFILE"
	case syscall.ENOBUFS:
		return "ENOBUFS"
	case syscall.ENODEV:
		return "ENODEV"
	case syscall.ENOENT:
		return "ENOENT"
	case syscall.ENOEXEC:
		return "ENOEXEC"
	case syscall.ENOLCK:
		return "ENOLCK"
	case syscall.ENOMEM:
		return "ENOMEM"
	case syscall.ENOMSG:
		return "ENOMSG"
	case syscall.ENOPROTOOPT:
		return "ENOPROTOOPT"
	case syscall.ENOSPC:
		return "ENOSPC"
	case syscall.ENOSYS:
		return "ENOSYS"
	case syscall.ENOTCONN:
		return "ENOTCONN"
	case syscall.ENOTDIR:
		return "ENOTDIR"
	case syscall.ENOTSOCK:
		return "ENOTSOCK"
	case syscall.ENOTTY:
		return "ENOTTY"
	case syscall.ENXIO:
		return "ENXIO"
	case syscall.EOPNOTSUPP:
		return "EOPNOTSUPP"
	case syscall.EOVERFLOW:
		return "EOVERFLOW"
	case syscall.EPERM:
		return "EPERM"
	case syscall.EPIPE:
		return "EPIPE"
	case syscall.EPROTO:
		return "EPROTO"
	case syscall.EPROTONOSUPPORT:
		return "EPROTONOSUPPORT"
	case syscall.EPROTOTYPE:
		return "EPROTOTYPE"
	case syscall.ERANGE:
		return "ERANGE"
	case syscall.EROFS:
		return "EROFS"
	case syscall.ESPIPE:
		return "ESPIPE"
	case syscall.ESRCH:
		return "ESRCH"
	case syscall.ESTALE:
		return "ESTALE"
	case syscall.ETIMEDOUT:
		return "ETIMEDOUT"
	case syscall.EXDEV:
		return "EXDEV"
	}
	switch { // numbers that some systems have among those above
	case e == syscall.ENOTSUP:
		return "EOPNOTSUPP"
	case e == syscall.ENOTEMPTY:
		return "ENOTEMPTY"
	}
	return ""
}
