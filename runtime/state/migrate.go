package state

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed schema.sql
var schema string

// The versions of a schema.
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
	case version == 1:
		return 0, refuse("older", "its schema has version 1, which was never released and cannot be migrated; "+
			"move the file away, and a new one is created")
	case version < current || !slices.Contains(tables, "tasks") || !slices.Contains(tables, "attempts"):
		return 0, refuse("corrupt", "its tables are not those of a state")
	}
	return version, nil
}

// migrate brings the schema up to date and imports an older runner's JSON file into an empty state,
// in one transaction. If the process is killed, the next Open repeats it.
func (s *Store) migrate(ctx context.Context) error {
	have, err := inspect(ctx, s.writer)
	if err != nil {
		return err
	}
	var imported string
	err = s.transact(ctx, func(t *tx) error {
		if have != current {
			if err := t.upgrade(have == phase1); err != nil {
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
	if have == phase1 { // the pages of the old tables are overwritten when the log is written back
		if _, err := s.writer.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return err
		}
	}
	return s.retireLegacy(ctx, imported)
}

// upgrade creates the tables and imports those of an older runner, if old is set. An interrupted
// migration may have left a part of the old tables.
func (t *tx) upgrade(old bool) error {
	var tasks []oldTask
	if old {
		var err error
		if tasks, err = t.oldTasks(); err != nil {
			return err
		}
		// The old texts may have secrets, so their pages are overwritten.
		for _, statement := range []string{"PRAGMA secure_delete = ON", "DROP TABLE IF EXISTS attempts",
			"DROP TABLE IF EXISTS tasks", "PRAGMA secure_delete = OFF"} {
			if _, err := t.exec(statement); err != nil {
				return err
			}
		}
	}
	_, err := t.exec(schema + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID,
		current))
	if err != nil {
		return err
	}
	return t.importTasks(tasks)
}

// oldTasks reads the tables of an older runner.
func (t *tx) oldTasks() ([]oldTask, error) {
	var tasks []oldTask
	index := map[string]int{}
	err := t.each("tasks", "SELECT task_id, status, coalesce(started_at, ''), coalesce(completed_at, '') FROM tasks "+
		"ORDER BY rowid", func(r row) error {
		var task oldTask
		err := r.Scan(&task.ID, &task.Status, &task.Started, &task.Completed)
		index[task.ID] = len(tasks)
		tasks = append(tasks, task)
		return err
	})
	if err != nil {
		return nil, err
	}
	return tasks, t.each("attempts", "SELECT task_id, timestamp, success, duration_seconds, coalesce(error, ''), "+
		"coalesce(error_code, ''), coalesce(claude_output, '') FROM attempts ORDER BY id", func(r row) error {
		var id string
		var a oldAttempt
		err := r.Scan(&id, &a.Timestamp, &a.Success, &a.Seconds, &a.Error, &a.Code, &a.Output)
		if i, ok := index[id]; ok {
			tasks[i].Attempts = append(tasks[i].Attempts, a)
		}
		return err
	})
}

// each calls f for each row of a query about a table, if the table exists.
func (t *tx) each(table, query string, f func(row) error) (err error) {
	var exists bool
	err = t.scan("SELECT count(*) > 0 FROM sqlite_schema WHERE name = ?", []any{table}, &exists)
	if err != nil || !exists {
		return err
	}
	return t.query(query, nil, f)
}
