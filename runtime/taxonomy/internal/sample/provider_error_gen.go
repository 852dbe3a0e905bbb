package sample

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// ProviderCode is a code of [ProviderError]. The zero ProviderCode is no code.
type ProviderCode uint16

// The codes of [ProviderError].
const (
	// CodeProviderCrash: the provider process died.
	CodeProviderCrash ProviderCode = 1
	// CodeProviderAPIError: the provider's API answered with an error.
	CodeProviderAPIError ProviderCode = 2
	// CodeProviderRateLimit: the provider asks to slow down.
	CodeProviderRateLimit ProviderCode = 3
)

const (
	rowProviderCrashWhen1    taxonomy.Row = 8
	rowProviderAPIErrorWhen2 taxonomy.Row = 9
)

// Error returns the code's value on the wire.
func (c ProviderCode) Error() string { return gen.CodeValue(c.Row(), &definition) }

// String returns the code's value on the wire.
func (c ProviderCode) String() string { return gen.CodeValue(c.Row(), &definition) }

// Taxonomy returns the taxonomy that the code belongs to.
func (c ProviderCode) Taxonomy() *taxonomy.Taxonomy { return &definition }

// Row returns the code's row, without any `when` branch.
func (c ProviderCode) Row() taxonomy.Row {
	return gen.CodeRow(uint16(c), 2, 3)
}

// Reaction returns what is to be done about the code, without any `when` branch.
func (c ProviderCode) Reaction() taxonomy.Reaction { return *definition.Rows[c.Row()].Reaction }

// MarshalText returns the code's value on the wire; no code is an error.
func (c ProviderCode) MarshalText() ([]byte, error) { return gen.MarshalCode(c.Row(), &definition) }

// UnmarshalText reads a value or alias of one of these codes.
func (c *ProviderCode) UnmarshalText(text []byte) error {
	n, err := gen.UnmarshalCode(text, &definition, categoryProvider)
	if err != nil {
		return err
	}
	*c = ProviderCode(n)
	return nil
}

const providerRawError = gen.Scrub | gen.KeepTail | 2000

// ProviderError says that the provider failed. Its factories are the only way to give it a code.
type ProviderError struct {
	code  ProviderCode
	cause error

	// Unmatched: no rule described it.
	Unmatched taxonomy.Opt[bool] `json:"unmatched,omitzero"`
	// RetryAfter says how long to wait.
	RetryAfter taxonomy.Opt[time.Duration] `json:"retryAfter,omitzero"`
	Run        taxonomy.Opt[Run]           `json:"run,omitzero"`
	// Provider says who failed.
	Provider string `json:"provider"`
	// StatusCode is the HTTP status, when there was one.
	StatusCode taxonomy.Opt[int] `json:"statusCode,omitzero"`
	// RawError is shown with secrets masked, and cut to 2000 bytes.
	RawError taxonomy.Opt[string]    `json:"rawError,omitzero"`
	Token    taxonomy.Secret[string] `json:"token,omitzero"`
}

// NewProviderCrash returns a [CodeProviderCrash]: the provider process died.
func NewProviderCrash(provider string) *ProviderError {
	return &ProviderError{code: CodeProviderCrash, Provider: provider}
}

// NewProviderAPIError returns a [CodeProviderAPIError]: the provider's API answered with an error.
func NewProviderAPIError(provider, rawError string) *ProviderError {
	return &ProviderError{code: CodeProviderAPIError, Provider: provider, RawError: taxonomy.Some(rawError)}
}

// NewProviderRateLimit returns a [CodeProviderRateLimit]: the provider asks to slow down.
func NewProviderRateLimit(provider string) *ProviderError {
	return &ProviderError{code: CodeProviderRateLimit, Provider: provider}
}

// WithUnmatched returns a copy of e that says whether no rule described it.
func (e *ProviderError) WithUnmatched(unmatched bool) *ProviderError {
	c := *e
	c.Unmatched = taxonomy.Some(unmatched)
	return &c
}

// WithRetryAfter returns a copy of e with how long to wait.
func (e *ProviderError) WithRetryAfter(retryAfter time.Duration) *ProviderError {
	c := *e
	c.RetryAfter = taxonomy.Some(retryAfter)
	return &c
}

// WithRun returns a copy of e with the run.
func (e *ProviderError) WithRun(run Run) *ProviderError {
	c := *e
	c.Run = taxonomy.Some(run)
	return &c
}

// WithStatusCode returns a copy of e with the HTTP status.
func (e *ProviderError) WithStatusCode(statusCode int) *ProviderError {
	c := *e
	c.StatusCode = taxonomy.Some(statusCode)
	return &c
}

// WithRawError returns a copy of e with what the provider said.
func (e *ProviderError) WithRawError(rawError string) *ProviderError {
	c := *e
	c.RawError = taxonomy.Some(rawError)
	return &c
}

// WithToken returns a copy of e with the token, which nothing shows.
func (e *ProviderError) WithToken(token string) *ProviderError {
	c := *e
	c.Token = taxonomy.SecretOf(token)
	return &c
}

// WithCause returns a copy of e with the cause.
func (e *ProviderError) WithCause(cause error) *ProviderError {
	c := *e
	c.cause = cause
	return &c
}

// Code returns the code; zero when e has none.
func (e *ProviderError) Code() ProviderCode { return e.code }

