//go:build unix

package detect_test

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// shell returns the error of a shell script, with what it wrote to its standard error.
func shell(t *testing.T, script string) error {
	t.Helper()
	_, err := exec.Command("sh", "-c", script).Output()
	require.Error(t, err)
	return err
}

func TestOfProcesses(t *testing.T) {
	exit := taxonomy.Some[int]
	for _, c := range []struct {
		script string
		want   taxonomy.Evidence
	}{
		{"exit 3", taxonomy.Evidence{ExitCode: exit(3), Text: "exit status 3"}},
		{"echo fatal >&2; exit 128", taxonomy.Evidence{ExitCode: exit(128), Text: "fatal\n"}},
		{"echo fatal >&2; kill -KILL $$", taxonomy.Evidence{Signal: "SIGKILL", Text: "fatal\n"}},
		{"echo >&2; exit 1", taxonomy.Evidence{ExitCode: exit(1), Text: "exit status 1"}},
		{"kill -TERM $$", taxonomy.Evidence{Signal: "SIGTERM", Text: "signal: terminated"}},
	} {
		err := shell(t, c.script)
		want := c.want
		want.Err = err
		assert.Equal(t, want, detect.Of(err), c.script)
	}
}

func TestOfProcessesInChains(t *testing.T) {
	first, second := shell(t, "echo fatal >&2; exit 2"), shell(t, "echo other >&2; kill -KILL $$")
	wrapped := fmt.Errorf("git push: %w", first)
	assert.Equal(t, taxonomy.Evidence{ExitCode: taxonomy.Some(2), Text: "fatal\n", Err: wrapped}, detect.Of(wrapped))
	joined := errors.Join(errors.New("cleaning up failed"), first, second)
	assert.Equal(t, taxonomy.Evidence{ExitCode: taxonomy.Some(2), Err: joined,
		Text: "cleaning up failed\nexit status 2\nsignal: killed\nfatal\n"}, detect.Of(joined))
}

func TestOfProgramThatCannotStart(t *testing.T) {
	err := exec.Command("/no/such/program").Run()
	ev := detect.Of(err)
	assert.Equal(t, "start", ev.Type)
	assert.Equal(t, "ENOENT", ev.Errno)
}
