package recovery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A classified error need not say whose it is. What it was classified from does, so that others
// wait along. B-X01
func TestLaneOfAClassifiedError(t *testing.T) {
	clock := &manual{}
	lanes := retry.NewSharedWait(clock, nil)
	w := newWorld(t, Options{Clock: clock, Lanes: lanes})
	err := &coded{text: "limit", hints: taxonomy.Hints{RetryAfter: taxonomy.Some(30 * time.Second)}}
	for _, tt := range []struct {
		name   string
		failed taxonomy.RecoveryRequest
		lane   string
	}{
		{"source", taxonomy.RecoveryRequest{Err: err, Evidence: &taxonomy.Evidence{Source: "api"}}, "api/"},
		{"source and credential",
			taxonomy.RecoveryRequest{Err: err, Evidence: &taxonomy.Evidence{Source: "api", Credential: "team"}},
			"api/team"},
		{"nobody", taxonomy.RecoveryRequest{Err: err}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, w.WaitForRateLimit(t.Context(), tt.failed))
			assert.Equal(t, tt.lane, w.last(t).Data[DataLane])
		})
	}
}
