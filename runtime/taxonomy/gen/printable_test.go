package gen_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

// TestMessagesDoNotSteerTerminals makes errors of texts that would colour, erase or reverse the
// output of a terminal.
func TestMessagesDoNotSteerTerminals(t *testing.T) {
	e := sample.NewProviderAPIError("p\x1b[2J\u202e", "a\x07b\u009b31m\nsecond")
	const message = `provider p\x1b[2J\u202e API error: a\x07b\u009b31m`
	assert.EqualError(t, e, message)
	assert.JSONEq(t, `{"provider":"p\u001b[2J\u202e","rawError":"a\u0007b\u009b31m\nsecond"}`,
		string(e.AppendContext(nil)))
	var wire struct{ Message string }
	require.NoError(t, json.Unmarshal(e.AppendJSON(nil), &wire))
	assert.Equal(t, message, wire.Message)

	back, err := sample.UnmarshalError(e.AppendJSON(nil))
	require.NoError(t, err)
	assert.Equal(t, e, back)

	assert.EqualError(t, sample.NewScopeForbidden([]string{"a\x1b", "b\r"}), `2 forbidden: a\x1b, b\r`)
	caused := sample.NewGitCommit().WithCause(errors.New("x\x1b[1m\x1b[2K"))
	assert.EqualError(t, caused, `commit failed: x\x1b[2K`, "without its colour")
	assert.NotContains(t, fmt.Sprintf("%+v", caused), "\x1b")

	u := taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: "NEW", Message: "m\x1b[1m\x1b[2K"})
	assert.EqualError(t, u, `m\x1b[2K`)
}

// TestDetailsDoNotSteerTerminals prints, with %+v, texts that JSON does not escape and terminals
// obey.
func TestDetailsDoNotSteerTerminals(t *testing.T) {
	const steering = "a\u009b31m\u0085\u202e\u2066\x7f"
	e := sample.NewProviderAPIError(steering, steering)
	assert.Contains(t, fmt.Sprintf("%+v", e), `context: {"provider":"a\u009b31m\u0085\u202e\u2066\x7f",`)
	assert.Contains(t, string(e.AppendContext(nil)), steering, "the wire has it as it is")

	caused := taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{
		Code: "KINDS", Category: "other", Message: "m", Cause: errors.New(steering), Reason: errors.New(steering),
	})
	for _, err := range []error{sample.NewGitCommit().WithCause(e), sample.NewGitCommit().WithCause(caused), caused} {
		got := fmt.Sprintf("%+v", err)
		assert.Contains(t, got, `a\u009b31m\u0085\u202e\u2066\x7f`)
		assert.False(t, strings.ContainsAny(got, "\u009b\u0085\u202e\u2066\x7f"), "%q", got)
	}
}

// TestDetailsNameTheCategory prints an error whose code is known, and whose category on the wire is
// another one.
func TestDetailsNameTheCategory(t *testing.T) {
	u := taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: "KINDS", Message: "m", Reason: errors.New("r")})
	assert.Equal(t, "m\ncode: \"KINDS\" (r)\ncategory: \"kinds\"", fmt.Sprintf("%+v", u))
	assert.Contains(t, fmt.Sprintf("%+v", sample.NewGitCommit().WithCause(u)), "\n  category: \"kinds\"")
}
