package filelock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// child is the variable that makes the test program take a lock; it contains the directory.
const child = "HOLD_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		os.Exit(holdOn(dir))
	}
	goleak.VerifyTestMain(m)
}

// holdOn takes the lock on r, prints "held", and exits at the end of its input without a release.
func holdOn(dir string) int {
	_, err := filelock.Take(context.Background(), dir, "r", "run r", "", filelock.DefaultPatience)
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok {
		fmt.Println("refused", ev.Attribute("pid"))
		return 0
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 0
}
