package detect_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestBody(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       taxonomy.Evidence
	}{
		{"empty", ``, taxonomy.Evidence{}},
		{"Anthropic",
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`,
			taxonomy.Evidence{Type: "overloaded_error", Text: "Overloaded",
				Attributes: attributes("request-id", "req_1")}},
		{"OpenAI",
			`{"error":{"message":"Too long","type":"invalid_request_error","param":"messages",` +
				`"code":"context_length_exceeded"}}`,
			taxonomy.Evidence{Type: "invalid_request_error", Code: "context_length_exceeded", Text: "Too long",
				Attributes: attributes("param", "messages")}},
		{"OpenAI without code", `{"error":{"message":"Bad key","type":"auth","param":null,"code":null}}`,
			taxonomy.Evidence{Type: "auth", Text: "Bad key"}},
		{"OpenRouter", `{"error":{"code":429,"message":"Slow down"}}`,
			taxonomy.Evidence{Status: 429, Text: "Slow down"}},
		{"GitHub",
			`{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}],` +
				`"documentation_url":"https://x","status":"422"}`,
			taxonomy.Evidence{Status: 422, Code: "missing_field", Text: "Validation Failed"}},
		{"Google",
			`{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED",` +
				`"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"},` +
				`{"retryDelay":"34.5s"}]}}`,
			taxonomy.Evidence{Status: 429, Code: "RESOURCE_EXHAUSTED", Type: "RATE_LIMIT_EXCEEDED",
				Text: "Quota exceeded", RetryAfter: taxonomy.Some(34500 * time.Millisecond)}},
		{"Google's quota per minute",
			`{"error":{"code":429,"message":"Quota exceeded","details":[` +
				`{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]}]}}`,
			taxonomy.Evidence{Status: 429, Text: "Quota exceeded",
				Attributes: map[string]string{"quota-period": "minute"}}},
		{"Google's quotas per minute and per day",
			`{"error":{"code":429,"message":"Quota exceeded","details":[` +
				`{"metadata":{"quota_limit":"RequestsPerMinute_PerProject_PerUser"}},` +
				`{"violations":[{"quotaId":"RequestsPerMinute"},{"quotaId":"RequestsPerDay"}]}]}}`,
			taxonomy.Evidence{Status: 429, Text: "Quota exceeded",
				Attributes: map[string]string{"quota-period": "day"}}},
		{"Google's list", `[{"error":{"code":503,"message":"Busy","status":"UNAVAILABLE"}}]`,
			taxonomy.Evidence{Status: 503, Code: "UNAVAILABLE", Text: "Busy"}},
		{"RFC 9457", `{"type":"https://x/out-of-credit","title":"No credit.","status":403,"detail":"30 needed"}`,
			taxonomy.Evidence{Type: "https://x/out-of-credit", Status: 403, Text: "No credit.: 30 needed"}},
		{"RFC 9457 blank", `{"type":"about:blank","title":"Not Found","status":404}`,
			taxonomy.Evidence{Status: 404, Text: "Not Found"}},
		{"GraphQL",
			`{"data":null,"errors":[{"type":"RATE_LIMITED","message":"exceeded","extensions":{"code":"LIMIT"}}]}`,
			taxonomy.Evidence{Type: "RATE_LIMITED", Code: "LIMIT", Text: "exceeded"}},
		{"OAuth", `{"error":"unauthorized","error_description":"Expired"}`,
			taxonomy.Evidence{Code: "unauthorized", Text: "Expired"}},
		{"OAuth without description", `{"error":"invalid_grant"}`,
			taxonomy.Evidence{Code: "invalid_grant", Text: "invalid_grant"}},
		{"error as text", `{"error":"Not found"}`, taxonomy.Evidence{Text: "Not found"}},
		{"AWS", `{"__type":"ThrottlingException","Message":"Rate exceeded"}`,
			taxonomy.Evidence{Type: "ThrottlingException", Text: "Rate exceeded"}},
		{"NestJS", `{"statusCode":404,"message":"No user","error":"Not Found"}`,
			taxonomy.Evidence{Status: 404, Text: "No user"}},
		{"FastAPI", `{"detail":"Not Found"}`, taxonomy.Evidence{Text: "Not Found"}},
		{"Discord", `{"message":"limited","retry_after":1.25,"code":20028}`,
			taxonomy.Evidence{Text: "limited", Code: "20028", RetryAfter: taxonomy.Some(1250 * time.Millisecond)}},
		{"JSON-RPC", `{"jsonrpc":"2.0","error":{"code":-32601,"message":"No method"}}`,
			taxonomy.Evidence{Code: "-32601", Text: "No method"}},
		{"SQL", `{"code":"08006","message":"gone"}`, taxonomy.Evidence{Code: "08006", Text: "gone"}},
		{"plain", `{"message":"gone","code":410,"type":"x"}`, taxonomy.Evidence{Status: 410, Type: "x", Text: "gone"}},
		{"status as word", `{"status":"error","message":"gone"}`, taxonomy.Evidence{Text: "gone"}},
		{"a limit that is renewed",
			`{"error":{"type":"usage_limit_reached","message":"limited","resets_in_seconds":90}}`,
			taxonomy.Evidence{Type: "usage_limit_reached", Text: "limited", RetryAfter: taxonomy.Some(90 * time.Second),
				Attributes: map[string]string{"ratelimit-reset": "90"}}},
		{"the time of a renewal", `{"error":{"message":"limited","resets_at":"2026-07-01T10:00:00Z"}}`,
			taxonomy.Evidence{Text: "limited", ResetAt: time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC),
				Attributes: map[string]string{"ratelimit-reset": "2026-07-01T10:00:00Z"}}},
		{"absurd numbers", `{"status":99999999999999999999,"code":0,"message":"gone","retry_after":-1}`,
			taxonomy.Evidence{Text: "gone"}},
		{"an absurd wait", `{"message":"gone","retry_after":1e308}`,
			taxonomy.Evidence{Text: "gone", RetryAfter: taxonomy.Some[time.Duration](math.MaxInt64)}},
		{"nothing known", `{"a":1}`, taxonomy.Evidence{Text: `{"a":1}`}},
		{"wrong types", `{"message":1,"error":[],"errors":{},"type":{},"code":[]}`,
			taxonomy.Evidence{Text: `{"message":1,"error":[],"errors":{},"type":{},"code":[]}`}},
		{"garbage behind", `{"message":"gone","code":"E1"} oops`,
			taxonomy.Evidence{Code: "E1", Text: `{"message":"gone","code":"E1"} oops`}},
		{"cut off", `{"message":"gone","code":"E1`, taxonomy.Evidence{Text: `{"message":"gone","code":"E1`}},
		{"HTML", " <html>502 Bad Gateway</html>\n", taxonomy.Evidence{Text: "<html>502 Bad Gateway</html>"}},
		{"text", "upstream timed out", taxonomy.Evidence{Text: "upstream timed out"}},
		{"JSON text", `"gone"`, taxonomy.Evidence{Text: `"gone"`}},
		{"null", `null`, taxonomy.Evidence{Text: "null"}},
		{"long names", `{"code":"` + strings.Repeat("x", 300) + `","message":"gone"}`, taxonomy.Evidence{Text: "gone"}},
	} {
		var ev taxonomy.Evidence
		detect.Body(&ev, []byte(c.body))
		c.want.CodeDerived = c.want.Status == 0 && c.want.Type+c.want.Code != ""
		assert.Equal(t, c.want, ev, c.name)
	}
}

