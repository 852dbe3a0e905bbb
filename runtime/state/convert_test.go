package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// oldState is a state as the older runner has written it.
const oldState = `{
  "tasks": {
    "TASK-2": {
      "status": "running",
      "attempts": [
        {"timestamp": "2026-02-22T10:00:02.500000", "success": false, "duration_seconds": 1.5, "error": "no \ud83d\ude00", "error_code": "NEW_ONE", "claude_output": null},
        {"timestamp": "2026-02-22T10:00:09", "success": false, "duration_seconds": -3, "error": null, "claude_output": "it said", "input_tokens": [1, {"a": null}]}
      ],
      "started_at": "2026-02-22T10:00:00",
      "completed_at": "2026-02-21T09:00:00"
    },
    "TASK-1": {
      "status": "success",
      "attempts": [
        {"timestamp": "2026-02-22T10:00:05Z", "success": true, "duration_seconds": 2, "error": null, "error_code": null, "claude_output": "done"},
        {"timestamp": "2026-02-22T11:00:04+01:00", "success": false, "duration_seconds": 1e300, "error": "bad", "error_code": "SYNTAX", "claude_output": ""}
      ],
      "started_at": null,
      "completed_at": "2026-02-22T10:00:05.000001"
    },
    "TASK-3": {"status": "paused by hand", "attempts": []}
  },
  "consecutive_failures": 7, "total_completed": 1, "total_failed": 0
}
`

// oldFile writes a file of the older form, and returns the paths of it and of the database.
func oldFile(t testing.TB, content string) (old, path string) {
	t.Helper()
	dir := t.TempDir()
	old, path = filepath.Join(dir, ".executor-state.json"), filepath.Join(dir, ".executor-state.db")
	require.NoError(t, os.WriteFile(old, []byte(content), 0o600))
	return old, path
}

