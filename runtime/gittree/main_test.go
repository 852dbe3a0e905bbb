package gittree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/gittree"
)

// TestMain runs the child process if its variable is set. The tests have a temporary home, so the
// caller's git configuration has no effect.
func TestMain(m *testing.M) {
	for variable, play := range children {
		if text := os.Getenv(variable); text != "" {
			if err := play(text); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	home, err := os.MkdirTemp("", "gittree")
	if err == nil {
		err = isolate(home)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(home)
		os.Exit(code)
	}))
}

func isolate(home string) error {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") {
			_ = os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	config := "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n" +
		"[protocol \"file\"]\n\tallow = always\n"
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600)
}

// children are the parts of the tests that run in other processes, by the variable with their
// parameters.
var children = map[string]func(text string) error{
	treeVariable: playTree, cloneVariable: playClone, attemptVariable: playAttempt,
}

// ofGit reports whether a change is one of git itself.
func ofGit(c gittree.Change) bool { return strings.Contains("/"+c.Path+"/", "/.git/") }
