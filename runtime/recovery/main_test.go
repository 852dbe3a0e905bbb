package recovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// recordTo names the variable that has the test binary write down how it was started, instead of
// running tests.
const recordTo = "RECOVERY_RECORD"

// started is how a program was started.
type started struct {
	Args  []string
	Env   []string
	Stdin string
	Dir   string
}

// realHome is the home of whoever runs the tests.
var realHome string

// TestMain makes git forget the configuration of whoever runs the tests.
func TestMain(m *testing.M) {
	if file := os.Getenv(recordTo); file != "" {
		os.Exit(writeDown(file))
	}
	if dir := os.Getenv(mendIn); dir != "" {
		os.Exit(mendThere(dir))
	}
	realHome = os.Getenv("HOME")
	home, err := os.MkdirTemp("", "recovery")
	err = errors.Join(
		err, os.WriteFile(filepath.Join(home, ".gitconfig"),
			[]byte("[user]\n\tname = Test\n\temail = test@example.com\n"), 0o600),
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

// writeDown appends how this process was started to a file.
func writeDown(file string) int {
	stdin, err := io.ReadAll(os.Stdin)
	dir, dirErr := os.Getwd()
	line, jsonErr := json.Marshal(started{os.Args[1:], os.Environ(), string(stdin), dir})
	f, openErr := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if errors.Join(err, dirErr, jsonErr, openErr) != nil {
		return 3
	}
	_, err = f.Write(append(line, '\n'))
	if errors.Join(err, f.Close()) != nil {
		return 3
	}
	return 0
}
