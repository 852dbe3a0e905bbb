package state

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	errNotBegun = errors.New("a run begins with the entry of what it begins with")
	errGone     = errors.New("the run is known, and its entries are not there any more")
)

// damage is what makes a journal unreadable.
type damage struct {
	run   string
	entry int // from 1; 0 is all of them
	err   error
}

func (d *damage) Error() string {
	if d.entry == 0 {
		return fmt.Sprintf("journal of run %s: %s", d.run, d.err)
	}
	return fmt.Sprintf("journal of run %s, entry %d: %s", d.run, d.entry, d.err)
}

func (d *damage) Unwrap() error { return d.err }

// stored are the entries of a run, and how many bytes they have.
type stored struct {
	entries []executor.Entry
	size    int64
	last    [sha256.Size]byte // digest of the last one
}

// entries returns the entries of a run, oldest first.
func (s *Store) entries(ctx context.Context, run string) (k stored, err error) {
	err = s.view(ctx, "read the journal of run "+run, func(v *view) error {
		err := v.query("SELECT seq, iteration, point, body FROM entries WHERE run = ? ORDER BY seq", []any{run},
			func(r row) error {
				return k.take(run, r)
			})
		if err != nil || len(k.entries) > 0 {
			return err
		}
		known := 0
		err = v.row("SELECT count(*) FROM runs WHERE run = ?", []any{run}, &known)
		if err == nil && known > 0 {
			return &damage{run: run, err: errGone}
		}
		return err
	})
	return k, err
}

// take adds an entry from its row.
func (k *stored) take(run string, r row) error {
	var seq, iteration int
	var point string
	var body []byte
	if err := r.Scan(&seq, &iteration, &point, &body); err != nil {
		return err
	}
	n := len(k.entries) + 1
	damaged := func(err error) error { return &damage{run: run, entry: n, err: err} }
	if seq != n {
		return damaged(fmt.Errorf("entry %d stands in its place", seq))
	}
	if k.size += int64(len(body)); n > maxEntries || k.size > maxJournal {
		return damaged(fmt.Errorf("there are more than %d entries or %d bytes", maxEntries, maxJournal))
	}
	var e executor.Entry
	if err := json.Unmarshal(body, &e); err != nil {
		return damaged(fmt.Errorf("read it: %w", err))
	}
	if string(e.Point) != point || e.Iteration != iteration {
		return damaged(errors.New("what it says is not what stands beside it"))
	}
	k.entries, k.last = append(k.entries, e), sha256.Sum256(body)
	return nil
}

// unreadable returns evidence that a run cannot be gone on with.
func (s *Store) unreadable(err error) *taxonomy.Evidence {
	ev := evidence("executor", "resume", s.path, err)
	if d, ok := errors.AsType[*damage](err); ok {
		ev.Type, ev.Text = "refused", d.Error()
		ev.Attributes["run"] = d.run
		if d.entry > 0 {
			ev.Attributes["entry"] = strconv.Itoa(d.entry)
		}
	}
	return ev
}

// refusedName returns evidence that what is called field cannot have this name.
func (s *Store) refusedName(field, name string, err error) *taxonomy.Evidence {
	ev := evidence("executor", "prepare", s.path, err)
	ev.Text = "" // the attributes say it
	ev.Attributes["field"], ev.Attributes["value"], ev.Attributes["expected"] = field, textMask.Beginning(name, 256),
		filelock.NameExpected
	return ev
}

// same reports whether the entry that is written as body is e, but for its time: whoever appends an
// entry again may ask the clock again.
func same(body []byte, e *executor.Entry) bool {
	var was executor.Entry
	if json.Unmarshal(body, &was) != nil {
		return false
	}
	is := *e
	was.At, is.At = time.Time{}, time.Time{}
	a, err1 := json.Marshal(&was)
	b, err2 := json.Marshal(&is)
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}
