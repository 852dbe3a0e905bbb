package wire

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestFailed(t *testing.T) {
	s := Source{Name: "api", Credential: "api:1", Clock: retry.System}
	why := func() *taxonomy.Evidence { return &taxonomy.Evidence{Type: "overloaded"} }
	failed := func(ctx context.Context) error { return s.Failed(ctx, OpAvailable, time.Now(), time.Minute, why) }

	assert.Equal(t, &taxonomy.Evidence{Source: "api", Op: "available", Credential: "api:1", Type: "overloaded"},
		failed(t.Context()))

	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, failed(ctx), &ev)
	assert.Equal(t, []string{"api", "available", "api:1", "timeout", "60000"},
		[]string{ev.Source, ev.Op, ev.Credential, ev.Type, ev.Attributes["timeout_ms"]})

	left, leave := context.WithCancel(t.Context())
	leave()
	err := failed(left)
	assert.ErrorIs(t, err, context.Canceled)
	assert.EqualError(t, err, "available of api: context canceled")
}
