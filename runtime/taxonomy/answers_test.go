package taxonomy_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

// other is a taxonomy of its own with a single code.
var other = taxonomy.Taxonomy{
	Package: "other",
	Categories: []*taxonomy.Category{{Name: "cat", Codes: []taxonomy.Code{
		{}, {Value: "OTHER", Resolution: "Do so.",
			Traits: taxonomy.Traits{Reaction: &taxonomy.Reaction{Name: "other"}, Exit: 75}},
	}}},
	None:      taxonomy.Traits{Reaction: &taxonomy.Reaction{Name: "none"}},
	Permanent: taxonomy.Traits{Reaction: &taxonomy.Reaction{Name: "permanent"}},
}

// coded is an error with a row of its choosing.
type coded struct {
	row   taxonomy.Row
	cause error
}

func (c *coded) Error() string                { return "Done." }
func (c *coded) Taxonomy() *taxonomy.Taxonomy { return &other }
func (c *coded) Row() taxonomy.Row            { return c.row }
func (c *coded) Unwrap() error                { return c.cause }

func wrap(err error) error { return fmt.Errorf("outer: %w", fmt.Errorf("inner: %w", err)) }

func TestExitCode(t *testing.T) {
	for want, err := range map[int]error{
		0:  nil,
		1:  io.EOF,
		75: wrap(&coded{row: taxonomy.At(0, 1)}),
	} {
		assert.Equal(t, want, taxonomy.ExitCode(err), "%v", err)
	}
	assert.Equal(t, 1, taxonomy.ExitCode(sample.NewGitCommit()), "a code without an exit status")
	var none *sample.CartError // a program returned it as an error
	assert.Equal(t, []int{0, 200, 0},
		[]int{taxonomy.ExitCode(none), taxonomy.HTTPStatus(none), taxonomy.GRPCCode(none)})
}

func TestAnswers(t *testing.T) {
	limited := sample.NewProviderRateLimit("p").WithRetryAfter(time.Second)
	client := sample.NewProviderAPIError("p", "x").WithStatusCode(404)
	for _, c := range []struct {
		name           string
		err            error
		code, category string
		retryable      bool
		severity       taxonomy.Severity
		recoverability taxonomy.Recoverability
		http, grpc     int
		help           string
	}{
		{name: "nil", http: 200},
		{name: "plain", err: io.EOF, http: 500, grpc: 2},
		{"own", limited, "provider.rate_limit", "provider", true, taxonomy.SeverityHigh, taxonomy.Retryable,
			429, 14, "https://example.org/errors/provider.rate_limit"},
		{"wrapped", wrap(limited), "provider.rate_limit", "provider", true, taxonomy.SeverityHigh, taxonomy.Retryable,
			429, 14, "https://example.org/errors/provider.rate_limit"},
		{"branch", wrap(client), "PROVIDER_API_ERROR", "provider", false, taxonomy.SeverityHigh, taxonomy.Permanent,
			502, 3, "https://example.org/errors/PROVIDER_API_ERROR"},
		{"joined", errors.Join(io.EOF, wrap(client)), "PROVIDER_API_ERROR", "provider", false, taxonomy.SeverityHigh,
			taxonomy.Permanent, 502, 3, "https://example.org/errors/PROVIDER_API_ERROR"},
		{"code", sample.CodeProviderRateLimit, "provider.rate_limit", "provider", true, taxonomy.SeverityHigh,
			taxonomy.Retryable, 429, 14, "https://example.org/errors/provider.rate_limit"},
		{"zero", &sample.ProviderError{}, "", "", true, taxonomy.SeverityHigh, taxonomy.Retryable,
			502, 14, ""},
		{"of another taxonomy", &coded{row: taxonomy.At(0, 1), cause: limited}, "OTHER", "cat", false,
			taxonomy.SeverityNone,
			taxonomy.Permanent, 500, 2, ""},
		{"out of range", &coded{row: 99}, "", "", false, taxonomy.SeverityNone, taxonomy.Permanent,
			500, 2, ""},
		{"unknown", taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: "NEW", Category: "new"}), "NEW",
			"new", false, taxonomy.SeverityHigh, taxonomy.Permanent, 502, 14, ""},
	} {
		assert.Equal(t, c.code, taxonomy.CodeOf(c.err), c.name)
		assert.Equal(t, c.category, taxonomy.CategoryOf(c.err), c.name)
		assert.Equal(t, c.retryable, taxonomy.IsRetryable(c.err), c.name)
		assert.Equal(t, c.severity, taxonomy.SeverityOf(c.err), c.name)
		assert.Equal(t, c.recoverability, taxonomy.RecoverabilityOf(c.err), c.name)
		assert.Equal(t, c.http, taxonomy.HTTPStatus(c.err), c.name)
		assert.Equal(t, c.grpc, taxonomy.GRPCCode(c.err), c.name)
		assert.Equal(t, c.help, taxonomy.HelpURL(c.err), c.name)
		if d := taxonomy.Describe(c.err); d != nil {
			assert.Equal(t, c.code, d.Value, c.name)
		} else {
			assert.Empty(t, c.help, c.name)
		}
	}
}

