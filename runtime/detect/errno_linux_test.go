package detect

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/stdlib"
)

// TestErrnoNames sees that every name that a taxonomy may use is made of some number, and no other.
func TestErrnoNames(t *testing.T) {
	made := map[string]bool{}
	for n := range 2000 {
		name, ok := errnoName(syscall.Errno(n))
		assert.True(t, ok)
		if name != "" {
			assert.False(t, made[name], "%s is of two numbers", name)
			assert.True(t, stdlib.IsErrno(name), name)
			assert.Equal(t, name, CanonicalErrno(name))
			made[name] = true
		}
	}
	for _, name := range stdlib.Errnos() {
		assert.True(t, made[CanonicalErrno(name)], "no number is %s", name)
	}
}
