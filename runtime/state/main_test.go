package state

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// asChild is the variable that has the test binary be a process of its own; it says which of
// children.
const asChild = "STATE_CHILD"

// children are what the test binary does as a process of its own, with its arguments. What they
// print is for the test.
var children = map[string]func(args []string) error{
	"kill":    killedChild,
	"journal": journalChild,
	"many":    manyChild,
	"convert": convertChild,
}

func TestMain(m *testing.M) {
	maps.Copy(children, systemChildren)
	if name := os.Getenv(asChild); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// childCommand returns a process that does what the child of that name does.
func childCommand(t testing.TB, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asChild+"="+name, "GORACE=atexit_sleep_ms=0")
	return cmd
}
