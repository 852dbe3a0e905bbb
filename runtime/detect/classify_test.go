package detect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// mail is a taxonomy with three codes; the last is its fallback.
var mail = taxonomy.Taxonomy{
	Stack:   taxonomy.StackNever,
	Package: "mail", Domain: "mail.example", Fallback: "OTHER",
	Categories: []*taxonomy.Category{{Name: "delivery", Codes: []taxonomy.Code{
		{},
		{Value: "BOUNCED", Traits: plain, Own: needs(
			taxonomy.Field{Name: "address", From: []string{"attributes.to", "attributes.recipient"}, Type: "string"},
			taxonomy.Field{Name: "size", From: []string{"attributes.size"}, Type: "int"})},
		{Value: "GREYLISTED", Traits: plain,
			Own: needs(taxonomy.Field{Name: "polite", From: []string{"attributes.polite"}, Type: "bool"})},
		{Value: "OTHER", Traits: plain,
			Own: needs(taxonomy.Field{Name: "kind", From: []string{"type"}, Type: "enum", Enum: []string{"A", "B"}})},
	}}},
}

// needs are required fields of one code.
func needs(fields ...taxonomy.Field) *taxonomy.OwnType {
	for i := range fields {
		fields[i].Required = true
	}
	return &taxonomy.OwnType{Fields: fields}
}

var plain = taxonomy.Traits{Reaction: &taxonomy.Reaction{}}

// mailError is an error of mail.
type mailError struct {
	code  int
	text  string
	cause error
}

func (e *mailError) Error() string {
	return strings.ToLower(mail.Code(e.Row()).Value) + ": " +
		e.text
}
func (e *mailError) Taxonomy() *taxonomy.Taxonomy    { return &mail }
func (e *mailError) Row() taxonomy.Row               { return mailRow(e.code) }
func (e *mailError) Unwrap() error                   { return e.cause }
func (e *mailError) AppendMessage(dst []byte) []byte { return append(dst, e.Error()...) }
func (e *mailError) AppendContext(dst []byte) []byte { return append(dst, "{}"...) }
func (e *mailError) AppendJSON(dst []byte) []byte {
	return fmt.Appendf(dst, `{"code":%q}`, mail.Code(e.Row()).Value)
}
func (e *mailError) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

func mailRow(code int) taxonomy.Row { return taxonomy.At(0, uint16(code+1)) }

func mailRules() *detect.Rules {
	r := textRules(`(?i)mailbox \w+ is full`, `(?i)try again`, `mailbox`)
	full, again, mailbox := r.Rules[0], r.Rules[1], r.Rules[2]
	full.Name, full.Doc, full.Row = "BOUNCED/2", "{text: '(?i)mailbox \\w+ is full'}", mailRow(0)
	again.Name, again.Doc, again.Row = "GREYLISTED/1", "{text: '(?i)try again'}", mailRow(1)
	again.Set = []string{"polite"}
	mailbox.Name, mailbox.Row = "BOUNCED/3", mailRow(0)
	status := detect.Rule{
		Name: "BOUNCED/1", Doc: "{status: 550}", Row: mailRow(0), Derived: 3,
		Conditions: []detect.Condition{{Key: detect.Status, AnyNumber: []int{550}}},
	}
	full.Derived, again.Derived, mailbox.Derived = 0, 1, 2
	r.Rules = []detect.Rule{status, full, again, mailbox}
	r.Taxonomy = &mail
	r.Make = func(rule int, ev *taxonomy.Evidence) taxonomy.Error {
		code := 2
		if rule != detect.NoRule {
			code = r.Rules[rule].Row.Code() - 1
		}
		return &mailError{code: code, text: ev.Text, cause: ev.Err}
	}
	return r
}

// nilSafe is an error whose nil pointer is a valid error too.
type nilSafe struct{}

func (*nilSafe) Error() string { return "try again" }

// endless wraps itself.
type endless struct{ text string }

func (e *endless) Error() string { return e.text }
func (e *endless) Unwrap() error { return e }

// rude panics when it is asked anything.
type rude struct{}

func (rude) Error() string   { panic("Error") }
func (rude) Is(error) bool   { panic("Is") }
func (rude) As(any) bool     { panic("As") }
func (rude) Unwrap() []error { panic("Unwrap") }

func TestClassify(t *testing.T) {
	r := mailRules()
	for _, c := range []struct {
		name string
		raw  any
		opts []detect.Option
		want string
	}{
		{"a text", "Mailbox BOB is full", nil, "BOUNCED"},
		{"an error", errors.New("try again later"), nil, "GREYLISTED"},
		{"a response", &http.Response{StatusCode: 550, Body: http.NoBody}, nil, "BOUNCED"},
		{"evidence", taxonomy.Evidence{Status: 550}, nil, "BOUNCED"},
		{"a pointer to evidence", &taxonomy.Evidence{Text: "try again"}, nil, "GREYLISTED"},
		{"evidence in a chain", fmt.Errorf("send: %w", &taxonomy.Evidence{Status: 550}), nil, "BOUNCED"},
		{"nothing that a rule knows", io.EOF, nil, "OTHER"},
		{"an error that wraps itself", &endless{"try again"}, nil, "GREYLISTED"},
		{"an error that panics", rude{}, nil, "OTHER"},
		{"a nil pointer that is an error", (*nilSafe)(nil), nil, "GREYLISTED"},
		{"text switched off", "try again", []detect.Option{noText()}, "OTHER"},
	} {
		err := r.Classify(c.raw, c.opts)
		assert.Equal(t, c.want, taxonomy.CodeOf(err), c.name)
	}
}

