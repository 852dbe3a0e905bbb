//go:build !unix

package providertest

import (
	"os"
	"os/exec"
)

func escape(*exec.Cmd) {}

// die ends this process: here there are no signals.
func die(string) error {
	os.Exit(1)
	return nil
}
