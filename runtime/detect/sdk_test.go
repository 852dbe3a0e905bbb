package detect_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The types here have the shape of the errors of clients in use.
type (
	// apiError is OpenAI's.
	apiError struct {
		Code, Message, Param, Type string
		StatusCode                 int
		Request                    *http.Request
		Response                   *http.Response
		raw                        string
	}
	errorType string
	// anthropicError is Anthropic's.
	anthropicError struct {
		StatusCode int
		Request    *http.Request
		Response   *http.Response
		RequestID  string
		kind       errorType
		raw        string
	}
	// githubError is go-github's ErrorResponse.
	githubError struct {
		Response *http.Response
		Message  string
		Errors   []struct{ Code string }
	}
	timestamp struct{ time.Time }
	rate      struct {
		Limit, Remaining int
		Reset            timestamp
	}
	// githubLimit is go-github's RateLimitError.
	githubLimit struct {
		Rate     rate
		Response *http.Response
		Message  string
	}
	// githubAbuse is go-github's AbuseRateLimitError.
	githubAbuse struct {
		Response   *http.Response
		Message    string
		RetryAfter *time.Duration
	}
	// googleError is that of google.golang.org/api.
	googleError struct {
		Code    int
		Message string
		Body    string
		Header  http.Header
	}
	// pgError is pgconn's.
	pgError struct {
		Severity, Code, Message, Detail                   string
		SchemaName, TableName, ColumnName, ConstraintName string
		Line                                              int32
	}
	pqCode string
	// pqError is that of lib/pq.
	pqError struct {
		Severity string
		Code     pqCode
		Message  string

		Schema, Table, Column, Constraint string
	}
	// syntaxError has fields of those names without being a database's.
	syntaxError struct{ Table, Column, Constraint string }
	// oddSQL has an SQLSTATE and fields of other types.
	oddSQL struct{ Table, Column int }
	// smithyError is smithy's GenericAPIError.
	smithyError    struct{ Code, Message string }
	smithyResponse struct{ *http.Response }
	// SmithyHTTP is smithy's ResponseError.
	SmithyHTTP struct {
		Response *smithyResponse
		Err      error
	}
	// awsError is aws-sdk-go-v2's ResponseError.
	awsError struct {
		*SmithyHTTP
		RequestID string
	}
	// azureError is azcore's ResponseError.
	azureError struct {
		ErrorCode   string
		StatusCode  int
		RawResponse *http.Response
	}
	connectCode uint32
	// connectError is that of connectrpc.com/connect.
	connectError struct{ code connectCode }
	// textprotoError is net/textproto's.
	textprotoError struct {
		Code int
		Msg  string
	}
	// exitError is that of a process that is not os/exec's.
	exitError struct{ Status int }
	waiting   struct{ wait time.Duration }
	// exiting is an error with an exit code, as many commands return.
	exiting struct{ code int }
	// assorted has fields of other types than one expects.
	assorted struct {
		Status     uint16
		StatusCode string
		Code       uint8
		Type       int
		RequestID  int
		RetryAfter time.Duration
		Response   string
		Rate       *rate
		Header     string
		Body       string
	}
)

func (e *apiError) Error() string {
	return fmt.Sprintf("%s %q: %d %s", e.Request.Method, e.Request.URL, e.Response.StatusCode, e.raw)
}
func (e apiError) RawJSON() string          { return e.raw }
func (e *anthropicError) Error() string     { return fmt.Sprintf("%d %s", e.Response.StatusCode, e.raw) }
func (e *anthropicError) Type() errorType   { return e.kind }
func (e anthropicError) RawJSON() string    { return e.raw }
func (e *githubError) Error() string        { return e.Message }
func (e *githubLimit) Error() string        { return e.Message }
func (e *githubAbuse) Error() string        { return e.Message }
func (e *googleError) Error() string        { return e.Message }
func (e *pgError) Error() string            { return e.Message }
func (e *pgError) SQLState() string         { return e.Code }
func (e *pqError) Error() string            { return e.Message }
func (e *pqError) SQLState() string         { return string(e.Code) }
func (e *syntaxError) Error() string        { return "syntax" }
func (e oddSQL) Error() string              { return "odd" }
func (e oddSQL) SQLState() string           { return "42601" }
func (e *smithyError) Error() string        { return e.Message }
func (e *smithyError) ErrorCode() string    { return e.Code }
func (e *SmithyHTTP) Error() string         { return fmt.Sprint(e.Response.StatusCode, e.Err) }
func (e *SmithyHTTP) Unwrap() error         { return e.Err }
func (e *SmithyHTTP) HTTPStatusCode() int   { return e.Response.StatusCode }
func (e *azureError) Error() string         { return e.ErrorCode }
func (e *connectError) Error() string       { return e.code.String() }
func (e *connectError) Code() connectCode   { return e.code }
func (c connectCode) String() string        { return "resource_exhausted" }
func (e *textprotoError) Error() string     { return e.Msg }
func (e exitError) Error() string           { return fmt.Sprint("exit ", e.Status) }
func (e waiting) Error() string             { return "busy" }
func (e waiting) RetryAfter() time.Duration { return e.wait }

