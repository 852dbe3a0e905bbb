package openai

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func seconds(n float64) taxonomy.Opt[time.Duration] {
	return taxonomy.Some(time.Duration(n * float64(time.Second)))
}

func TestFailuresBecomeEvidence(t *testing.T) {
	for _, c := range []struct {
		what      string
		reply     pt.Reply
		want      taxonomy.Evidence
		attribute [2]string
		code      string
		retryable bool
	}{
		{"429", pt.OpenAIRateLimit("3600"),
			taxonomy.Evidence{Status: 429, Type: "requests", Code: "rate_limit_exceeded", RetryAfter: seconds(3600)},
			[2]string{"ratelimit-limit-requests", "500"}, "PROVIDER_RATE_LIMIT", true},
		{"429 by the limit that is spent", pt.OpenAITokenLimit("6m0s"),
			taxonomy.Evidence{Status: 429, Type: "tokens", Code: "rate_limit_exceeded", RetryAfter: seconds(360)},
			[2]string{"ratelimit-remaining-tokens", "0"}, "PROVIDER_RATE_LIMIT", true},
		{"429 for a quota that is used up", pt.OpenAIQuota(),
			taxonomy.Evidence{Status: 429, Type: "insufficient_quota", Code: "insufficient_quota"},
			[2]string{}, "PROVIDER_API_ERROR", false},
		{"429 for a spend limit", pt.OpenAISpendLimit(),
			taxonomy.Evidence{Status: 429, Type: "insufficient_quota", Code: "project_spend_limit_exceeded"},
			[2]string{}, "PROVIDER_API_ERROR", false},
		{"400 for a hard limit", pt.OpenAIHardLimit(),
			taxonomy.Evidence{Status: 400, Type: "invalid_request_error", Code: "billing_hard_limit_reached"},
			[2]string{}, "PROVIDER_API_ERROR", false},
		{"401", pt.OpenAIAuth(), taxonomy.Evidence{Status: 401, Type: "invalid_request_error", Code: "invalid_api_key"},
			[2]string{"request-id", "req_4f1b5d0a6d1c4e5f9a7b3c2d1e0f9a8b"}, "PERMISSION_API_AUTH", false},
		{"403", pt.OpenAIForbidden(),
			taxonomy.Evidence{Status: 403, Type: "request_forbidden", Code: "unsupported_country_region_territory"},
			[2]string{"host", "127.0.0.1"}, "PERMISSION_API_AUTH", false},
		{"404", pt.OpenAINotFound(),
			taxonomy.Evidence{Status: 404, Type: "invalid_request_error", Code: "model_not_found"},
			[2]string{}, "PROVIDER_API_ERROR", false},
		{"408", pt.OpenAIError(408, "", "", "slow"), taxonomy.Evidence{Status: 408, Text: "slow"}, [2]string{},
			"PROVIDER_API_ERROR", true},
		{"409", pt.OpenAIError(409, "", "", "busy"), taxonomy.Evidence{Status: 409, Text: "busy"}, [2]string{},
			"PROVIDER_API_ERROR", true},
		{"413", pt.OpenAITooLarge(), taxonomy.Evidence{Status: 413, Type: "invalid_request_error"}, [2]string{},
			"PROVIDER_API_ERROR", false},
		{"400 for a context that is too long", pt.OpenAIContextLength(),
			taxonomy.Evidence{Status: 400, Type: "invalid_request_error", Code: "context_length_exceeded"},
			[2]string{"param", "messages"}, "PROVIDER_API_ERROR", false},
		{"500", pt.OpenAIServerError(), taxonomy.Evidence{Status: 500, Type: "server_error"}, [2]string{},
			"PROVIDER_API_ERROR", true},
		{"503", pt.OpenAIOverloaded(),
			taxonomy.Evidence{Status: 503, Type: "service_unavailable_error", Code: "server_is_overloaded"},
			[2]string{}, "PROVIDER_API_ERROR", true},
		{"502 of a gateway", pt.GatewayHTML(502), taxonomy.Evidence{Status: 502, Text: "502 Bad Gateway"}, [2]string{},
			"PROVIDER_API_ERROR", true},
		{"403 of a gateway", pt.GatewayHTML(403), taxonomy.Evidence{Status: 403, Text: "403 Forbidden"}, [2]string{},
			"PERMISSION_API_AUTH", false},
		{"503 in plain words", pt.Reply{Status: 503, Body: "no healthy upstream"},
			taxonomy.Evidence{Status: 503, Text: "no healthy upstream"},
			[2]string{}, "PROVIDER_API_ERROR", true},
		{"500 without a word", pt.Reply{Status: 500}, taxonomy.Evidence{Status: 500, Text: "Internal Server Error"},
			[2]string{}, "PROVIDER_API_ERROR", true},
		{"500 with JSON that is cut", pt.Reply{Status: 500, Body: `{"error":{"type":"a`},
			taxonomy.Evidence{Status: 500, Text: `{"error":{"type":"a`},
			[2]string{}, "PROVIDER_API_ERROR", true},
		{"another form of error",
			pt.Reply{Status: 400,
				Body: `{"object":"error","message":"no such model","type":"BadRequestError","code":400}`},
			taxonomy.Evidence{Status: 400, Type: "BadRequestError", Text: "no such model"}, [2]string{},
			"PROVIDER_API_ERROR", false},
		{"a page with status 200", pt.GatewayHTML(200), taxonomy.Evidence{Type: "stream", Text: "200 OK"}, [2]string{},
			"PROVIDER_API_ERROR", true},
		{"an error object with status 200",
			pt.Reply{Body: `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`},
			taxonomy.Evidence{Type: "requests", Code: "rate_limit_exceeded", Text: "slow down"}, [2]string{},
			"PROVIDER_RATE_LIMIT", true},
		{"nothing with status 200", pt.Reply{},
			taxonomy.Evidence{Type: "stream", Text: "the server did not answer with a stream"},
			[2]string{}, "PROVIDER_API_ERROR", true},

		{"an error in the stream, by type", pt.OpenAIStreamError("server_error", "", "The server had an error"),
			taxonomy.Evidence{Type: "server_error", Text: "The server had an error"},
			[2]string{"request-id", "req_4f1b5d0a6d1c4e5f9a7b3c2d1e0f9a8b"}, "PROVIDER_API_ERROR", true},
		{"an error in the stream, by code", pt.OpenAIStreamError(
			"tokens", "rate_limit_exceeded", "Please try again in 1.5s."),
			taxonomy.Evidence{Type: "tokens", Code: "rate_limit_exceeded", RetryAfter: seconds(1.5)}, [2]string{},
			"PROVIDER_RATE_LIMIT", true},
		{"a quota in the stream", pt.OpenAIStreamError("insufficient_quota", "insufficient_quota", "no"),
			taxonomy.Evidence{Type: "insufficient_quota", Code: "insufficient_quota"},
			[2]string{}, "PROVIDER_API_ERROR", false},
		{"a key in the stream", pt.OpenAIStreamError("invalid_request_error", "invalid_api_key", "no"),
			taxonomy.Evidence{Type: "invalid_request_error", Code: "invalid_api_key"},
			[2]string{}, "PERMISSION_API_AUTH", false},
		{"an error in the stream without a name", pt.OpenAIStreamError("", "", "Compute error."),
			taxonomy.Evidence{Type: "stream", Text: "Compute error."},
			[2]string{}, "PROVIDER_API_ERROR", true},
		{"a status in the stream", stream(`{"error":{"code":429,"message":"slow down"}}`),
			taxonomy.Evidence{Status: 429, Text: "slow down"}, [2]string{}, "PROVIDER_RATE_LIMIT", true},
		{"an error in the stream that is a text", stream(`{"error":"model is loading"}`),
			taxonomy.Evidence{Type: "stream", Text: "model is loading"}, [2]string{}, "PROVIDER_API_ERROR", true},
		{"an error event of another form", stream(`{"code":400,"details":"bad","message":"logprobs of 21"}`, "[DONE]"),
			taxonomy.Evidence{Status: 400, Text: "logprobs of 21"},
			[2]string{}, "PROVIDER_API_ERROR", false},
		{"a stream that ends too early", pt.OpenAITruncated("I will"),
			taxonomy.Evidence{Type: "stream", Text: "the stream ended before the answer did"},
			[2]string{}, "PROVIDER_API_ERROR", true},
		{"a stream that says it is done and is not", stream("[DONE]"), taxonomy.Evidence{Type: "stream"}, [2]string{},
			"PROVIDER_API_ERROR", true},
		{"a gateway that ends with an error", pt.OpenAIFinish("error", "I will"), taxonomy.Evidence{Type: "stream"},
			[2]string{"finish_reason", "error"}, "PROVIDER_API_ERROR", true},
		{"an event that is no JSON", pt.OpenAIMalformed(),
			taxonomy.Evidence{Type: "stream", Text: "unexpected end of JSON input"}, [2]string{}, "PROVIDER_API_ERROR",
			true},
		{"a stream that breaks off", pt.OpenAITruncated("I will").Ending(pt.EndEarly),
			taxonomy.Evidence{Type: "network", Text: "unexpected EOF"}, [2]string{}, "PROVIDER_API_ERROR", true},
		{"no answer", pt.Reset(), taxonomy.Evidence{Type: "network", Errno: "ECONNRESET"}, [2]string{},
			"PROVIDER_API_ERROR", true},
		{"an error whose body breaks off", pt.Reply{Status: 429, Body: `{"error":`}.Ending(pt.EndEarly),
			taxonomy.Evidence{Status: 429, Text: `{"error":`}, [2]string{}, "PROVIDER_RATE_LIMIT", true},

		{"an answer that is cut off", pt.OpenAIFinish("length", "I will"),
			taxonomy.Evidence{Type: "length", Text: "the answer was cut off: it reached the limit of tokens"},
			[2]string{"finish_reason", "length"}, "PROVIDER_CRASH", true},
		{"an answer that is withheld", pt.OpenAIFinish("content_filter", ""),
			taxonomy.Evidence{Type: "content_filter", Text: "the answer was withheld by the provider's content filter"},
			[2]string{"finish_reason", "content_filter"}, "PROVIDER_CRASH", true},
		{"arguments that are no JSON", pt.OpenAITool("write_file", `{"path":"a.txt","content":"hel`),
			taxonomy.Evidence{Type: "tool_arguments"},
			[2]string{"tool", "write_file"}, "PROVIDER_CRASH", true},
		{"a command that is not allowed", pt.OpenAITool("run_command", `{"command":"rm -rf /"}`),
			taxonomy.Evidence{Type: "command_blocked"},
			[2]string{"policy", "strict"}, "PERMISSION_COMMAND_BLOCKED", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			server, p := served(t, strict, c.reply.Always())
			answer, err := p.Call(t.Context(), request(t))
			ev := evidenceOf(t, err)
			assert.Equal(t, 1, server.Count(), "a failure is asked for once")
			assert.Empty(t, answer.Failure)
			assert.Equal(t, "call", ev.Op)
			got := taxonomy.Evidence{Status: ev.Status, Type: ev.Type, Code: ev.Code, Errno: ev.Errno,
				RetryAfter: ev.RetryAfter, Text: ev.Text}
			if c.want.Text == "" {
				assert.NotEmpty(t, ev.Text)
				got.Text = ""
			}
			assert.Equal(t, c.want, got)
			assert.False(t, ev.StatusDerived)
			assert.Equal(t, c.attribute[1], ev.Attribute(c.attribute[0]))

			classified := errs.Classify(err)
			assert.Equal(t, c.code, taxonomy.CodeOf(classified))
			assert.Equal(t, c.retryable, taxonomy.IsRetryable(classified))
		})
	}
}

