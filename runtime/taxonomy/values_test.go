package taxonomy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/redact"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		value fmt.Stringer
		want  string
	}{
		{taxonomy.Abort, "abort"}, {taxonomy.Block, "block"}, {taxonomy.Continue, "continue"},
		{taxonomy.Retry, "retry"},
		{taxonomy.RetryOperation, "retry_operation"}, {taxonomy.Escalate, "escalate"}, {taxonomy.Recover, "recover"},
		{taxonomy.Action(7), "Action(7)"},
		{taxonomy.ExtentTask, "task"}, {taxonomy.ExtentRun, "run"},
		{taxonomy.RevertNone, "none"}, {taxonomy.RevertFiles, "files"}, {taxonomy.RevertIteration, "iteration"},
		{taxonomy.SessionKeep, "keep"}, {taxonomy.SessionFresh, "fresh"}, {taxonomy.SessionReduced, "reduced"},
		{taxonomy.PurposeNone, "none"}, {taxonomy.PurposeDiagnosis, "diagnosis"},
		{taxonomy.PurposeAnalysis, "analysis"},
		{taxonomy.PurposeVerification, "verification"}, {taxonomy.Purpose(4), "Purpose(4)"},
		{taxonomy.ResumeIteration, "iteration"}, {taxonomy.ResumeOperation, "operation"},
		{taxonomy.SharedRun, "run"}, {taxonomy.SharedCredential, "credential"},
		{taxonomy.LogNone, "none"}, {taxonomy.LogDebug, "debug"}, {taxonomy.LogInfo, "info"},
		{taxonomy.LogWarn, "warn"}, {taxonomy.LogError, "error"},
		{taxonomy.Exponential, "exponential"}, {taxonomy.Constant, "constant"}, {taxonomy.Linear, "linear"},
		{taxonomy.JitterNone, "none"}, {taxonomy.JitterProportional, "proportional"}, {taxonomy.JitterFull, "full"},
		{taxonomy.JitterDecorrelated, "decorrelated"},
		{taxonomy.Permanent, "permanent"}, {taxonomy.Retryable, "retryable"}, {taxonomy.Recoverable, "recoverable"},
		{taxonomy.RecoverabilityUnknown, "unknown"},
		{taxonomy.SeverityNone, "none"}, {taxonomy.SeverityLow, "low"}, {taxonomy.SeverityMedium, "medium"},
		{taxonomy.SeverityHigh, "high"}, {taxonomy.SeverityCritical, "critical"},
	} {
		assert.Equal(t, c.want, c.value.String())
		b, err := json.Marshal(c.value)
		require.NoError(t, err)
		assert.Equal(t, `"`+c.want+`"`, string(b))
	}
}

func TestWordsAreRead(t *testing.T) {
	type said struct {
		Purpose taxonomy.Purpose
		Revert  taxonomy.Revert
	}
	for purpose := range taxonomy.PurposeVerification + 1 {
		for revert := range taxonomy.RevertIteration + 1 {
			b, err := json.Marshal(said{purpose, revert})
			require.NoError(t, err)
			var back said
			require.NoError(t, json.Unmarshal(b, &back))
			assert.Equal(t, said{purpose, revert}, back)
		}
	}
	kept := said{taxonomy.PurposeAnalysis, taxonomy.RevertFiles}
	assert.EqualError(t, json.Unmarshal([]byte(`{"Purpose": "x"}`), &kept),
		`purpose is "x", expected one of none, diagnosis, analysis, verification`)
	assert.EqualError(t, json.Unmarshal([]byte(`{"Revert": "Revert(7)"}`), &kept),
		`revert is "Revert(7)", expected one of none, files, iteration`)
	assert.Equal(t, said{taxonomy.PurposeAnalysis, taxonomy.RevertFiles}, kept, "another word changes nothing")
}

func TestScrub(t *testing.T) {
	assert.Equal(t, taxonomy.Redacted, redact.Mask)
	assert.Equal(t, "password=[REDACTED]", taxonomy.Redact("password=hunter22"))
}

func TestOpt(t *testing.T) {
	type holder struct {
		A taxonomy.Opt[int] `json:"a,omitzero"`
		B taxonomy.Opt[int] `json:"b"`
	}
	for _, c := range []struct {
		value holder
		want  string
	}{
		{holder{}, `{"b":null}`},
		{holder{A: taxonomy.Some(0), B: taxonomy.Some(2)}, `{"a":0,"b":2}`},
	} {
		b, err := json.Marshal(c.value)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(b))
		var back holder
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, c.value, back)
	}
	var o taxonomy.Opt[int]
	assert.Error(t, json.Unmarshal([]byte(`"x"`), &o))
	assert.Equal(t, 7, o.Or(7))
	assert.Equal(t, 8, taxonomy.Some(8).Or(7))
}

