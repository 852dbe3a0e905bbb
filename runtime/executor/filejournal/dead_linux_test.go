package filejournal_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/filejournal"
)

// TestLockOfTheDead opens a run whose process was killed, and whose child still has the lock for a
// moment.
func TestLockOfTheDead(t *testing.T) {
	dir := t.TempDir()
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	host, err := os.Hostname()
	require.NoError(t, err)
	note, err := json.Marshal(
		map[string]any{"pid": dead.Process.Pid, "start": "another", "host": host, "since": time.Now()})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "r.holder"), note, 0o600))
	cmd := exec.Command("flock", "--no-fork", filepath.Join(dir, "r.lock"), "sh", "-c", "echo ready; read line")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	if err := cmd.Start(); err != nil {
		t.Skip("no program takes the lock: ", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	_, err = out.Read(make([]byte, 8))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = filejournal.New(dir).Open(ctx, "r")
	require.ErrorIs(t, err, context.Canceled)
	impatient := filejournal.New(dir)
	filejournal.Impatient(impatient)
	_, err = impatient.Open(t.Context(), "r")
	assert.Contains(t, evidence(t, err).Text, "run r is held by a child of dead process")

	patient, opened := filejournal.New(dir), make(chan error, 1)
	filejournal.Patient(patient)
	go func() {
		_, err := patient.Open(t.Context(), "r")
		opened <- err
	}()
	require.NoError(t, in.Close())
	require.NoError(t, <-opened)
	require.NoError(t, patient.Close())
}
