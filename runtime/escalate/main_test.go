package escalate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// child names the variable that has the test binary play a part in a test of another process.
const child = "ESCALATE_CHILD"

// children are the parts that it can play, by name. Each gets the arguments behind the program's.
var children = map[string]func(args []string) error{}

// TestMain makes git forget the configuration of whoever runs the tests, also the git that is
// tested.
func TestMain(m *testing.M) {
	if part := children[os.Getenv(child)]; part != nil {
		if err := part(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	home, err := os.MkdirTemp("", "escalate")
	err = errors.Join(err, os.WriteFile(filepath.Join(home, ".gitconfig"),
		[]byte("[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n"), 0o600),
		os.Setenv("HOME", home), os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config")),
		os.Setenv("GIT_CONFIG_NOSYSTEM", "1"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(home)
		os.Exit(code)
	}))
}