func TestSecret(t *testing.T) {
	s := taxonomy.SecretOf("hidden")
	assert.Equal(t, "taxonomy.Secret{[REDACTED]}", s.GoString())
	assert.Equal(t, taxonomy.Redacted, s.LogValue().String())
	b, err := json.Marshal([]any{s, taxonomy.Secret[int]{}})
	require.NoError(t, err)
	assert.Equal(t, `["[REDACTED]",null]`, string(b))
	assert.Empty(t, taxonomy.Secret[int]{}.String())
	v, ok := s.Reveal()
	assert.True(t, ok)
	assert.Equal(t, "hidden", v)
	require.NoError(t, json.Unmarshal([]byte(`"[REDACTED]"`), &s))
	_, ok = s.Reveal()
	assert.False(t, ok)
	assert.False(t, s.IsZero())
	require.NoError(t, s.UnmarshalJSON([]byte("null")))
	assert.True(t, s.IsZero())
}

func TestWithStack(t *testing.T) {
	assert.NoError(t, taxonomy.WithStack(nil))
	crash := sample.NewProviderCrash("p")
	err := taxonomy.WithStack(crash)
	assert.Same(t, err, taxonomy.WithStack(err))
	wrapped := fmt.Errorf("w: %w", err)
	assert.Same(t, wrapped, taxonomy.WithStack(wrapped))
	assert.NotSame(t, error(crash), taxonomy.WithStack(crash))
	assert.ErrorIs(t, err, sample.CodeProviderCrash)
	assert.EqualError(t, err, crash.Error())
	assert.Equal(t, crash.Error(), fmt.Sprint(err))
	assert.Regexp(
		t, regexp.MustCompile(
			`(?s)^provider p crashed\ncode: PROVIDER_CRASH\n.*\nstack:\n    .*\.TestWithStack\n        `+
				`.*values_test\.go:\d+\n`), fmt.Sprintf("%+v", err))
	b, jerr := json.Marshal(err)
	require.NoError(t, jerr)
	assert.Equal(t, string(crash.AppendJSON(nil)), string(b))
	b, jerr = json.Marshal(taxonomy.WithStack(errors.New("token=abcdef\xff")))
	require.NoError(t, jerr)
	assert.Equal(t, `{"message":"token=[REDACTED]"}`, string(b))
	assert.Equal(t, slog.KindGroup, err.(slog.LogValuer).LogValue().Kind())
	assert.Equal(t, "token=[REDACTED]", taxonomy.WithStack(errors.New("token=abcdef")).(slog.LogValuer).LogValue().
		String())
	var traced *taxonomy.Traced
	require.ErrorAs(t, err, &traced)
	frame, _ := traced.Frames().Next()
	assert.True(t, strings.HasSuffix(frame.Function, ".TestWithStack"), frame.Function)
	circle := &link{}
	circle.err = circle
	assert.NotSame(t, error(circle), taxonomy.WithStack(circle))
}

func TestTrace(t *testing.T) {
	crash := sample.NewProviderCrash("p")
	assert.Same(t, error(crash), sample.Table.Trace(crash))
	strict, err := sample.Table.Profile(sample.ProfileStrict)
	require.NoError(t, err)
	assert.NoError(t, strict.Trace(nil))
	always := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Stack: taxonomy.StackAlways}}
	assert.Contains(t, fmt.Sprintf("%+v", always.Trace(crash)), ".TestTrace\n")
	assert.Contains(t, fmt.Sprintf("%+v", strict.Trace(crash)), ".TestTrace\n")
	chains, err := sample.Table.Profile(sample.ProfileChains)
	require.NoError(t, err)
	assert.Same(t, error(crash), chains.Trace(crash))
}

// TestUnknownIsShownAsOurs gives what a stranger wrote: in lines, with tags, a secret, bytes that
// are no text.
func TestUnknownIsShownAsOurs(t *testing.T) {
	raw := "{\n  \"code\": \"NEW\",\n  \"context\": {\"a\": \"<b>\", \"password\": \"hunter22\", \"c\": \"\xff\"}\n}"
	u := taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: "NEW", Raw: json.RawMessage(raw)})
	const want = `{"code":"NEW","context":{"a":"\u003cb\u003e","password":"[REDACTED]","c":"\ufffd"}}`
	b, err := json.Marshal(u)
	require.NoError(t, err)
	assert.JSONEq(t, want, string(b))
	assert.Equal(t, string(b), string(u.AppendJSON(nil)))
	assert.NotContains(t, string(b), "\n")
	assert.NotContains(t, string(b), "hunter22")
	assert.Equal(t, raw, string(u.Wire().Raw))
}

// TestUnknownWithASecretNumber gives a secret that JSON cannot mask: it is omitted.
func TestUnknownWithASecretNumber(t *testing.T) {
	const context = `{"password":12345678901}`
	u := taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{
		Code: "NEW", Message: "m", Context: json.RawMessage(context),
		Raw: json.RawMessage(`{"code":"NEW","message":"m","context":` + context + `}`),
	})
	for _, shown := range []string{string(u.AppendJSON(nil)), string(u.AppendContext(nil))} {
		assert.True(t, json.Valid([]byte(shown)), shown)
		assert.NotContains(t, shown, "12345678901")
	}
}

