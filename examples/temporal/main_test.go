package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "worker" || os.Getenv("ERRGEN_STORY") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// Both runs end with their work committed: after a killed worker, a rate limit and a question.
func TestStory(t *testing.T) {
	if _, err := exec.LookPath("../../build/temporal"); err != nil {
		if _, err := exec.LookPath("temporal"); err != nil {
			if os.Getenv("ERRGEN_TEMPORAL") == "required" {
				t.Fatal("the Temporal CLI is missing; make temporal builds it")
			}
			t.Skip("SKIPPED: the story needs the Temporal CLI; make temporal builds it")
		}
	}
	home := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ERRGEN_STORY=1", "TMPDIR="+home, "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, &problems)
	for _, line := range []string{
		"north: completed after 2 calls", "south: completed after 2 calls",
		"iteration 1: PROVIDER_RATE_LIMIT, reaction wait",
		"Greet from the north", "LICENSE | 2 +-",
	} {
		assert.Contains(t, string(out), line)
	}
	left, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Empty(t, left)
}
