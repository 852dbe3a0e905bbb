package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/executor/workspace"
)

// TestMain runs the child process if its variable is set. The tests have a temporary home, so the
// caller's git configuration has no effect.
func TestMain(m *testing.M) {
	workspace.SetLockPatience(300 * time.Millisecond)
	if text := os.Getenv(childVariable); text != "" {
		if err := playChild(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	home, err := os.MkdirTemp("", "workspace")
	if err == nil {
		err = separate(home)
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

// separate removes the caller's configuration of git from the environment.
func separate(home string) error {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") {
			_ = os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": "", "GIT_CONFIG_NOSYSTEM": "1",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	config := "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n" +
		"[protocol \"file\"]\n\tallow = always\n"
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600)
}
