package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/internal/describe"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEvents compares the kinds of events of a run with its story.
func TestEvents(t *testing.T) {
	w := newSimulation(breaks("limit", "forbidden/x"), done("a"))
	cfg := w.config(tablesOf(reactions()), nil)
	var kinds []EventKind
	var last Event
	cfg.Observer = Observers(nil, observe(func(Event) { panic("an observer panics") }), observe(func(e Event) {
		kinds = append(kinds, e.Kind)
		last = e
		assert.Equal(t, "run", e.Run)
		assert.NotEmpty(t, describe.Event(e))
		assert.NotContains(t, describe.Event(e), "\n")
	}))
	s := runState(t.Context(), cfg, aTask, nil)
	require.Equal(t, EndCompleted, s.End)
	assert.Equal(t, []EventKind{
		RunStarted, IterationStarted, CallStarted, CallEnded, ErrorClassified, ReactionTaken,
		ErrorClassified, ReactionTaken, Reverted, IterationEnded, Waiting, Waited,
		IterationStarted, CallStarted, CallEnded, Validated, Committed,
		Delivered, Validated, Delivered, Validated, Delivered, IterationEnded, RunEnded,
	}, kinds)
	assert.Equal(t, StatusCompleted, last.Result.Status)
}

// TestSecrets looks for a secret in everything that a run writes.
func TestSecrets(t *testing.T) {
	const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
	failed := &taxonomy.Evidence{Source: "anthropic-api", Op: loop.OpCall, Status: 500, Text: "bad key " + secret,
		Output: "key=" + secret, Attributes: map[string]string{"api_key": secret}}
	w := newSimulation(callStep{Err: failed, Answer: Answer{Session: secret}},
		callStep{Writes: written("forbidden/" + secret), Answer: Answer{Text: "BLOCKED: is " + secret + " right?"}})
	store := &memStore{}
	cfg := w.config(tablesOf(reactions()), store)
	cfg.Table, cfg.Classify = errs.Table, detect.Classifier(errs.Explain)
	cfg.Decode = func(b []byte) (error, error) { return errs.UnmarshalError(b) }
	cfg.Tiers = nil
	var logged bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	cfg.Observer = Observers(Slog(logger, cfg.Table), observe(func(e Event) { logged.WriteString(describe.Event(e)) }))
	e, err := New(cfg)
	require.NoError(t, err)
	task := aTask
	task.Prompt += " " + secret
	r := e.Run(t.Context(), task)
	require.Equal(t, EndMaxFailures, r.EndReason)
	result, err := json.Marshal(r)
	require.NoError(t, err)
	// Paths in the state are not masked, because a resumed run needs them.
	state := strings.ReplaceAll(string(store.b), "forbidden/"+secret, "")
	for name, text := range map[string]string{
		"log": logged.String(), "result": string(result), "state": state,
		"prompts": strings.Join(w.Prompts, "")[len(w.Prompts[0]):],
	} {
		text = strings.ReplaceAll(text, "Do it. "+secret, "")
		assert.NotContains(t, text, secret, name)
	}
}

// TestManyRuns runs 1,000 tasks at the same time.
func TestManyRuns(t *testing.T) {
	const runs = 1000
	m := tablesOf(reactions())
	ends := make(chan EndReason, runs)
	for i := range runs {
		w := newSimulation(breaks("limit"), works("a"), done("b"))
		cfg := w.config(m, nil)
		cfg.Limits.Failures = Unlimited
		e, err := New(cfg)
		require.NoError(t, err)
		go func() {
			ends <- e.Run(context.Background(), Task{Run: fmt.Sprint("run-", i), ID: "task", Prompt: "p"}).EndReason
		}()
	}
	for range runs {
		assert.Equal(t, EndCompleted, <-ends)
	}
}

// TestStateSize bounds the state of a run that changes many files.
func TestStateSize(t *testing.T) {
	var files []string
	for i := range 20_000 {
		files = append(files, fmt.Sprintf("node_modules/some/package/file%d.js=x", i))
	}
	w, cfg, store := play(story{"many files", reactions(), []callStep{works(files...), done("b")}, nil})
	s := runState(t.Context(), cfg, aTask, nil)
	assert.Equal(t, EndCompleted, s.End)
	assert.Len(t, w.CommitLog, 2)
	assert.Less(t, store.largest, 64<<10)
}

func TestPathsKeepEveryByte(t *testing.T) {
	for _, p := range []string{"a", "a\xffb", `"quoted"`, "new\nline", "\xf0\x28"} {
		b, err := json.Marshal([]any{Paths{p}, Change{Path: p}})
		require.NoError(t, err)
		var paths Paths
		var c Change
		require.NoError(t, json.Unmarshal(b, &[]any{&paths, &c}))
		assert.Equal(t, Paths{p}, paths)
		assert.Equal(t, p, c.Path)
	}
}

// TestSlogContext logs an error. Its context is logged if the table's profile reports contexts.
func TestSlogContext(t *testing.T) {
	table := func(profile taxonomy.ProfileName, o taxonomy.Overrides) taxonomy.Table {
		table, err := errs.Table.Profile(profile)
		require.NoError(t, err)
		table, err = table.Override(o)
		require.NoError(t, err)
		return table
	}
	yes, stop := true, taxonomy.Overrides{Uncategorized: "stop"}
	contexts := taxonomy.Overrides{Reporting: taxonomy.ReportingOverride{Context: &yes}}
	for _, tt := range []struct {
		name    string
		table   taxonomy.Table
		context bool
	}{
		{"no profile", errs.Table, false},
		{"overrides without a profile", table("", stop), false},
		{"overrides of contexts", table("", contexts), true},
		{"a profile with overrides", table(errs.ProfileUnattended, stop), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var logged bytes.Buffer
			Slog(slog.New(slog.NewJSONHandler(&logged, nil)), tt.table).Observe(Event{
				Kind: ReactionTaken, Err: errs.NewProviderRateLimit("p"),
				Reaction: taxonomy.Reaction{LogLevel: taxonomy.LogError},
			})
			assert.Contains(t, logged.String(), "PROVIDER_RATE_LIMIT")
			assert.Equal(t, tt.context, strings.Contains(logged.String(), `"provider":"p"`))
		})
	}
}
