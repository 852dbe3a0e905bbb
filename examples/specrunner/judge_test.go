package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// A failure that is overlooked would be a success, so that what an agent adorns it with does not
// hide it.
func TestAdornedMarkers(t *testing.T) {
	for _, line := range []string{
		"%", "%: why", "% : why", "  %: why", "**%**: why", "**%:** why", "**%: why**", "__%__: why", "*%*: why",
		"`%`: why", "`%: why`", "***%***",
		"~~%~~: why", "## %: why", "# %", "❌ %: why", "⚠️ **%**: why", "\x1b[31m%\x1b[0m: why",
		"\x1b[1;31m%: why\x1b[0m", "\x1b]8;;http://x\x1b\\%\x1b]8;;\x1b\\: why",
		"\u200b%: why", "TASK\u200b_%: why", "\ufeff%", "%\u00a0: why", "%\uff1a why", "%.", "% - why", "% — why",
		"working\r%: why", "- %: why", "1. %: why", "TASK\\_%: why",
	} {
		for word, is := range map[string]func(verdict) (bool, string){
			markFailed:  func(v verdict) (bool, string) { return v.failed, v.reason },
			markBlocked: func(v verdict) (bool, string) { return v.blocked, v.question },
		} {
			with := strings.Replace(line, "%", word, 1)
			if strings.HasPrefix(line, "TASK") {
				with = strings.Replace(line, "%", strings.TrimPrefix(word, "TASK_"), 1)
			}
			v := verdictOf("I tried.\n" + with + "\n")
			ok, why := is(v)
			assert.True(t, ok, "%q", with)
			if strings.Contains(line, "why") {
				assert.Equal(t, "why", why, "%q", with)
			}
			assert.True(t, isMarker(with), "%q", with)
			assert.Equal(t, verdict{}, verdictOf(unmarked(with)), "%q", with)
		}
	}
	for _, text := range []string{
		"> TASK_FAILED: why", "> **TASK_FAILED**", "I print TASK_FAILED: never", "TASK_FAILED_HANDLER: x",
		"`TASK_FAILED` is printed when nothing helps",
		"TASK_FAILED is printed", "\"TASK_FAILED: why\"", "```\nTASK_FAILED: why\n```",
		"~~~sh\n**TASK_BLOCKED**: why\n~~~", "  ```\n  TASK_COMPLETE\n  ```",
		"````\n```\nTASK_FAILED\n````",
		"- TASK_FAILED: when nothing helps\n- TASK_BLOCKED: a question\n\nare explained",
		"**TASK_COMPLETE**", "TASK_COMPLETE.", "`TASK_COMPLETE`", "TASK_COMPLETE: all", "\x1b[32mTASK_COMPLETE\x1b[0m",
	} {
		assert.Equal(t, verdict{}, verdictOf(text+"\nThat is all.\n"), text)
	}
	assert.True(t, verdictOf("```\nTASK_FAILED: why").failed, "a fence that does not end hides nothing")
	assert.True(t, verdictOf("```go\nx\n```\nTASK_FAILED\n```go\ny\n```").failed)
	assert.True(t, verdictOf(" TASK_COMPLETE \r\n").complete)
	assert.Equal(t, "run `make`", verdictOf("**TASK_FAILED**: run `make`").reason)
}

func TestManyFences(t *testing.T) {
	assert.True(t, verdictOf(strings.Repeat("```a\n", 200_000)+"TASK_FAILED").failed)
	assert.False(t, verdictOf(strings.Repeat("```\n", 200_001)+"TASK_FAILED\n```\n").failed)
}

func TestRequiredMarker(t *testing.T) {
	for _, tt := range []struct {
		text, says string
		signal     executor.Signal
	}{
		{"mended", "the answer has no line that says only TASK_COMPLETE", 0},
		{"**TASK_COMPLETE**", "the answer has no line that says only TASK_COMPLETE", 0},
		{"", "the agent ended without an answer", 0},
		{"mended\nTASK_COMPLETE\n", "", executor.SignalDone},
		{"TASK_BLOCKED: which?", "", executor.SignalBlocked},
	} {
		a, err := judge(executor.Answer{Text: tt.text}, nil, true)
		assert.Equal(t, tt.signal, a.Signal)
		if tt.says == "" {
			assert.NoError(t, err)
			continue
		}
		var ev *taxonomy.Evidence
		require.ErrorAs(t, err, &ev)
		assert.Contains(t, ev.Text, tt.says)
		assert.ErrorIs(t, errs.Classify(err), errs.CodeUnknown)
	}
}

func FuzzVerdict(f *testing.F) {
	f.Add("```\nTASK_FAILED\n```\n**TASK_BLOCKED**: x\n\x1b[0mTASK_COMPLETE")
	f.Fuzz(func(t *testing.T, text string) {
		verdictOf(text)
		assert.Equal(t, verdict{}, verdictOf(unmarked(text)))
	})
}
