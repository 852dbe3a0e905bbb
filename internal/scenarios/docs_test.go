package scenarios_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sample is a block of Go in the page that is compiled here.
var sample = regexp.MustCompile("(?s)```go run\n(.*?)```")

func TestDocsSamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/executor.md")
	require.NoError(t, err)
	code, err := os.ReadFile("docs_sample_test.go")
	require.NoError(t, err)
	samples := sample.FindAllStringSubmatch(string(page), -1)
	assert.Len(t, samples, 3)
	for _, s := range samples {
		assert.Contains(t, string(code), s[1])
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
