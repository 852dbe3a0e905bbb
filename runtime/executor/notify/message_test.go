package notify_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/notify"
)

func ended(reason executor.EndReason, category, code, err string) *executor.Result {
	return &executor.Result{
		Run: "r1", Task: "t1", Status: reason.Status(), EndReason: reason, ErrorCategory: category, ErrorCode: code,
		Error: err,
	}
}

func TestText(t *testing.T) {
	blocked := ended(executor.EndBlockedSignal, "", "", "")
	blocked.Question = "Which port?"
	recovered := ended(executor.EndCompleted, "git", "GIT_PUSH_FAILED", "git push failed")
	tests := []struct {
		name   string
		result *executor.Result
		want   string
		level  slog.Level
	}{
		{"category", ended(executor.EndMaxFailures, "timeout", "ITERATION_TIMEOUT", "iteration exceeded 300s limit"),
			"[TIMEOUT] Task blocked: iteration exceeded 300s limit", slog.LevelWarn},
		{"true status", ended(executor.EndFatal, "git", "GIT_REVERT_FAILED", "git revert failed"),
			"[GIT] Task failed: git revert failed", slog.LevelError},
		{"no category", ended(executor.EndMaxFailures, "", "", "something broke"), "Task blocked: something broke",
			slog.LevelWarn},
		{"no error", ended(executor.EndMaxIterations, "", "", ""), "Task blocked: max iterations", slog.LevelWarn},
		{"question", blocked, "Task blocked: Which port?", slog.LevelWarn},
		{"completed", ended(executor.EndCompleted, "", "", ""), "Task completed: t1", slog.LevelInfo},
		{"completed after an error", recovered, "Task completed: t1", slog.LevelInfo},
		{"cancelled", ended(executor.EndCancelled, "", "", ""), "Task cancelled: cancelled", slog.LevelInfo},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := notify.NewMessage(tt.result)
			assert.Equal(t, tt.want, m.Text)
			assert.Equal(t, tt.level, m.Level)
			assert.Equal(t, tt.result.Status, m.Status)
			assert.Equal(t, tt.result.EndReason, m.EndReason)
		})
	}
}

func TestMessageIsSafe(t *testing.T) {
	r := ended(executor.EndFatal, "provider", "PROVIDER_CRASH",
		"first\nsecond\x1b[31m\u202e \xff password=abcdefghijklmnop9 "+strings.Repeat("ä", 1<<20))
	r.Question = "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	m := notify.NewMessage(r)
	assert.True(t, strings.HasPrefix(m.Text, "[PROVIDER] Task failed: first second [31m "), m.Text)
	for _, text := range []string{m.Text, m.Error, m.Question} {
		assert.LessOrEqual(t, len(text), 1000)
		assert.True(t, utf8.ValidString(text))
		assert.NotContains(t, text, "abcdefghijklmnop")
		assert.NotContains(t, text, "\n")
		assert.NotContains(t, text, "\x1b")
	}
	assert.True(t, strings.HasSuffix(m.Error, "ä…"))
}

func TestMessageJSON(t *testing.T) {
	r := ended(executor.EndFatal, "scope", "SCOPE_FORBIDDEN", "1 file(s) in forbidden scope: .env")
	r.Err = severity{}
	r.EndsRun, r.Iterations, r.Failures, r.Pushed = true, 3, 2, true
	r.Commits = []executor.CommitDone{{ID: "a"}}
	r.EndedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b, err := json.Marshal(notify.NewMessage(r))
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(b, &m))
	assert.Equal(t, map[string]any{
		"text": "[SCOPE] Task failed: 1 file(s) in forbidden scope: .env", "level": "ERROR", "run": "r1", "task": "t1",
		"status": "failed", "endReason": "fatal", "endsRun": true, "category": "scope", "code": "SCOPE_FORBIDDEN",
		"severity": "high",
		"error":    "1 file(s) in forbidden scope: .env", "iterations": 3.0, "failures": 2.0, "commits": 1.0,
		"pushed":  true,
		"endedAt": "2026-01-02T03:04:05Z",
	}, m)
}

func FuzzMessage(f *testing.F) {
	f.Add("provider", "a\nb", "q")
	f.Fuzz(func(t *testing.T, category, text, question string) {
		r := ended(executor.EndFatal, category, text, text)
		r.Question = question
		m := notify.NewMessage(r)
		for _, s := range []string{m.Text, m.Category, m.Code, m.Error, m.Question} {
			assert.LessOrEqual(t, len(s), 1000)
			assert.True(t, utf8.ValidString(s))
			assert.NotContains(t, s, "\n")
			assert.NotContains(t, s, "\x1b")
		}
	})
}
