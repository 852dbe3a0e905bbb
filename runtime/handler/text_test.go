package handler

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Where the profile has texts not searched, neither strategies nor reports read anything out of
// them.
func TestTextThatIsNotSearched(t *testing.T) {
	for _, text := range []bool{true, false} {
		var got []taxonomy.RecoveryRequest
		h := made(t, func(c *Config) {
			c.Table.Overlay = &taxonomy.Profile{
				Name: "p", Detection: taxonomy.Detection{Text: text},
				Recovery: taxonomy.Recovery{Enabled: true, MaxAttempts: 1},
				Retry:    taxonomy.RetryDefaults{Enabled: true},
			}
			c.StatusSources = []string{"fake"}
			c.Recoverer = recoverer(func(_ context.Context, f taxonomy.RecoveryRequest) error {
				got = append(got, f)
				return errors.New("no")
			})
		})
		out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: func(context.Context) error {
			return &taxonomy.Evidence{Source: "fake", Type: "mend", Text: "HTTP 429"}
		}})
		require.Len(t, got, 1)
		assert.Equal(t, !text, got[0].NoText)
		require.NotNil(t, out.Occurrence)
		assert.Equal(t, map[bool]string{true: "429", false: ""}[text], out.Occurrence.SourceCode)
	}
}

func TestNoContext(t *testing.T) {
	var none context.Context
	out := made(t, nil).Handle(none, Op{Name: "op", Do: plays("")})
	assert.EqualError(t, out.Err, "handle op: there is no context")
	assert.Zero(t, out.Calls)
}