func strict(o *Options) {
	o.Toolbox.Commands.Name, o.Toolbox.Commands.Allow = "strict", []string{"make test"}
}

// stream is an answer with these events.
func stream(data ...string) pt.Reply {
	var r pt.Reply
	for _, d := range data {
		r.Events = append(r.Events, pt.Event{Data: d})
	}
	return r
}

func TestWaitsThatAreAskedFor(t *testing.T) {
	limited := pt.OpenAIRateLimit("")
	date := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		what  string
		reply pt.Reply
		want  taxonomy.Opt[time.Duration]
		reset time.Time
	}{
		{"seconds", limited.With("Retry-After", "30"), seconds(30), time.Time{}},
		{"a fraction", limited.With("Retry-After", "0.5"), seconds(0.5), time.Time{}},
		{"an hour, which nobody sleeps here", limited.With("Retry-After", "3600"), seconds(3600), time.Time{}},
		{"milliseconds before seconds", limited.With("Retry-After", "30").With("Retry-After-Ms", "1250"), seconds(1.25),
			time.Time{}},
		{"a date", limited.With("Date", date.Format(http.TimeFormat)).
			With("Retry-After", date.Add(90*time.Second).Format(http.TimeFormat)), seconds(90), time.Time{}},
		{"a date that has passed", limited.With("Date", date.Format(http.TimeFormat)).
			With("Retry-After", date.Add(-time.Hour).Format(http.TimeFormat)), seconds(0), time.Time{}},
		{"the limit that is spent", limited.With("X-Ratelimit-Remaining-Requests", "0").
			With("X-Ratelimit-Reset-Requests", "1m30s"), seconds(90), time.Time{}},
		{"not the limit that is left", limited.With("X-Ratelimit-Remaining-Requests", "5").
			With("X-Ratelimit-Reset-Requests", "1m30s"), taxonomy.Opt[time.Duration]{}, time.Time{}},
		{"a time", limited.With("X-Ratelimit-Reset", "1772366400"), taxonomy.Opt[time.Duration]{}, date},
		{"words",
			pt.OpenAIError(429, "tokens", "rate_limit_exceeded", "Limit 30000. Please try again in 2.4s. Visit us."),
			seconds(2.4), time.Time{}},
		{"the header before words", pt.OpenAIError(429, "tokens", "rate_limit_exceeded", "Please try again in 2.4s.").
			With("Retry-After", "3"), seconds(3), time.Time{}},
		{"nonsense", limited.With("Retry-After", "soon"), taxonomy.Opt[time.Duration]{}, time.Time{}},
		{"less than nothing", limited.With("Retry-After", "-5"), taxonomy.Opt[time.Duration]{}, time.Time{}},
		{"ten years", limited.With("Retry-After", "315360000"), seconds(315360000), time.Time{}},
		{"more than there is time", limited.With("Retry-After", "1e20"), taxonomy.Some[time.Duration](math.MaxInt64),
			time.Time{}},
	} {
		t.Run(c.what, func(t *testing.T) {
			server, p := served(t, nil, c.reply.Always())
			_, err := p.Call(t.Context(), request(t))
			ev := evidenceOf(t, err)
			assert.Equal(t, c.want, ev.RetryAfter)
			assert.True(t, c.reset.Equal(ev.ResetAt), "%v", ev.ResetAt)
			assert.Equal(t, 1, server.Count())
			assert.Equal(t, "PROVIDER_RATE_LIMIT", taxonomy.CodeOf(errs.Classify(err)))
		})
	}
}

func TestNameOfTheProvider(t *testing.T) {
	_, p := served(t, func(o *Options) { o.Name = "my-gateway" }, pt.OpenAIAuth())
	assert.Equal(t, "my-gateway", p.Name())
	_, err := p.Call(t.Context(), request(t))
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Equal(t, "my-gateway", ev.Source)
	assert.Equal(t, p.Credential(), ev.Credential)
}

func TestRetriesOfTheSDKStayOff(t *testing.T) {
	for _, c := range []struct {
		what  string
		reply pt.Reply
	}{
		{"429", pt.OpenAIRateLimit("3600")},
		{"500", pt.OpenAIServerError()},
		{"408", pt.OpenAIError(408, "", "", "slow")},
		{"the server asks for it", pt.OpenAIError(400, "", "", "again").With("X-Should-Retry", "true")},
		{"no answer", pt.Reset()},
	} {
		t.Run(c.what, func(t *testing.T) {
			server, p := served(t, func(o *Options) {
				o.Settings = []option.RequestOption{option.WithMaxRetries(5)}
			}, c.reply.Always())
			_, err := p.Call(t.Context(), request(t))
			require.Error(t, err)
			assert.Equal(t, 1, server.Count(), "whatever the host's own settings say")
		})
	}
}
