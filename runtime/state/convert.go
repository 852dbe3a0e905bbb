package state

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// A state of the older form is a JSON file:
//
//	{"tasks": {ID: {"status", "attempts": [...], "started_at", "completed_at"}}, ...}
//
// It is read twice: once to see that all of it can be read, and in which order its attempts were
// made, and once to write it. The database that it becomes is made beside and put into place whole.
// Only then the JSON file gets another name, so that whenever that is cut short it is either
// converted anew or given its name when the state is opened the next time.

var errChanged = errors.New("it was changed while it was read")

// keyConverted is under what the fingerprint of a file is kept that was converted.
const keyConverted = "converted_sha256"

// legacyPath returns where the older form would be; empty for nowhere.
func (s *Store) legacyPath() string {
	return cmp.Or(s.options.Legacy, LegacyPath(s.path))
}

// notConverted returns that there is no database, and whether there is a state of the older form.
func (s *Store) notConverted() error {
	none := notThere(s.path)
	path := s.legacyPath()
	if info, err := os.Lstat(path); path == "" || err != nil || !info.Mode().IsRegular() {
		return none
	}
	return fmt.Errorf("%s is there, of the older form: open the state for writing once, which converts it: %w", path,
		none)
}

// convertLegacy makes the database from a state of the older form, and reports whether there was
// one. Whoever calls it has the lock, and there is no database.
func (s *Store) convertLegacy(ctx context.Context) (bool, error) {
	path := s.legacyPath()
	if path == "" {
		return false, nil
	}
	order := &orderSink{ctx: ctx}
	sum, err := s.readLegacy(path, order)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, s.unconverted(path, err)
	}
	ids := order.ids()
	err = s.build(ctx, func(t *tx) error {
		again, err := s.readLegacy(path, &convertSink{ctx: ctx, t: t, s: s, ids: ids})
		if err == nil && again != sum {
			err = errChanged
		}
		if err != nil {
			return s.unconverted(path, err)
		}
		return t.noteConverted(filepath.Base(path), sum, s.clock.Now())
	})
	return err == nil, err
}

// noteConverted keeps what the state was converted from.
func (t *tx) noteConverted(name, sum string, at time.Time) error {
	for key, value := range map[string]string{
		"converted_from": textMask(name), "converted_at": stamp(at), keyConverted: sum,
	} {
		if _, err := t.exec("INSERT INTO executor_meta (key, value) VALUES (?, ?)", key, value); err != nil {
			return err
		}
	}
	return nil
}

// unconverted returns why the file at path is not converted, as evidence that says where in it. It
// has been left as it is.
func (s *Store) unconverted(path string, err error) error {
	ev := evidence(
		"executor", "prepare", s.path,
		fmt.Errorf("convert the state of the older form in %s (another one is named by Options.Legacy): %w", path, err))
	ev.Attributes["legacy"] = path
	if m, ok := errors.AsType[*misplaced](err); ok {
		ev.Type = "parse"
		ev.Attributes["line"], ev.Attributes["column"] = strconv.Itoa(m.line), strconv.Itoa(m.column)
	}
	return ev
}

// readLegacy reads a file into a sink, and returns its fingerprint.
func (s *Store) readLegacy(path string, sink oldSink) (sum string, err error) {
	f, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	o := &oldReader{jsonReader: newJSONReader(io.TeeReader(f, h)), sink: sink, zone: time.Local}
	if err := o.read(); err != nil {
		return "", err
	}
	return hexOf(h), nil
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
