//go:build !race

package errs

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	sinkError error
	sinkCode  string
)

func TestAllocations(t *testing.T) {
	made := NewProviderAPIError("api", "overloaded").WithStatusCode(503).WithRun(Run{Mode: "batch"})
	wrapped := fmt.Errorf("run: %w", made)
	files := []string{"a", "b"}
	buf := make([]byte, 0, 4096)
	// Classifying allocates the error only.
	tests := []struct {
		name string
		want float64
		do   func()
	}{
		{"create", 1, func() { sinkError = NewProviderAPIError("api", "overloaded") }},
		{"create and complete", 1, func() { sinkError = NewProviderAPIError("api", "overloaded").WithStatusCode(500).WithCause(io.EOF) }},
		{"create with a list", 2, func() { sinkError = NewScopeForbidden(files).WithCause(io.EOF) }},
		{"classify a status", 1, func() {
			sinkError = ClassifyEvidence(&taxonomy.Evidence{Source: "anthropic-api", Status: 529})
		}},
		{"classify a text", 1, func() {
			sinkError = ClassifyEvidence(&taxonomy.Evidence{Source: "claude-cli", Text: "rate-limited"})
		}},
		{"classify what no rule matches", 1, func() { sinkError = ClassifyEvidence(&taxonomy.Evidence{Source: "git"}) }},
		{"errors.Is", 0, func() { _ = errors.Is(wrapped, CodeProviderAPIError) }},
		{"CodeOf", 0, func() { sinkCode = taxonomy.CodeOf(wrapped) }},
		{"Reaction", 0, func() { sinkCode = Table.Reaction(wrapped).Name }},
		{"a code's own reaction", 0, func() { sinkCode = CodeProviderCrash.Reaction().Name }},
		{"AppendMessage", 0, func() { buf = made.AppendMessage(buf[:0]) }},
		{"AppendJSON", 0, func() { buf = made.AppendJSON(buf[:0]) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, testing.AllocsPerRun(100, tt.do))
		})
	}
}
