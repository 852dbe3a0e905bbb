package gen_test

import (
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
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

func wrap3(err error) error {
	return fmt.Errorf("c: %w", fmt.Errorf("b: %w", fmt.Errorf("a: %w", err)))
}

// everything returns an error with each field set.
func everything() *sample.KindsError {
	at := time.Date(2024, 2, 3, 4, 5, 6, 700, time.FixedZone("x", 3600))
	return sample.NewKinds("s\"<\n", -1, -1<<60, 1<<63, 1.5e-9, true, 1500*time.Millisecond, at,
		sample.KindsMoodAskUser,
		[]string{"a", "b"}, json.RawMessage(` { "a" : [ 1 , "< " ] } `), sample.KindsRun{Mode: "fast"}, 1234).
		WithOptStr("o").WithOptNum(0).WithOptBig(7).WithOptSize(8).WithOptRatio(0.25).WithOptFlag(false).
		WithOptTook(time.Minute).WithOptAt(at.Truncate(time.Second)).WithOptMood(sample.KindsOptMoodBlock).
		WithOptList([]string{"c"}).WithOptData(json.RawMessage(`[ ]`)).
		WithOptRun(sample.KindsOptRun{Mode: "slow", Step: taxonomy.Some("2")}).WithOptPin(0)
}

const everythingContext = `{"str":"s\"\u003c\n","num":-1,"big":-1152921504606846976,"size":9223372036854775808,` +
	`"ratio":1.5e-9,"flag":true,"took":"1.5s","at":"2024-02-03T03:05:06.0000007Z",` +
	`"mood":"ASK_USER","list":["a","b"],"data":{"a":[1,"\u003c "]},"run":{"mode":"fast"},"pin":"[REDACTED]",` +
	`"optStr":"o","optNum":0,"optBig":7,"optSize":8,"optRatio":0.25,"optFlag":false,"optTook":"1m0s",` +
	`"optAt":"2024-02-03T03:05:06Z",` +
	`"optMood":"BLOCK","optList":["c"],"optData":[],"optRun":{"mode":"slow","step":"2"},"optPin":"[REDACTED]"}`

func TestGeneratedMessage(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{sample.NewProviderCrash("claude-cli"), "provider claude-cli crashed"},
		{sample.NewProviderCrash("claude-cli").WithRawError("Segmentation fault\nat 0"),
			"provider claude-cli crashed: Segmentation fault"},
		{sample.NewProviderCrash("claude-cli").WithRawError(""), "provider claude-cli crashed"},
		{sample.NewProviderAPIError("p", "overloaded").WithStatusCode(529), "provider p API error 529: overloaded"},
		{sample.NewProviderAPIError("p", "key sk-abcdefghij1234567890").WithToken("t"),
			"provider p API error: key [REDACTED]"},
		{sample.NewScopeForbidden([]string{"a", "b"}), "2 forbidden: a, b"},
		{sample.NewGitCommit().WithCause(errors.New("password=hunter2")).WithValue("v").
			WithDecision(sample.WorkDecisionBlock),
			"commit failed: password=[REDACTED] (v, BLOCK)"},
		{sample.NewGitCommit().WithCause(sample.NewProviderCrash("p")).WithValue("v"), "commit failed: provider p " +
			"crashed"},
		{sample.NewGitCommit().WithDecision(9).WithValue("v"), "commit failed"},
		{&sample.ProviderError{}, "provider error without a code"},
		{everything().WithCause(errors.New("x\ny")),
			"str=s\"<\n opt=o; num=-1 opt=0; big=-1152921504606846976 opt=7; size=9223372036854775808 opt=8; " +
				"ratio=1.5e-09 opt=0.25; flag=true opt=false; took=1.5s opt=1m; " +
				"at=2024-02-03T03:05:06.0000007Z opt=2024-02-03T03:05:06Z; secs=1.5/60 quoted=\"s\\\"<\\n\"/\"o\" " +
				"line=s\"< mood=ASK_USER/BLOCK list=a, b/1:c " +
				`data={"a":[1,"\u003c "]}/[] cause=x/"x\ny"`},
	} {
		assert.Equal(t, c.want, c.err.Error())
	}
}

