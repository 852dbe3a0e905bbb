package scenarios_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets this program play other parts: a provider's command line, and a process that runs
// the executor. The tests have a home and a directory for temporary files of their own. When they
// are over nothing may be left: no goroutine, no process, no file.
func TestMain(m *testing.M) {
	playExecutor()
	os.Exit(tidily(m))
}

func tidily(m *testing.M) int {
	base, err := os.MkdirTemp("", "scenarios")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(base) }()
	temp, err := isolate(base)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f != nil && f.Value.String() == f.DefValue {
		_ = f.Value.Set("6") // most of the time is waiting for processes
	}
	code := m.Run()
	if code != 0 {
		return code
	}
	for _, left := range leftBehind(temp) {
		fmt.Fprintln(os.Stderr, "left behind:", left)
		code = 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// usersHome is the home directory of the tests' user, where Go has its caches.
var usersHome = os.Getenv("HOME")

// isolate gives the tests a home directory in base, without a git configuration, and returns the
// directory for temporary files.
func isolate(base string) (temp string, err error) {
	home := filepath.Join(base, "home")
	temp = filepath.Join(base, "tmp")
	for _, dir := range []string{home, temp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
	}
	config := "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM": "1", "TMPDIR": temp,
	} {
		if err := os.Setenv(name, value); err != nil {
			return "", err
		}
	}
	// Variables of the tests' user must not affect git.
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "GIT_") && name != "GIT_CONFIG_NOSYSTEM" {
			_ = os.Unsetenv(name)
		}
	}
	_, err = exec.LookPath("git")
	return temp, err
}

// leftBehind names the temporary files that are still there, and the processes that the tests
// began.
func leftBehind(temp string) []string {
	var left []string
	entries, err := os.ReadDir(temp)
	if err != nil {
		left = append(left, err.Error())
	}
	for _, e := range entries {
		left = append(left, filepath.Join(temp, e.Name()))
	}
	return append(left, processesIn(temp)...)
}
