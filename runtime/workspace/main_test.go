package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// shared is the home of the tests that have none of their own.
var shared string

// TestMain makes git forget the configuration of whoever runs the tests, also the git that is
// tested.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "workspace")
	shared = home
	err = errors.Join(err, configured(home), os.Setenv("HOME", home),
		os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config")),
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
