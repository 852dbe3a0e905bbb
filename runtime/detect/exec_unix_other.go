//go:build unix && !linux

package detect

import "syscall"

func systemSignal(syscall.Signal) string { return "" }
