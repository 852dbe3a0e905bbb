package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	manyProcesses  = 8
	manyGoroutines = 8
	manyWrites     = 6 // of each goroutine each time
	manyTimes      = 3 // that each process opens and closes the file
)

// manyChild opens the file, writes and reads it from several goroutines, and closes it, several
// times. What reached one of them is its error.
func manyChild(args []string) error {
	path, name := args[0], args[1]
	for time := range manyTimes {
		if err := writeMany(path, name+"."+strconv.Itoa(time)); err != nil {
			return err
		}
	}
	return nil
}

func writeMany(path, name string) error {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	errs := make([]error, manyGoroutines)
	var wg sync.WaitGroup
	for g := range manyGoroutines {
		wg.Go(func() {
			for n := range manyWrites {
				key := fmt.Sprintf("%s.%d.%d", name, g, n)
				errs[g] = errors.Join(errs[g], noted(ctx, s, key, "v"), found1(ctx, s, key))
			}
		})
	}
	wg.Wait()
	return errors.Join(append(errs, s.Close())...)
}

// found1 returns an error unless the note is there.
func found1(ctx context.Context, s *Store, key string) error {
	n := 0
	err := s.query(ctx, "read note", "SELECT count(*) FROM executor_meta WHERE key = ?", []any{key},
		func(r row) error { return r.Scan(&n) })
	if err == nil && n != 1 {
		return fmt.Errorf("%s is there %d times", key, n)
	}
	return err
}

func TestManyProcesses(t *testing.T) {
	for _, there := range []bool{false, true} {
		t.Run(fmt.Sprintf("there=%t", there), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			if there {
				require.NoError(t, opened(t, path, Options{}).Close())
			}
			children := make([]*exec.Cmd, manyProcesses)
			outputs := make([]bytes.Buffer, manyProcesses)
			for i := range children {
				children[i] = childCommand(t, "many", path, strconv.Itoa(i))
				children[i].Stdout, children[i].Stderr = &outputs[i], &outputs[i]
				require.NoError(t, children[i].Start())
			}
			for i, c := range children {
				assert.NoError(t, c.Wait())
				assert.Empty(t, outputs[i].String())
			}
			s := opened(t, path, Options{})
			assert.Len(t, notes(t, s), manyProcesses*manyTimes*manyGoroutines*manyWrites)
			sound(t, s)
		})
	}
}