func besideOf(t testing.TB, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestConvert is the row S13: what a state of the older form becomes, with B-S01, B-S05, B-S09 and
// B-S13.
func TestConvert(t *testing.T) {
	old, path := oldFile(t, oldState)
	s := opened(t, path, Options{})
	assert.NoFileExists(t, old)
	kept, err := os.ReadFile(old + ".bak")
	require.NoError(t, err)
	assert.Equal(t, oldState, string(kept))
	assert.NotContains(t, besideOf(t, path), ".executor-state.db.tmp")

	at := func(second int) time.Time { return time.Date(2026, 2, 22, 10, 0, second, 0, time.UTC) }
	local := func(second int) time.Time { return time.Date(2026, 2, 22, 10, 0, second, 0, time.Local).UTC() }
	for id, want := range map[string]Task{
		"TASK-1": {Status: TaskCompleted, CompletedAt: local(5).Add(time.Microsecond), Attempts: 2},
		"TASK-2": {Status: TaskRunning, StartedAt: local(0), Attempts: 2},
		"TASK-3": {Status: "paused by hand"},
	} {
		want.ID, want.Generation = id, 1
		got, err := s.Task(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	counted, uncounted := taxonomy.Some(true), taxonomy.Some(false)
	first, err := s.Attempts(t.Context(), "TASK-1", 9)
	require.NoError(t, err)
	second, err := s.Attempts(t.Context(), "TASK-2", 9)
	require.NoError(t, err)
	for i := range second {
		second[i].ID = 0
	}
	assert.Equal(t, []Attempt{
		{Task: "TASK-2", Generation: 1, At: local(2).Add(500 * time.Millisecond), Duration: 1500 * time.Millisecond,
			Error: "no 😀",
			Code:  "NEW_ONE", CodeAsWritten: "NEW_ONE", Counted: counted},
		{Task: "TASK-2", Generation: 1, At: local(9), Output: "it said", Counted: counted},
	}, second)
	for i := range first {
		first[i].ID = 0
	}
	assert.Equal(t, []Attempt{
		{Task: "TASK-1", Generation: 1, At: at(4), Duration: inSeconds(1e300), Error: "bad", Code: "SYNTAX",
			CodeAsWritten: "SYNTAX", Counted: counted},
		{Task: "TASK-1", Generation: 1, At: at(5), Duration: 2 * time.Second, Success: true, Output: "done",
			Counted: uncounted},
	}, first, "in the order of their times")
	recounted(t, s)
	got := notes(t, s)
	assert.Equal(t, ".executor-state.json", got["converted_from"])
	assert.Len(t, got[keyConverted], 64)
}

// TestConvertLocalTimes is the row B-S09: a time without a zone is one of where the older runner
// ran.
func TestConvertLocalTimes(t *testing.T) {
	zone := time.FixedZone("", -5*3600)
	var got []oldAttempt
	sink := &heardSink{hear: func(a oldAttempt) { got = append(got, a) }}
	text := `{"tasks": {"T": {"status": "x", "attempts": [
		{"timestamp": "2026-07-01T23:30:00.25", "success": true, "duration_seconds": 0},
		{"timestamp": "2026-07-01 23:30:00", "success": true, "duration_seconds": 0},
		{"timestamp": "2026-07-01T23:30:00+02:00", "success": true, "duration_seconds": 0}]}}}`
	require.NoError(t, (&oldReader{jsonReader: newJSONReader(strings.NewReader(text)), sink: sink, zone: zone}).read())
	var stamps []string
	for _, a := range got {
		stamps = append(stamps, stamp(a.at))
	}
	assert.Equal(
		t, []string{"2026-07-02T04:30:00.250000000Z", "2026-07-02T04:30:00.000000000Z",
			"2026-07-01T21:30:00.000000000Z"}, stamps)
}

// TestConvertCounts is the row S11 for what is converted: the numbers in the older file are not
// believed.
func TestConvertCounts(t *testing.T) {
	_, path := oldFile(t, oldState)
	s := opened(t, path, Options{})
	got, err := s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Counters{ConsecutiveFailures: 1, Completed: 1}, got, "by their times, whichever tasks they were at")
	_, err = s.RecordAttempt(t.Context(), Attempt{Task: "TASK-2"})
	require.NoError(t, err)
	got, err = s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, got.ConsecutiveFailures)
}

// TestOpenPicks are the rows S6, S12, S13 and S14, and of B-S06 that no file is overwritten.
func TestOpenPicks(t *testing.T) {
	const one = `{"tasks": {"FROM-JSON": {"status": "pending", "attempts": []}}}`
	t.Run("S12 a database", func(t *testing.T) {
		old, path := oldFile(t, one)
		require.NoError(t, os.Rename(old, old+".away"))
		s := opened(t, path, Options{})
		require.NoError(t, s.MarkRunning(t.Context(), "T"))
		require.NoError(t, s.Close())
		require.NoError(t, os.Rename(old+".away", old))
		s = opened(t, path, Options{})
		task, err := s.Task(t.Context(), "T")
		require.NoError(t, err)
		assert.Equal(t, TaskRunning, task.Status)
		assert.FileExists(t, old, "it is not what the database was made from")
	})
	t.Run("S14 nothing", func(t *testing.T) {
		s := opened(t, filepath.Join(t.TempDir(), "spec", "s.db"), Options{})
		for range s.Statuses(t.Context()) {
			assert.Fail(t, "there is a task")
		}
	})
	t.Run("S13 elsewhere", func(t *testing.T) {
		old, _ := oldFile(t, one)
		s := opened(t, filepath.Join(t.TempDir(), "s.db"), Options{Legacy: old})
		for st, err := range s.Statuses(t.Context()) {
			require.NoError(t, err)
			assert.Equal(t, "FROM-JSON", st.ID)
		}
		assert.FileExists(t, old+".bak")
	})
	t.Run("an empty database", func(t *testing.T) {
		old, path := oldFile(t, one)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		opened(t, path, Options{})
		assert.FileExists(t, old+".bak")
	})
	t.Run("read only", func(t *testing.T) {
		old, path := oldFile(t, one)
		_, err := Open(t.Context(), path, Options{ReadOnly: true})
		evidenceOf(t, err)
		assert.Equal(t, []string{filepath.Base(old)}, besideOf(t, path))
	})
	t.Run("B-S06 numbered copies", func(t *testing.T) {
		old, path := oldFile(t, one)
		require.NoError(t, os.WriteFile(old+".bak", []byte("older"), 0o600))
		require.NoError(t, os.Symlink("nowhere", old+".bak.1"))
		opened(t, path, Options{})
		kept, err := os.ReadFile(old + ".bak")
		require.NoError(t, err)
		assert.Equal(t, "older", string(kept))
		kept, err = os.ReadFile(old + ".bak.2")
		require.NoError(t, err)
		assert.Equal(t, one, string(kept))
	})
	t.Run("B-S06 killed before the rename", func(t *testing.T) {
		old, path := oldFile(t, one)
		require.NoError(t, opened(t, path, Options{}).Close())
		require.NoError(t, os.Rename(old+".bak", old))
		opened(t, path, Options{})
		assert.NoFileExists(t, old)
		assert.FileExists(t, old+".bak")
	})
	t.Run("B-S06 killed while it was made", func(t *testing.T) {
		old, path := oldFile(t, one)
		for _, left := range []string{".tmp", ".tmp-wal", ".tmp-shm", "-wal", "-journal"} {
			require.NoError(t, os.WriteFile(path+left, []byte("left by a dead process"), 0o600))
		}
		s := opened(t, path, Options{})
		task, err := s.Task(t.Context(), "FROM-JSON")
		require.NoError(t, err)
		assert.Equal(t, TaskPending, task.Status)
		assert.FileExists(t, old+".bak")
		assert.NoFileExists(t, path+".tmp")
	})
}

// TestConvertRefuses is the row B-S06: what is damaged is left as it is, and nothing is made.
func TestConvertRefuses(t *testing.T) {
	task := func(s string) string { return `{"tasks": {"T": {"status": "x", "attempts": [` + s + `]}}}` }
	const fine = `"timestamp": "2026-01-01T00:00:00", "success": true, "duration_seconds": 1`
	for _, c := range []struct{ text, want string }{
		{"", "line 1, column 1: the text ends too early"},
		{"\xef\xbb\xbf{}", "line 1, column 1: the state is expected, and this is no JSON"},
		{"[]", "line 1, column 1: the state is expected, and this is a list"},
		{"\n  null", "line 2, column 3: the state is expected, and this is null"},
		{"{}", `line 1, column 1: the state has no "tasks"`},
		{`{"tasks": []}`, `line 1, column 11: "tasks" is expected, and this is a list`},
		{`{"tasks": {}} x`, "line 1, column 15: there is more behind the end"},
		{`{"tasks": {}, "tasks": {}}`, `line 1, column 15: there is a second "tasks"`},
		{`{"tasks": {"é": {"status": "x"}, "é": {"status": "x"}}}`,
			"line 1, column 34: there is a second task of this name"},
		{`{"tasks": {"": {"status": "x"}}}`, "line 1, column 12: the ID of a task"},
		{`{"tasks": {"T": {}}}`, `line 1, column 17: a task has no "status"`},
		{`{"tasks": {"T": {"status": 5}}}`, "line 1, column 28: the status is expected, and this is a number"},
		{`{"tasks": {"T": {"status": "x", "status": "y"}}}`, `line 1, column 33: there is a second "status"`},
		{`{"tasks": {"T": {"status": "x", "started_at": "soon"}}}`, "line 1, column 47: the start is no time"},
		{`{"tasks": {"T": {"status": "x"`, "line 1, column 31: the text ends too early"},
		{`{"tasks": {"T": {"status": "x` + "\n", "line 1, column 30: a text must not hold a control character"},
		{`{"tasks": {}, "more": [1 2]}`, `line 1, column 26: a comma or ']' is expected, and this is a number`},
		{`{"tasks": {}, "more": [1,]}`, `line 1, column 26: a value is expected to be a number, and is ']'`},
		{`{"tasks": {}, "more": 01}`, "line 1, column 23: this is no number"},
		{`{"tasks": {}, "more": NaN}`, "line 1, column 23: a value is expected to be a number"},
		{`{"tasks": {}, "more": tru}`, "line 1, column 23: true is expected"},
		{`{"tasks": {}, "more": "\x"}`, "line 1, column 24: there is no such escape"},
		{`{"tasks": {}, "more": "\u12g4"}`, "line 1, column 24: an escape has four hexadecimal digits"},
		{`{"tasks": {}, "more": ` + strings.Repeat("[", 2000), "nested too deep"},
		{`{"tasks": {}, "more": ` + strings.Repeat("1", 2000), "line 1, column 23: a number has more than"},
		{task(`{}`), `line 1, column 46: an attempt has no "timestamp"`},
		{task(`{"timestamp": null}`), "line 1, column 60: the time is expected, and this is null"},
		{task(`{` + fine + `, "success": false}`), `there is a second "success"`},
		{task(`{"success": 1}`), "the success is expected to be true or false, and is a number"},
		{task(`{"duration_seconds": "1"}`), "the duration is expected to be a number, and is a text"},
		{task(`{` + fine + `, "error": {}}`), "the error is expected, and this is an object"},
		{task("{" + fine + "},\n{" + fine + `, "timestamp": ""}`), "line 2, column "},
	} {
		old, path := oldFile(t, c.text)
		_, err := Open(t.Context(), path, Options{})
		ev := evidenceOf(t, err)
		assert.ErrorContains(t, ev, c.want, c.text[:min(80, len(c.text))])
		assert.Equal(t, "executor", ev.Source)
		assert.Equal(t, "prepare", ev.Op)
		assert.Equal(t, "parse", ev.Type)
		assert.Equal(t, old, ev.Attributes["legacy"])
		assert.NotEmpty(t, ev.Attributes["line"])
		assert.NotEmpty(t, ev.Attributes["column"])
		left, err := os.ReadFile(old)
		require.NoError(t, err)
		assert.Equal(t, c.text, string(left))
		assert.ElementsMatch(t, []string{".executor-state.json", ".executor-state.db.locks"}, besideOf(t, path))
	}
}

func TestConvertRefusesWhatIsNoFile(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"a directory": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) },
		"a link": func(t *testing.T, path string) {
			to := filepath.Join(t.TempDir(), "x")
			require.NoError(t, os.WriteFile(to, []byte(`{"tasks": {}}`), 0o600))
			require.NoError(t, os.Symlink(to, path))
		},
		"a pipe": makePipe,
	} {
		t.Run(name, func(t *testing.T) {
			old, path := oldFile(t, "")
			require.NoError(t, os.Remove(old))
			make(t, old)
			_, err := Open(t.Context(), path, Options{})
			ev := evidenceOf(t, err)
			require.ErrorContains(t, ev, "is not a regular file")
			assert.NoFileExists(t, path)
		})
	}
}

