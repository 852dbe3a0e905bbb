package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// S35: an attempt is judged where it is carried out. B-S03, B-S12: what the agent says of its task decides first.
func TestJudge(t *testing.T) {
	zero, one := taxonomy.Some(0), taxonomy.Some(1)
	tests := []struct {
		name string
		ev   taxonomy.Evidence
		want error // nil when nothing failed
	}{
		{"exit 0", taxonomy.Evidence{Source: "agent", ExitCode: zero}, nil},
		{"exit 0 and warnings", taxonomy.Evidence{Source: "agent", ExitCode: zero, Text: "warning: old version"}, nil},
		{"exit 1", taxonomy.Evidence{Source: "agent", ExitCode: one}, errs.CodeUnknown},
		{"B-S03 an answer about limits", taxonomy.Evidence{Source: "agent", ExitCode: zero, Output: "Error: rate limit exceeded\nis what it prints"}, nil},
		{"B-S03 a finished task about limits", taxonomy.Evidence{Source: "agent", ExitCode: one, Text: "Error: rate limit exceeded\n", Output: "TASK_COMPLETE"}, nil},
		{"B-S03 both in one stream", taxonomy.Evidence{Source: "agent", ExitCode: one, Text: "Error: rate limit exceeded\nTASK_COMPLETE\n"}, nil},
		{"B-S03 a limit on standard error", taxonomy.Evidence{Source: "agent", ExitCode: zero, Text: "You've hit your limit"}, errs.CodeRateLimit},
		{"B-S12 complete", taxonomy.Evidence{Source: "agent", Output: "done\nTASK_COMPLETE\n"}, nil},
		{"B-S12 complete, quoted", taxonomy.Evidence{Source: "agent", ExitCode: one, Output: "I will print TASK_COMPLETE soon"}, errs.CodeUnknown},
		{"B-S12 failed, though it exits with 0", taxonomy.Evidence{Source: "agent", ExitCode: zero, Output: "TASK_FAILED: no table"}, errs.CodeTaskFailed},
		{"B-S12 failed, quoted", taxonomy.Evidence{Source: "agent", ExitCode: zero, Output: "> TASK_FAILED"}, nil},
		{"B-S12 both", taxonomy.Evidence{Source: "agent", ExitCode: zero, Output: "TASK_FAILED\r\nTASK_COMPLETE\r\n"}, errs.CodeTaskFailed},
		{"S17 a call past its limit, whatever it has said", taxonomy.Evidence{Source: "agent", Type: "timeout", Output: "TASK_COMPLETE"}, errs.CodeTimeout},
		{"S17 even that it failed", taxonomy.Evidence{Source: "agent", Type: "timeout", Output: "TASK_FAILED"}, errs.CodeTimeout},
		{"S20 a hook's answer", taxonomy.Evidence{Source: "post_done", Type: "tests", ExitCode: one}, errs.CodeTestFailure},
		{"S23 a hook", taxonomy.Evidence{Source: "pre_start", ExitCode: one}, errs.CodeHookFailure},
		{"a hook that exits with 0", taxonomy.Evidence{Source: "pre_start", ExitCode: zero, Text: "fatal: no"}, nil},
		{"a marker of a hook's", taxonomy.Evidence{Source: "post_done", ExitCode: one, Output: "TASK_COMPLETE"}, errs.CodeHookFailure},
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

func TestJudgeKeepsTheReason(t *testing.T) {
	ev := taxonomy.Evidence{Source: "agent", Output: "TASK_FAILED:  no table ", Attributes: map[string]string{"limit": "30m"}}
	x := judge(&ev, errs.Table)
	require.ErrorIs(t, x.Err, errs.CodeTaskFailed)
	assert.Equal(t, "the agent could not do the task: no table", x.Err.Error())
	assert.Equal(t, map[string]string{"limit": "30m"}, ev.Attributes, "what the caller knows stays as it is")
	assert.Empty(t, ev.Type)
}