func (e exiting) Error() string   { return "exited" }
func (e exiting) ExitCode() int   { return e.code }
func (e exiting) StatusCode() int { return 404 }
func (e exiting) Status() int     { return 503 }
func (e exiting) Timeout() bool   { return true }
func (e *assorted) Error() string { return "assorted" }

func answer(status int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Add(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func TestOfErrorsOfClients(t *testing.T) {
	minute := time.Minute
	reset := time.Unix(1_800_000_000, 0).UTC()
	request, _ := http.NewRequest(http.MethodPost, "https://api.openai.com/v1/responses", nil)
	const limited = `{"message":"slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}`
	const overloaded = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},` +
		`"request_id":"req_1"}`
	const exhausted = `{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED",` +
		`"errors":[{"reason":"rateLimitExceeded"}]}}`
	for _, c := range []struct {
		err  error
		want taxonomy.Evidence
	}{
		{&apiError{Code: "rate_limit_exceeded", Message: "slow down", Type: "requests", StatusCode: 429,
			Request: request, raw: limited,
			Response: answer(429, limited, "X-Request-Id", "req_1", "Retry-After", "20", "Set-Cookie", "s=1")},
			taxonomy.Evidence{Type: "requests", Code: "rate_limit_exceeded", Status: 429,
				RetryAfter: taxonomy.Some(20 * time.Second),
				Text:       `POST "https://api.openai.com/v1/responses": 429 ` + limited,
				Attributes: attributes("request-id", "req_1", "retry-after", "20")}},
		{&anthropicError{StatusCode: 529, Response: answer(529, ""), RequestID: "req_1", kind: "overloaded_error",
			raw: overloaded},
			taxonomy.Evidence{Type: "overloaded_error", Status: 529, Text: "529 " + overloaded,
				Attributes: attributes("request-id", "req_1")}},
		{&anthropicError{StatusCode: 529, Response: answer(529, ""), raw: overloaded},
			taxonomy.Evidence{Type: "overloaded_error", Status: 529, Text: "529 " + overloaded,
				Attributes: attributes("request-id", "req_1")}},
		{&apiError{StatusCode: 429, Request: request, Response: answer(429, ""), raw: `{"status":500}`},
			taxonomy.Evidence{Status: 429, Text: `POST "https://api.openai.com/v1/responses": 429 {"status":500}`}},
		{&githubError{Message: "Not Found", Response: answer(
			404, `{"message":"no"}`, "X-Ratelimit-Remaining", "10", "X-Ratelimit-Reset", "1800000000")},
			taxonomy.Evidence{Status: 404, Text: "Not Found",
				Attributes: attributes("ratelimit-remaining", "10", "ratelimit-reset", "1800000000")}},
		{&githubError{Message: "", Response: answer(404, `{"message":"no"}`)},
			taxonomy.Evidence{Status: 404, Text: "no"}},
		{&githubLimit{Rate: rate{Limit: 60, Reset: timestamp{reset}}, Message: "limit", Response: answer(403, "")},
			taxonomy.Evidence{Status: 403, Text: "limit", ResetAt: reset,
				Attributes: attributes("ratelimit-remaining", "0")}},
		{&githubAbuse{Message: "secondary", RetryAfter: &minute, Response: answer(403, "")},
			taxonomy.Evidence{Status: 403, Text: "secondary", RetryAfter: taxonomy.Some(minute)}},
		{&googleError{Code: 429, Message: "Quota exceeded", Body: exhausted, Header: http.Header{"Retry-After": {"7"}}},
			taxonomy.Evidence{Status: 429, Type: "rateLimitExceeded", Code: "RESOURCE_EXHAUSTED",
				Text: "Quota exceeded", RetryAfter: taxonomy.Some(7 * time.Second),
				Attributes: attributes("retry-after", "7")}},
		{&pgError{Severity: "ERROR", Code: "23505", Message: "duplicate key",
			Detail:     "Key (email)=(a@b.c) already exists.",
			SchemaName: "public", TableName: "users", ConstraintName: "users_email_key"},
			taxonomy.Evidence{Code: "23505", Text: "duplicate key",
				Attributes: attributes("schema", "public", "table", "users", "constraint", "users_email_key")}},
		{&pgError{Code: "40001", Message: "again"},
			taxonomy.Evidence{Code: "40001", Text: "again", Effect: taxonomy.EffectNone}},
		{&pqError{Severity: "ERROR", Code: "23502", Message: "null", Schema: "public", Table: "users", Column: "email",
			Constraint: "c"},
			taxonomy.Evidence{Code: "23502", Text: "null", Attributes: attributes(
				"schema", "public", "table", "users", "column", "email", "constraint", "c")}},
		{&pqError{Severity: "ERROR", Code: "08006", Message: "gone"}, taxonomy.Evidence{Code: "08006", Text: "gone"}},
		{&syntaxError{"t", "c", "k"}, taxonomy.Evidence{Text: "syntax"}},
		{oddSQL{1, 2}, taxonomy.Evidence{Code: "42601", Text: "odd"}},
		{&smithyError{"ThrottlingException", "slow"}, taxonomy.Evidence{Code: "ThrottlingException", Text: "slow"}},
		{&awsError{&SmithyHTTP{&smithyResponse{answer(400, "", "Retry-After", "2")},
			&smithyError{"ThrottlingException", "slow"}}, "id"},
			taxonomy.Evidence{Status: 400, Code: "ThrottlingException", Text: "400 slow",
				RetryAfter: taxonomy.Some(2 * time.Second), Attributes: attributes(
					"request-id", "id", "retry-after", "2")}},
		{&azureError{ErrorCode: "AuthorizationFailed", StatusCode: 403, RawResponse: answer(403, "")},
			taxonomy.Evidence{Status: 403, Code: "AuthorizationFailed", Text: "AuthorizationFailed"}},
		{&connectError{8}, taxonomy.Evidence{Code: "resource_exhausted", Text: "resource_exhausted"}},
		{&textprotoError{550, "no such mailbox"}, taxonomy.Evidence{Code: "550", Text: "no such mailbox"}},
		{exitError{1}, taxonomy.Evidence{Text: "exit 1"}},
		{exitError{137}, taxonomy.Evidence{Text: "exit 137"}},
		{&pointed{Status: 503, Code: "E1"}, taxonomy.Evidence{Status: 503, Code: "E1", Type: "E1", Text: "E1"}},
		{waiting{3 * time.Second}, taxonomy.Evidence{Text: "busy", RetryAfter: taxonomy.Some(3 * time.Second)}},
		{exiting{3}, taxonomy.Evidence{Type: "timeout", Status: 404, ExitCode: taxonomy.Some(3), Text: "exited",
			Effect: taxonomy.EffectUnknown}},
		{exiting{-1}, taxonomy.Evidence{Type: "timeout", Status: 404, Text: "exited", Effect: taxonomy.EffectUnknown}},
		{&assorted{Status: 503, StatusCode: "404", Code: 7, Type: 1, RequestID: 2, RetryAfter: 5, Response: "r",
			Header: "h", Body: `{"code":"b"}`},
			taxonomy.Evidence{Status: 503, Code: "7", Text: "assorted", RetryAfter: taxonomy.Some(time.Duration(5))}},
		{waiting{-3}, taxonomy.Evidence{Text: "busy"}},
		{errors.Join(waiting{1}, waiting{2}),
			taxonomy.Evidence{Text: "busy\nbusy", RetryAfter: taxonomy.Some(time.Duration(1))}},
	} {
		for _, err := range []error{c.err, fmt.Errorf("call: %w", c.err)} {
			want := c.want
			want.Err = err
			if err != c.err && c.want.Text != "no" {
				want.Text = err.Error()
			}
			got := detect.Of(err)
			if err != c.err && c.want.Text == "no" {
				continue
			}
			assert.Equal(t, want, got, "of %T", c.err)
		}
	}
}

func TestOfEmptyClientErrors(t *testing.T) {
	for _, err := range []error{
		&apiError{}, &anthropicError{}, &githubError{}, &githubLimit{}, &githubAbuse{}, &googleError{}, &awsError{},
		&SmithyHTTP{},
		(*apiError)(nil), (*anthropicError)(nil), (*githubError)(nil), (*googleError)(nil), (*awsError)(nil),
		(*pgError)(nil), (*pqError)(nil), &azureError{}, (*connectError)(nil),
	} {
		assert.NotPanics(t, func() {
			ev := detect.Of(err)
			assert.Equal(t, taxonomy.Evidence{Text: ev.Text, Err: ev.Err}, ev, "of %T", err)
		})
	}
}
