package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Options are how a [Store] is opened. The zero value is good.
type Options struct {
	// Table is the taxonomy by which stored codes are understood; of the zero Table none is known.
	Table taxonomy.Table
	// Clock is asked for the time; nil is [retry.System].
	Clock retry.Clock
	// ReadOnly opens a file for looking at it; it must be there, and is neither made, converted nor
	// migrated. Where the directory cannot be written either, a log that a killed process has left
	// may keep it from being read.
	ReadOnly bool
	// Legacy is the JSON file that an older runner has kept its state in. It is converted if there
	// is no database yet. Empty is [LegacyPath], and nothing where that is empty.
	Legacy string
	// Random is the source of jitter for shared waits; nil is math/rand/v2.
	Random retry.Random
}

// Store is a state in a file. Its methods are safe for concurrent use. Their errors are a
// *[taxonomy.Evidence].
type Store struct {
	path     string
	options  Options
	clock    retry.Clock
	steps    []string
	patience patience
	writer   *writer // nil when it is read only
	reader   *sql.DB
	files    *files
	closing  chan struct{}
	close    func() error // closes once, and tells everybody how that went
}

// Open opens the state at path, and makes it if there is none. A symbolic link is followed. A file
// with a second name, a hard link, is refused where the system tells of it: whoever opens that
// would write another log, and what one has acknowledged the other would lose. The error is a
// *[taxonomy.Evidence] of source "executor" with the attribute path: of op "prepare" if it cannot
// be opened or made, and of op "resume", type "refused" with the attribute reason if it is not
// touched because it is corrupt, or a database of something else (foreign), was written by a newer
// program (newer), is of an older one and could only be read (older), or is tracked by git
// (tracked).
//
// The files must stay where they are. Once one was removed, replaced or cut off, what is written or
// read is evidence of type "moved", and nothing more is written until the state is opened anew.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	return openWith(ctx, path, o, steps, ordinary)
}

func openWith(ctx context.Context, path string, o Options, steps []string, p patience) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, unopened(path, err)
	}
	s := &Store{path: abs, options: o, clock: o.Clock, steps: steps, patience: p, closing: make(chan struct{})}
	s.close = sync.OnceValue(s.shut)
	if s.clock == nil {
		s.clock = retry.System
	}
	if err := s.open(ctx); err != nil {
		return nil, unopened(s.path, errors.Join(err, s.Close()))
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.options.ReadOnly {
		return s.openReadOnly(ctx)
	}
	if err := atomicfile.MakeDir(filepath.Dir(s.path)); err != nil {
		return fmt.Errorf("make the directory of the state: %w", err)
	}
	if s.path, err = locate(s.path); err != nil {
		return err
	}
	if err := untracked(ctx, s.path); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	if s.writer, err = openWriter(ctx, s.path, s.patience); err != nil {
		return err
	}
	s.files = s.writer.files
	if err := s.writer.migrate(ctx, s.steps); err != nil {
		return err
	}
	if s.reader, err = openReader(s.path, readWrite, s.patience); err != nil {
		return err
	}
	return s.retireLegacy(ctx)
}

// ready has a database be there that can be written.
func (s *Store) ready(ctx context.Context) error {
	none, err := missing(s.path)
	if err != nil {
		return err
	}
	if none {
		if err := s.create(ctx); err != nil {
			return fmt.Errorf("make it: %w", err)
		}
	}
	if err := s.probe(ctx, readOnly); err != nil {
		return err
	}
	return writable(s.path)
}

// Path returns where the state is: absolute, and behind symbolic links.
func (s *Store) Path() string { return s.path }

// Close closes the state when what is being written is done. What is being read may be read to its
// end. Runs whose journal is open are to be closed before. It may be called again, and returns the
// same.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut() error {
	close(s.closing)
	var errs []error
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.close())
	}
	if err := errors.Join(errs...); err != nil {
		return s.failed("close", err)
	}
	return nil
}
