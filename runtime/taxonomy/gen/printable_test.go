package gen_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

// TestMessagesDoNotSteerTerminals makes errors of texts that would colour, erase or turn around what a terminal shows.
func TestMessagesDoNotSteerTerminals(t *testing.T) {
	e := sample.NewProviderAPIError("p\x1b[2J\u202e", "a\x07b\u009b31m\nsecond")
	const message = `provider p\x1b[2J\u202e API error: a\x07b\u009b31m`
	assert.EqualError(t, e, message)
	assert.JSONEq(t, `{"provider":"p\u001b[2J\u202e","rawError":"a\u0007b\u009b31m\nsecond"}`, string(e.AppendContext(nil)))
	var wire struct{ Message string }
	require.NoError(t, json.Unmarshal(e.AppendJSON(nil), &wire))
	assert.Equal(t, message, wire.Message)

	back, err := sample.UnmarshalError(e.AppendJSON(nil))
	require.NoError(t, err)
	assert.Equal(t, e, back)

	assert.EqualError(t, sample.NewScopeForbidden([]string{"a\x1b", "b\r"}), `2 forbidden: a\x1b, b\r`)
	caused := sample.NewGitCommit().WithCause(errors.New("x\x1b[1m"))
	assert.EqualError(t, caused, `commit failed: x\x1b[1m`)
	assert.NotContains(t, fmt.Sprintf("%+v", caused), "\x1b")

	u := taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: "NEW", Message: "m\x1b[1m"})
	assert.EqualError(t, u, `m\x1b[1m`)
}
