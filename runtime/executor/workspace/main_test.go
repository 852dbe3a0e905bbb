package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain gives the tests a temporary home, so the caller's git configuration has no effect.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "workspace")
	if err != nil {
		panic(err)
	}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") {
			_ = os.Unsetenv(name)
		}
	}
	variables := map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": "", "GIT_CONFIG_NOSYSTEM": "1",
	}
	for name, value := range variables {
		_ = os.Setenv(name, value)
	}
	config := "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n" +
		"[protocol \"file\"]\n\tallow = always\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}
