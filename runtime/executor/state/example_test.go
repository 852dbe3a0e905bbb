package state_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A runner without an executor records its attempts.
func Example() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := state.Open(ctx, filepath.Join(dir, "state.db"), state.Options{Table: errs.Table})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	for range 3 {
		_, err := store.RecordAttempt(ctx, state.Attempt{
			Task: "T-1", Code: errs.CodeValidationPreCommit.Error(), Error: "1 test failed",
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	stop, err := store.ShouldStop(ctx, 3)
	fmt.Println(stop, err)
	lessons, err := store.RetryContext(ctx, "T-1", 5)
	fmt.Println(lessons.AttemptNumber, lessons.PreviousErrorCode, err)
	// Output:
	// true <nil>
	// 4 VALIDATION_PRE_COMMIT <nil>
}

// The function carryOut is the sample of docs/state.md. TestBlocks in docs finds it.
func ExampleStore_RecordAttempt() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := state.Open(ctx, filepath.Join(dir, "state.db"), state.Options{Table: errs.Table})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	refused := &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 401}
	for _, result := range []error{refused, nil} {
		err := carryOut(ctx, store, "T-1", func(context.Context) error { return result })
		task, _ := store.Task(ctx, "T-1")
		fmt.Println(task.Status, err != nil)
	}
	attempts, err := store.Attempts(ctx, "T-1", 10)
	for _, a := range attempts {
		fmt.Println(a.Outcome)
	}
	fmt.Println(err)
	// Output:
	// failed true
	// completed false
	// failed
	// clean
	// <nil>
}

func carryOut(ctx context.Context, store *state.Store, task string, work func(ctx context.Context) error) error {
	if err := store.MarkRunning(ctx, task); err != nil {
		return err
	}
	var lost error
	err := retry.Do(ctx, work, retry.ByTable(errs.Table), retry.WithNotify(func(call retry.Attempt) {
		a := state.Attempt{Task: task, Success: call.Err == nil, Duration: time.Since(call.Began)}
		if call.Err != nil {
			a.Code, a.Error = taxonomy.CodeOf(call.Err), call.Err.Error()
		}
		_, err := store.RecordAttempt(ctx, a)
		lost = errors.Join(lost, err)
	}))
	if stopped, ok := errors.AsType[*retry.Error](err); ok {
		status := state.TaskFailed
		if stopped.Reaction.Action == taxonomy.Block {
			status = state.TaskBlocked
		}
		lost = errors.Join(lost, store.SetStatus(ctx, task, status))
	}
	return errors.Join(err, lost)
}
