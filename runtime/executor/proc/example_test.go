//go:build unix

package proc_test

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/runtime/executor/proc"
)

// The exit of a program becomes evidence, which a taxonomy classifies.
func Example() {
	stderr := proc.NewTail(4 << 10)
	exit, err := proc.Run(context.Background(), proc.Command{
		Path: "sh", Args: []string{"-c", "echo no space left >&2; exit 3"}, Env: proc.SafeEnv(), Stderr: stderr,
	})
	ev := proc.Failure("backup", "copy", "sh", exit, err)
	fmt.Println(ev.Source, ev.Op, ev.ExitCode.Or(0), stderr)
	// Output: backup copy 3 no space left
}
