package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
)

// TestGroupsAreByCode: two codes are two groups, also where their texts are the same.
func TestGroupsAreByCode(t *testing.T) {
	groups := newSession(io.Discard, retry.System).groups
	for _, code := range []string{"tool_not_found", "tool_timeout", "tool_timeout"} {
		groups.Report(&report.Occurrence{Category: "tool", Code: code, Message: "exit status 1"})
	}
	assert.Len(t, groups.All(), 2)
	assert.Len(t, groups.ByCode("tool_timeout"), 1)
}
