package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const requestID = "req_011CSHoEeqs5C35K2UUqR7Fy"

// What the service, or what stands before it, answers, and what becomes of it.
func TestFailures(t *testing.T) {
	const limited = "This request would exceed your organization's rate limit."
	for _, c := range []struct {
		name   string
		reply  providertest.Reply
		code   any
		status int
		kind   string
		text   string
		// retryable and reaction are what the shipped taxonomy says.
		retryable bool
		reaction  string
	}{
		{"rate limit", providertest.AnthropicRateLimit("30"), errs.CodeProviderRateLimit, 429, "rate_limit_error",
			limited, true, "wait"},
		{"overloaded", providertest.AnthropicOverloaded(), errs.CodeProviderAPIError, 529, "overloaded_error",
			"Overloaded", true, "backoff"},
		{"wrong key", providertest.AnthropicAuth(), errs.CodePermissionAPIAuth, 401, "authentication_error",
			"invalid x-api-key", false, "stop_all"},
		{"no right", providertest.AnthropicPermission(), errs.CodePermissionAPIAuth, 403, "permission_error", "", false,
			"stop_all"},
		{"no model", providertest.AnthropicNotFound(), errs.CodeProviderAPIError, 404, "not_found_error",
			"model: claude-9", false, "stop"},
		{"too large", providertest.AnthropicTooLarge(), errs.CodeProviderAPIError, 413, "request_too_large", "", false,
			"stop"},
		{"context length", providertest.AnthropicContextLength(), errs.CodeProviderAPIError, 400,
			"invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum", false, "stop"},
		{"credit", providertest.AnthropicCredit(), errs.CodeProviderAPIError, 400, "invalid_request_error", "", false,
			""},
		{"spend limit", providertest.AnthropicSpendLimit(), errs.CodeProviderAPIError, 400, "invalid_request_error", "",
			false, ""},
		{"billing", providertest.AnthropicBilling(), errs.CodeProviderAPIError, 402, "billing_error", "", false,
			"stop_all"},
		{"server error", providertest.AnthropicServerError(), errs.CodeProviderAPIError, 500, "api_error",
			"Internal server error", true, "backoff"},
		{"gateway 502", providertest.GatewayHTML(502), errs.CodeProviderAPIError, 502, "", "502 Bad Gateway", true,
			"backoff"},
		{"gateway 504", providertest.GatewayHTML(504), errs.CodeProviderAPIError, 504, "", "504 Gateway Timeout", true,
			"backoff"},
		{"gateway 200", providertest.GatewayHTML(200), errs.CodeProviderAPIError, 0, "stream", "200 OK", true,
			"backoff"},
		{"error in 200",
			providertest.Reply{Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
			errs.CodeProviderAPIError, 0, "overloaded_error", "Overloaded", true, "backoff"},
		{"empty 200", providertest.Reply{Status: 200}, errs.CodeProviderAPIError, 0, "stream",
			"the server did not answer with a stream", true, "backoff"},
		{"empty 503", providertest.Reply{Status: 503}, errs.CodeProviderAPIError, 503, "", "Service Unavailable", true,
			"backoff"},
		{"plain 503", providertest.Reply{Status: 503, Body: "no healthy upstream"}, errs.CodeProviderAPIError, 503, "",
			"no healthy upstream", true, "backoff"},
		{"redirect", providertest.Reply{Status: 307}.With("Location", "http://127.0.0.1:1/stolen"),
			errs.CodeProviderCrash, 307, "", "Temporary Redirect", true, "again"},
		{"cut error",
			providertest.Reply{Status: 500, Body: `{"type":"error","error":{"type":"api_er`,
				End: providertest.EndEarly}, errs.CodeProviderAPIError, 500, "", "", true, "backoff"},
		{"overloaded in stream", providertest.AnthropicStreamError("overloaded_error", "Overloaded"),
			errs.CodeProviderAPIError, 0, "overloaded_error", "Overloaded", true, "backoff"},
		{"rate limit in stream", providertest.AnthropicStreamError("rate_limit_error", limited),
			errs.CodeProviderRateLimit, 0, "rate_limit_error", limited, true, "wait"},
		{"wrong key in stream", providertest.AnthropicStreamError("authentication_error", "invalid x-api-key"),
			errs.CodePermissionAPIAuth, 0, "authentication_error", "", false, "stop_all"},
		{"text in stream", providertest.AnthropicStreamError("", "429 Too Many Requests: slow down"),
			errs.CodeProviderRateLimit, 0, "", "429 Too Many Requests: slow down", true, "wait"},
		{"no JSON in stream",
			providertest.Reply{Events: []providertest.Event{{Name: "error", Data: "upstream went away"}}},
			errs.CodeProviderCrash, 0, "", "upstream went away", true, "again"},
		{"cut stream", providertest.AnthropicTruncated("I will"), errs.CodeProviderAPIError, 0, "stream",
			"the stream ended before the message did", true, "backoff"},
		{"empty stream", providertest.Reply{}.With("Content-Type", "text/event-stream"), errs.CodeProviderAPIError, 0,
			"stream", "the stream ended before the message did", true, "backoff"},
		{"malformed event", providertest.AnthropicMalformed(), errs.CodeProviderAPIError, 0, "stream", "", true,
			"backoff"},
		{"endless event",
			providertest.Reply{Events: providertest.AnthropicMessage{Text: "x"}.Events()[:2], Filler: 8 << 20},
			errs.CodeProviderAPIError, 0, "stream", "an event of the stream is longer than 4 MiB", true, "backoff"},
		{"cut connection", providertest.AnthropicTruncated("I will").Ending(providertest.EndEarly),
			errs.CodeProviderAPIError, 0, "network", "", true, "backoff"},
		{"reset in stream", providertest.AnthropicTruncated("I will").Ending(providertest.EndReset),
			errs.CodeProviderAPIError, 0, "network", "", true, "backoff"},
		{"reset before", providertest.Reset(), errs.CodeProviderAPIError, 0, "network", "", true, "backoff"},
		{"broken arguments", providertest.AnthropicTool("write_file", `{"path":"a","content":"hel`),
			errs.CodeProviderCrash, 0, "tool_arguments", "unexpected end of JSON input", true, "again"},
		{"arguments of another type", providertest.AnthropicTool("write_file", `{"path":7}`), errs.CodeProviderCrash, 0,
			"tool_arguments", "", true, "again"},
		{"outside", providertest.AnthropicTool("write_file", `{"path":"../x","content":""}`),
			errs.CodePermissionFileAccess, 0, "", "write ../x: outside of the working tree", false, "stop"},
		{"cut answer", providertest.AnthropicStop("max_tokens", "I wi"), errs.CodeProviderCrash, 0, "max_tokens",
			"the answer was cut off: it reached the limit of tokens", true, "again"},
		{"refusal", providertest.AnthropicMessage{StopReason: "refusal", Explanation: "not that"}.Reply(),
			errs.CodeProviderCrash, 0, "refusal", "not that", true, "again"},
		{"window", providertest.AnthropicStop("model_context_window_exceeded", "I wi"), errs.CodeProviderCrash, 0,
			"model_context_window_exceeded", "", true, "again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, err := call(t, c.reply)
			require.Error(t, err)
			assert.Empty(t, answer.Text)
			ev := evidence(t, err)
			assert.Equal(t, "anthropic-api", ev.Source)
			assert.Equal(t, "call", ev.Op)
			assert.Equal(t, c.status, ev.Status)
			assert.Equal(t, c.kind, ev.Type)
			if c.text != "" {
				assert.Equal(t, c.text, ev.Text)
			}
			assert.LessOrEqual(t, len(ev.Text), 4096)
			assert.NotContains(t, ev.Text, "<html")
			if c.reply.Header.Get("Request-Id") != "" && c.kind != "tool_arguments" && c.name != "outside" {
				assert.Equal(t, requestID, ev.Attribute("request_id"))
			}
			classified := errs.Classify(err)
			assert.ErrorIs(t, classified, c.code.(error))
			assert.Equal(t, c.retryable, taxonomy.IsRetryable(classified))
			if c.reaction != "" {
				assert.Equal(t, c.reaction, errs.Table.Reaction(classified).Name)
			}
		})
	}
}

