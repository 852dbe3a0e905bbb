package main_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

func shell(t *testing.T, script string) error {
	_, err := exec.CommandContext(t.Context(), "sh", "-c", script).Output()
	return err
}

// refused calls an address that nobody listens at any more.
func refused(t *testing.T) error {
	var d net.Dialer
	_, err := d.DialContext(t.Context(), "tcp", unused)
	return err
}

// The failures of real operations, as the standard library reports them: nobody has to fill in
// evidence by hand.
func TestRealFailures(t *testing.T) {
	tests := []struct {
		name      string
		fail      func(t *testing.T) error
		code      error
		retryable bool
		context   string // a part of it
	}{
		{"O39 a missing file", func(t *testing.T) error {
			_, err := os.ReadFile(filepath.Join(t.TempDir(), "CLAUDE.md"))
			return err
		}, prerequisite, false, `"reason":"missing_file"`},
		{"O39 a directory that is a file", func(t *testing.T) error {
			name := filepath.Join(t.TempDir(), "plan")
			require.NoError(t, os.WriteFile(name, nil, 0o600))
			_, err := os.ReadFile(filepath.Join(name, "step.md"))
			return err
		}, prerequisite, false, `"reason":"missing_file"`},
		{"O39 as a command says it", func(t *testing.T) error { return shell(t, "cat /no/such/file") }, prerequisite,
			false, `"reason":"missing_file"`},
		{"O40 a script that may not be run", func(t *testing.T) error {
			name := filepath.Join(t.TempDir(), "run.sh")
			require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\n"), 0o600))
			return exec.CommandContext(t.Context(), name).Run()
		}, prerequisite, false, `"reason":"permission_denied"`},
		{"O41 B-O07 a refused connection", refused, prerequisite, true, `"reason":"connection_refused"`},
		{"O43 B-O07 a command that a shell does not find", func(
			t *testing.T) error {
			return shell(t, "no-such-command-anywhere")
		}, prerequisite, false, `"reason":"missing_command"`},
		{"O43 a command that is not there", func(t *testing.T) error {
			return exec.CommandContext(t.Context(), "no-such-command-anywhere").Run()
		}, prerequisite, false, `"reason":"missing_command"`},
		{"O44 a variable", func(t *testing.T) error {
			return shell(t, `unset TARGET; : "${TARGET:?environment variable TARGET is not set}"`)
		}, prerequisite, false, `"reason":"missing_variable"`},
		{"O45 an exit status", func(t *testing.T) error { return shell(t, "exit 3") }, execution, false,
			`"exitCode":3`},
		{"O45 a signal", func(t *testing.T) error { return shell(t, "kill -9 $$") }, execution, false,
			`"signal":"SIGKILL"`},
		{"O31 an error that nothing describes", func(*testing.T) error { return errors.New("something new") },
			unclassified, false, "something new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cause := tt.fail(t)
			require.Error(t, cause)
			err := errs.Classify(cause, detect.WithSource(errs.SourceStep))
			require.ErrorIs(t, err, tt.code)
			require.ErrorIs(t, err, cause)
			assert.Equal(t, tt.retryable, taxonomy.IsRetryable(err))
			e, ok := errors.AsType[taxonomy.Error](err)
			require.True(t, ok)
			assert.Contains(t, string(e.AppendContext(nil)), tt.context)
		})
	}
}
