package output

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// runKilled runs TestKilledChild in a process of its own and returns how that ended; that it ended
// by itself is a failure of the test.
func runKilled(t *testing.T, at string) error {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	cmd.Env = append(os.Environ(), killAt+"="+at)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.False(t, exit.Exited(), "it ended by itself: %s", out)
	}
	return err
}