func TestHowLongToWait(t *testing.T) {
	limited := providertest.AnthropicRateLimit
	at := time.Date(2030, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		reply providertest.Reply
		after time.Duration
		at    time.Time
	}{
		{"nothing", limited(""), -1, time.Time{}},
		{"seconds", limited("30"), 30 * time.Second, time.Time{}},
		{"a fraction", limited("1.5"), 1500 * time.Millisecond, time.Time{}},
		{"zero", limited("0"), 0, time.Time{}},
		{"an hour", limited("3600"), time.Hour, time.Time{}},
		{"negative", limited("-5"), -1, time.Time{}},
		{"nonsense", limited("soon"), -1, time.Time{}},
		{"a date", limited(at.Format(http.TimeFormat)).With("Date", at.Add(-time.Minute).Format(http.TimeFormat)),
			time.Minute, time.Time{}},
		{"milliseconds", limited("30").With("Retry-After-Ms", "250"), 250 * time.Millisecond, time.Time{}},
		{"a limit's reset", limited("").With("Anthropic-Ratelimit-Requests-Remaining", "0").
			With("Anthropic-Ratelimit-Requests-Reset", at.Format(time.RFC3339)), -1, at},
		{"in a stream", providertest.AnthropicStreamError("rate_limit_error", "slow down").With("Retry-After", "7"),
			7 * time.Second, time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := call(t, c.reply)
			ev := evidence(t, err)
			assert.Equal(t, c.after, ev.RetryAfter.Or(-1))
			assert.True(t, c.at.Equal(ev.ResetAt), "%s", ev.ResetAt)
		})
	}
}

func TestOneRequestForEachFailure(t *testing.T) {
	for _, reply := range []providertest.Reply{
		providertest.AnthropicRateLimit("3600").With("X-Should-Retry", "true"), providertest.AnthropicOverloaded(),
		providertest.AnthropicServerError(), providertest.Reset(),
	} {
		server := serve(t, reply.Always())
		_, err := provider(t, server.URL).Call(context.Background(),
			executor.Request{Prompt: "do it", Dir: t.TempDir()})
		require.Error(t, err)
		assert.Equal(t, 1, server.Count(), "the SDK does not try again")
	}
}