func TestBodyFillsOnlyWhatIsAbsent(t *testing.T) {
	shared := attributes("param", "kept")
	ev := taxonomy.Evidence{Type: "t", Code: "c", Status: 1, Text: "x", RetryAfter: taxonomy.Some(time.Second),
		Attributes: shared}
	want := ev
	want.Attributes = attributes("param", "kept", "request-id", "r")
	detect.Body(
		&ev, []byte(
			`{"request_id":"r","error":{"type":"T","code":"C","status":500,"message":"M","param":"P",`+
				`"retry_after":9}}`))
	assert.Equal(t, want, ev)
	assert.Equal(t, attributes("param", "kept"), shared, "what others share stays as it was")
}

func TestBodyIsBounded(t *testing.T) {
	for _, body := range []string{
		`{"message":"gone","pad":"` + strings.Repeat("x", 2<<20) + `"}`,
		strings.Repeat("[", 1<<20),
		`{"error":` + strings.Repeat(`{"error":`, 100_000),
		strings.Repeat("é", 2<<20),
	} {
		var ev taxonomy.Evidence
		detect.Body(&ev, []byte(body))
		assert.LessOrEqual(t, len(ev.Text), 1<<20)
		assert.True(t, strings.HasSuffix(body, ev.Text))
	}
}

