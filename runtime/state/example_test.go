package state_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/state"
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
