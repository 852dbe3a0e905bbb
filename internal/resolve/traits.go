package resolve

import (
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// traits resolves the traits of a row of the table.
func (b *builder) traits(t spec.Traits) taxonomy.Traits {
	out := taxonomy.Traits{
		Reaction: b.reaction(t.Reaction), Retryable: t.Retryable.V,
		Severity: word[taxonomy.Severity](t.Severity), Kind: word[taxonomy.Kind](t.Kind),
		GRPC:           uint8(max(0, slices.Index(grpcWords, t.GRPC.V))),
		Recoverability: word[taxonomy.Recoverability](t.Recoverability),
	}
	if t.HTTP.V >= 100 && t.HTTP.V <= 999 {
		out.HTTP = uint16(t.HTTP.V)
	}
	if t.Retryable.V && !t.Recoverability.Set {
		out.Recoverability = taxonomy.Retryable
	}
	return out
}

// word returns the value with a word of the language, or the zero value if t is unset.
func word[T interface {
	~uint8
	fmt.Stringer
}](t spec.Text) T {
	for v := range T(16) {
		if v.String() == t.V {
			return v
		}
	}
	return 0
}

var grpcWords = taxonomy.GRPCWords()

// GRPCWord returns the word of a number of google.rpc.Code; "" for 0, which is no status, and for a
// number that is not valid.
func GRPCWord(code uint8) string {
	if code == 0 || int(code) >= len(grpcWords) {
		return ""
	}
	return grpcWords[code]
}