func FuzzBody(f *testing.F) {
	f.Add([]byte(
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded","details":[{"retryDelay":"1s"}]},` +
			`"status":"500"}`))
	f.Add([]byte(`[{"errors":[{"extensions":{"code":1e400}}],"retry_after":1e30}] x`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var ev taxonomy.Evidence
		detect.Body(&ev, body)
		again := ev
		detect.Body(&again, body)
		assert.Equal(t, ev, again, "what is there is not replaced")
		assert.LessOrEqual(t, max(len(ev.Code), len(ev.Type)), 256)
		assert.True(t, ev.Status == 0 || 100 <= ev.Status && ev.Status <= 599)
		if d, ok := ev.RetryAfter.Get(); ok {
			assert.GreaterOrEqual(t, d, time.Duration(0))
		}
	})
}

func TestBodyReadsJSONAsWritten(t *testing.T) {
	for _, c := range []struct {
		body string
		want taxonomy.Evidence
	}{
		{" {\n \"co\\u0064e\" : \"E1\" ,\t\"message\":\"a \\\"b\\\" \\\\\" , \"x\" : [ { } , [ ] , \"}\" ] }\r\n",
			taxonomy.Evidence{Code: "E1", Text: `a "b" \`}},
		{`{"code":"E1","code":"E2","message":"gone"}`, taxonomy.Evidence{Code: "E2", Text: "gone"}},
		{`{"CODE":"E1","message":"gone"}`, taxonomy.Evidence{Text: "gone"}},
		{`{"code":1e2,"message":"gone","status": 404 }`, taxonomy.Evidence{Status: 404, Code: "100", Text: "gone"}},
		{`{"error" : null , "errors" : [ null , 1 , "x" , [{"code":"E0"}] , {"code":"E1","message":"gone"} ] }`,
			taxonomy.Evidence{Code: "E1", Text: "gone"}},
		{`{"errors":[` + strings.Repeat("1,", 16) + `{"code":"E1"}],"message":"gone"}`,
			taxonomy.Evidence{Text: "gone"}},
		{`{"code":"E1",}`, taxonomy.Evidence{Text: `{"code":"E1",}`}},
		{`{"code":"E1"]`, taxonomy.Evidence{Text: `{"code":"E1"]`}},
		{`{"code"`, taxonomy.Evidence{Text: `{"code"`}},
		{`[{"code":"E1"}] x`, taxonomy.Evidence{Code: "E1", Text: `[{"code":"E1"}] x`}},
		{`[{"code":"E1","message":"gone"}, {}]`, taxonomy.Evidence{Code: "E1", Text: "gone"}},
	} {
		var ev taxonomy.Evidence
		detect.Body(&ev, []byte(c.body))
		c.want.CodeDerived = c.want.Status == 0 && c.want.Code != ""
		assert.Equal(t, c.want, ev, c.body)
	}
}

func TestSetText(t *testing.T) {
	zero, minute := taxonomy.Some(0), taxonomy.Some(time.Minute)
	tests := []struct {
		name       string
		told, want taxonomy.Evidence
		text       string
	}{
		{"an error body", taxonomy.Evidence{Status: 429},
			taxonomy.Evidence{Status: 429, Type: "insufficient_quota", Code: "out", Text: "Out of credits"},
			`{"error":{"message":"Out of credits","type":"insufficient_quota","code":"out"}}`},
		{"flags say better", taxonomy.Evidence{Type: "mine"}, taxonomy.Evidence{Type: "mine", Text: "no"},
			`{"error":{"message":"no","type":"theirs"}}`},
		{"a body that ended well", taxonomy.Evidence{ExitCode: zero},
			taxonomy.Evidence{ExitCode: zero, Text: `{"type":"result"}`}, `{"type":"result"}`},
		{"words to wait by", taxonomy.Evidence{}, taxonomy.Evidence{
			Text: "Retry after 30 seconds", RetryAfter: taxonomy.Some(30 * time.Second), RetryAfterDerived: true,
		}, "Retry after 30 seconds"},
		{"a flag to wait by", taxonomy.Evidence{RetryAfter: minute},
			taxonomy.Evidence{Text: "Retry after 30 seconds", RetryAfter: minute}, "Retry after 30 seconds"},
		{"a line that is indented", taxonomy.Evidence{}, taxonomy.Evidence{Text: " ! [rejected]\n"}, " ! [rejected]\n"},
		{"half of a body", taxonomy.Evidence{}, taxonomy.Evidence{Text: `{"error":{"type":"x"`},
			`{"error":{"type":"x"`},
		{"nothing", taxonomy.Evidence{}, taxonomy.Evidence{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			detect.SetText(&tt.told, []byte(tt.text))
			assert.Equal(t, tt.want, tt.told)
		})
	}
}
