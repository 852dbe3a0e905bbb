package sample

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func wrap3(err error) error {
	return fmt.Errorf("c: %w", fmt.Errorf("b: %w", fmt.Errorf("a: %w", err)))
}

// everything returns an error with each field set.
func everything() *KindsError {
	at := time.Date(2024, 2, 3, 4, 5, 6, 700, time.FixedZone("x", 3600))
	return NewKinds("s\"<\n", -1, -1<<60, 1<<63, 1.5e-9, true, 1500*time.Millisecond, at, WorkDecisionAskUser,
		[]string{"a", "b"}, json.RawMessage(` { "a" : [ 1 , "< " ] } `), Run{Mode: "fast"}, 1234).
		WithOptStr("o").WithOptNum(0).WithOptBig(7).WithOptSize(8).WithOptRatio(0.25).WithOptFlag(false).
		WithOptTook(time.Minute).WithOptAt(at.Truncate(time.Second)).WithOptMood(WorkDecisionBlock).
		WithOptList([]string{"c"}).WithOptData(json.RawMessage(`[ ]`)).
		WithOptRun(Run{Mode: "slow", Step: taxonomy.Some("2")}).WithOptPin(0)
}

const everythingContext = `{"str":"s\"\u003c\n","num":-1,"big":-1152921504606846976,"size":9223372036854775808,"ratio":1.5e-9,"flag":true,"took":"1.5s","at":"2024-02-03T03:05:06.0000007Z",` +
	`"mood":"ASK_USER","list":["a","b"],"data":{"a":[1,"\u003c "]},"run":{"mode":"fast"},"pin":"[REDACTED]",` +
	`"optStr":"o","optNum":0,"optBig":7,"optSize":8,"optRatio":0.25,"optFlag":false,"optTook":"1m0s","optAt":"2024-02-03T03:05:06Z",` +
	`"optMood":"BLOCK","optList":["c"],"optData":[],"optRun":{"mode":"slow","step":"2"},"optPin":"[REDACTED]"}`

