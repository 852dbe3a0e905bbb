package syncerr_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	syncerr "example.com/shop/recovery"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The Go of docs/recovery.md that uses the taxonomy of the page.
func Example() {
	dir, err := os.MkdirTemp("", "recovery")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	lock := filepath.Join(dir, "my.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		fmt.Println(err)
		return
	}
	h, err := newSync(lock)
	if err != nil {
		fmt.Println(err)
		return
	}
	op := recovery.Op{Name: "sync", Do: func(context.Context) error {
		if _, err := os.Stat(lock); err == nil {
			return errors.New("my.lock: lock exists")
		}
		return nil
	}}
	out := h.Handle(context.Background(), op)
	fmt.Println(out.Success(), out.Recovered, out.Calls)
	if h, err = newSync("missing.lock"); err != nil {
		fmt.Println(err)
		return
	}
	op.Do = func(context.Context) error { return errors.New("my.lock: lock exists") }
	out = h.Handle(context.Background(), op)
	fmt.Println(out.Success(), out.Recovered, out.Calls)
	fmt.Println(out.Message())
	fmt.Println(out.Result.Warnings)
	// Output:
	// true true 2
	// false false 1
	// the lock exists (strategy remove_lock: recover: ENOENT: remove missing.lock: no such file or directory)
	// [strategy remove_lock: recover: ENOENT: remove missing.lock: no such file or directory]
}

type strategies struct {
	*recovery.Standard // has WaitForRateLimit
	lock               string
}

func (s strategies) RemoveLock(context.Context, taxonomy.RecoveryRequest) error {
	return os.Remove(s.lock)
}

func (s strategies) Recover(ctx context.Context, failure taxonomy.RecoveryRequest) error {
	return syncerr.Recover(ctx, s, failure)
}

func newSync(lock string) (*recovery.Handler, error) {
	standard, err := recovery.New(recovery.Options{})
	if err != nil {
		return nil, err
	}
	return recovery.NewHandler(recovery.Config{
		Table:     syncerr.Table,
		Classify:  detect.Classifier(syncerr.Explain),
		Recoverer: strategies{standard, lock},
	})
}
