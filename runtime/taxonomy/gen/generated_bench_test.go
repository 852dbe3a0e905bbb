package gen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

// The references: code that a careful person would write by hand.

type handCode uint16

func (c handCode) Error() string { return "PROVIDER_API_ERROR" }

type handError struct {
	code     handCode
	cause    error
	provider string
	rawError string
	status   int
}

func (e *handError) Error() string        { return "provider " + e.provider + " API error: " + e.rawError }
func (e *handError) Unwrap() error        { return e.cause }
func (e *handError) Is(target error) bool { c, ok := target.(handCode); return ok && c == e.code }

type plainContext struct {
	Provider   string `json:"provider"`
	StatusCode int    `json:"statusCode,omitempty"`
	RawError   string `json:"rawError,omitempty"`
}

type plainError struct {
	Domain    string       `json:"domain,omitempty"`
	Name      string       `json:"name"`
	Category  string       `json:"category"`
	Code      string       `json:"code"`
	Message   string       `json:"message"`
	Retryable bool         `json:"retryable"`
	Context   plainContext `json:"context"`
}

func newPlain(e *sample.ProviderError) plainError {
	return plainError{
		Domain: "aidf", Name: "ProviderError", Category: "provider", Code: "PROVIDER_API_ERROR", Message: e.Error(),
		Retryable: true,
		Context:   plainContext{Provider: e.Provider, StatusCode: e.StatusCode.Or(0), RawError: e.RawError.Or("")},
	}
}

