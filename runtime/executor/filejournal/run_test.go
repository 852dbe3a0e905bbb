package filejournal_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/executor/filelanes"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// answering answers each call with the next of some answers.
type answering struct{ errors []error }

func (*answering) Name() string                    { return "claude-cli" }
func (*answering) Available(context.Context) error { return nil }

func (p *answering) Call(context.Context, executor.Request) (executor.Answer, error) {
	if len(p.errors) == 0 {
		return executor.Answer{Text: "done", Signal: executor.SignalDone}, nil
	}
	err := p.errors[0]
	p.errors = p.errors[1:]
	return executor.Answer{}, err
}

// A whole run is in its file, with what reads it, and with the lanes and observers that go with it.
func TestARunInItsFile(t *testing.T) {
	dir := t.TempDir()
	shown := terminal.New(io.Discard, terminal.Options{})
	x, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Journal: filejournal.New(dir),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Lanes:    filelanes.New(t.TempDir(), nil, nil),
		Provider: &answering{errors: []error{&taxonomy.Evidence{Type: "timeout", Text: "too slow"}}},
		Observer: executor.Observers(shown, executor.Slog(slog.New(slog.DiscardHandler), errs.Table)),
	})
	require.NoError(t, err)
	result := x.Run(context.Background(), executor.Task{Run: "r-1", ID: "t-1", Prompt: "do it"})
	require.NoError(t, shown.Close())
	assert.Equal(t, executor.EndCompleted, result.EndReason, "%+v", result)

	runs, err := filejournal.Runs(dir)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	assert.Equal(t, []any{"r-1", "t-1", executor.StatusCompleted, executor.EndCompleted},
		[]any{runs[0].Name, runs[0].Task, runs[0].Status, runs[0].EndReason})
	_, entries := open(t, dir, "r-1")
	require.NotEmpty(t, entries)
	assert.Equal(t, executor.PointBegun, entries[0].Point)
}
