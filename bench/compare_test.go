package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	crdb "github.com/cockroachdb/errors"
	"github.com/rotisserie/eris"
	"github.com/samber/oops"

	"github.com/errgen/errgen/gen/errs"
)

const (
	provider = "anthropic-api"
	body     = "overloaded, please try again"
	status   = 529
	code     = "PROVIDER_API_ERROR"
)

var errBase = errors.New("provider API error")

// madeBy makes the error in each library: a code or a sentinel, and three values of context.
var madeBy = []struct {
	name string
	make func() error
}{
	{"errgen", func() error {
		return errs.NewProviderAPIError(provider, body).WithStatusCode(status)
	}},
	{"fmt", func() error {
		return fmt.Errorf("provider %s: status %d: %s: %w", provider, status, body, errBase)
	}},
	{"oops", func() error {
		return oops.Code(code).With("provider", provider, "statusCode", status, "rawError", body).Wrap(errBase)
	}},
	{"cockroachdb", func() error {
		return crdb.Wrapf(errBase, "provider %s: status %d: %s", provider, status, body)
	}},
	{"eris", func() error {
		return eris.Wrapf(errBase, "provider %s: status %d: %s", provider, status, body)
	}},
}

var (
	sinkError error
	sinkBool  bool
	sinkBytes []byte
)

func wrapThrice(err error) error {
	return fmt.Errorf("run: %w", fmt.Errorf("iterate: %w", fmt.Errorf("call: %w", err)))
}

func BenchmarkMake(b *testing.B) {
	for _, lib := range madeBy {
		b.Run(lib.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkError = lib.make()
			}
		})
	}
}

func BenchmarkIs(b *testing.B) {
	for _, lib := range madeBy {
		target := errBase
		if lib.name == "errgen" {
			target = errs.CodeProviderAPIError
		}
		err := wrapThrice(lib.make())
		if !errors.Is(err, target) {
			b.Fatalf("%s: not recognised", lib.name)
		}
		b.Run(lib.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkBool = errors.Is(err, target)
			}
		})
	}
}

// BenchmarkMarshal marshals with what each library offers for that.
func BenchmarkMarshal(b *testing.B) {
	marshal := map[string]func(error) ([]byte, error){
		"errgen": func(err error) ([]byte, error) { return err.(*errs.ProviderError).MarshalJSON() },
		"oops":   func(err error) ([]byte, error) { return json.Marshal(err) },
		"cockroachdb": func(err error) ([]byte, error) {
			encoded := crdb.EncodeError(b.Context(), err)
			return encoded.Marshal()
		},
		"eris": func(err error) ([]byte, error) { return json.Marshal(eris.ToJSON(err, false)) },
	}
	for _, lib := range madeBy {
		f, ok := marshal[lib.name]
		if !ok {
			continue
		}
		err := lib.make()
		b.Run(lib.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out, merr := f(err)
				if merr != nil {
					b.Fatal(merr)
				}
				sinkBytes = out
			}
		})
	}
}
