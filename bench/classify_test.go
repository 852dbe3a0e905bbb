package bench

import (
	"testing"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// BenchmarkClassify makes errors of evidence: by a status and its source, by a text, and as the
// fallback.
func BenchmarkClassify(b *testing.B) {
	for _, c := range []struct {
		name string
		ev   taxonomy.Evidence
	}{
		{"status_and_source", taxonomy.Evidence{Source: "anthropic-api", Status: 529}},
		{"text",
			taxonomy.Evidence{Source: "claude-cli", ExitCode: taxonomy.Some(1),
				Text: "Claude usage limit reached, resets 3pm"}},
		{"fallback", taxonomy.Evidence{Source: "claude-cli"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ev := c.ev
				sinkError = errs.ClassifyEvidence(&ev)
			}
		})
	}
}
