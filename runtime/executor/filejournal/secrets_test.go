package filejournal_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// noWaits is a clock on which waits take no time.
type noWaits struct{}

func (noWaits) Now() time.Time                                   { return time.Unix(0, 0).UTC() }
func (noWaits) Sleep(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }

// Secrets are masked also in what no field of the taxonomy masks.
func TestNoSecretIsWritten(t *testing.T) {
	const secret = "ghp_abcdefghijABCDEFGHIJ0123456789abcdef"
	everywhere := func(typ string, status int) *taxonomy.Evidence {
		return &taxonomy.Evidence{
			Source: "claude-cli", Op: "call", Type: typ, Status: status, Code: secret, Text: "it says " + secret,
			Output:     secret,
			Credential: secret,
			Attributes: map[string]string{"provider": "p " + secret, "resource": secret, "path": secret,
				"command": secret},
		}
	}
	dir := t.TempDir()
	x, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Journal: filejournal.New(dir), Clock: noWaits{},
		Decode: func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider: &answering{errors: []error{everywhere("overloaded", 529), everywhere("timeout", 0),
			everywhere("command_blocked", 0)}},
	})
	require.NoError(t, err)
	r := x.Run(context.Background(), executor.Task{Run: "r-1", ID: "t-1", Prompt: "do it"})
	require.Equal(t, executor.EndFatal, r.EndReason)
	require.Len(t, r.Errors, 3)
	assert.NotEmpty(t, r.Errors[0].Details)

	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotContains(t, string(b), secret, file)
		assert.NotContains(t, string(b), secret[len("ghp_"):], file)
	}
}
