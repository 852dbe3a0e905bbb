package sysname_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/sysname"
)

func TestSystemNames(t *testing.T) {
	assert.True(t, sysname.IsErrno("ECONNRESET"))
	assert.False(t, sysname.IsErrno("econnreset"))
	assert.True(t, sysname.IsSignal("SIGKILL"))
	assert.False(t, sysname.IsSignal("KILL"))
	for name, want := range map[string]string{"KILL": "SIGKILL", "sigterm": "SIGTERM", "SIGINT": "SIGINT", "9": "",
		"": ""} {
		assert.Equal(t, want, sysname.SignalOf(name), name)
	}
	for name, want := range map[string]string{"pipe": "EPIPE", "econnreset": "ECONNRESET", "KILL": "", "": ""} {
		assert.Equal(t, want, sysname.ErrnoOf(name), name)
	}
	for _, list := range [][]string{sysname.Errnos(), sysname.Signals()} {
		assert.True(t, slices.IsSorted(list))
		assert.Equal(t, len(list), len(slices.Compact(slices.Clone(list))))
	}
}
