package detect_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Filling by offsets makes the same errors as filling by the lists of fields.
func TestFillByOffsets(t *testing.T) {
	d := errs.Table.Classifier.(*detect.Detection)
	for _, tt := range []struct {
		name string
		ev   taxonomy.Evidence
	}{
		{"nothing", taxonomy.Evidence{}},
		{"texts", taxonomy.Evidence{Source: "git", Text: "exit", Output: "out", Signal: "SIGKILL", Credential: "key"}},
		{"numbers", taxonomy.Evidence{Status: 429, ExitCode: taxonomy.Some(0)}},
		{"waits", taxonomy.Evidence{RetryAfter: taxonomy.Some(time.Minute), ResetAt: time.Unix(1e9, 0)}},
		{"files", taxonomy.Evidence{Files: []string{"a", "b"}}},
		{"attributes", taxonomy.Evidence{Source: "x", Attributes: map[string]string{
			"provider": "p", "timeout_ms": "7", "iteration": "2", "elapsed_ms": "no number", "command": "make",
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for rule := range d.Rules().Rules {
				want := d.MakeByList(rule, &tt.ev)
				assert.Equal(t, want, d.Rules().Make(rule, &tt.ev), d.Rules().Rules[rule].Name)
			}
		})
	}
}