func TestHintsOf(t *testing.T) {
	assert.Equal(t, taxonomy.Hints{RetryAfter: taxonomy.Some(time.Second)},
		taxonomy.HintsOf(wrap(sample.NewProviderRateLimit("p").WithRetryAfter(time.Second))))
	assert.Equal(t, taxonomy.Hints{}, taxonomy.HintsOf(io.EOF))
	assert.Equal(t, taxonomy.Hints{}, taxonomy.HintsOf(sample.CodeProviderRateLimit))
	assert.Equal(t, taxonomy.Hints{}, taxonomy.HintsOf(nil))
}

func TestFeedbackOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{io.EOF, ""},
		{wrap(sample.NewScopeForbidden([]string{"a", "b"})), "Do not touch a, b."},
		{sample.NewGitCommit(), "commit failed. Commit by hand."},
		{sample.NewProviderRateLimit("p"), "provider p limits the rate"},
		{&coded{row: taxonomy.At(0, 1)}, "Done. Do so."},
		{sample.CodeScopeForbidden, "SCOPE_FORBIDDEN. Leave them."},
	} {
		assert.Equal(t, c.want, taxonomy.FeedbackOf(c.err))
	}
}

func TestTable(t *testing.T) {
	strict, err := sample.Table.Profile(sample.ProfileStrict)
	require.NoError(t, err)
	limited := sample.NewProviderRateLimit("p")
	for _, c := range []struct {
		name         string
		err          error
		base, strict string
	}{
		{"nil", nil, "", ""},
		{"plain", io.EOF, "again", "block"},
		{"overridden", wrap(limited), "wait", "block"},
		{"as in the table", sample.CodeKinds, "abort", "abort"},
		{"retry of the operation", sample.NewGitCommit(), "once", "continue"},
		{"branch", sample.NewProviderAPIError("p", "x").WithStatusCode(404), "fatal", "fatal"},
		{"below another taxonomy", &coded{row: taxonomy.At(0, 1), cause: wrap(limited)}, "wait", "block"},
		{"beside another taxonomy", errors.Join(&coded{row: taxonomy.At(0, 1)}, limited), "wait", "block"},
		{"another taxonomy", wrap(&coded{row: taxonomy.At(0, 1)}), "again", "block"},
		{"code", sample.CodeProviderRateLimit, "wait", "block"},
		{"zero", &sample.WorkError{}, "again", "block"},
		{"code out of range", sample.ProviderCode(600), "again", "block"},
	} {
		assert.Equal(t, c.base, sample.Table.Reaction(c.err).Name, c.name)
		assert.Equal(t, c.strict, strict.Reaction(c.err).Name, c.name)
		if c.err == nil {
			assert.Equal(t, taxonomy.Traits{}, strict.Traits(c.err))
		} else {
			assert.Equal(t, c.strict, strict.Traits(c.err).Reaction.Name, c.name)
		}
	}
	assert.True(t, strict.Retryable(limited))
	assert.False(t, strict.Retryable(io.EOF))
	assert.False(t, strict.Retryable(nil))
	assert.Equal(t, "block", strict.Row(sample.CodeProviderRateLimit.Row()).Reaction.Name)
	assert.Equal(t, "block", strict.Row(1<<31).Reaction.Name)
	assert.Equal(t, "none", taxonomy.Table{Taxonomy: &other}.Row(77).Reaction.Name)
	assert.Equal(t, *taxonomy.Predeclared(taxonomy.Abort), taxonomy.Table{Taxonomy: &other}.Reaction(io.EOF))
	empty := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Package: "empty"}}
	assert.Equal(t, *taxonomy.Predeclared(taxonomy.Abort), *empty.Row(taxonomy.At(0, 1)).Reaction)
	chains, err := sample.Table.Profile(sample.ProfileChains)
	require.NoError(t, err)
	assert.Equal(t, "again", chains.Reaction(io.EOF).Name)
	_, err = empty.Profile("x")
	assert.EqualError(t, err, `empty: no profile "x"; there are none`)
}

