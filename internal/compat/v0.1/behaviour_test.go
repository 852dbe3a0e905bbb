package shiperrs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shiperrs "github.com/errgen/errgen/internal/compat/v0.1"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// assertContains checks that JSON has all members of want. A later runtime may add others.
func assertContains(t *testing.T, want string, got []byte) {
	t.Helper()
	var wanted, all any
	require.NoError(t, json.Unmarshal([]byte(want), &wanted))
	require.NoError(t, json.Unmarshal(got, &all))
	assert.Equal(t, wanted, common(wanted, all), string(got))
}

// common returns v without the members of objects that want does not have.
func common(want, v any) any {
	wanted, ok := want.(map[string]any)
	object, isObject := v.(map[string]any)
	if !ok || !isObject {
		return v
	}
	out := make(map[string]any)
	for key, w := range wanted {
		if member, ok := object[key]; ok {
			out[key] = common(w, member)
		}
	}
	return out
}

func TestJSON(t *testing.T) {
	const wire = `{"domain":"ship.example.org","name":"BuildError","category":"builder","code":"REGISTRY_FAILED",
		"message":"registry at eu-1 failed with 503 after 1.5","retryable":true,"effect":"unknown",
		"context":{"host":"eu-1","status":503,"log":"upstream password=[REDACTED]","pause":"1.5s","token":"[REDACTED]"},
		"cause":{"domain":"ship.example.org","name":"LedgerFullError","category":"ledger","code":"LEDGER_FULL",
			"is":["LEDGER_REFUSED"],"message":"no room for 3","retryable":false,"context":{"amount":"3"},
			"constants":{"state":"42000"}}}`
	cause := shiperrs.NewLedgerFull("3")
	err := shiperrs.NewRegistryFailed("eu-1", "upstream password=hunter2-x").WithStatus(503).WithCause(cause).
		WithPause(1500 * time.Millisecond).WithToken("s3cret")
	got, jsonErr := json.Marshal(err)
	require.NoError(t, jsonErr)
	assertContains(t, wire, got)

	back, jsonErr := shiperrs.UnmarshalError([]byte(wire))
	require.NoError(t, jsonErr)
	typed, ok := errors.AsType[*shiperrs.BuildError](back)
	require.True(t, ok)
	assert.Equal(t, taxonomy.Some(503), typed.Status)
	assert.ErrorIs(t, back, shiperrs.CodeRegistryFailed)
	assert.ErrorIs(t, back, shiperrs.CodeLedgerFull)
	assert.ErrorIs(t, back, shiperrs.CodeLedgerRefused, "the code above")
	again, jsonErr := json.Marshal(back)
	require.NoError(t, jsonErr)
	assertContains(t, wire, again)

	alias, jsonErr := shiperrs.UnmarshalError([]byte(
		`{"domain":"ship.example.org","category":"builder","code":"REGISTRY_BUSY","context":{"host":"eu-1"}}`))
	require.NoError(t, jsonErr)
	assert.ErrorIs(t, alias, shiperrs.CodeRegistryQuota, "by its alias")
	later, jsonErr := shiperrs.UnmarshalError([]byte(
		`{"domain":"ship.example.org","category":"builder","code":"BUILDER_SLOW","is":["BUILDER_LOST"],
			"retryable":true}`))
	require.NoError(t, jsonErr)
	assert.ErrorIs(t, later, shiperrs.CodeBuilderLost, "a code of a later version")
	assert.True(t, taxonomy.IsRetryable(later))
}

func TestReaction(t *testing.T) {
	limited := fmt.Errorf("push: %w", shiperrs.NewRegistryQuota("eu-1").WithPause(time.Minute))
	r := shiperrs.Table.Reaction(limited)
	assert.Equal(t, []any{taxonomy.Retry, 12, true}, []any{r.Action, r.Policy.MaxAttempts, r.HonorRetryAfter})
	refused := shiperrs.NewRegistryFailed("eu-1", "").WithStatus(410)
	assert.Equal(t, taxonomy.Abort, shiperrs.Table.Reaction(refused).Action, "a branch")
	assert.False(t, taxonomy.IsRetryable(refused))
	careful, err := shiperrs.Table.Profile(shiperrs.ProfileCareful)
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Block, careful.Reaction(limited).Action, "under a profile without retries")

	calls := 0
	upload := func(context.Context) error { calls++; return shiperrs.NewUpload() }
	err = retry.Do(t.Context(), upload, retry.ByTable(shiperrs.Table))
	assert.ErrorIs(t, err, shiperrs.CodeUpload)
	assert.Equal(t, 2, calls)
}

func TestClassify(t *testing.T) {
	response := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"45"}}}
	err := shiperrs.Classify(response, detect.WithSource(shiperrs.SourceRegistry))
	assert.ErrorIs(t, err, shiperrs.CodeRegistryQuota)
	assert.ErrorIs(t, shiperrs.Classify(io.ErrUnexpectedEOF), shiperrs.CodeRegistryFailed)
	assert.ErrorIs(t, shiperrs.Classify(errors.New("pulls: 7 of 7"), detect.WithSource(shiperrs.SourceBuilder)),
		shiperrs.CodeRegistryQuota, "by a signature")
	guess, _ := errors.AsType[*shiperrs.BuildError](shiperrs.Classify(errors.New("something new")))
	assert.Equal(t, taxonomy.Some(true), guess.Guessed, "the fallback")
}

func TestProblem(t *testing.T) {
	w := httptest.NewRecorder()
	problem.Write(w, httptest.NewRequest(http.MethodPost, "/deployments", nil), shiperrs.NewBuilderLost("eu-1"),
		problem.OnError(func(*http.Request, error) {}))
	assertContains(t, `{"type":"https://ship.example.org/errors/DEPLOY_FAILED","title":"The place of every internal code",
		"status":500,"detail":"the deployment failed","instance":"/deployments","domain":"ship.example.org",
		"code":"DEPLOY_FAILED","retryable":false,"context":{}}`, w.Body.Bytes())
	assert.NotContains(t, w.Body.String(), "eu-1", "a field of an internal code")
	err := problem.Read(w.Result(), shiperrs.Table)
	assert.ErrorIs(t, err, shiperrs.CodeDeployFailed)
}
