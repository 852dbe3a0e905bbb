package state

import (
	"context"
	"database/sql"
	"errors"
)

// found is what a file is, as far as it is a state.
type found struct {
	application int
	version     int
	tables      int // of those that every version has
	triggers    int
}

const probing = `SELECT (SELECT application_id FROM pragma_application_id),
	(SELECT user_version FROM pragma_user_version),
	(SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('tasks', 'attempts', 'executor_meta')),
	(SELECT count(*) FROM sqlite_schema WHERE type = 'trigger')`

// probe looks at the file without changing it, and refuses it unless it is a state that this
// program knows. A connection of its own, which can only read, does it: also a log that was left is
// then not written back.
func (s *Store) probe(ctx context.Context, mode string) error {
	var f found
	err := s.patience.try(ctx, s.closing, func() (err error) {
		db, err := sql.Open("sqlite", dsn(s.path, mode, s.patience.pragma()))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		return db.QueryRowContext(ctx, probing).Scan(&f.application, &f.version, &f.tables, &f.triggers)
	})
	if err != nil {
		return unusable(ended(ctx, err))
	}
	if err := f.check(s.steps); err != nil {
		return err
	}
	if s.options.ReadOnly && f.version < len(s.steps) {
		return refuse("older", "its schema has version %d of %d, and it would have to be changed to be read", f.version,
			len(s.steps))
	}
	return nil
}

func (f found) check(steps []string) error {
	if f.application != applicationID {
		return refuse("foreign", "it is a database of something else")
	}
	if err := known(f.version, steps); err != nil {
		return err
	}
	switch {
	case f.version == 0 || f.tables < 3:
		return refuse("corrupt", "its tables are not those of a state")
	case f.triggers > 0:
		return refuse("foreign", "it has triggers, which would change what is written")
	}
	return nil
}
