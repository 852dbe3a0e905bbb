package bench

import (
	"fmt"
	"io"
	"testing"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// plainTimeout is what one writes by hand with the same fields as a generated TimeoutError.
type plainTimeout struct {
	code  uint16
	cause error

	timeoutMs int64
	iteration taxonomy.Opt[int]
	elapsedMs taxonomy.Opt[int64]
}

func (e *plainTimeout) Error() string {
	return fmt.Sprintf("limit of %d ms exceeded in iteration %v after %v ms", e.timeoutMs, e.iteration, e.elapsedMs)
}

func (e *plainTimeout) Unwrap() error { return e.cause }

var limit = int64(300_000)

// BenchmarkCreate makes an error of three fields behind an interface: as a literal by hand, by
// factory, and by factory with one and with two optional fields and a cause.
func BenchmarkCreate(b *testing.B) {
	for _, way := range []struct {
		name string
		make func() error
	}{
		{"handwritten", func() error {
			return &plainTimeout{code: 1, timeoutMs: limit, iteration: taxonomy.Some(3)}
		}},
		{"factory", func() error { return errs.NewIterationTimeout(limit, 3) }},
		{"factory_with_one", func() error { return errs.NewIterationTimeout(limit, 3).WithElapsedMs(limit) }},
		{"factory_with_two_and_cause", func() error {
			return errs.NewOperationTimeout(limit).WithIteration(3).WithElapsedMs(limit).WithCause(io.EOF)
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkError = way.make()
			}
		})
	}
}