// A wait is read in prose only if the profile searches texts, and nothing else has a hint.
func TestClassifyReadsWaits(t *testing.T) {
	const text = "HTTP 429: retry after 30"
	read := taxonomy.Evidence{Text: text, RetryAfter: taxonomy.Some(30 * time.Second), RetryAfterDerived: true}
	withStatus := read
	withStatus.Status, withStatus.StatusDerived = 429, true
	failed := errors.New(text)
	wrapped := withStatus
	wrapped.Err = failed
	for _, c := range []struct {
		name string
		raw  any
		opts []detect.Option
		want taxonomy.Evidence
	}{
		{"a text", text, nil, withStatus},
		{"an error", failed, nil, wrapped},
		{"a response", answer(429, "retry after 30"), nil, taxonomy.Evidence{Status: 429, Text: "retry after 30",
			RetryAfter: read.RetryAfter, RetryAfterDerived: true}},
		{"a response with a header", answer(429, "retry after 30", "Retry-After", "1"), nil,
			taxonomy.Evidence{Status: 429, Text: "retry after 30", RetryAfter: taxonomy.Some(time.Second),
				Attributes: attributes("retry-after", "1")}},
		{"evidence", taxonomy.Evidence{Text: text}, nil,
			taxonomy.Evidence{Text: text, Status: 429, StatusDerived: true}},
		{"text disabled", text, []detect.Option{noText()}, taxonomy.Evidence{Text: text}},
		{"text disabled, and a wait that was read before", read, []detect.Option{noText()},
			taxonomy.Evidence{Text: text}},
	} {
		r := mailRules()
		assert.Equal(t, c.want, r.Explain(c.raw, c.opts).Evidence, c.name)
		var made taxonomy.Evidence
		r.Make = func(rule int, ev *taxonomy.Evidence) taxonomy.Error {
			made = *ev
			return &mailError{}
		}
		_ = r.Classify(c.raw, c.opts)
		assert.Equal(t, c.want, made, c.name)
	}
}

func TestClassifyKeepsTheCause(t *testing.T) {
	cause := fmt.Errorf("send: %w", io.ErrUnexpectedEOF)
	err := mailRules().Classify(cause, nil)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, cause, errors.Unwrap(err))
	assert.NoError(t, errors.Unwrap(mailRules().Classify("try again", nil)))
}

func TestClassifyPasses(t *testing.T) {
	r := mailRules()
	own := fmt.Errorf("send: %w", &mailError{code: 1, text: "x"})
	cancelled := errors.Join(io.EOF, fmt.Errorf("send: %w", context.Canceled))
	for _, c := range []struct {
		name string
		raw  any
		want error
	}{
		{"nil", nil, nil},
		{"a nil pointer to an error", (*mailError)(nil), nil},
		{"nil evidence", (*taxonomy.Evidence)(nil), nil},
		{"no response", (*http.Response)(nil), nil},
		{"a cancelled context", context.Canceled, context.Canceled},
		{"a cancelled context, joined and wrapped", cancelled, cancelled},
		{"a cancelled context as evidence", taxonomy.Evidence{Text: "try again", Err: cancelled}, cancelled},
		{"an error of the taxonomy", own, own},
		{"an error of the taxonomy as evidence", taxonomy.Evidence{Err: own}, own},
	} {
		err := r.Classify(c.raw, nil)
		if c.want == nil {
			assert.NoError(t, err, c.name)
		} else {
			assert.Equal(t, c.want, err, c.name)
		}
	}
	assert.NoError(t, r.Classify((*taxonomy.Evidence)(nil), nil))
	for _, ev := range []*taxonomy.Evidence{nil, {Err: own}, {Err: cancelled, Status: 550}} {
		var room taxonomy.Evidence
		_, as, err := r.Decide(ev, &room, nil)
		assert.Nil(t, as)
		if ev != nil {
			assert.Equal(t, ev.Err, err)
		}
	}
	timeout := r.Classify(context.DeadlineExceeded, nil)
	assert.Equal(t, "OTHER", taxonomy.CodeOf(timeout), "a deadline is a failure")
	unknown := errors.New("cancelled by the user, try again")
	assert.Equal(t, "GREYLISTED", taxonomy.CodeOf(r.Classify(unknown, nil)),
		"and so is what only speaks of being cancelled")
}

// collector is a recorder for tests.
type collector struct {
	got   []taxonomy.Evidence
	err   error
	panic bool
}

func (c *collector) Record(ev *taxonomy.Evidence) error {
	if c.panic {
		panic("full")
	}
	c.got = append(c.got, *ev)
	return c.err
}

