package bench

import (
	"io"
	"testing"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// apiError has only what its code needs, as it is written by hand; a generated type has the fields
// of all codes of its category.
type apiError struct {
	provider, rawError string
	status             int
	cause              error
}

func (e *apiError) Error() string { return "provider " + e.provider + " API error" }

func (e *apiError) Unwrap() error { return e.cause }

// known is whether there is a status; a variable, so that no compiler knows.
var known = true

// BenchmarkSteps makes an error in one expression and in several. A With method copies the error;
// in one expression the copies are inlined and need no room of their own.
func BenchmarkSteps(b *testing.B) {
	var made error
	b.Run("one expression", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			made = errs.NewProviderAPIError("p", "raw").WithStatusCode(529).WithCause(io.EOF)
		}
	})
	b.Run("steps", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e := errs.NewProviderAPIError("p", "raw")
			if known {
				e = e.WithStatusCode(529)
			}
			e = e.WithCause(io.EOF)
			made = e
		}
	})
	b.Run("field", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e := errs.NewProviderAPIError("p", "raw").WithCause(io.EOF)
			if known {
				e.StatusCode = taxonomy.Some(529)
			}
			made = e
		}
	})
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			made = &apiError{provider: "p", rawError: "raw", status: 529, cause: io.EOF}
		}
	})
	if made == nil {
		b.Fatal("nothing was made")
	}
}
