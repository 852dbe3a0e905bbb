package state

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestWriteIsWholeOrNothing(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "state.db"), Options{})
	boom := errors.New("boom")
	put := func(t *tx, key string) error {
		_, err := t.exec("INSERT INTO executor_meta VALUES (?, '')", key)
		return err
	}
	err := s.write(t.Context(), "try", func(t *tx) error { return errors.Join(put(t, "a"), boom) })
	require.ErrorIs(t, err, boom)
	assert.ErrorContains(t, err, "try: boom")
	assert.Panics(t, func() {
		_ = s.write(t.Context(), "panic", func(t *tx) error { panic(put(t, "b")) })
	})
	err = s.write(t.Context(), "twice", func(t *tx) error { return errors.Join(put(t, "c"), put(t, "c")) })
	assert.Equal(t, "constraint", evidenceOf(t, err).Type)
	err = s.write(t.Context(), "pass", func(t *tx) error { return &taxonomy.Evidence{Source: "executor", Op: "lock"} })
	assert.Equal(t, "lock", evidenceOf(t, err).Op, "evidence is passed on")
	assert.Empty(t, notes(t, s))
	require.NoError(t, noted(t.Context(), s, "d", ""))
	assert.Len(t, notes(t, s), 1)
}

func TestWriteEnded(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "state.db"), Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	require.NoError(t, s.write(ctx, "finish", func(t *tx) error {
		cancel(why)
		_, err := t.exec("INSERT INTO executor_meta VALUES ('k', 'v')")
		return err
	}), "what is under way is finished")
	require.ErrorIs(t, noted(ctx, s, "l", ""), why)
	err := s.query(ctx, "read", "SELECT 1", nil, func(row) error { return nil })
	require.ErrorIs(t, err, why)
	assert.Equal(t, map[string]string{"k": "v"}, notes(t, s))
}

func TestQuery(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "state.db"), Options{})
	for n := range 5 {
		require.NoError(t, noted(t.Context(), s, strconv.Itoa(n), ""))
	}
	rows := 0
	require.NoError(
		t, s.query(t.Context(), "read", "SELECT key FROM executor_meta WHERE key > ? ORDER BY key", []any{"1"},
			func(r row) error {
				if rows++; rows == 2 {
					return errEnough
				}
				return nil
			}))
	assert.Equal(t, 2, rows)
	require.NoError(t, s.view(t.Context(), "read", func(v *view) error {
		count := func() (n int) {
			require.NoError(t, v.row("SELECT count(*) FROM executor_meta", nil, &n))
			return n
		}
		before := count()
		require.NoError(t, noted(t.Context(), s, "new", ""))
		assert.Equal(t, before, count(), "one moment")
		return nil
	}))
	ev := evidenceOf(t, s.query(t.Context(), "ask", "SELECT none", nil, func(row) error { return nil }))
	assert.Equal(t, []string{"state", "state_write", s.Path()}, []string{ev.Source, ev.Op, ev.Attribute("path")})
}

func TestClosed(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), Options{})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				err := noted(t.Context(), s, strconv.Itoa(g)+"."+strconv.Itoa(n), "")
				if err == nil {
					err = s.query(t.Context(), "read", "SELECT 1", nil, func(row) error { return nil })
				}
				if err != nil {
					assert.ErrorIs(t, err, ErrClosed)
					assert.Equal(t, "closed", evidenceOf(t, err).Type)
					return
				}
				if n == 3 {
					assert.NoError(t, s.Close())
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, s.Close())
	require.ErrorIs(t, noted(t.Context(), s, "k", ""), ErrClosed)
	sound(t, opened(t, s.Path(), Options{}))
}

// TestBusyForEver has somebody write who does not end it.
func TestBusyForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	holder := opened(t, path, Options{})
	s, err := openWith(t.Context(), path, Options{}, steps, hasty)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	patient := opened(t, path, Options{})
	require.NoError(t, holder.write(t.Context(), "hold", func(*tx) error {
		err := noted(t.Context(), s, "k", "")
		assert.Equal(t, "busy", evidenceOf(t, err).Type)
		assert.NotContains(t, err.Error(), "locked")
		for limit := hasty.total; ; limit *= 4 { // until it has begun to wait before that is over
			ctx, cancel := context.WithTimeoutCause(t.Context(), limit, errors.New("enough"))
			err = errors.Unwrap(noted(ctx, patient, "k", ""))
			cancel()
			if err == nil || err.Error() != "note: enough" || limit > time.Minute {
				break
			}
		}
		assert.EqualError(t, err, "note: begin: enough")

		refused := make(chan error)
		go func() { refused <- noted(t.Context(), patient, "k", "") }()
		assert.NoError(t, patient.Close())
		assert.ErrorIs(t, <-refused, ErrClosed)
		return nil
	}))
	require.NoError(t, noted(t.Context(), s, "k", ""))
}