func TestUnmatched(t *testing.T) {
	r := mailRules()
	c := &collector{err: io.ErrShortWrite}
	opts := []detect.Option{detect.OnUnmatched(c), detect.WithSource(taxonomy.SourceName("smtp"))}
	assert.Equal(t, "BOUNCED", taxonomy.CodeOf(r.Classify(&taxonomy.Evidence{Status: 550}, opts)))
	assert.NoError(t, r.Classify(nil, opts))
	assert.Equal(t, context.Canceled, r.Classify(context.Canceled, opts))
	assert.Empty(t, c.got)
	assert.Equal(t, "OTHER", taxonomy.CodeOf(r.Classify("what is this", opts)))
	assert.Equal(t, "OTHER", taxonomy.CodeOf(r.Explain("not for the recorder", opts).Err))
	assert.Equal(t, []taxonomy.Evidence{{Source: "smtp", Text: "what is this"}}, c.got)
	assert.Equal(
		t, "OTHER", taxonomy.CodeOf(r.Classify("x", []detect.Option{detect.OnUnmatched(&collector{panic: true})})))
}

func TestClassifyTraces(t *testing.T) {
	table := taxonomy.Table{Taxonomy: &mail, Overlay: &taxonomy.Profile{
		Detection: taxonomy.Detection{Text: true}, Reporting: taxonomy.Reporting{Stack: true},
	}}
	err := mailRules().Classify("try again", []detect.Option{detect.WithTable(table)})
	assert.Equal(t, "GREYLISTED", taxonomy.CodeOf(err))
	assert.Contains(t, fmt.Sprintf("%+v", err), "TestClassifyTraces")
	var traced *taxonomy.Traced
	require.ErrorAs(t, err, &traced)
	assert.False(t, errors.As(mailRules().Classify("try again", nil), &traced))
}

// TestClassifyDoesNotKeepLongTexts checks how much of a text an error keeps.
func TestClassifyDoesNotKeepLongTexts(t *testing.T) {
	err := mailRules().Classify(strings.Repeat("try again ", 1<<20), nil)
	var made *mailError
	require.ErrorAs(t, err, &made)
	assert.LessOrEqual(t, len(made.text), detect.DefaultTextLimit)
}

// FuzzClassifyNeverPanics classifies texts, and values that contain them.
func FuzzClassifyNeverPanics(f *testing.F) {
	f.Add("404 Not Found", "smtp", 550, uint8(0))
	f.Add("HTTP/1.1 503\r\n{\"error\":{\"type\":\"overloaded\"}}", "", -1, uint8(1))
	f.Add("mailbox \xff\u212a is full", "x", 0, uint8(2))
	f.Add("status code", "", 0, uint8(3))
	f.Add("429", "", 0, uint8(4))
	r := mailRules()
	f.Fuzz(func(t *testing.T, text, source string, status int, kind uint8) {
		ev := taxonomy.Evidence{Source: source, Status: status, Text: text, Attributes: map[string]string{source: text}}
		raw := []any{
			text, ev, &ev, errors.New(text), fmt.Errorf("x: %w", errors.Join(&ev, rude{})), []byte(text),
			&endless{text},
			&http.Response{StatusCode: status, Header: http.Header{"Retry-After": {text}},
				Body: io.NopCloser(strings.NewReader(text))},
		}[kind%8]
		err := r.Classify(raw, []detect.Option{detect.WithSource(taxonomy.SourceName(source))})
		if raw, ok := raw.(error); err == nil && (!ok || raw != nil) {
			t.Fatal("no error")
		}
		e := r.Explain(raw, nil)
		if _, err := e.MarshalJSON(); err != nil || strings.Count(e.String(), "\n") > 20 {
			t.Fatalf("%v\n%s", err, e)
		}
	})
}

func TestUnknown(t *testing.T) {
	again := taxonomy.Reaction{Name: "again", Action: taxonomy.Retry}
	stop := taxonomy.Reaction{Name: "stop"}
	tax := &taxonomy.Taxonomy{Domain: "example.org",
		None: taxonomy.Traits{Reaction: &again, Retryable: true}, Permanent: taxonomy.Traits{Reaction: &stop}}
	rules := detect.Detection{Taxonomy: tax}
	err, ok := rules.Classify(&taxonomy.Evidence{
		Source: "git", Op: "push", Text: "remote hung up\npassword=correct-horse-battery-staple",
		Err: io.ErrUnexpectedEOF,
	}, nil).(*taxonomy.Unknown)
	require.True(t, ok)
	assert.EqualError(t, err, "git push: remote hung up")
	assert.Same(t, tax, err.Taxonomy())
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Empty(t, taxonomy.CodeOf(err))
	assert.False(t, taxonomy.IsRetryable(err))
	assert.Equal(t, "{}", string(err.AppendContext(nil)))
	assert.JSONEq(
		t, `{"domain":"example.org","name":"","category":"","code":"","message":"git push: remote hung up",`+
			`"retryable":false,"context":{}}`,
		string(err.AppendJSON(nil)))
}
