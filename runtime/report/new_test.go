package report_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func overloaded() *taxonomy.Evidence {
	return &taxonomy.Evidence{
		Source: "anthropic-api", Op: "call", Status: 529, Type: "overloaded_error", Text: "overloaded, token=" + secret,
		Attributes: map[string]string{
			"url": "https://api.example.org/v1/messages?key=abc#x", "host": "other", "method": "POST",
		},
	}
}

// D155, D157: what an occurrence has from its error and the evidence in its tree.
func TestNew(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		given *taxonomy.Evidence
	}{
		"in the tree": {fmt.Errorf("review: %w", errs.Classify(fmt.Errorf("call: %w", overloaded()))), nil},
		"given":       {fmt.Errorf("review: %w", errs.Classify(overloaded())), overloaded()},
	} {
		t.Run(name, func(t *testing.T) {
			o := report.New(tt.err, report.Options{Evidence: tt.given, Table: errs.Table, At: moment,
				ID: func() string { return "1" }, Facts: report.Facts{Metadata: map[string]any{"run": "r"}}})
			assert.Equal(t, []string{"1", "aidf", "provider", "PROVIDER_API_ERROR", "", "retryable", "529", "backoff",
				"retry"}, []string{o.ID, o.Domain, o.Category, o.Code, o.Severity, o.Recoverability, o.SourceCode,
				o.Reaction, o.Action})
			assert.Equal(t, moment, o.At)
			assert.True(t, o.Retryable)
			assert.Contains(t, o.Message, "review: ")
			assert.Equal(t, &report.Source{Type: "anthropic-api", Component: "call",
				Endpoint: "https://api.example.org/v1/messages", Method: "POST"}, o.Source)
			assert.Equal(t, overloaded().Fingerprint(), o.Fingerprint)
			assert.Equal(t, map[string]any{"run": "r"}, o.Metadata)
			assert.Nil(t, o.Context, "no profile reports contexts")
		})
	}
	assert.Nil(t, report.New(nil, report.Options{}))
}

// D51, D55, D56: evidence with several attributes for one field.
func TestEvidence(t *testing.T) {
	of := func(attributes map[string]string) *report.Occurrence {
		return report.New(&taxonomy.Evidence{Source: "github", Op: "call", Code: "rate_limited", Status: 429,
			Attributes: attributes}, report.Options{})
	}
	assert.Equal(t, "rate_limited", of(nil).SourceCode, "the source's own code wins over the status")
	assert.Equal(t, "octokit", of(map[string]string{"component": "octokit"}).Source.Component)
	assert.Equal(t, "https://a.example/b",
		of(map[string]string{"host": "h", "url": "https://a.example/b?token=x#y"}).Source.Endpoint)
}

// TestFinding reads findings of compilers and linters from attributes and failed commands.
// A classified error has no evidence in its tree, but fields that evidence filled.
func TestSourceInField(t *testing.T) {
	classified := orders.Classify(taxonomy.Evidence{Source: "gateway", Status: 503})
	options := report.Options{Evidence: &taxonomy.Evidence{Source: "bank"}}
	assert.Equal(t, &report.Source{Type: "gateway", Component: "unknown"},
		report.New(fmt.Errorf("pay: %w", classified), report.Options{}).Source)
	assert.Equal(t, "bank", report.New(classified, options).Source.Type, "the evidence comes first")
	assert.Nil(t, report.New(orders.NewStoreDown(), report.Options{}).Source)
}

func TestFinding(t *testing.T) {
	want := &report.Finding{Code: "TS2322", File: "src/a.ts", Line: 12, Column: 5}
	const output = "src/a.ts(12,5): error TS2322: Type 'string' is not assignable"
	for name, e := range map[string]*taxonomy.Evidence{
		"attributes": {Attributes: map[string]string{"finding": "TS2322", "file": "src/a.ts", "line": "12",
			"column": "5"}},
		"output": {ExitCode: taxonomy.Some(2), Output: output},
		"text":   {ExitCode: taxonomy.Some(2), Text: output},
	} {
		assert.Equal(t, want, report.New(e, report.Options{}).Finding, name)
	}
	assert.Nil(t, report.New(&taxonomy.Evidence{Output: output}, report.Options{}).Finding, "not of a command")
}

// TestOtherErrors describes errors without a code, and errors whose methods panic.
func TestOtherErrors(t *testing.T) {
	deep := error(io.EOF)
	for range 10_000 {
		deep = fmt.Errorf("deep: %w", deep)
	}
	for name, tt := range map[string]struct {
		err     error
		message string
	}{
		"plain":  {io.EOF, "EOF"},
		"panics": {panicking{}, "(report_test.panicking panics when asked for its text)"},
		"nil":    {(*taxonomy.Evidence)(nil), "failure without evidence"},
		"deep":   {deep, ""},
		"long":   {errors.New(strings.Repeat("a b ", 1<<20) + secret), ""},
		"secret": {errors.New("x " + secret), "x [REDACTED]"},
		"UTF-8":  {errors.New("a\xff"), "a\uFFFD"},
	} {
		o := report.New(tt.err, report.Options{Table: errs.Table, At: moment})
		if tt.message != "" {
			assert.Equal(t, tt.message, o.Message, name)
		}
		assert.Empty(t, o.Code, name)
		assert.Len(t, o.Fingerprint, 16, name)
		assert.LessOrEqual(t, len(o.Message), 4096, name)
	}
}

func TestCauses(t *testing.T) {
	o := report.New(errs.NewProviderNotAvailable("outer").WithCause(
		fmt.Errorf("wrapped: %w", errs.NewProviderRateLimit("inner"))), report.Options{Table: errs.Table})
	require.NotNil(t, o.Cause)
	assert.Equal(t, "PROVIDER_RATE_LIMIT", o.Cause.Code)
	assert.Nil(t, o.Cause.Cause)
	assert.Nil(t, report.New(fmt.Errorf("a: %w", io.EOF), report.Options{}).Cause, "the message has it all")
}

// D144: the profile decides whether stack and context are reported.
func TestProfiles(t *testing.T) {
	profiled := func(r taxonomy.Reporting) taxonomy.Table {
		return taxonomy.Table{Taxonomy: errs.Table.Taxonomy, Overlay: &taxonomy.Profile{Reporting: r,
			Detection: taxonomy.Detection{Severity: true, Recoverability: true}}}
	}
	overridden, err := errs.Table.Override(taxonomy.Overrides{Uncategorized: "stop"})
	require.NoError(t, err)
	err = taxonomy.WithStack(errs.NewProviderRateLimit("p"))
	for _, tt := range []struct {
		name           string
		options        report.Options
		stack, context bool
	}{
		{"no profile", report.Options{Table: errs.Table}, true, false},
		{"overrides without a profile", report.Options{Table: overridden}, true, false},
		{"all", report.Options{Table: profiled(taxonomy.Reporting{Stack: true, Context: true})}, true, true},
		{"neither", report.Options{Table: profiled(taxonomy.Reporting{})}, false, false},
		{"options", report.Options{Table: profiled(taxonomy.Reporting{}), Stack: taxonomy.Some(true),
			Context: taxonomy.Some(true)}, true, true},
	} {
		o := report.New(err, tt.options)
		assert.Equal(t, tt.stack, strings.Contains(o.Stack, "TestProfiles"), tt.name)
		assert.Equal(t, tt.context, strings.Contains(string(o.Context), `"provider":"p"`), tt.name)
	}
}
