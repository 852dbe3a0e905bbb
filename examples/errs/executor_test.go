package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// demand is what the executor's design asks of an error. It was written from that design, not from
// taxonomy.yaml, so that the two are held against each other.
type demand struct {
	err       taxonomy.Error
	code      string
	category  errs.Category
	retryable bool
	action    taxonomy.Action
	counts    bool
	context   string
}

var demands = []demand{
	{errs.NewProviderCrash("cli", "boom"), "PROVIDER_CRASH", errs.CategoryProvider, true, taxonomy.Retry, true,
		`{"provider":"cli","rawError":"boom"}`},
	{errs.NewProviderNotAvailable("cli"), "PROVIDER_NOT_AVAILABLE", errs.CategoryProvider, false, taxonomy.Abort, false,
		`{"provider":"cli"}`},
	{errs.NewProviderAPIError("api", "reset"), "PROVIDER_API_ERROR", errs.CategoryProvider, true, taxonomy.Retry, true,
		`{"provider":"api","rawError":"reset"}`},
	{apiError(500), "PROVIDER_API_ERROR", errs.CategoryProvider, true, taxonomy.Retry, true,
		`{"provider":"api","statusCode":500,"rawError":"x"}`},
	{apiError(404), "PROVIDER_API_ERROR", errs.CategoryProvider, false, taxonomy.Abort, false,
		`{"provider":"api","statusCode":404,"rawError":"x"}`},
	{errs.NewProviderRateLimit("api"), "PROVIDER_RATE_LIMIT", errs.CategoryProvider, true, taxonomy.Retry, false,
		`{"provider":"api"}`},
	{errs.NewIterationTimeout(300_000, 3), "ITERATION_TIMEOUT", errs.CategoryTimeout, true, taxonomy.Retry, true,
		`{"timeoutMs":300000,"iteration":3}`},
	{errs.NewOperationTimeout(500).WithElapsedMs(501), "OPERATION_TIMEOUT", errs.CategoryTimeout, true, taxonomy.Retry,
		true, `{"timeoutMs":500,"elapsedMs":501}`},
	{errs.NewValidationPreCommit("make", 2, "no"), "VALIDATION_PRE_COMMIT", errs.CategoryValidation, true,
		taxonomy.Retry, true, validated("pre_commit")},
	{errs.NewValidationPrePush("make", 2, "no"), "VALIDATION_PRE_PUSH", errs.CategoryValidation, true, taxonomy.Retry,
		true, validated("pre_push")},
	{errs.NewValidationPrePR("make", 2, "no"), "VALIDATION_PRE_PR", errs.CategoryValidation, true, taxonomy.Retry, true,
		validated("pre_pr")},
	{errs.NewScopeForbidden([]string{"a"}, "strict"), "SCOPE_FORBIDDEN", errs.CategoryScope, true, taxonomy.Retry, true,
		`{"files":["a"],"scopeMode":"strict","decision":"BLOCK"}`},
	{errs.NewScopeOutsideAllowed([]string{"a"}, "ask"), "SCOPE_OUTSIDE_ALLOWED", errs.CategoryScope, true,
		taxonomy.Retry, true, `{"files":["a"],"scopeMode":"ask","decision":"BLOCK"}`},
	{errs.NewScopeUserDenied([]string{"a"}), "SCOPE_USER_DENIED", errs.CategoryScope, false, taxonomy.Abort, false,
		`{"files":["a"],"scopeMode":"ask","decision":"ASK_USER"}`},
	{errs.NewConfigInvalid("retries", "-1", "a number from 0"), "CONFIG_INVALID", errs.CategoryConfig, false,
		taxonomy.Abort, false, `{"field":"retries"}`},
	{errs.NewConfigMissing("c.yml"), "CONFIG_MISSING", errs.CategoryConfig, false, taxonomy.Abort, false,
		`{"configPath":"c.yml"}`},
	{errs.NewConfigEnvVarMissing("HOME"), "CONFIG_ENV_VAR_MISSING", errs.CategoryConfig, false, taxonomy.Abort, false,
		`{"envVar":"HOME"}`},
	{errs.NewConfigParseError("c.yml", "line 3"), "CONFIG_PARSE_ERROR", errs.CategoryConfig, false, taxonomy.Abort,
		false, `{"configPath":"c.yml","rawError":"line 3"}`},
	{errs.NewGitCommitFailed([]string{"a"}, "lock"), "GIT_COMMIT_FAILED", errs.CategoryGit, true,
		taxonomy.RetryOperation, false, `{"operation":"commit","files":["a"],"rawError":"lock"}`},
	{errs.NewGitPushFailed("gone"), "GIT_PUSH_FAILED", errs.CategoryGit, true, taxonomy.RetryOperation, false,
		`{"operation":"push","rawError":"gone"}`},
	{errs.NewGitRevertFailed([]string{"a"}, "no"), "GIT_REVERT_FAILED", errs.CategoryGit, false, taxonomy.Abort, false,
		`{"operation":"revert","files":["a"],"rawError":"no"}`},
	{errs.NewGitStatusFailed("no"), "GIT_STATUS_FAILED", errs.CategoryGit, true, taxonomy.Retry, true,
		`{"operation":"status","rawError":"no"}`},
	{errs.NewPermissionSkipDenied("all"), "PERMISSION_SKIP_DENIED", errs.CategoryPermission, false, taxonomy.Abort,
		false, `{"resource":"all"}`},
	{errs.NewPermissionCommandBlocked("rm x", "strict"), "PERMISSION_COMMAND_BLOCKED", errs.CategoryPermission, false,
		taxonomy.Abort, false, `{"command":"rm x","policy":"strict"}`},
	{errs.NewPermissionFileAccess("/etc"), "PERMISSION_FILE_ACCESS", errs.CategoryPermission, false, taxonomy.Abort,
		false, `{"resource":"/etc"}`},
	{errs.NewPermissionAPIAuth("api"), "PERMISSION_API_AUTH", errs.CategoryPermission, false, taxonomy.Abort, false,
		`{"provider":"api"}`},
}

