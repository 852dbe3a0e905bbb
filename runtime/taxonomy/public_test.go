package taxonomy_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

// TestPublicJSON compares the JSON of public views. The texts with "secret" are internal.
func TestPublicJSON(t *testing.T) {
	const (
		head     = `{"domain":"aidf","category":"order","code":"ORDER_CONFLICT","message":`
		internal = `{"domain":"aidf","category":"server","code":"INTERNAL",` +
			`"message":"internal error","retryable":false,"context":{}}`
		plain   = `{"code":"","message":"internal error","retryable":false,"context":{}}`
		changed = `"order o was changed at the same time"`
	)
	conflict := sample.NewOrderConflict("o").WithWarehouse("secret")
	for _, tt := range []struct {
		name        string
		err         error
		want, table string // table: of Table.Public, if different
	}{
		{"nil", nil, "null", ""},
		{"public code", fmt.Errorf("secret: %w", conflict.WithLeft(2)),
			head + `"order o was changed at the same time, 2 left","retryable":false,` +
				`"context":{"order":"o","left":2}}`, ""},
		{"text to escape", sample.NewOrderConflict("\"é\u2028"), head +
			`"order \"é\u2028 was changed at the same time","retryable":false,"context":{"order":"\"é\u2028"}}`, ""},
		{"branch on an internal field", sample.NewOrderConflict("o").WithWarehouse("north"),
			head + changed + `,"retryable":true,"reaction":"backoff","context":{"order":"o"}}`, ""},
		{"internal code", sample.NewOrderLedger("o", "secret").WithCause(conflict), internal, ""},
		{"code without public fields", sample.NewInternal(), internal, ""},
		{"code of an internal category", sample.NewProviderCrash("secret"), internal, ""},
		{"error without a code", new(sample.OrderError), internal, ""},
		{"unknown code", taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: "NEW", Message: "secret"}),
			internal, ""},
		{"code constant", sample.CodeOrderConflict, head + `"ORDER_CONFLICT","retryable":false,"context":{}}`, ""},
		{"plain error", errors.New("secret"), plain, internal},
		{"public cause", conflict.WithCause(fmt.Errorf("secret: %w", sample.NewOrderConflict("p"))),
			head + changed + `,"retryable":false,"context":{"order":"o"},"cause":` + head +
				`"order p was changed at the same time","retryable":false,"context":{"order":"p"}}}`, ""},
		{"internal cause", conflict.WithCause(sample.NewOrderLedger("o", "secret")),
			head + changed + `,"retryable":false,"context":{"order":"o"}}`, ""},
		{"plain cause", conflict.WithCause(errors.New("secret")),
			head + changed + `,"retryable":false,"context":{"order":"o"}}`, ""},
		{"cause that panics", conflict.WithCause((*sample.OrderError)(nil)),
			head + changed + `,"retryable":false,"context":{"order":"o"}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(taxonomy.AppendPublicJSON(nil, tt.err)))
			view := sample.Table.Public(tt.err)
			b, err := view.MarshalJSON()
			require.NoError(t, err)
			if tt.table == "" {
				tt.table = tt.want
			}
			assert.Equal(t, tt.table, string(b))
			assert.NotContains(t, string(b)+view.Message()+string(view.AppendContext(nil)), "secret")
		})
	}
}

func TestPublicStatus(t *testing.T) {
	north := sample.NewOrderConflict("o").WithWarehouse("north")
	for _, tt := range []struct {
		name       string
		view       taxonomy.PublicView
		code, help string
		http, grpc int
		retryable  bool
	}{
		{"nil", taxonomy.Public(nil), "", "", http.StatusOK, 0, false},
		{"nil of a table", sample.Table.Public(nil), "", "", http.StatusOK, 0, false},
		{"public", taxonomy.Public(sample.NewOrderConflict("o")), "ORDER_CONFLICT",
			"https://example.org/errors/ORDER_CONFLICT", http.StatusConflict, 2, false},
		{"branch", taxonomy.Public(north), "ORDER_CONFLICT", "https://example.org/errors/ORDER_CONFLICT",
			http.StatusServiceUnavailable, 2, true},
		{"internal", taxonomy.Public(sample.NewProviderRateLimit("p")), "INTERNAL",
			"https://example.org/errors/INTERNAL", http.StatusInternalServerError, 13, false},
		{"plain", taxonomy.Public(errors.New("x")), "", "", http.StatusInternalServerError, 2, false},
		{"plain of a table", sample.Table.Public(errors.New("x")), "INTERNAL", "https://example.org/errors/INTERNAL",
			http.StatusInternalServerError, 13, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.code, tt.view.Code())
			assert.Equal(t, tt.help, tt.view.HelpURL())
			assert.Equal(t, tt.http, tt.view.HTTPStatus())
			assert.Equal(t, tt.grpc, tt.view.GRPCCode())
			assert.Equal(t, tt.retryable, tt.view.Retryable())
		})
	}
}

func TestPublicTable(t *testing.T) {
	strict, err := sample.Table.Profile(sample.ProfileStrict)
	require.NoError(t, err)
	north := sample.NewOrderConflict("o").WithWarehouse("north")
	assert.Equal(t, taxonomy.Block, strict.Public(north).Traits().Reaction.Action)
	assert.Equal(t, taxonomy.Retry, sample.Table.Public(north).Traits().Reaction.Action)
}

func TestPublicHints(t *testing.T) {
	view := taxonomy.Public(sample.NewOrderConflict("o").WithWait(time.Minute))
	assert.Equal(t, taxonomy.Some(time.Minute), view.RetryAfter())
	assert.True(t, view.ResetAt().IsZero())
	assert.True(t, taxonomy.Public(sample.NewProviderRateLimit("p").WithRetryAfter(time.Minute)).RetryAfter().IsZero())
}

// countingError counts the calls of Taxonomy, which has the fields.
type countingError struct {
	*sample.OrderError
	calls *int
}

func (e countingError) Taxonomy() *taxonomy.Taxonomy {
	*e.calls++
	return e.OrderError.Taxonomy()
}

// Most errors have no hint, so their fields are not searched for one that is public.
func TestPublicHintsAbsent(t *testing.T) {
	calls := 0
	view := taxonomy.Public(countingError{sample.NewOrderConflict("o"), &calls})
	calls = 0
	assert.True(t, view.RetryAfter().IsZero())
	assert.True(t, view.ResetAt().IsZero())
	assert.Zero(t, calls)
}

// TestSentTraits holds that a client has the sender's answers, although it lacks the field that
// decides them, and whether or not the JSON has the reaction.
func TestSentTraits(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		retryable  bool
		reaction   string
	}{
		{"as the code", `"retryable":false`, false, "abort"},
		{"as the branch", `"retryable":true,"reaction":"backoff"`, true, "backoff"},
		{"without a reaction", `"retryable":true`, true, "backoff"},
		{"a reaction of another version", `"retryable":true,"reaction":"gone"`, true, "backoff"},
		{"no answer", `"retryable":null`, false, "abort"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err, failed := sample.UnmarshalError(
				[]byte(`{"code":"ORDER_CONFLICT",` + tt.json + `,"context":{"order":"o"}}`))
			require.NoError(t, failed)
			assert.Equal(t, tt.retryable, taxonomy.IsRetryable(err))
			assert.Equal(t, tt.reaction, sample.Table.Reaction(err).Name)
			changed := err.(*sample.OrderError).WithLeft(1)
			assert.Equal(t, tt.retryable, taxonomy.IsRetryable(changed), "a copy keeps the answer")
		})
	}
}
