//go:build unix

package validate_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A check that fails is evidence, with the output for the agent.
func Example() {
	v, err := validate.New(validate.Config{
		Dir:       os.TempDir(),
		PreCommit: []validate.Command{{Args: []string{"sh", "-c", "echo 1 test failed; exit 1"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = v.Validate(context.Background(), executor.Check{Phase: executor.PreCommit})
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok {
		fmt.Println(ev.Source, ev.Op, ev.Type, ev.ExitCode.Or(0), ev.Output)
	}
	// Output: validator validate_pre_commit exit 1 1 test failed
}
