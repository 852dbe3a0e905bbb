package state

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/text"
)

// oldTask is a task of an older runner. Its JSON file is {"tasks": {ID: oldTask, …}, …}.
type oldTask struct {
	ID        string       `json:"-"`
	Status    string       `json:"status"`
	Started   string       `json:"started_at"`
	Completed string       `json:"completed_at"`
	Attempts  []oldAttempt `json:"attempts"`
}

type oldAttempt struct {
	Timestamp string  `json:"timestamp"`
	Success   *bool   `json:"success"`
	Seconds   float64 `json:"duration_seconds"`
	Error     string  `json:"error"`
	Code      string  `json:"error_code"`
	Output    string  `json:"claude_output"`
}

// keyImported is the key of the imported file's hash in executor_meta.
const keyImported = "converted_sha256"

// legacy returns the content of the JSON file and its hash. The content is nil if the file does not
// exist.
func (s *Store) legacy() (content []byte, sum string, err error) {
	if s.options.Legacy == "" {
		return nil, "", nil
	}
	if info, err := os.Lstat(s.options.Legacy); err != nil || !info.Mode().IsRegular() {
		return nil, "", nil
	}
	content, err = os.ReadFile(s.options.Legacy)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	hash := sha256.Sum256(content)
	return content, hex.EncodeToString(hash[:]), err
}

// importLegacy imports the JSON file into an empty state, and returns its hash. Without the file,
// it does nothing.
func (s *Store) importLegacy(t *tx) (sum string, err error) {
	content, sum, err := s.legacy()
	if content == nil || err != nil {
		return "", err
	}
	d := json.NewDecoder(bytes.NewReader(content))
	tasks, err := readLegacy(d)
	if err == nil {
		err = t.importTasks(tasks)
	}
	if err != nil {
		return "", s.unimported(content, d, err)
	}
	for key, value := range map[string]string{
		"converted_from": filepath.Base(s.options.Legacy), "converted_at": stamp(s.clock.Now()), keyImported: sum,
	} {
		_, err := t.exec("INSERT OR REPLACE INTO executor_meta (key, value) VALUES (?, ?)", key, mask(value))
		if err != nil {
			return "", err
		}
	}
	return sum, nil
}

// readLegacy reads the file member by member, which keeps the order of the tasks.
func readLegacy(d *json.Decoder) (tasks []oldTask, err error) {
	found := false
	err = members(d, func(key string) error {
		if key != "tasks" {
			return d.Decode(new(json.RawMessage))
		}
		found = true
		return members(d, func(id string) error {
			task := oldTask{ID: id}
			err := d.Decode(&task)
			tasks = append(tasks, task)
			return err
		})
	})
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, errors.New(`it has no "tasks"`)
	case d.More():
		return nil, errors.New("it has text after its end")
	}
	return tasks, nil
}

// members calls f for each key of an object; f reads the value.
func members(d *json.Decoder, f func(key string) error) error {
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errors.Join(err, errors.New("an object is expected"))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if err := f(key.(string)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// importTasks inserts tasks of an older runner. The IDs of attempts follow their times over all
// tasks, because failures in a row are counted by them.
func (t *tx) importTasks(tasks []oldTask) error {
	var attempts []Attempt
	for _, task := range tasks {
		if err := t.importTask(&task); err != nil {
			return fmt.Errorf("task %s: %w", text.Quote(task.ID, 100), err)
		}
		for i, o := range task.Attempts {
			at, err := oldTime(o.Timestamp)
			if err != nil || o.Success == nil {
				return fmt.Errorf("task %s: attempt %d needs a timestamp and success", text.Quote(task.ID, 100), i+1)
			}
			attempts = append(attempts, Attempt{Task: task.ID, At: at, Success: *o.Success, Error: o.Error,
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

// importTask inserts a task. It drops the time of completion of an unfinished task, which older
// runners did not clear.
func (t *tx) importTask(task *oldTask) error {
	if err := checkTask(task.ID); err != nil {
		return err
	}
	switch {
	case task.Status == "":
		return errors.New("it has no status")
	case task.Status == "success":
		task.Status = string(TaskCompleted)
	}
	if !TaskStatus(task.Status).over() {
		task.Completed = ""
	}
	var stamps [2]sql.Null[string]
	for i, text := range []string{task.Started, task.Completed} {
		at, err := oldTime(text)
		if err != nil && text != "" {
			return err
		}
		stamps[i] = optionalStamp(at)
	}
	_, err := t.exec("INSERT INTO tasks (task_id, status, started_at, completed_at) VALUES (?, ?, ?, ?)", task.ID,
		mask.Beginning(task.Status, maxName), stamps[0], stamps[1])
	return err
}

// oldTime reads a time of an older runner. A time without a zone is local.
func oldTime(s string) (t time.Time, err error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err = time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a time", text.Quote(s, 40))
}

// unimported returns the evidence that the JSON file was not imported, with the place in it.
func (s *Store) unimported(content []byte, d *json.Decoder, err error) error {
	ev := evidence("executor", "prepare", s.path, fmt.Errorf("import %s: %w", s.options.Legacy, err))
	if ev.Errno != "" { // the disk failed, not the file
		return ev
	}
	at := d.InputOffset()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = max(0, syntax.Offset-1)
	}
	before := content[:min(int(at), len(content))]
	ev.Type = "parse"
	ev.Attributes["legacy"] = s.options.Legacy
	ev.Attributes["line"] = strconv.Itoa(1 + bytes.Count(before, []byte("\n")))
	ev.Attributes["column"] = strconv.Itoa(len(before) - bytes.LastIndexByte(before, '\n'))
	return ev
}

// checkImported refuses an empty state beside a JSON file that was not imported.
func (s *Store) checkImported(ctx context.Context) error {
	var tasks int
	err := s.reader.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM tasks LIMIT 1)").Scan(&tasks)
	if err != nil || tasks > 0 {
		return err
	}
	return s.unread()
}

// unread refuses a state without tasks if there is a JSON file.
func (s *Store) unread() error {
	if content, _, err := s.legacy(); err != nil || content == nil {
		return err
	}
	return refuse("unread",
		"it has no tasks, and %s of an older runner was not read; open the state for writing once, "+
			"which imports it", s.options.Legacy)
}

// retireLegacy renames the imported JSON file to the first free name of .bak, .bak.1, .bak.2 and so
// on, also if an earlier process was killed between import and renaming. A file that changed since
// the import stays.
func (s *Store) retireLegacy(ctx context.Context, imported string) error {
	content, sum, err := s.legacy()
	if content == nil || err != nil {
		return err
	}
	if imported == "" {
		err := s.writer.QueryRowContext(ctx, "SELECT value FROM executor_meta WHERE key = ?", keyImported).
			Scan(&imported)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	if sum != imported {
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

// duration returns seconds as a duration.
func duration(seconds float64) time.Duration {
	return time.Duration(max(0, min(seconds, 1e9)) * float64(time.Second)).Round(time.Microsecond)
}
