package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// B-O07, B-O01: a command that succeeds has not failed, whatever it prints; everything else is a
// failure of some kind.
func TestJudge(t *testing.T) {
	zero := taxonomy.Some(0)
	tests := []struct {
		name string
		ev   taxonomy.Evidence
		want error // nil when nothing failed
	}{
		{"exit 0", taxonomy.Evidence{Source: "step", ExitCode: zero}, nil},
		{"B-O07 standard error and exit 0",
			taxonomy.Evidence{Source: "step", ExitCode: zero, Text: "cat: a: No such file or directory"}, nil},
		{"B-O07 the same of an agent", taxonomy.Evidence{Source: "agent", ExitCode: zero, Text: "fatal: no"}, nil},
		{"exit 0 past its limit", taxonomy.Evidence{Source: "step", ExitCode: zero, Type: "timeout"},
			errs.CodeExecutionError},
		{"B-O01 exit 0 and a finding", taxonomy.Evidence{Source: "check", ExitCode: zero, Type: "count"},
			errs.CodeUnexpectedResult},
		{"B-O01 exit 0 and a reviewer's words",
			taxonomy.Evidence{Source: "review", ExitCode: zero, Text: "this is not what was asked for"},
			errs.CodeInterAgentMisalignment},
		{"B-O01 no exit status", taxonomy.Evidence{Source: "step"}, errs.CodeUnclassified},
		{"B-O01 words only", taxonomy.Evidence{Source: "agent", Text: "all is well"}, errs.CodeUnclassified},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := judge(&tt.ev, errs.Table)
			if tt.want == nil {
				assert.NoError(t, x.Err)
				return
			}
			assert.ErrorIs(t, x.Err, tt.want)
		})
	}
}