const (
	sentence = "The provider answered that the model is overloaded at the moment and asked us to try the request " +
		"again later. " +
		"This happened three times in a row within a minute, so the run was stopped and the changes were put back " +
		"as they were. " +
		"Nothing was committed; see the log of the run for what the agent had said until then, and for how long " +
		"each call took. "
	jsonSentence = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},` +
		`"request_id":"req_011CS"},`
	cyrillic = "Сервер временно недоступен, повторите попытку позже. "
)

func twoKB(unit string) string { return strings.Repeat(unit, 2048/len(unit)+1)[:2046] }

// shapes are the errors of the benchmarks of AppendJSON and UnmarshalError. The long texts are in a
// scrubbed field. A newline keeps them out of the message, except in the shape that is named so.
var shapes = []struct {
	name string
	err  *sample.ProviderError
}{
	{"short", sample.NewProviderAPIError("anthropic-api", "overloaded").WithStatusCode(529)},
	{"prose", sample.NewProviderAPIError("anthropic-api", "\n"+twoKB(sentence)[:1990]).WithStatusCode(529)},
	{"json", sample.NewProviderAPIError("anthropic-api", "\n"+twoKB(jsonSentence)[:1990]).WithStatusCode(529)},
	{"cyrillic", sample.NewProviderAPIError("anthropic-api", "\n"+twoKB(cyrillic)[:1990]).WithStatusCode(529)},
	{"json in message too", sample.NewProviderAPIError("anthropic-api", twoKB(jsonSentence)[:1990]).
		WithStatusCode(529)},
	{"secret", sample.NewProviderAPIError("anthropic-api", "\nkey sk-abcdefghij1234567890 "+twoKB(sentence)[:1960]).
		WithStatusCode(529)},
}

var (
	sinkError    error
	sinkBytes    []byte
	sinkBool     bool
	sinkString   string
	sinkReaction taxonomy.Reaction
	sinkAction   taxonomy.Action
)

func BenchmarkCreate(b *testing.B) {
	cause := io.EOF
	b.Run("handwritten", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {

			sinkError = &handError{code: 2, provider: "anthropic-api", rawError: "overloaded", status: 529}
		}
	})
	b.Run("errgen", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkError = sample.NewProviderAPIError("anthropic-api", "overloaded")
		}
	})
	b.Run("errgen with one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkError = sample.NewProviderAPIError("anthropic-api", "overloaded").WithStatusCode(529)
		}
	})
	b.Run("errgen with two and cause", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkError = sample.NewProviderAPIError("anthropic-api", "overloaded").WithStatusCode(529).
				WithUnmatched(true).WithCause(cause)
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	hand := wrap3(&handError{code: 2})
	err := wrap3(sample.NewProviderAPIError("anthropic-api", "overloaded").WithStatusCode(529))
	b.Run("handwritten/Is", func(b *testing.B) {
		for b.Loop() {
			sinkBool = errors.Is(hand, handCode(2))
		}
	})
	b.Run("errgen/Is", func(b *testing.B) {
		for b.Loop() {
			sinkBool = errors.Is(err, sample.CodeProviderAPIError)
		}
	})
	b.Run("errgen/CodeOf", func(b *testing.B) {
		for b.Loop() {
			sinkString = taxonomy.CodeOf(err)
		}
	})
	b.Run("errgen/IsRetryable", func(b *testing.B) {
		for b.Loop() {
			sinkBool = taxonomy.IsRetryable(err)
		}
	})
	b.Run("errgen/Table.Reaction", func(b *testing.B) {
		for b.Loop() {
			sinkReaction = sample.Table.Reaction(err)
		}
	})
	strict, _ := sample.Table.Profile("strict")
	b.Run("errgen/Profile.Reaction", func(b *testing.B) {
		for b.Loop() {
			sinkReaction = strict.Reaction(err)
		}
	})
	code := sample.CodeProviderAPIError
	b.Run("errgen/code.Reaction", func(b *testing.B) {
		for b.Loop() {
			sinkReaction = code.Reaction()
		}
	})
	b.Run("errgen/code.Reaction.Action", func(b *testing.B) {
		for b.Loop() {
			sinkAction = code.Reaction().Action
		}
	})
}

func BenchmarkMarshal(b *testing.B) {
	for _, s := range shapes {
		plain := newPlain(s.err)
		buf := make([]byte, 0, 16<<10)
		b.Run(s.name+"/encoding-json", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkBytes, _ = json.Marshal(&plain)
			}
		})
		b.Run(s.name+"/AppendJSON", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = s.err.AppendJSON(buf[:0])
			}
		})
		b.Run(s.name+"/MarshalJSON", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkBytes, _ = s.err.MarshalJSON()
			}
		})
	}
}

// BenchmarkPublic compares the JSON for clients with the complete one.
func BenchmarkPublic(b *testing.B) {
	for _, s := range []struct {
		name string
		err  *sample.OrderError
	}{
		{"all fields public", sample.NewOrderConflict("o-1234").WithLeft(3)},
		{"with an internal field", sample.NewOrderConflict("o-1234").WithLeft(3).WithWarehouse("east")},
		{"with a cause", sample.NewOrderConflict("o-1234").WithCause(sample.NewOrderConflict("o-1235"))},
	} {
		buf := make([]byte, 0, 16<<10)
		b.Run(s.name+"/AppendJSON", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = s.err.AppendJSON(buf[:0])
			}
		})
		b.Run(s.name+"/AppendPublicJSON", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = taxonomy.AppendPublicJSON(buf[:0], s.err)
			}
		})
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	for _, s := range shapes {
		text := s.err.AppendJSON(nil)
		b.Run(s.name+"/encoding-json", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var p plainError
				_ = json.Unmarshal(text, &p)
			}
		})
		b.Run(s.name+"/UnmarshalError", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkError, _ = sample.UnmarshalError(text)
			}
		})
	}
}

func BenchmarkError(b *testing.B) {

	hand := &handError{code: 2, provider: "anthropic-api", rawError: "overloaded"}
	err := sample.NewProviderAPIError("anthropic-api", "overloaded")
	b.Run("handwritten", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkString = hand.Error()
		}
	})
	b.Run("errgen", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkString = err.Error()
		}
	})
}

func BenchmarkSlog(b *testing.B) {
	e := sample.NewProviderAPIError("anthropic-api", "overloaded").WithStatusCode(529)
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out.Reset()
			log.Error("failed", slog.Group("err",
				slog.String("domain", "aidf"), slog.String("name", "ProviderError"),
				slog.String("category", "provider"),
				slog.String("code", e.Code().String()), slog.String("message", e.Error()),
				slog.Bool("retryable", taxonomy.IsRetryable(e)),
				slog.Group("context", slog.String("provider", e.Provider), slog.Int("statusCode", e.StatusCode.Or(0)),
					slog.String("rawError", e.RawError.Or("")))))
		}
	})
	b.Run("LogValue", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out.Reset()
			log.Error("failed", "err", e)
		}
	})
}