func TestMessage(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{NewProviderCrash("claude-cli"), "provider claude-cli crashed"},
		{NewProviderCrash("claude-cli").WithRawError("Segmentation fault\nat 0"),
			"provider claude-cli crashed: Segmentation fault"},
		{NewProviderCrash("claude-cli").WithRawError(""), "provider claude-cli crashed"},
		{NewProviderAPIError("p", "overloaded").WithStatusCode(529), "provider p API error 529: overloaded"},
		{NewProviderAPIError("p", "key sk-abcdefghij1234567890").WithToken("t"),
			"provider p API error: key [REDACTED]"},
		{NewScopeForbidden([]string{"a", "b"}), "2 forbidden: a, b"},
		{NewGitCommit().WithCause(errors.New("password=hunter2")).WithValue("v").WithDecision(WorkDecisionBlock),
			"commit failed: password=[REDACTED] (v, BLOCK)"},
		{NewGitCommit().WithCause(NewProviderCrash("p")).WithValue("v"), "commit failed: provider p crashed"},
		{NewGitCommit().WithDecision(9).WithValue("v"), "commit failed"},
		{&ProviderError{}, "provider error without a code"},
		{&ProviderError{code: 600}, "provider error without a code"},
		{&KindsError{code: 1},
			`str= num=0 big=0 size=0 ratio=0 flag=false took=0s at=0001-01-01T00:00:00Z secs=0 quoted= line= mood= list= data=`},
		{everything().WithCause(errors.New("x\ny")),
			"str=s\"<\n opt=o; num=-1 opt=0; big=-1152921504606846976 opt=7; size=9223372036854775808 opt=8; " +
				"ratio=1.5e-09 opt=0.25; flag=true opt=false; took=1.5s opt=1m0s; " +
				"at=2024-02-03T03:05:06.0000007Z opt=2024-02-03T03:05:06Z; secs=1.5/60 quoted=\"s\\\"<\\n\"/\"o\" " +
				"line=s\"< mood=ASK_USER/BLOCK list=a, b/1:c " +
				`data={"a":[1,"\u003c "]}/[] cause=x/"x\ny"`},
	} {
		assert.Equal(t, c.want, c.err.Error())
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		err  taxonomy.Error
		want string
	}{
		{NewProviderCrash("p"),
			`{"domain":"aidf","name":"ProviderError","category":"provider","code":"PROVIDER_CRASH","message":"provider p crashed","retryable":true,"context":{"provider":"p"}}`},
		{NewProviderAPIError("p", "q\u2028\" sk-abcdefghij1234567890").WithStatusCode(404).
			WithRetryAfter(30 * time.Second).WithToken("").WithRun(Run{Mode: "m"}),
			`{"domain":"aidf","name":"ProviderError","category":"provider","code":"PROVIDER_API_ERROR","message":"provider p API error 404: q\u2028\" [REDACTED]","retryable":false,"context":{"retryAfter":"30s","run":{"mode":"m"},"provider":"p","statusCode":404,"rawError":"q\u2028\" [REDACTED]","token":"[REDACTED]"}}`},
		{&WorkError{},
			`{"domain":"aidf","name":"WorkError","category":"work","code":"","message":"work error without a code","retryable":true,"context":{}}`},
		{everything().WithOptMood(3), ""},
		{NewGitCommit().WithCause(NewProviderCrash("p")),
			`{"domain":"aidf","name":"WorkError","category":"work","code":"COMMIT_FAILED","message":"commit failed: provider p crashed","retryable":true,"context":{},"cause":{"domain":"aidf","name":"ProviderError","category":"provider","code":"PROVIDER_CRASH","message":"provider p crashed","retryable":true,"context":{"provider":"p"}}}`},
	} {
		got := string(c.err.AppendJSON(nil))
		if c.want != "" {
			assert.Equal(t, c.want, got)
		}
		std, err := json.Marshal(c.err)
		require.NoError(t, err)
		assert.Equal(t, string(std), got, "json.Marshal changes bytes")
		back, err := UnmarshalError([]byte(got))
		require.NoError(t, err)
		assert.Equal(t, got, string(back.AppendJSON(nil)))
		assert.IsType(t, c.err, back)
	}
	assert.Equal(t, everythingContext, string(everything().AppendContext(nil)))
}

func TestRoundTripOfEachField(t *testing.T) {
	sent := everything()
	back, err := UnmarshalError(sent.AppendJSON(nil))
	require.NoError(t, err)
	got := back.(*KindsError)
	assert.False(t, got.Pin.IsZero())
	_, known := got.Pin.Reveal()
	assert.False(t, known)
	got.Pin, got.OptPin = sent.Pin, sent.OptPin
	sent.At = sent.At.UTC()
	sent.OptAt = taxonomy.Some(sent.OptAt.Or(time.Time{}).UTC())
	assert.Equal(t, sent, got)
	var typed KindsError
	require.NoError(t, json.Unmarshal(sent.AppendJSON(nil), &typed))
	var other WorkError
	assert.EqualError(t, json.Unmarshal(sent.AppendJSON(nil), &other),
		`sample: unmarshal error: code "KINDS" is of category "kinds"`)
}

func TestFactoriesCheckValues(t *testing.T) {
	list := []string{"a"}
	e := NewScopeForbidden(list)
	list[0] = "changed"
	assert.Equal(t, []string{"a"}, e.Files)
	assert.Nil(t, NewScopeForbidden(nil).Files)
	assert.Equal(t, taxonomy.Opt[WorkDecision]{}, NewGitCommit().WithDecision(0).Decision)
	assert.Equal(t, taxonomy.Opt[WorkDecision]{}, NewGitCommit().WithDecision(3).Decision)
	k := NewKinds("", 0, 0, 0, 0, false, 0, time.Time{}, 3, nil, json.RawMessage(`{"a`), Run{}, 0)
	assert.Equal(t, WorkDecision(0), k.Mood)
	assert.Equal(t, `"{\"a"`, string(k.Data))
	assert.Nil(t, k.WithOptData(json.RawMessage(" null ")).OptData)
}

