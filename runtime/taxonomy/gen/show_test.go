package gen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

func TestFormat(t *testing.T) {
	plain := sample.NewProviderAPIError("p", "token=abcdef").WithStatusCode(404)
	unknown, err := sample.UnmarshalError([]byte(`{"code":"NEW","category":"other","message":"new"}`))
	assert.NoError(t, err)
	for _, c := range []struct {
		format string
		err    error
		want   string
	}{
		{"%v", plain, "provider p API error 404: token=[REDACTED]"},
		{"%s", sample.NewProviderCrash("p"), "provider p crashed"},
		{"%24s|", sample.NewProviderCrash("p"), "      provider p crashed|"},
		{"%.8s", sample.NewProviderCrash("p"), "provider"},
		{"%q", sample.NewProviderCrash("p"), `"provider p crashed"`},
		{"%x", sample.NewProviderCrash("p").WithRawError("x"), "70726f766964657220702063726173686564" + "3a2078"},
		{"%v", sample.CodeInternal, "internal error"},
		{"%q", sample.CodeInternal, `"internal error"`},
		{"%x", sample.WorkCode(0), "6e6f20636f6465"},
		{"%+v", sample.CodeInternal, "internal error\ncode: INTERNAL\ncategory: server"},
		{"%+v", sample.CodeProviderCrash, "PROVIDER_CRASH\ncode: PROVIDER_CRASH\ncategory: provider"},
		{"%d", sample.CodeProviderCrash, "1"},
		{"%#v", sample.CodeProviderCrash, "0x1"},
		{"%+v", sample.NewProviderCrash("p").WithCause(sample.CodeInternal),
			"provider p crashed\ncode: PROVIDER_CRASH\ncategory: provider\ncontext: {\"provider\":\"p\"}\n" +
				"cause: internal error\n  code: INTERNAL\n  category: server"},
		{"%d", sample.NewProviderCrash("p"), "%!d(*sample.ProviderError=provider p crashed)"},
		{"%#v", sample.NewProviderCrash("p").WithToken("hidden"),
			`(*sample.ProviderError)(PROVIDER_CRASH: "provider p crashed")`},
		{"%+v", plain.WithToken("hidden"),
			"provider p API error 404: token=[REDACTED]\ncode: PROVIDER_API_ERROR\ncategory: provider\n" +
				`context: {"provider":"p","statusCode":404,"rawError":"token=[REDACTED]","token":"[REDACTED]"}`},
		{"%+v", sample.NewGitCommit().
			WithCause(fmt.Errorf("a: %w", errors.Join(io.EOF, sample.NewProviderCrash("p").WithCause(unknown)))),
			"commit failed: a: EOF\nprovider p crashed\ncode: COMMIT_FAILED\ncategory: work\ncontext: {}\n" +
				"cause: a: EOF\nprovider p crashed\n" +
				"cause: EOF\nprovider p crashed\n" +
				"  cause: EOF\n" +
				"  cause: provider p crashed\n    code: PROVIDER_CRASH\n    category: provider\n    context: " +
				"{\"provider\":\"p\"}\n" +
				"  cause: new\n    code: \"NEW\" (unknown)\n    category: \"other\""},
	} {
		assert.Equal(t, c.want, fmt.Sprintf(c.format, c.err), c.format)
	}
}

func TestFormatShowsStacks(t *testing.T) {
	err := sample.NewGitCommit().WithCause(taxonomy.WithStack(io.EOF))
	got := fmt.Sprintf("%+v", err)
	assert.Regexp(
		t, regexp.MustCompile(
			`(?s)context: \{\}\nstack:\n    .*TestFormatShowsStacks\n        .*show_test\.go:\d+\n.*\ncause: EOF$`),
		got)
}

func logged(err error) string {
	var out bytes.Buffer
	log := slog.New(
		slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key != "err" {
				return slog.Attr{}
			}
			return a
		}}))
	log.Error("x", "err", err)
	return strings.TrimSpace(out.String())
}

