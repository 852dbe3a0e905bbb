package anthropic_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/anthropic"
)

func TestKeyIsNotPrinted(t *testing.T) {
	const key = "sk-ant-0123456789abcdef"
	o := anthropic.Options{Model: "m", Key: key}
	p, err := anthropic.New(o)
	require.NoError(t, err)
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("made", "provider", p, "options", o)
	fmt.Fprintf(&b, "%v %+v %#v %v %+v %#v %q", p, p, p, o, o, o, o)
	assert.NotContains(t, b.String(), key)
	assert.Contains(t, b.String(), "anthropic-api, model m at https://api.anthropic.com")
}