func TestIdentity(t *testing.T) {
	err := wrap3(NewProviderCrash("p").WithCause(io.EOF))
	assert.ErrorIs(t, err, CodeProviderCrash)
	assert.ErrorIs(t, err, io.EOF)
	assert.NotErrorIs(t, err, CodeProviderAPIError)
	assert.NotErrorIs(t, err, CodeScopeForbidden)
	assert.NotErrorIs(t, &ProviderError{}, ProviderCode(0))
	pe, ok := errors.AsType[*ProviderError](err)
	require.True(t, ok)
	assert.Equal(t, CodeProviderCrash, pe.Code())
	code, ok := errors.AsType[ProviderCode](err)
	require.True(t, ok)
	assert.Equal(t, CodeProviderCrash, code)
	_, ok = errors.AsType[ProviderCode](&ProviderError{})
	assert.False(t, ok)
	assert.True(t, IsProvider(err))
	assert.False(t, IsWork(err))
	assert.True(t, InNetwork(err))
	assert.False(t, InNetwork(NewGitCommit()))
	assert.False(t, InNetwork(io.EOF))
	assert.False(t, IsProvider(nil))
	assert.Equal(t, CategoryProvider, CategoryOf(err))
	assert.Equal(t, Category(""), CategoryOf(io.EOF))
}

func TestCodes(t *testing.T) {
	for _, c := range []struct {
		code  ProviderCode
		value string
		row   taxonomy.Row
	}{{1, "PROVIDER_CRASH", 2}, {3, "provider.rate_limit", 4}} {
		assert.Equal(t, c.value, c.code.Error())
		assert.Equal(t, c.value, c.code.String())
		assert.Equal(t, c.row, c.code.Row())
		text, err := c.code.MarshalText()
		require.NoError(t, err)
		var back ProviderCode
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, c.code, back)
	}
	for _, none := range []ProviderCode{0, 4, 600, 65535} {
		assert.Equal(t, taxonomy.RowNone, none.Row())
		assert.Equal(t, "no code", none.String())
		assert.Equal(t, "again", none.Reaction().Name)
		_, err := none.MarshalText()
		assert.EqualError(t, err, "sample: marshal code: no such code")
	}
	var c ProviderCode
	require.NoError(t, c.UnmarshalText([]byte("PROVIDER_THROTTLED")))
	assert.Equal(t, CodeProviderRateLimit, c)
	assert.EqualError(t, c.UnmarshalText([]byte("KINDS")), `sample: unmarshal code: provider has no code "KINDS"`)
	assert.Equal(t, "wait", CodeProviderRateLimit.Reaction().Name)
	assert.Equal(t, "wait", Table.Reaction(CodeProviderRateLimit).Name)
}

func TestEnum(t *testing.T) {
	var d WorkDecision
	require.NoError(t, d.UnmarshalText([]byte("ASK_USER")))
	assert.Equal(t, WorkDecisionAskUser, d)
	require.NoError(t, d.UnmarshalText(nil))
	assert.Equal(t, WorkDecision(0), d)
	assert.EqualError(t, d.UnmarshalText([]byte("X")), `unmarshal WorkDecision: unknown value "X"`)
	_, err := WorkDecision(3).MarshalText()
	assert.EqualError(t, err, "marshal WorkDecision: no value 3")
	text, err := WorkDecisionBlock.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, "BLOCK", string(text))
	assert.Empty(t, WorkDecision(3).String())
}

