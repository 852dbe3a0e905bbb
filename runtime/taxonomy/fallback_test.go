package taxonomy_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

// sources records the sources of unmatched evidence.
type sources []string

func (s *sources) Record(ev *taxonomy.Evidence) error {
	*s = append(*s, ev.Source)
	return nil
}

// TestSourceFallback classifies evidence that no rule matches. It is recorded as unmatched with
// every code.
func TestSourceFallback(t *testing.T) {
	for _, tt := range []struct{ source, code, context string }{
		{"git", "COMMIT_FAILED", "{}"},
		{"scope", "SCOPE_FORBIDDEN", `{"files":["a"],"decision":"BLOCK"}`},
		{"other", "PROVIDER_CRASH", `{"provider":"other"}`},
	} {
		t.Run(tt.source, func(t *testing.T) {
			ev := &taxonomy.Evidence{Source: tt.source}
			if tt.source == "scope" {
				ev.Files = []string{"a"}
			}
			var unmatched sources
			made := sample.ClassifyEvidence(ev)
			assert.Equal(t, tt.code, taxonomy.CodeOf(made))
			e, ok := errors.AsType[taxonomy.Error](made)
			assert.True(t, ok)
			assert.Equal(t, tt.context, string(e.AppendContext(nil)))
			assert.Equal(t, tt.code, taxonomy.CodeOf(sample.Classify(ev, detect.OnUnmatched(&unmatched))))
			assert.Equal(t, sources{tt.source}, unmatched)
			explained := sample.Explain(*ev)
			assert.Equal(t, detect.Fallback, explained.Outcome)
			assert.Equal(t, tt.code, taxonomy.CodeOf(explained.Err))
		})
	}
}

// TestFallbackStack checks that an error that no rule matches has the stack of its classification.
func TestFallbackStack(t *testing.T) {
	for _, err := range []error{
		sample.Classify(errors.New("x")), sample.Classify("x"), sample.Explain("x").Err,
		sample.ClassifyEvidence(&taxonomy.Evidence{Source: "git"}),
		sample.ClassifyEvidence(&taxonomy.Evidence{Text: "x"}),
	} {
		assert.Contains(t, fmt.Sprintf("%+v", err), ".TestFallbackStack\n")
	}
}