// Error returns the message.
func (e *ProviderError) Error() string {
	var buf [128]byte
	return string(e.AppendMessage(buf[:0]))
}

// Unwrap returns the cause, or nil.
func (e *ProviderError) Unwrap() error { return e.cause }

// Is reports whether target is e's code.
func (e *ProviderError) Is(target error) bool {
	c, ok := target.(ProviderCode)
	return ok && c == e.code && c != 0
}

// As sets a *ProviderCode to e's code.
func (e *ProviderError) As(target any) bool {
	c, ok := target.(*ProviderCode)
	if !ok || e.code == 0 {
		return false
	}
	*c = e.code
	return true
}

// Taxonomy returns the taxonomy that e belongs to.
func (e *ProviderError) Taxonomy() *taxonomy.Taxonomy { return &definition }

// Row returns the row that the code and its when rules select.
func (e *ProviderError) Row() taxonomy.Row {
	switch e.code {
	case CodeProviderCrash:
		if e.Unmatched == taxonomy.Some(true) {
			return rowProviderCrashWhen1
		}
	case CodeProviderAPIError:
		switch v, ok := e.StatusCode.Get(); {
		case !ok, v == 408, v == 409, v == 425, v == 429:
		case 400 <= v && v <= 499:
			return rowProviderAPIErrorWhen2
		}
	}
	return e.code.Row()
}

// AppendMessage appends the message.
func (e *ProviderError) AppendMessage(dst []byte) []byte {
	m := gen.Message(dst)
	switch e.code {
	case CodeProviderCrash:
		m = m.Text("provider ").String(e.Provider).Text(" crashed")
		m = m.Begin(": ").OptLine(e.RawError, providerRawError)
	case CodeProviderAPIError:
		m = m.Text("provider ").String(e.Provider).Text(" API error")
		m = m.Begin(" ").OptInt(e.StatusCode)
		m = m.Begin(": ").OptLine(e.RawError, providerRawError)
	case CodeProviderRateLimit:
		m = m.Text("provider ").String(e.Provider).Text(" limits the rate")
	default:
		m = m.NoCode("provider")
	}
	return m.Bytes()
}

// AppendContext appends the context as a JSON object, secrets masked.
func (e *ProviderError) AppendContext(dst []byte) []byte {
	o := gen.Object(dst)
	o = o.OptBool("unmatched", e.Unmatched)
	o = o.OptDuration("retryAfter", e.RetryAfter)
	if v, ok := e.Run.Get(); ok {
		o = v.appendTo(o.Begin("run")).End()
	}
	o = o.String("provider", e.Provider)
	o = o.OptInt("statusCode", e.StatusCode)
	o = o.OptClean("rawError", e.RawError, providerRawError)
	o = o.OptSecret("token", !e.Token.IsZero())
	return o.Close()
}

// AppendJSON appends the error as a JSON object, secrets masked.
func (e *ProviderError) AppendJSON(dst []byte) []byte {
	return gen.AppendJSON(dst, e, categoryProvider)
}

// MarshalJSON returns the error as a JSON object, secrets masked.
func (e *ProviderError) MarshalJSON() ([]byte, error) { return gen.MarshalJSON(e, categoryProvider) }

// UnmarshalJSON reads what MarshalJSON wrote; the JSON of another type of error is refused.
func (e *ProviderError) UnmarshalJSON(b []byte) error {
	back, err := UnmarshalError(b)
	if err != nil {
		return err
	}
	typed, ok := back.(*ProviderError)
	if !ok {
		return gen.WrongType(back)
	}
	*e = *typed
	return nil
}

// LogValue returns the error as structured attributes, secrets masked.
func (e *ProviderError) LogValue() slog.Value {
	l := gen.Log(e, categoryProvider)
	l = l.OptBool("unmatched", e.Unmatched)
	l = l.OptDuration("retryAfter", e.RetryAfter)
	if v, ok := e.Run.Get(); ok {
		l = v.logTo(l.Begin("run")).End()
	}
	l = l.String("provider", e.Provider)
	l = l.OptInt("statusCode", e.StatusCode)
	l = l.OptClean("rawError", e.RawError, providerRawError)
	l = l.OptSecret("token", !e.Token.IsZero())
	return l.Value()
}

// Format prints the message; %+v also prints code, context and causes.
func (e *ProviderError) Format(s fmt.State, verb rune) { gen.Format(s, verb, e, categoryProvider) }

// Hints returns what the error says to whoever reacts to it.
func (e *ProviderError) Hints() taxonomy.Hints { return taxonomy.Hints{RetryAfter: e.RetryAfter} }

func (e *ProviderError) decodeField(d *gen.Decoder) {
	switch string(d.Key()) {
	case "unmatched":
		d.OptBool(&e.Unmatched)
	case "retryAfter":
		d.OptDuration(&e.RetryAfter)
	case "run":
		if d.Open() {
			var v Run
			for d.Next() {
				v.decodeField(d)
			}
			e.Run = taxonomy.Some(v)
		}
	case "provider":
		d.String(&e.Provider)
	case "statusCode":
		d.OptInt(&e.StatusCode)
	case "rawError":
		d.OptString(&e.RawError)
	case "token":
		d.Secret(&e.Token)
	default:
		d.Skip()
	}
}
