package detect

// CanonicalErrno returns the name that stands for all names of a system error: EAGAIN for
// EWOULDBLOCK. Any other text is returned as it is.
func CanonicalErrno(name string) string {
	switch name {
	case "EWOULDBLOCK":
		return "EAGAIN"
	case "EDEADLOCK":
		return "EDEADLK"
	case "ENOTSUP":
		return "EOPNOTSUPP"
	}
	return name
}

// CanonicalSignal returns the name that stands for all names of a signal: SIGABRT for SIGIOT. Any
// other text is returned as it is.
func CanonicalSignal(name string) string {
	switch name {
	case "SIGIOT":
		return "SIGABRT"
	case "SIGPOLL":
		return "SIGIO"
	case "SIGCLD":
		return "SIGCHLD"
	}
	return name
}