func TestProfile(t *testing.T) {
	base, err := sample.Table.Profile("")
	require.NoError(t, err)
	assert.Equal(t, sample.Table, base)
	_, err = sample.Table.Profile("lax")
	assert.EqualError(t, err, `sample: no profile "lax"; there are strict, chains`)
	withDefault := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Profiles: []taxonomy.Profile{{Name: "x"},
		{Name: "default"}}}}
	chosen, err := withDefault.Profile("")
	require.NoError(t, err)
	assert.Equal(t, "default", chosen.Overlay.Name)
	again, err := chosen.Profile("x")
	require.NoError(t, err)
	assert.Equal(t, "x", again.Overlay.Name)
}

func TestNamed(t *testing.T) {
	assert.Equal(t, 21, sample.Table.Policy(sample.PolicyRateLimit).MaxAttempts)
	assert.Zero(t, sample.Table.Policy(taxonomy.PolicyName("none")))
	for value, code := range map[string]taxonomy.Coded{
		"COMMIT_FAILED": sample.CodeGitCommit, "PROVIDER_API_ERROR": sample.CodeProviderAPIError,
		"provider.rate_limit": sample.CodeProviderRateLimit, "PROVIDER_THROTTLED": sample.CodeProviderRateLimit,
	} {
		c, ok := sample.Table.Code(value)
		require.True(t, ok, value)
		assert.Same(t, taxonomy.Describe(code), c, value)
		row, ok := sample.Table.Taxonomy.Find(value)
		assert.True(t, ok, value)
		assert.Equal(t, code.Row(), row, value)
	}
	_, ok := sample.Table.Code("")
	assert.False(t, ok)
}

func TestDetectionOfAProfile(t *testing.T) {
	err := sample.NewProviderRateLimit("p")
	base := sample.Table.Traits(err)
	for _, c := range []struct {
		name           string
		detection      taxonomy.Detection
		severity       taxonomy.Severity
		recoverability taxonomy.Recoverability
	}{
		{"all", taxonomy.Detection{Severity: true, Recoverability: true}, taxonomy.SeverityHigh, taxonomy.Retryable},
		{"no severity", taxonomy.Detection{Recoverability: true}, taxonomy.SeverityNone, taxonomy.Retryable},
		{"no recoverability", taxonomy.Detection{Severity: true}, taxonomy.SeverityHigh,
			taxonomy.RecoverabilityUnknown},
		{"neither", taxonomy.Detection{}, taxonomy.SeverityNone, taxonomy.RecoverabilityUnknown},
	} {
		table := taxonomy.Table{Taxonomy: sample.Table.Taxonomy, Overlay: &taxonomy.Profile{
			Detection: c.detection, Retry: taxonomy.RetryDefaults{Enabled: true}}}
		for _, got := range []taxonomy.Traits{table.Traits(wrap(err)), table.Row(err.Row())} {
			assert.Equal(t, c.severity, got.Severity, c.name)
			assert.Equal(t, c.recoverability, got.Recoverability, c.name)
			got.Severity, got.Recoverability = base.Severity, base.Recoverability
			assert.Equal(t, base, got, "%s: the rest is as in the table", c.name)
		}
		assert.True(t, table.Retryable(err), c.name)
		assert.Equal(t, sample.Table.Reaction(err), table.Reaction(err), c.name)
	}
	assert.Equal(t, base, sample.Table.Traits(err), "the table itself is as it was")
}

// TestAnswersToAStrangeWord asks of errors of known codes that a newer program sent with a word
// that the taxonomy has not.
func TestAnswersToAStrangeWord(t *testing.T) {
	for _, c := range []struct {
		code       string
		reason     error
		http, grpc int
		stated     uint16
	}{
		{"provider.rate_limit", errors.New("context.mood: unknown value"), 429, 14, 429},
		{"PROVIDER_THROTTLED", errors.New("context.mood: unknown value"), 429, 14, 429},
		{"KINDS", errors.New("context.mood: unknown value"), 500, 2, 0},
		{"NEW", nil, 502, 14, 502},
	} {
		u := taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: c.code, Message: "m", Reason: c.reason})
		assert.Equal(t, c.http, taxonomy.HTTPStatus(wrap(u)), c.code)
		assert.Equal(t, c.grpc, taxonomy.GRPCCode(wrap(u)), c.code)
		assert.Equal(t, c.stated, sample.Table.Traits(wrap(u)).HTTP, c.code)
		assert.False(t, sample.Table.Retryable(u), "as the wire says")
		assert.Equal(t, "abort", sample.Table.Reaction(u).Name, c.code)
	}
}
