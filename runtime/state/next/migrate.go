package state

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

//go:embed schema.sql
var schema string

// The versions of a schema. Only current is written.
const (
	phase1  = -1 // the tables of older runners; their files have no version
	empty   = 0
	current = 2
)

// applicationID marks a file as a state: "errg".
const applicationID = 0x65727267

// inspect returns the version of a file, and refuses a file that is not a state.
func inspect(ctx context.Context, db *sql.DB) (version int, err error) {
	var application int
	var names sql.Null[string]
	err = db.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT group_concat(name, ' ') FROM sqlite_schema WHERE type <> 'index' AND name <> 'sqlite_sequence')`).
		Scan(&application, &version, &names)
	if err != nil {
		return 0, unusable(err)
	}
	tables := strings.Fields(names.V)
	if application != applicationID {
		for _, table := range tables {
			if table != "tasks" && table != "attempts" && table != "executor_meta" {
				return 0, refuse("foreign", "it is a database of another program")
			}
		}
		switch {
		case application != 0 || version != 0:
			return 0, refuse("foreign", "it is a database of another program")
		case len(tables) > 0:
			return phase1, nil
		}
		return empty, nil
	}
	switch {
	case version > current:
		return 0, refuse("newer", "its schema has version %d, and this program supports %d", version, current)
	case version < 1 || !slices.Contains(tables, "tasks") || !slices.Contains(tables, "attempts"):
		return 0, refuse("corrupt", "its tables are not those of a state")
	}
	return version, nil
}

// migrate brings the schema up to date and imports an older runner's JSON file into an empty state,
// in one transaction. If the process is killed, the next Open does it again.
func (s *Store) migrate(ctx context.Context) error {
	have, err := inspect(ctx, s.writer)
	if err != nil {
		return err
	}
	var imported string
	err = s.transact(ctx, func(t *tx) error {
		if have != current {
			if err := t.upgrade(have); err != nil {
				return fmt.Errorf("migrate: %w", err)
			}
		}
		var tasks int
		if err := t.scan("SELECT count(*) FROM (SELECT 1 FROM tasks LIMIT 1)", nil, &tasks); err != nil || tasks > 0 {
			return err
		}
		imported, err = s.importLegacy(t)
		return err
	})
	if err != nil {
		return err
	}
	if have == phase1 || have == 1 { // the old tables are still in the log's pages, or in those before it
		if _, err := s.writer.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return err
		}
	}
	return s.retireLegacy(ctx, imported)
}

// upgrade replaces the tables of an older version.
func (t *tx) upgrade(have int) error {
	if _, err := t.exec("PRAGMA secure_delete = ON"); err != nil { // its texts may have secrets
		return err
	}
	old := map[string]bool{}
	var setup []string
	rows, err := t.tx.QueryContext(t.ctx,
		"SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type")
	if err != nil {
		return err
	}
	for rows.Next() {
		var kind, name string
		if err := rows.Scan(&kind, &name); err != nil {
			return errors.Join(err, rows.Close())
		}
		switch kind {
		case "index":
			setup = append(setup, "DROP INDEX "+name)
		case "table":
			old[name] = true
			setup = append(setup, "ALTER TABLE "+name+" RENAME TO old_"+name)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, statement := range append(setup, schema) {
		if _, err := t.exec(statement); err != nil {
			return err
		}
	}
	if err := t.copyOld(old); err != nil {
		return err
	}
	for _, table := range []string{"errors", "entries", "calls", "attempts", "runs", "tasks", "lanes", "budgets",
		"executor_meta"} { // those that refer to others first
		if old[table] {
			if _, err := t.exec("DROP TABLE old_" + table); err != nil {
				return err
			}
		}
	}
	_, err = t.exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, current))
	return err
}

// copyOld copies what the tables of an older version have. The runs of version 1 are dropped, because
// their journal cannot be resumed; their attempts stay.
func (t *tx) copyOld(old map[string]bool) error {
	if old["tasks"] {
		if err := t.copyTasks(); err != nil {
			return fmt.Errorf("tasks: %w", err)
		}
	}
	if old["attempts"] {
		if err := t.copyAttempts(); err != nil {
			return fmt.Errorf("attempts: %w", err)
		}
	}
	for table, columns := range map[string]string{
		"executor_meta": "key, value", "budgets": "id, at, scope, tokens, cost_microusd, note",
	} {
		if old[table] {
			_, err := t.exec("INSERT INTO " + table + " SELECT " + columns + " FROM old_" + table)
			if err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
	}
	return nil
}

// selectOld returns the query of columns of an old table, NULL for those that it does not have.
func (t *tx) selectOld(table string, columns ...string) (string, error) {
	for i, column := range columns {
		var n int
		err := t.scan("SELECT count(*) FROM pragma_table_info(?) WHERE name = ?", []any{table, column}, &n)
		if err != nil {
			return "", err
		}
		if n == 0 {
			columns[i] = "NULL"
		}
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + table + " ORDER BY rowid", nil
}

func (t *tx) copyTasks() (err error) {
	query, err := t.selectOld("old_tasks", "task_id", "status", "started_at", "completed_at", "generation")
	if err != nil {
		return err
	}
	rows, err := t.tx.QueryContext(t.ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id, status string
		var started, completed sql.Null[string]
		var generation sql.Null[int]
		if err := rows.Scan(&id, &status, &started, &completed, &generation); err != nil {
			return err
		}
		old := oldTask{Status: status, Started: started.V, Completed: completed.V}
		if err := t.importTask(id, old, max(1, generation.V)); err != nil {
			return fmt.Errorf("%s: %w", mask.Beginning(id, 100), err)
		}
	}
	return rows.Err()
}

func (t *tx) copyAttempts() (err error) {
	query, err := t.selectOld("old_attempts", "id", "task_id", "timestamp", "success", "duration_seconds", "error",
		"error_code", "claude_output", "generation", "category", "reaction", "action", "counted", "provider", "tier",
		"input_tokens", "output_tokens", "cost_microusd", "feedback", "changed_files")
	if err != nil {
		return err
	}
	rows, err := t.tx.QueryContext(t.ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var a Attempt
		var at string
		var seconds float64
		var generation sql.Null[int]
		var failure, code, output, category, reaction, action, provider, feedback, changed sql.Null[string]
		var counted sql.Null[bool]
		var tier, in, out, cost sql.Null[int64]
		if err := rows.Scan(&a.ID, &a.Task, &at, &a.Success, &seconds, &failure, &code, &output, &generation,
			&category, &reaction, &action, &counted, &provider, &tier, &in, &out, &cost, &feedback,
			&changed); err != nil {
			return err
		}
		a.Duration, a.Error, a.CodeAsWritten, a.Output = duration(seconds), failure.V, code.V, output.V
		a.Category, a.Reaction, a.Action, a.Provider = category.V, reaction.V, action.V, provider.V
		a.Feedback, a.Usage, a.Counted, a.Generation = feedback.V, usage(in, out, cost), opt(counted), generation.V
		if tier.Valid {
			a.Tier = taxonomy.Some(int(tier.V))
		}
		if a.At, err = oldTime(at); err != nil {
			return fmt.Errorf("%d: %w", a.ID, err)
		}
		if changed.Valid {
			if err := json.Unmarshal([]byte(changed.V), &a.Changed); err != nil {
				return fmt.Errorf("%d: changed files: %w", a.ID, err)
			}
		}
		if a.Action == string(Cancelled) {
			a.Outcome = Cancelled
		}
		if _, err := t.insertAttempt(t.s.completed(a)); err != nil {
			return fmt.Errorf("%d: %w", a.ID, err)
		}
	}
	return rows.Err()
}

// oldLayouts are the forms of times in older files. Times without a zone are local.
var oldLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

func oldTime(s string) (t time.Time, err error) {
	for _, layout := range oldLayouts {
		if t, err = time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return t, fmt.Errorf("%q is not a time", mask.Beginning(s, 40))
}
