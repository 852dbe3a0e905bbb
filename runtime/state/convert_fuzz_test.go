package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzConvert reads texts, which must agree with encoding/json about what they hold, and converts
// those that can be read.
func FuzzConvert(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"tasks": {}}`, oldState, manyOld(2, 2, `\ud83d\ude00 \ud83d \n`),
		`{"tasks": {"T": {"status": "success", "attempts": [], "more": [1.5e-3, -0, true, false, null, {"a": {}}]}}}`,
		`{"tasks": {"T": {"status": "` + "\xff" + `", "status": ""}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sink := &heardSink{}
		attempts := map[string][]oldAttempt{}
		last := ""
		sink.hear = func(a oldAttempt) { attempts[last] = append(attempts[last], a) }
		o := &oldReader{jsonReader: newJSONReader(bytes.NewReader(text)), sink: &lastSink{heardSink: sink, last: &last},
			zone: time.UTC}
		if err := o.read(); err != nil {
			m, ok := errors.AsType[*misplaced](err)
			require.True(t, ok, "%v", err)
			require.LessOrEqual(t, m.line, 1+bytes.Count(text, []byte("\n")))
			require.LessOrEqual(t, m.column, 1+len(text))
			return
		}
		require.True(t, json.Valid(text))
		var top, tasks map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &top))
		require.NoError(t, json.Unmarshal(top["tasks"], &tasks))
		require.Len(t, sink.tasks, len(tasks))
		for id, raw := range tasks {
			agrees(t, raw, sink.tasks[id], attempts[id])
		}
		_, path := oldFile(t, string(text))
		s, err := Open(t.Context(), path, Options{})
		require.NoError(t, err)
		n := 0
		for st, err := range s.Statuses(t.Context()) {
			require.NoError(t, err)
			require.Len(t, attempts[st.ID], st.Attempts)
			n++
		}
		require.Equal(t, len(sink.tasks), n)
		recounted(t, s)
		require.NoError(t, s.Close())
	})
}

// agrees asserts that a task was read as encoding/json reads it.
func agrees(t *testing.T, raw json.RawMessage, got oldTask, attempts []oldAttempt) {
	t.Helper()
	var task map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &task))
	var status string
	require.NoError(t, json.Unmarshal(task["status"], &status))
	if status == "success" {
		status = "completed"
	}
	sameText(t, status, got.status, maxName)
	var list []map[string]json.RawMessage
	if task["attempts"] != nil {
		require.NoError(t, json.Unmarshal(task["attempts"], &list))
	}
	require.Len(t, attempts, len(list))
	for i, a := range attempts {
		var failure, output *string
		var success bool
		for key, to := range map[string]any{"error": &failure, "claude_output": &output, "success": &success} {
			if list[i][key] != nil {
				require.NoError(t, json.Unmarshal(list[i][key], to))
			}
		}
		require.Equal(t, success, a.success)
		for to, from := range map[*string]*string{&a.failure: failure, &a.text: output} {
			if from != nil {
				sameText(t, *from, *to, maxOutput)
			}
		}
	}
}

// sameText asserts that two texts are the same, unless they are too long or are not UTF-8, of which
// each reader makes its own.
func sameText(t *testing.T, want, got string, limit int) {
	t.Helper()
	if len(want) < limit/4 && utf8.ValidString(want) && !strings.ContainsRune(want, utf8.RuneError) {
		require.Equal(t, want, got)
	}
}

// lastSink notes the task that was begun last.
type lastSink struct {
	*heardSink
	last *string
}

func (l *lastSink) begin(id string) error {
	*l.last = id
	return l.heardSink.begin(id)
}
