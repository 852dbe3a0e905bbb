package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/text"
)

// oldFile is the JSON file of an older runner. Its tables are read in the same form.
type oldFile struct {
	Tasks map[string]struct {
		Status    string  `json:"status"`
		Started   oldTime `json:"started_at"`
		Completed oldTime `json:"completed_at"`
		Attempts  []struct {
			Timestamp oldTime `json:"timestamp"`
			Success   *bool   `json:"success"`
			Seconds   float64 `json:"duration_seconds"`
			Error     string  `json:"error"`
			Code      string  `json:"error_code"`
			Output    string  `json:"claude_output"`
		} `json:"attempts"`
	} `json:"tasks"`
}

// oldTime is a time of an older runner. A time without a zone is local.
type oldTime struct{ at time.Time }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *oldTime) UnmarshalText(b []byte) (err error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if o.at, err = time.ParseInLocation(layout, string(b), time.Local); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is not a time", text.Quote(string(b), 40))
}

// keyImported is the key of the imported file's name in executor_meta.
const keyImported = "converted_from"

// importLegacy imports the JSON file into a new state, if the file exists.
func (s *Store) importLegacy(t *tx) error {
	if s.options.Legacy == "" {
		return nil
	}
	content, err := os.ReadFile(s.options.Legacy)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	if err := t.importTasks(content); err != nil {
		return s.importError(content, err)
	}
	_, err = t.exec("INSERT INTO executor_meta (key, value) VALUES (?, ?)", keyImported,
		mask(filepath.Base(s.options.Legacy)))
	return err
}

// takeTables returns the tables of an older runner in the form of its JSON file, and drops them.
// Their pages are overwritten, because the texts may contain secrets.
func (t *tx) takeTables() (content []byte, err error) {
	err = t.scan(`SELECT json_object('tasks', json_group_object(task_id, json_object('status', status,
		'started_at', nullif(started_at, ''), 'completed_at', nullif(completed_at, ''),
		'attempts', (SELECT json_group_array(json_object('timestamp', timestamp,
			'success', json(iif(success, 'true', 'false')), 'duration_seconds', duration_seconds, 'error', error,
			'error_code', error_code, 'claude_output', claude_output) ORDER BY id)
			FROM attempts WHERE attempts.task_id = tasks.task_id)))) FROM tasks`, nil, &content)
	if err == nil {
		_, err = t.exec(`PRAGMA secure_delete = ON; DROP TABLE attempts; DROP TABLE tasks;
			DROP TABLE IF EXISTS executor_meta; PRAGMA secure_delete = OFF`)
	}
	return content, err
}

// importTasks inserts the tasks. The IDs of all attempts are in the order of their times, because
// failures in a row are counted by ID. An unfinished task gets no time of completion, although
// older runners did not clear it.
func (t *tx) importTasks(content []byte) error {
	var old oldFile
	if err := json.Unmarshal(content, &old); err != nil {
		return err
	}
	if old.Tasks == nil {
		return errors.New(`it has no "tasks"`)
	}
	var attempts []Attempt
	for _, id := range slices.Sorted(maps.Keys(old.Tasks)) {
		task := old.Tasks[id]
		if err := checkTask(id); err != nil || task.Status == "" {
			return fmt.Errorf("task %s has no status, or is invalid: %w", text.Quote(id, 100), err)
		}
		status := TaskStatus(name(task.Status))
		if status == "success" {
			status = TaskCompleted
		}
		if !status.over() {
			task.Completed = oldTime{}
		}
		if _, err := t.exec("INSERT INTO tasks (task_id, status, started_at, completed_at) VALUES (?, ?, ?, ?)", id,
			status, task.Started.at, task.Completed.at); err != nil {
			return err
		}
		for i, o := range task.Attempts {
			if o.Timestamp.at.IsZero() || o.Success == nil {
				return fmt.Errorf("task %s: attempt %d needs a timestamp and success", text.Quote(id, 100), i+1)
			}
			attempts = append(attempts, Attempt{Task: id, At: o.Timestamp.at, Success: *o.Success, Error: o.Error,
				Duration: duration(o.Seconds), CodeAsWritten: o.Code, Output: o.Output})
		}
	}
	slices.SortStableFunc(attempts, func(a, b Attempt) int { return a.At.Compare(b.At) })
	for _, a := range attempts {
		if _, err := t.insertAttempt(t.s.withDefaults(a)); err != nil {
			return err
		}
	}
	return nil
}

// importError returns evidence that the JSON file was not imported, with the line of a syntax
// error.
func (s *Store) importError(content []byte, err error) error {
	ev := fileEvidence("executor", "prepare", s.path, fmt.Errorf("import %s: %w", s.options.Legacy, err))
	if ev.Errno != "" { // the disk failed, not the file
		return ev
	}
	ev.Type, ev.Attributes["legacy"] = "parse", s.options.Legacy
	at := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = syntax.Offset
	} else if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = typ.Offset
	}
	if at >= 0 {
		ev.Attributes["line"] = strconv.Itoa(1 + bytes.Count(content[:min(int(at), len(content))], []byte("\n")))
	}
	return ev
}

// retireLegacy renames the imported JSON file to the first free name of .bak, .bak.1, .bak.2 and so
// on. It also renames the file of an earlier process that was killed after the import.
func (s *Store) retireLegacy(ctx context.Context) error {
	var imported int
	row := s.writer.QueryRowContext(ctx, "SELECT count(*) FROM executor_meta WHERE key = ?", keyImported)
	err := row.Scan(&imported)
	if err != nil || imported == 0 {
		return err
	}
	if _, err := os.Lstat(s.options.Legacy); err != nil {
		return nil
	}
	to := s.options.Legacy + ".bak"
	for n := 1; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		}
		to = s.options.Legacy + ".bak." + strconv.Itoa(n)
	}
	if err := os.Rename(s.options.Legacy, to); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(to))
}