func TestAllocations(t *testing.T) {
	err := wrap3(NewProviderAPIError("anthropic-api", "overloaded").WithStatusCode(529))
	pe, _ := errors.AsType[*ProviderError](err)
	secret := NewProviderAPIError("p", "sk-abcdefghij1234567890 \"x\"")
	long := NewProviderAPIError("p", strings.Repeat("a \"quoted\" ж\n", 300))
	caused := NewProviderCrash("p").WithCause(io.EOF)
	buf := make([]byte, 0, 16<<10)
	var text string
	for _, c := range []struct {
		name string
		want float64
		do   func()
	}{
		{"errors.Is", 0, func() { _ = errors.Is(err, CodeProviderAPIError) }},
		{"CodeOf", 0, func() { taxonomy.CodeOf(err) }},
		{"IsRetryable", 0, func() { taxonomy.IsRetryable(err) }},
		{"Table.Reaction", 0, func() { Table.Reaction(err) }},
		{"code's Reaction", 0, func() { _ = CodeProviderAPIError.Reaction() }},
		{"AppendJSON", 0, func() { buf = pe.AppendJSON(buf[:0]) }},
		{"AppendJSON of a secret", 0, func() { buf = secret.AppendJSON(buf[:0]) }},
		{"AppendJSON of a text to escape and to cut", 0, func() { buf = long.AppendJSON(buf[:0]) }},
		{"AppendJSON with a cause", 0, func() { buf = caused.AppendJSON(buf[:0]) }},
		{"AppendContext", 0, func() { buf = pe.AppendContext(buf[:0]) }},
		{"AppendMessage", 0, func() { buf = pe.AppendMessage(buf[:0]) }},
		{"Error", 1, func() { text = pe.Error() }},
		{"MarshalJSON", 1, func() { _, _ = pe.MarshalJSON() }},
		{"Profile", 0, func() { _, _ = Table.Profile("strict") }},
	} {
		assert.Equal(t, c.want, testing.AllocsPerRun(100, c.do), c.name)
	}
	_ = text
}

func TestRows(t *testing.T) {
	for _, c := range []struct {
		err  taxonomy.Coded
		want taxonomy.Row
	}{
		{&ProviderError{}, 0},
		{NewProviderCrash("p"), 2},
		{NewProviderCrash("p").WithUnmatched(false), 2},
		{NewProviderCrash("p").WithUnmatched(true), 8},
		{NewProviderAPIError("p", ""), 3},
		{NewProviderAPIError("p", "").WithStatusCode(399), 3},
		{NewProviderAPIError("p", "").WithStatusCode(400), 9},
		{NewProviderAPIError("p", "").WithStatusCode(408), 3},
		{NewProviderAPIError("p", "").WithStatusCode(499), 9},
		{NewProviderAPIError("p", "").WithStatusCode(500), 3},
		{NewGitCommit(), 6},
		{CodeKinds, 7},
		{KindsCode(2), 0},
	} {
		assert.Equal(t, c.want, c.err.Row())
	}
}

type strategies struct{ ran taxonomy.Failed }

func (s *strategies) ReduceContext(_ context.Context, failure taxonomy.Failed) error {
	s.ran = failure
	return nil
}

func TestRecover(t *testing.T) {
	var s strategies
	failure := taxonomy.Failed{Err: io.EOF, Reaction: taxonomy.Reaction{Strategy: StrategyReduceContext}, Attempt: 2}
	require.NoError(t, Recover(t.Context(), &s, failure))
	assert.Equal(t, failure, s.ran)
	assert.EqualError(t, Recover(t.Context(), &s, taxonomy.Failed{}), "recover: the reaction names no strategy")
}

func TestUnmarshalJSON(t *testing.T) {
	sent := NewScopeForbidden([]string{"a"}).WithDecision(WorkDecisionAskUser)
	var back WorkError
	require.NoError(t, json.Unmarshal(sent.AppendJSON(nil), &back))
	assert.Equal(t, sent, &back)
	var other ProviderError
	assert.EqualError(t, json.Unmarshal(sent.AppendJSON(nil), &other),
		`sample: unmarshal error: code "SCOPE_FORBIDDEN" is of category "work"`)
	assert.EqualError(t, other.UnmarshalJSON([]byte("{}")), `sample: unmarshal error: no "code"`)
	assert.Equal(t, []Category{"provider", "work", "kinds"}, Categories())
}
