package scenarios_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sample is a block of Go in the page that is compiled here.
var sample = regexp.MustCompile("(?s)```go run\n(.*?)```")

func TestDocsSamples(t *testing.T) {
	code, err := os.ReadFile("docs_sample_test.go")
	require.NoError(t, err)
	for page, n := range map[string]int{"executor.md": 3, "state.md": 2} {
		text, err := os.ReadFile("../../docs/" + page)
		require.NoError(t, err)
		samples := sample.FindAllStringSubmatch(string(text), -1)
		assert.Len(t, samples, n, page)
		for _, s := range samples {
			assert.Contains(t, string(code), s[1], page)
		}
	}
}

func TestDocsSampleOverride(t *testing.T) {
	table, err := override()
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Abort, table.Reaction(errs.NewValidationPrePush("make", 1, "")).Action)
	assert.Equal(t, taxonomy.Retry, errs.Table.Reaction(errs.NewValidationPrePush("make", 1, "")).Action)
}

func TestDocsSampleFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		err := fetch(t.Context(), func(context.Context) error {
			if calls++; calls < 3 {
				return errors.New("HTTP 503")
			}
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, 3, calls)
	})
}

func TestDocsSampleRun(t *testing.T) {
	_, err := run(t.Context(), t.TempDir(), "x")
	assert.Error(t, err, "a directory that is no repository")
}

func TestDocsSampleState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	claude, err := claudecli.New(claudecli.Options{Path: filepath.Join(t.TempDir(), "none")})
	require.NoError(t, err)
	r, err := runStored(t.Context(), path, claude, executor.Task{Run: "r", ID: "T-1", Prompt: "Do it."})
	require.NoError(t, err)
	assert.Equal(t, errs.CodeProviderNotAvailable.Error(), r.ErrorCode)

	store, err := state.Open(t.Context(), path, state.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	require.NoError(t, fund(t.Context(), store))
	limits, err := store.Budgets(t.Context())
	require.NoError(t, err)
	assert.Len(t, limits, 2)
}
