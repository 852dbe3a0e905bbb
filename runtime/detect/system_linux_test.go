package detect

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/sysname"
)

// TestErrnoNames checks that every name that a taxonomy may use is the name of one number.
func TestErrnoNames(t *testing.T) {
	made := map[string]bool{}
	for n := range 2000 {
		name, ok := errnoName(syscall.Errno(n))
		assert.True(t, ok)
		if name != "" {
			assert.False(t, made[name], "%s is of two numbers", name)
			assert.Equal(t, name, Canonical(name))
			made[name] = true
		}
	}
	for _, name := range sysname.Errnos() {
		assert.True(t, made[Canonical(name)], "no number is %s", name)
	}
}

// TestSignalNames sees that every name that a taxonomy may use is made of some number.
func TestSignalNames(t *testing.T) {
	made := map[string]bool{}
	for n := 1; n < 65; n++ {
		name := signalName(syscall.Signal(n))
		assert.True(t, strings.HasPrefix(name, "SIG"))
		assert.False(t, made[name], name)
		assert.Equal(t, n < 32, sysname.IsSignal(name), name)
		made[name] = true
	}
	for _, name := range sysname.Signals() {
		assert.True(t, made[Canonical(name)] || name == "SIGSTKFLT", "no number is %s", name)
	}
}
