package filelanes_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/errgen/errgen/runtime/executor/filelanes"
	"github.com/errgen/errgen/runtime/retry"
)

// Two processes share waits through one directory.
func Example() {
	dir, err := os.MkdirTemp("", "lanes")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, noJitter := context.Background(), func() float64 { return 0 }
	until := time.Now().Add(time.Hour).Truncate(time.Second)

	first := filelanes.New(dir, retry.System, noJitter)
	if err := first.Pause(ctx, "anthropic-api/key-1", until); err != nil {
		fmt.Println(err)
	}
	second := filelanes.New(dir, retry.System, noJitter)
	opens, err := second.Until(ctx, "anthropic-api/key-1")
	fmt.Println(opens.Equal(until), err)
	// Output: true <nil>
}