// A log has the values of the JSON.
func TestLog(t *testing.T) {
	for _, err := range []error{
		sample.NewProviderAPIError("p", "token=abcdef <&>").
			WithRun(sample.ProviderRun{Mode: "m", Step: taxonomy.Some("1")}).
			WithToken("hidden").WithRetryAfter(time.Second),
		sample.NewProviderCrash("p\"\xff\t\u2028"),
		sample.NewGitCommit(),
		sample.NewGitCommit().WithCause(fmt.Errorf("a: %w", sample.NewGitCommit().WithFiles([]string{"a"}))),
		sample.NewGitCommit().WithCause(errors.Join(io.EOF, nil, sample.NewProviderRateLimit("p"))),
		sample.NewGitCommit().WithCause(io.EOF),
		kinds(), kinds().WithOptData([]byte(`[{"a": 1e40}, 2]`)),
		kinds().WithOptData([]byte(`{"a":{},"b":{"c":{"d":[{}]},"}":null},"e":"{"}`)),
		kinds().WithOptData([]byte(strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000))),
		&sample.KindsError{}, &sample.WorkError{},
		sample.NewKinds("", 0, 0, math.MaxUint64, math.Inf(-1), false, 0, time.Time{}, 0, nil, []byte("1"),
			sample.KindsRun{}, 0),
	} {
		b, e := json.Marshal(err)
		require.NoError(t, e)
		assert.JSONEq(t, `{"err":`+string(b)+`}`, logged(err))
	}
	var out bytes.Buffer
	err := sample.NewGitCommit().WithCause(
		errors.Join(io.EOF, sample.NewProviderRateLimit("p").WithRetryAfter(time.Second)))
	slog.New(slog.NewTextHandler(&out, nil)).Error("x", "err", err)
	assert.Contains(t, out.String(), ` err.code=COMMIT_FAILED `)
	assert.Contains(t, out.String(), `\"code\":\"provider.rate_limit\"`)
	assert.Contains(t, out.String(), `\"retryAfter\":\"1s\"`)
}

func TestReplaceAttr(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("token=abcdef %w", sample.NewGitCommit()),
			`{"text":"token=[REDACTED] commit failed","domain":"aidf","name":"WorkError","category":"work",` +
				`"code":"COMMIT_FAILED","message":"commit failed","retryable":true,"context":{}}`},
		{errors.Join(io.EOF, sample.NewGitCommit()),
			`{"text":"EOF\ncommit failed","domain":"aidf","name":"WorkError","category":"work",` +
				`"code":"COMMIT_FAILED","message":"commit failed","retryable":true,"context":{}}`},
		{fmt.Errorf("load: %w", sample.CodeInternal),
			`{"text":"load: internal error","domain":"aidf","name":"ServerError","category":"server",` +
				`"code":"INTERNAL","message":"internal error","retryable":false,"context":{}}`},
		{sample.CodeInternal, `{"domain":"aidf","name":"ServerError","category":"server","code":"INTERNAL",` +
			`"message":"internal error","retryable":false,"context":{}}`},
		{sample.WorkCode(0), `"no code"`},
		{sample.NewGitCommit(), `{"domain":"aidf","name":"WorkError","category":"work","code":"COMMIT_FAILED",` +
			`"message":"commit failed","retryable":true,"context":{}}`},
		{io.EOF, `"EOF"`},
		{errors.New("dial postgres://app:hunter2@db/app"), `"dial postgres://[REDACTED]@db/app"`},
		{error(nil), "null"},
	} {
		var out bytes.Buffer
		options := &slog.HandlerOptions{ReplaceAttr: taxonomy.ReplaceAttr}
		slog.New(slog.NewJSONHandler(&out, options)).Error("x", "err", c.err)
		var line struct{ Err json.RawMessage }
		require.NoError(t, json.Unmarshal(out.Bytes(), &line))
		assert.Equal(t, c.want, string(line.Err))
	}
}

func kinds() *sample.KindsError {
	return sample.NewKinds("s", 1, 2, 3, math.NaN(), true, time.Minute, time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC), 9,
		nil, nil, sample.KindsRun{}, 1).
		WithOptNum(0).WithOptBig(1).WithOptSize(2).WithOptRatio(math.Inf(1)).WithOptFlag(false).WithOptTook(0).
		WithOptMood(sample.KindsOptMoodBlock).
		WithOptList([]string{"x"}).WithOptData([]byte(`{"a": 1}`)).WithOptPin(1)
}

func TestContextOfOddValues(t *testing.T) {
	e := kinds()
	e.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	assert.Equal(
		t, `{"str":"s","num":1,"big":2,"size":3,"ratio":null,"flag":true,"took":"1m0s","at":null,"mood":null,`+
			`"list":[],"data":null,"run":{"mode":""},"pin":"[REDACTED]",`+
			`"optNum":0,"optBig":1,"optSize":2,"optRatio":null,"optFlag":false,"optTook":"0s","optMood":"BLOCK",`+
			`"optList":["x"],"optData":{"a":1},"optPin":"[REDACTED]"}`,
		string(e.AppendContext(nil)))
	assert.Contains(t, string((&sample.KindsError{}).AppendContext(nil)), `"pin":null}`)
}
