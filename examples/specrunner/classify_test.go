package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// failure is what the agent said on its error channel when it exited with 1.
func failure(text string) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: "agent", ExitCode: taxonomy.Some(1), Text: text}
}

// TestClassify classifies the lines of testdata/failures.jsonl. S17-S24 B-S02 B-S03 B-S04 B-S12
func TestClassify(t *testing.T) {
	file, err := os.Open("testdata/failures.jsonl")
	require.NoError(t, err)
	defer file.Close()
	for d := json.NewDecoder(file); d.More(); {
		var f struct {
			Row, Code, Reaction string
			Evidence            taxonomy.Evidence
		}
		require.NoError(t, d.Decode(&f))
		t.Run(f.Row, func(t *testing.T) {
			err := errs.Classify(&f.Evidence)
			require.Equal(t, f.Code, taxonomy.CodeOf(err), "%s", errs.Explain(&f.Evidence))
			if f.Reaction != "" {
				assert.Equal(t, f.Reaction, errs.Table.Reaction(err).Name)
			}
			assert.Equal(t, f.Code != "RATE_LIMIT" && f.Code != "HOOK_FAILURE", taxonomy.IsRetryable(err))
		})
	}
}

// B-S03: a text that only mentions a failure has no code of its own.
func TestTalk(t *testing.T) {
	talk, err := os.ReadFile("testdata/talk.txt")
	require.NoError(t, err)
	for source, want := range map[string]errs.AttemptCode{"agent": errs.CodeUnknown, "pre_start": errs.CodeHookFailure,
		"post_done": errs.CodeHookFailure} {
		for text := range strings.Lines(string(talk)) {
			ev := taxonomy.Evidence{Source: source, ExitCode: taxonomy.Some(1), Text: strings.TrimSpace(text)}
			assert.ErrorIs(t, errs.Classify(&ev), want, "%s", errs.Explain(&ev))
		}
	}
}

// The failures of real calls, as the standard library reports them.
func TestClassifyCalls(t *testing.T) {
	tests := []struct {
		name string
		call func(t *testing.T) error
		code errs.AttemptCode
		says []string
	}{
		{"S17 a call past its deadline", func(t *testing.T) error {
			ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
			defer cancel()
			return exec.CommandContext(ctx, "sh", "-c", "exit 0").Run()
		}, errs.CodeTimeout, nil},
		{"S18 a limit on standard error", func(t *testing.T) error {
			_, err := exec.CommandContext(t.Context(), "sh", "-c", `echo "You've hit your limit" >&2; exit 1`).Output()
			return err
		}, errs.CodeRateLimit, []string{"You've hit your limit"}},
		{"S22 a marker on standard error", func(t *testing.T) error {
			_, err := exec.CommandContext(t.Context(), "sh", "-c", `echo "TASK_FAILED: no table" >&2; exit 1`).Output()
			return err
		}, errs.CodeTaskFailed, []string{"TASK_FAILED: no table"}},
		{"S24 an exit status", func(t *testing.T) error {
			_, err := exec.CommandContext(t.Context(), "sh", "-c", "echo first >&2; echo last >&2; exit 3").Output()
			return err
		}, errs.CodeUnknown, []string{`"exitCode":3`, "last"}},
		{"S24 a signal", func(t *testing.T) error {
			return exec.CommandContext(t.Context(), "sh", "-c", "kill -9 $$").Run()
		}, errs.CodeUnknown, nil},
		{"S24 an agent that is not installed", func(t *testing.T) error {
			return exec.CommandContext(t.Context(), "no-such-agent-anywhere").Run()
		}, errs.CodeUnknown, []string{"no-such-agent-anywhere"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cause := tt.call(t)
			require.Error(t, cause)
			err := errs.Classify(cause, detect.WithSource(errs.SourceAgent))
			require.ErrorIs(t, err, tt.code)
			require.ErrorIs(t, err, cause)
			e, ok := errors.AsType[*errs.AttemptError](err)
			require.True(t, ok)
			for _, s := range tt.says {
				assert.Contains(t, string(e.AppendContext(nil)), s)
			}
		})
	}
}

func TestCancelledCallsAreNotClassified(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := errs.Classify(fmt.Errorf("call the agent: %w", exec.CommandContext(ctx, "sh", "-c", "exit 0").Run()),
		detect.WithSource(errs.SourceAgent))
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, taxonomy.CodeOf(err))
}

// B-S02: the end of a long text is kept.
func TestUnknownKeepsTheTail(t *testing.T) {
	err := errs.Classify(failure(strings.Repeat("noise\n", 10_000)+"panic: the last word"),
		detect.WithSource(errs.SourceAgent))
	require.ErrorIs(t, err, errs.CodeUnknown)
	e, ok := errors.AsType[*errs.AttemptError](err)
	require.True(t, ok)
	shown := string(e.AppendContext(nil))
	assert.Contains(t, shown, "panic: the last word")
	assert.Less(t, len(shown), 3000)
}