func apiError(status int) *errs.ProviderError {
	return errs.NewProviderAPIError("api", "x").WithStatusCode(status)
}

func validated(phase string) string {
	return `{"command":"make","exitCode":2,"output":"no","phase":"` + phase + `"}`
}

func TestDemands(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range demands {
		seen[d.code] = true
		t.Run(d.err.Error(), func(t *testing.T) {
			wrapped := fmt.Errorf("wrapped: %w", d.err)
			assert.Equal(t, d.code, taxonomy.CodeOf(wrapped))
			assert.Equal(t, d.category, errs.CategoryOf(wrapped))
			assert.Equal(t, d.retryable, taxonomy.IsRetryable(wrapped))
			reaction := errs.Table.Reaction(wrapped)
			assert.Equal(t, d.action, reaction.Action)
			assert.Equal(t, d.counts, reaction.CountFailure)
			assert.JSONEq(t, d.context, string(d.err.AppendContext(nil)))

			_, isBase := errors.AsType[taxonomy.Error](wrapped)
			assert.True(t, isBase, "every error is recognised as the base")
			assertRoundTrip(t, d)
		})
	}
	assert.Len(t, seen, 24, "every code")
}

func assertRoundTrip(t *testing.T, d demand) {
	t.Helper()
	sent, err := json.Marshal(d.err)
	require.NoError(t, err)
	back, err := errs.UnmarshalError(sent)
	require.NoError(t, err)
	assert.IsType(t, d.err, back)
	assert.Equal(t, d.code, taxonomy.CodeOf(back))
	assert.Equal(t, errs.Table.Reaction(d.err), errs.Table.Reaction(back))
}

func TestStatusesThatAreRetried(t *testing.T) {
	for status, want := range map[int]bool{
		399: true, 400: false, 401: false, 403: false, 404: false, 407: false, 408: true, 409: true, 410: false,
		422: false,
		424: false, 425: true, 426: false, 428: false, 429: true, 430: false, 499: false, 500: true, 503: true,
		529: true,
	} {
		assert.Equal(t, want, taxonomy.IsRetryable(apiError(status)), "status %d", status)
	}
}

