package scenarios_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestDocsSampleOverride(t *testing.T) {
	table, err := unattended()
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Abort, table.Reaction(errs.NewValidationPrePush("make", 1, "")).Action)
	assert.Equal(t, 2, table.Reaction(errs.NewProviderAPIError("p", "")).Policy.MaxAttempts)
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

func TestDocsSampleReports(t *testing.T) {
	var text, page bytes.Buffer
	require.NoError(
		t, reportOn([]error{errors.New("boom"), &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429}},
			&text, &page))
	assert.Contains(t, text.String(), "Total Errors: 2")
	assert.Contains(t, page.String(), "PROVIDER_RATE_LIMIT")

	mux := http.NewServeMux()
	scraped, err := serveMetrics(mux)
	require.NoError(t, err)
	exported, err := exportMetrics(noop.NewMeterProvider())
	require.NoError(t, err)
	store, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	config := executor.Config{Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: failing{}}
	model, err := learnFrom(t.Context(), store, &config, nil)
	require.NoError(t, err)
	var runs report.Runs
	e, err := executor.New(observed(config, report.Sinks{scraped, exported}, &runs))
	require.NoError(t, err)
	e.Run(t.Context(), executor.Task{ID: "T-1"})

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.Contains(t, answer.Body.String(), `code="PERMISSION_API_AUTH"`)
	var foretold bytes.Buffer
	forecast(&foretold, model)
	assert.Contains(t, foretold.String(), "PERMISSION_API_AUTH")
	page.Reset()
	require.NoError(t, writePage(&page, report.Snapshot{At: time.Now()}, &runs, model))
	assert.Contains(t, page.String(), `"code":"PERMISSION_API_AUTH"`)
	assert.Len(t, runs.All(), 1)
	err = traced(t.Context(), tracenoop.NewTracerProvider().Tracer("test"),
		func(context.Context) error { return errors.New("boom") })
	assert.Error(t, err)
}

// failing is a provider with invalid credentials.
type failing struct{}

func (failing) Name() string { return "anthropic-api" }

func (failing) Available(context.Context) error { return nil }

func (failing) Call(context.Context, executor.Request) (executor.Answer, error) {
	return executor.Answer{},
		&taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 401, Type: "authentication_error"}
}

func TestDocsSampleRun(t *testing.T) {
	_, err := run(t.Context(), t.TempDir(), t.TempDir(), "x")
	assert.Error(t, err, "a directory that is no repository")
}

func TestDocsSampleTogether(t *testing.T) {
	s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	claude, err := claudecli.New(claudecli.Options{Path: filepath.Join(t.TempDir(), "none")})
	require.NoError(t, err)
	assert.NoError(t, runTogether(t.Context(), claude, s, []executor.Task{{ID: "T-1"}, {ID: "T-2"}}))
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

// TestDocsQueries runs the SQL of docs/state.md on the file of a run.
func TestDocsQueries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	claude, err := claudecli.New(claudecli.Options{Path: filepath.Join(t.TempDir(), "none")})
	require.NoError(t, err)
	_, err = runStored(t.Context(), path, claude, executor.Task{Run: "r", ID: "T-1", Prompt: "Do it."})
	require.NoError(t, err)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	page, err := os.ReadFile("../../docs/state.md")
	require.NoError(t, err)
	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	assert.NotEmpty(t, queries)
	for _, q := range queries {
		rows, err := db.QueryContext(t.Context(), q[1])
		if assert.NoError(t, err, q[1]) {
			for rows.Next() {
			}
			assert.NoError(t, rows.Err(), q[1])
		}
	}
}
