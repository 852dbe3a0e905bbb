//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// hanging is an agent that has touched what it must not, and then does not end.
func hanging() providertest.CLIStep {
	step := providertest.CLIAnswer("never said").Write("deploy/production.yml", "replicas: 300\n")
	step.Script = "hang"
	return step
}

// ready waits until the agent has done what it does and the journal knows its process.
func (a *acted) ready() {
	a.t.Helper()
	require.NoError(a.t, await(a.t.Context(), func() bool {
		b, err := os.ReadFile(a.path("deploy/production.yml"))
		return err == nil && strings.Contains(string(b), "300") && len(a.processes()) > 0
	}))
}

func TestInterrupt(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			a := begun(t, "", hanging())
			var out, hints bytes.Buffer
			cmd := process(t, a.args("-run=act")...)
			cmd.Stdout, cmd.Stderr = &out, &hints
			require.NoError(t, cmd.Start())
			a.ready()
			agent, err := a.cli.Calls()
			require.NoError(t, err)
			require.NoError(t, cmd.Process.Signal(signal))
			_ = cmd.Wait()
			assert.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), hints.String())
			var r executor.Result
			require.NoError(t, json.Unmarshal(out.Bytes(), &r))
			assert.Equal(t, executor.EndCancelled, r.EndReason)
			assert.Equal(t, executor.StatusCancelled, r.Status)
			assert.Zero(t, r.Failures)
			assert.Contains(t, hints.String(), "aidf: interrupted")
			assert.Equal(t, "replicas: 3\n", a.read("deploy/production.yml"), "what was changed is judged all the same")
			assert.ErrorIs(t, syscall.Kill(agent[0].PID, 0), syscall.ESRCH, "the agent is gone")
		})
	}
}

func TestSecondInterruptKills(t *testing.T) {
	heard := make(chan os.Signal, 1) // who hears it does not hand down that it is ignored
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	a := begun(t, "", hanging().IgnoringTerm())
	config := a.options.configFile
	text, err := os.ReadFile(config)
	require.NoError(t, err)
	// it must not end before the second one
	patient := strings.Replace(string(text), `/claude"}`, `/claude", grace: 1h}`, 1)
	require.NotEqual(t, string(text), patient)
	require.NoError(t, os.WriteFile(config, []byte(patient), 0o600))
	var hints watched
	cmd := process(t, a.args("-run=act")...)
	cmd.Stderr = &hints
	require.NoError(t, cmd.Start())
	a.ready()
	agent, err := a.cli.Calls()
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(-agent[0].PID, syscall.SIGKILL) })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(
		t, await(t.Context(), func() bool { return strings.Contains(hints.String(), "once more ends at once") }))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, syscall.SIGINT, status.Signal(), hints.String())
}

// watched is what a process writes, while it does.
type watched struct {
	mu sync.Mutex
	b  strings.Builder
}

var _ io.Writer = (*watched)(nil)

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}