func TestNoServer(t *testing.T) {
	tls := providertest.NewTLSServer(providertest.AnthropicText("hello"))
	t.Cleanup(tls.Close)
	unknown := func(o *anthropic.Options) {
		o.Client = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (
			net.Conn, error) {
			return nil,
				&net.OpError{Op: "dial", Net: "tcp",
					Err: &net.DNSError{Err: "no such host", Name: "api.invalid", IsNotFound: true}}
		}}}
	}
	for _, c := range []struct {
		name, url, errno, text string
		options                []func(*anthropic.Options)
	}{
		{"refused", providertest.Refused(), "ECONNREFUSED", "connection refused", nil},
		{"no such host", "https://api.invalid", "", "no such host", []func(*anthropic.Options){unknown}},
		{"unknown certificate", tls.URL, "", "certificate", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := provider(t, c.url, c.options...).Call(
				context.Background(), executor.Request{Prompt: "do it", Dir: t.TempDir()})
			ev := evidence(t, err)
			assert.Equal(t, "network", ev.Type)
			assert.Equal(t, c.errno, ev.Errno)
			assert.Contains(t, ev.Text, c.text)
			assert.Zero(t, ev.Status)
			assert.ErrorIs(t, errs.Classify(err), errs.CodeProviderAPIError)
			assert.True(t, taxonomy.IsRetryable(errs.Classify(err)))
		})
	}
}

func TestDeadline(t *testing.T) {
	for name, reply := range map[string]providertest.Reply{
		"no answer":        providertest.Hang(),
		"an answer begins": providertest.AnthropicTruncated("I will").Ending(providertest.EndNever),
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, reply)
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			_, err := provider(t, server.URL).
				Call(ctx, executor.Request{Prompt: "do it", Dir: t.TempDir(), Limit: 50 * time.Millisecond})
			ev := evidence(t, err)
			assert.Equal(t, "timeout", ev.Type)
			assert.Equal(t, "50", ev.Attribute("timeout_ms"))
			assert.NotEmpty(t, ev.Attribute("elapsed_ms"))
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorIs(t, errs.Classify(err), errs.CodeOperationTimeout)
			ev.Attributes["iteration"] = "3" // as the executor does
			assert.ErrorIs(t, errs.Classify(ev), errs.CodeIterationTimeout)
		})
	}
}

func TestCancelled(t *testing.T) {
	why := errors.New("the user left")
	for name, cause := range map[string]error{"without a cause": nil, "with a cause": why} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, providertest.Hang())
			ctx, cancel := context.WithCancelCause(context.Background())
			done := make(chan error)
			go func() {
				_, err := provider(t, server.URL).Call(ctx, executor.Request{Prompt: "do it", Dir: t.TempDir()})
				done <- err
			}()
			require.NoError(t, server.Await(ctx, 1))
			cancel(cause)
			err := <-done
			assert.ErrorIs(t, err, context.Canceled)
			if cause != nil {
				assert.ErrorIs(t, err, cause)
			}
			var ev *taxonomy.Evidence
			assert.False(t, errors.As(err, &ev), "what was cancelled has not failed")
		})
	}
}

// The key is nowhere, however an error is shown and whatever the server says.
func TestTheKeyIsInNoError(t *testing.T) {
	echo := "invalid key " + key
	for name, reply := range map[string]providertest.Reply{
		"response":  providertest.AnthropicError(401, "authentication_error", echo).With("X-Ratelimit-Resource", key),
		"type":      providertest.AnthropicError(401, key, echo),
		"page":      {Status: 502, Body: "<html><title>" + echo + "</title></html>"},
		"no stream": {Body: echo},
		"in stream": providertest.AnthropicStreamError("authentication_error", echo),
		"malformed": {Events: []providertest.Event{{Name: "message_start", Data: echo}}},
		"reset":     providertest.Reset(),
		"stop":      providertest.AnthropicStop(key, ""),
		"refusal":   providertest.AnthropicMessage{StopReason: "refusal", Explanation: echo}.Reply(),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, reply)
			for err := err; err != nil; err = errors.Unwrap(err) {
				for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
					assert.NotContains(t, fmt.Sprintf(form, err), key, "%T as %s", err, form)
				}
				b, _ := json.Marshal(err)
				assert.NotContains(t, string(b), key)
			}
			ev := evidence(t, err)
			assert.NotContains(
				t, strings.Join([]string{ev.Text, ev.Type, ev.Code, fmt.Sprint(ev.Attributes), ev.Credential}, " "),
				key)
			var of *sdk.Error
			if errors.As(err, &of) {
				assert.NotContains(t, string(of.DumpRequest(true)), key)
				assert.NotContains(t, string(of.DumpResponse(true)), key)
				assert.NotContains(t, of.RawJSON(), key)
				assert.Empty(t, of.Request.Header.Get("X-Api-Key"))
			}
		})
	}
}