func TestRateLimitWaits(t *testing.T) {
	r := errs.Table.Reaction(errs.NewProviderRateLimit("api").WithRetryAfter(time.Minute))
	require.NotNil(t, r.Policy)
	assert.Equal(t, 5*time.Second, r.Policy.InitialDelay)
	assert.Equal(t, taxonomy.Constant, r.Policy.Backoff)
	assert.Equal(t, 21, r.Policy.MaxAttempts, "twenty waits")
	assert.Equal(t, 30*time.Minute, r.Policy.MaxElapsed)
	assert.True(t, r.HonorRetryAfter)
	assert.Equal(t, taxonomy.LogInfo, r.LogLevel)
	assert.Equal(t, "Rate limited, waiting...", r.LogMessage)
	assert.Equal(t, taxonomy.Block, r.Then.Action)
}

func TestScopeReactions(t *testing.T) {
	undo := errs.Table.Reaction(errs.NewScopeForbidden([]string{"a"}, "strict"))
	assert.Equal(t, taxonomy.RevertFiles, undo.Agent.Revert)
	assert.True(t, undo.Agent.FeedBack)
	assert.True(t, undo.Agent.AcceptCompletion, "what is left may be a finished task, once validated")

	denied := errs.Table.Reaction(errs.NewScopeUserDenied([]string{"a"}))
	assert.Equal(t, taxonomy.RevertFiles, denied.Agent.Revert, "the denied files are reverted before the end")
	assert.Equal(t, taxonomy.Abort, denied.Action)
}

func TestGitOperationsAreRepeatedOnce(t *testing.T) {
	for _, err := range []error{errs.NewGitCommitFailed(nil, "x"), errs.NewGitPushFailed("x")} {
		r := errs.Table.Reaction(err)
		assert.Equal(t, 2, r.Policy.MaxAttempts, "one call, one more")
		assert.Equal(t, taxonomy.Continue, r.Then.Action)
		assert.Equal(t, taxonomy.LogWarn, r.Then.LogLevel)
	}
}

func TestValidationOutputGoesBack(t *testing.T) {
	err := errs.NewValidationPrePR("make test", 2, "--- FAIL: TestX")
	assert.True(t, errs.Table.Reaction(err).Agent.FeedBack)
	assert.Contains(t, taxonomy.FeedbackOf(err), "--- FAIL: TestX")
}

func TestConfigValuesStayHome(t *testing.T) {
	err := errs.NewConfigInvalid("auth", "Authorization: Bearer 0a1b2c3d4e5f60718293a4b5c6d7e8f9", "a name").
		WithConfigPath("c.yml")
	assert.NotContains(t, err.Error(), "0a1b2c3d")
	assert.JSONEq(t, `{"configPath":"c.yml","field":"auth"}`, string(err.AppendContext(nil)))
}

func TestWhatIsNoErrorOfTheTaxonomy(t *testing.T) {
	assert.False(t, taxonomy.IsRetryable(nil))
	assert.False(t, taxonomy.IsRetryable(errors.New("plain")))
	assert.Equal(t, "again", errs.Table.Reaction(errors.New("plain")).Name, "as older providers are treated")
}

func TestStackOnRequest(t *testing.T) {
	err := errs.NewGitStatusFailed("x")
	assert.Same(t, err, errs.Table.Trace(err), "no stack unless it is asked for")
	strict, lookupErr := errs.Table.Profile(errs.ProfileStrict)
	require.NoError(t, lookupErr)
	traced := strict.Trace(err)
	assert.Contains(t, fmt.Sprintf("%+v", traced), "TestStackOnRequest")
	assert.Equal(t, err.Error(), traced.Error())
	sent, marshalErr := json.Marshal(traced)
	require.NoError(t, marshalErr)
	assert.NotContains(t, string(sent), "TestStackOnRequest", "a stack is never on the wire")
}