func TestConvertMasks(t *testing.T) {
	const secret = "sk-abcdefghij1234567890"
	_, path := oldFile(t, `{"tasks": {"T": {"status": "`+secret+`", "attempts": [{"timestamp": "2026-01-01T00:00:00", "success": false,
		"duration_seconds": 1, "error": "`+secret+`", "error_code": "`+secret+`", "claude_output": "`+strings.Repeat("x ", 50_000)+secret+`"}]}}}`)
	require.NoError(t, opened(t, path, Options{}).Close())
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "abcdefghij")
	assert.Contains(t, string(raw), "[REDACTED]")
}

// heardSink has hear told of each attempt.
type heardSink struct {
	tasks map[string]oldTask
	hear  func(oldAttempt)
}

func (h *heardSink) begin(id string) error {
	if _, ok := h.tasks[id]; ok {
		return errTwice
	}
	if h.tasks == nil {
		h.tasks = map[string]oldTask{}
	}
	h.tasks[id] = oldTask{}
	return nil
}
func (h *heardSink) attempt(a oldAttempt) error        { h.hear(a); return nil }
func (h *heardSink) end(id string, task oldTask) error { h.tasks[id] = task; return nil }

// manyOld returns a state of the older form with so many attempts at each of so many tasks.
func manyOld(tasks, attempts int, output string) string {
	var b strings.Builder
	b.WriteString(`{"tasks": {`)
	for i := range tasks {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"T%d": {"status": "failed", "attempts": [`, i)
		for j := range attempts {
			if j > 0 {
				b.WriteString(",")
			}
			b.WriteString(`{"timestamp": "2026-01-01T00:00:` + fmt.Sprintf("%02d", (i+j)%60) +
				`", "success": false, "duration_seconds": ` +
				strconv.Itoa(j) + `, "claude_output": "` + output + `"}`)
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`}}`)
	return b.String()
}