func TestOptPrintsAsItsValue(t *testing.T) {
	type pair struct {
		N taxonomy.Opt[int]
		S taxonomy.Opt[struct{ Key taxonomy.Secret[string] }]
	}
	p := pair{N: taxonomy.Some(529),
		S: taxonomy.Some(struct{ Key taxonomy.Secret[string] }{taxonomy.SecretOf("hidden")})}
	assert.Equal(t, "{529 {[REDACTED]}}", fmt.Sprint(p))
	assert.Equal(t, "{<absent> <absent>}", fmt.Sprint(pair{}))
	assert.Equal(t, "00529", fmt.Sprintf("%05d", p.N))
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "p", p, "n", p.N, "s", p.S, "none", taxonomy.Opt[int]{})
	assert.Contains(t, log.String(), "n=529")
	assert.NotContains(t, log.String(), "hidden")
}

// TestSecretInEveryVerb also prints secrets where fmt cannot ask them how to: in unexported fields,
// and by %p.
func TestSecretInEveryVerb(t *testing.T) {
	s := taxonomy.SecretOf("hidden")
	for _, v := range []any{s, &s, struct{ s taxonomy.Secret[string] }{s}, []taxonomy.Secret[string]{s}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%p", "%t"} {
			assert.NotContains(t, fmt.Sprintf(verb, v), "hidden", verb)
			assert.NotContains(t, fmt.Sprintf(verb, v), "68696464656e", verb)
		}
	}
}

func TestUnknown(t *testing.T) {
	raw := json.RawMessage(`{"code":"NEW"}`)
	u := taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{
		Domain: "d", Name: "NewError", Category: "new", Code: "NEW", Message: "token=abcdef", Retryable: true,
		Context: json.RawMessage(`{"a":1}`), Raw: raw, Cause: io.EOF,
	})
	raw[2] = 'X'
	assert.Equal(t, `{"code":"NEW"}`, string(u.Wire().Raw))
	assert.Equal(t, taxonomy.RowUnknownRetry, u.Row())
	assert.Equal(t, "retry", sample.Table.Reaction(u).Name)
	assert.EqualError(t, u, "token=[REDACTED]")
	assert.Equal(t, "x token=[REDACTED]", string(u.AppendMessage([]byte("x "))))
	assert.Equal(t, `{"a":1}`, string(u.AppendContext(nil)))
	assert.ErrorIs(t, u, io.EOF)
	assert.Equal(
		t, "[domain=d name=NewError category=new code=NEW message=token=[REDACTED] retryable=true unknown=true "+
			"cause=[message=EOF]]", u.LogValue().String())
	assert.Equal(t, "token=[REDACTED]", fmt.Sprintf("%v", u))
	assert.Equal(t, `"token=[REDACTED]"`, fmt.Sprintf("%q", u))
	assert.Equal(t, `"token=[REDACTED]"`, fmt.Sprintf("%#v", u))
	assert.Equal(t, "token=[REDACTED]\ncode: \"NEW\" (unknown)\ncategory: \"new\"\ncause: EOF", fmt.Sprintf("%+v", u))

	bare := taxonomy.NewUnknown(&other, taxonomy.Wire{Code: "NEW", Retryable: true})
	assert.Equal(t, taxonomy.RowUnknownRetry, bare.Row())
	assert.Equal(t, "retry", taxonomy.Table{Taxonomy: &other}.Reaction(bare).Name)
	final := taxonomy.NewUnknown(&other, taxonomy.Wire{Code: "NEW"})
	assert.Equal(t, taxonomy.RowUnknownPermanent, final.Row())
	assert.Equal(t, "permanent", taxonomy.Table{Taxonomy: &other}.Reaction(final).Name)
	assert.EqualError(t, bare, `unknown error code "NEW"`)
	assert.Equal(t, "{}", string(bare.AppendContext(nil)))
	assert.Equal(t, "[name= category= code=NEW message=unknown error code \"NEW\" retryable=true unknown=true]",
		bare.LogValue().String())
	b, err := json.Marshal(bare)
	require.NoError(t, err)
	assert.Equal(t, `{"name":"","category":"","code":"NEW","message":"","retryable":true,"context":{}}`, string(b))
}

func TestUnknownIsBounded(t *testing.T) {
	huge := strings.Repeat("x", 1<<17)
	u := taxonomy.NewUnknown(
		sample.Table.Taxonomy,
		taxonomy.Wire{Code: "NEW", Category: huge, Message: huge, Context: json.RawMessage(`"` + huge + `"`),
			Raw: json.RawMessage(`"` + huge + `"`), Cause: io.EOF})
	assert.NoError(t, u.Unwrap(), "a cause that is not written is not kept")
	assert.Len(t, u.Error(), 4096)
	assert.Equal(t, "{}", string(u.AppendContext(nil)))
	b, err := json.Marshal(u)
	require.NoError(t, err)
	assert.Less(t, len(b), 10_000)
	back, err := sample.UnmarshalError(b)
	require.NoError(t, err)
	assert.Equal(t, u.Error(), back.Error())
}