func TestGeneratedJSON(t *testing.T) {
	for _, c := range []struct {
		err  taxonomy.Error
		want string
	}{
		{sample.NewProviderCrash("p"),
			`{"domain":"aidf","name":"ProviderError","category":"provider","code":"PROVIDER_CRASH",` +
				`"message":"provider p crashed","retryable":true,"context":{"provider":"p"}}`},
		{sample.NewProviderAPIError("p", "q\u2028\" sk-abcdefghij1234567890").WithStatusCode(404).
			WithRetryAfter(30 * time.Second).WithToken("").WithRun(sample.ProviderRun{Mode: "m"}),
			`{"domain":"aidf","name":"ProviderError","category":"provider","code":"PROVIDER_API_ERROR",` +
				`"message":"provider p API error 404: q\u2028\" [REDACTED]","retryable":false,` +
				`"context":{"retryAfter":"30s","run":{"mode":"m"},"provider":"p","statusCode":404,` +
				`"rawError":"q\u2028\" [REDACTED]","token":"[REDACTED]"}}`},
		{&sample.WorkError{},
			`{"domain":"aidf","name":"WorkError","category":"work","code":"","message":"work error without a code",` +
				`"retryable":true,"context":{}}`},
		{everything().WithOptMood(3), ""},
		{sample.NewGitCommit().WithCause(sample.NewProviderCrash("p")),
			`{"domain":"aidf","name":"WorkError","category":"work","code":"COMMIT_FAILED","message":"commit failed: ` +
				`provider p crashed","retryable":true,"context":{},"cause":{"domain":"aidf","name":"ProviderError",` +
				`"category":"provider","code":"PROVIDER_CRASH","message":"provider p crashed","retryable":true,` +
				`"context":{"provider":"p"}}}`},
	} {
		got := string(c.err.AppendJSON(nil))
		if c.want != "" {
			assert.Equal(t, c.want, got)
		}
		std, err := json.Marshal(c.err)
		require.NoError(t, err)
		assert.Equal(t, string(std), got, "json.Marshal changes bytes")
		back, err := sample.UnmarshalError([]byte(got))
		require.NoError(t, err)
		assert.Equal(t, got, string(back.AppendJSON(nil)))
		assert.IsType(t, c.err, back)
	}
	assert.Equal(t, everythingContext, string(everything().AppendContext(nil)))
}

func TestRoundTripOfEachField(t *testing.T) {
	sent := everything()
	back, err := sample.UnmarshalError(sent.AppendJSON(nil))
	require.NoError(t, err)
	got := back.(*sample.KindsError)
	assert.False(t, got.Pin.IsZero())
	_, known := got.Pin.Reveal()
	assert.False(t, known)
	got.Pin, got.OptPin = sent.Pin, sent.OptPin
	sent.At = sent.At.UTC()
	sent.OptAt = taxonomy.Some(sent.OptAt.Or(time.Time{}).UTC())
	assert.Equal(t, sent, got)
	var typed sample.KindsError
	require.NoError(t, json.Unmarshal(sent.AppendJSON(nil), &typed))
	var other sample.WorkError
	assert.EqualError(t, json.Unmarshal(sent.AppendJSON(nil), &other),
		`sample: unmarshal error: code "KINDS" is of category "kinds"`)
}

func TestFactoriesCheckValues(t *testing.T) {
	list := []string{"a"}
	e := sample.NewScopeForbidden(list)
	list[0] = "changed"
	assert.Equal(t, []string{"a"}, e.Files)
	assert.Nil(t, sample.NewScopeForbidden(nil).Files)
	assert.Equal(t, taxonomy.Opt[sample.WorkDecision]{}, sample.NewGitCommit().WithDecision(0).Decision)
	assert.Equal(t, taxonomy.Opt[sample.WorkDecision]{}, sample.NewGitCommit().WithDecision(3).Decision)
	k := sample.NewKinds("", 0, 0, 0, 0, false, 0, time.Time{}, 3, nil, json.RawMessage(`{"a`), sample.KindsRun{}, 0)
	assert.Equal(t, sample.KindsMood(0), k.Mood)
	assert.Equal(t, `"{\"a"`, string(k.Data))
	assert.Nil(t, k.WithOptData(json.RawMessage(" null ")).OptData)
}

func TestGeneratedAllocations(t *testing.T) {
	err := wrap3(sample.NewProviderAPIError("anthropic-api", "overloaded").WithStatusCode(529))
	pe, _ := errors.AsType[*sample.ProviderError](err)
	secret := sample.NewProviderAPIError("p", "sk-abcdefghij1234567890 \"x\"")
	long := sample.NewProviderAPIError("p", strings.Repeat("a \"quoted\" ж\n", 300))
	caused := sample.NewProviderCrash("p").WithCause(io.EOF)
	buf := make([]byte, 0, 16<<10)
	var text string
	for _, c := range []struct {
		name string
		want float64
		do   func()
	}{
		{"errors.Is", 0, func() { _ = errors.Is(err, sample.CodeProviderAPIError) }},
		{"CodeOf", 0, func() { taxonomy.CodeOf(err) }},
		{"IsRetryable", 0, func() { taxonomy.IsRetryable(err) }},
		{"Table.Reaction", 0, func() { sample.Table.Reaction(err) }},
		{"code's Reaction", 0, func() { _ = sample.CodeProviderAPIError.Reaction() }},
		{"AppendJSON", 0, func() { buf = pe.AppendJSON(buf[:0]) }},
		{"AppendJSON of a secret", 0, func() { buf = secret.AppendJSON(buf[:0]) }},
		{"AppendJSON of a text to escape and to cut", 0, func() { buf = long.AppendJSON(buf[:0]) }},
		{"AppendJSON with a cause", 0, func() { buf = caused.AppendJSON(buf[:0]) }},
		{"AppendContext", 0, func() { buf = pe.AppendContext(buf[:0]) }},
		{"AppendMessage", 0, func() { buf = pe.AppendMessage(buf[:0]) }},
		{"Error", 1, func() { text = pe.Error() }},
		{"MarshalJSON", 1, func() { _, _ = pe.MarshalJSON() }},
		{"Profile", 0, func() { _, _ = sample.Table.Profile("strict") }},
	} {
		assert.Equal(t, c.want, testing.AllocsPerRun(100, c.do), c.name)
	}
	_ = text
}
