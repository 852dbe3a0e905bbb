package scenarios_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/cli"
	"github.com/errgen/errgen/runtime/executor"
)

// TestNewCodes generates a taxonomy that nothing here knows, builds a program with it, and runs the
// executor in it. No Go is changed for its codes, whatever their reactions.
func TestNewCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	t.Parallel()
	program := buildNewCodes(t)
	tests := []struct {
		kind, code, reaction string
		want                 executor.EndReason
		iterations           int
		counted              int
		calls                []string
		waited               time.Duration
		tidied               int
	}{
		{"comet", "COMET_SEEN", "try_again", executor.EndCompleted, 2, 1, []string{"small", "small"}, 0, 0},
		{"busy", "LINE_BUSY", "call_again", executor.EndCompleted, 1, 0, []string{"small", "small"}, 2 * time.Second,
			0},
		{"mood", "MOOD_BAD", "pass_over", executor.EndCompleted, 2, 0, []string{"small", "small"}, 0, 0},
		{"fire", "HOUSE_ON_FIRE", "abort", executor.EndFatal, 1, 0, []string{"small"}, 0, 0},
		{"key", "KEY_LOST", "block", executor.EndBlocked, 1, 0, []string{"small"}, 0, 0},
		{"difficult", "TOO_DIFFICULT", "hand_over", executor.EndCompleted, 2, 0, []string{"small", "large"}, 0, 0},
		{"untidy", "DESK_UNTIDY", "tidy_up", executor.EndCompleted, 2, 1, []string{"small", "small"}, time.Second, 1},
		{"tide", "TIDE_HIGH", "wait_a_while", executor.EndCompleted, 2, 0, []string{"small", "small"}, 3 * time.Minute,
			0},
		{"never heard of", "SOMETHING_ELSE", "abort", executor.EndFatal, 1, 0, []string{"small"}, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.code, func(t *testing.T) {
			out, err := exec.Command(program, test.kind).Output()
			require.NoError(t, err)
			var got struct {
				Result executor.Result
				Calls  []string
				Tidied int
			}
			require.NoError(t, json.Unmarshal(out, &got))
			r := got.Result
			assert.Equal(t, test.want, r.EndReason, shown(&r))
			assert.Equal(t, []string{test.code + " " + test.reaction}, reactionsOf(&r))
			assert.Equal(t, []int{test.iterations, test.counted}, []int{r.Iterations, r.Counted})
			assert.Equal(t, test.calls, got.Calls)
			assert.Equal(t, test.waited, time.Duration(r.Waited))
			assert.Equal(t, test.tidied, got.Tidied)
			if test.want != executor.EndCompleted {
				assert.Equal(t, []string{"novelty", test.code}, []string{r.ErrorCategory, r.ErrorCode})
			}
		})
	}
}

// buildNewCodes generates the package and builds the program, in a module of their own.
func buildNewCodes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	copyTo := func(from, to string) {
		b, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), b, 0o600))
	}
	copyTo("testdata/newcodes/taxonomy.yaml", "taxonomy.yaml")
	copyTo("testdata/newcodes/main.go.txt", "main.go")
	copyTo(filepath.Join(root, "go.sum"), "go.sum")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	mod = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module example.com/new"))
	mod = append(mod, "\nrequire github.com/errgen/errgen v0.0.0\n\nreplace github.com/errgen/errgen => "+root+"\n"...)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o600))

	var said bytes.Buffer
	require.Zero(t, cli.Run(t.Context(), nil, cli.Env{Dir: dir, Stdout: &said, Stderr: &said}), said.String())
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-mod=mod", "-o", program, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "HOME="+usersHome, "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}
