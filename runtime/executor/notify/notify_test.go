package notify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/notify"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// channel records what it is told.
type channel struct {
	name string
	mu   sync.Mutex
	got  []string
}

func (c *channel) channel() notify.Channel { return notify.Channel{Name: c.name, Send: c.sent} }

func (c *channel) sent(_ context.Context, m notify.Message) error {
	c.mu.Lock()
	c.got = append(c.got, m.Text)
	c.mu.Unlock()
	return nil
}

// hangs is a channel that hangs until its context ends.
var hangs = notify.Channel{Name: "hangs", Send: func(ctx context.Context, _ notify.Message) error {
	<-ctx.Done()
	return ctx.Err()
}}

func joined(t *testing.T, err error) []*taxonomy.Evidence {
	t.Helper()
	list, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	var all []*taxonomy.Evidence
	for _, err := range list.Unwrap() {
		var ev *taxonomy.Evidence
		require.ErrorAs(t, err, &ev)
		assert.Equal(t, "notify", ev.Source)
		assert.Equal(t, "notify", ev.Op)
		all = append(all, ev)
	}
	return all
}

// Channels that fail or hang until the limit do not stop the others.
func TestOneChannelStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		before, after := &channel{name: "before"}, &channel{name: "after"}
		routes := []notify.Route{
			{Channel: before.channel()},
			{Channel: notify.Channel{Name: "fails",
				Send: func(context.Context, notify.Message) error { return broken }}},
			{Channel: hangs},
			{Channel: after.channel()},
		}
		began := time.Now()
		r := ended(executor.EndFatal, "git", "GIT_REVERT_FAILED", "git revert failed")
		err := (&notify.Notifier{Limit: 3 * time.Second, Routes: routes}).Notify(t.Context(), r)
		assert.Equal(t, 3*time.Second, time.Since(began))
		assert.Equal(t, []string{"[GIT] Task failed: git revert failed"}, before.got)
		assert.Equal(t, before.got, after.got)
		assert.Equal(t, executor.StatusFailed, r.Status)

		all := joined(t, err)
		require.Len(t, all, 2)
		for i, name := range []string{"fails", "hangs"} {
			assert.Equal(t, name, all[i].Attribute("resource"))
		}
		assert.ErrorIs(t, all[0], broken)
		assert.Equal(t, "timeout", all[1].Type)
		assert.Equal(t, "3000", all[1].Attribute("timeout_ms"))
		assert.ErrorIs(t, errs.Classify(all[1]), errs.CodeOperationTimeout)
	})
}

func TestNotifyingStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		n := &notify.Notifier{Routes: []notify.Route{{Channel: hangs}}}
		err := n.Notify(ctx, ended(executor.EndFatal, "", "", ""))
		assert.Equal(t, time.Second, time.Since(began))
		assert.Empty(t, joined(t, err)[0].Attribute("timeout_ms"), "it was not the notifier's limit")
	})
}

func TestRoutes(t *testing.T) {
	severe := ended(executor.EndFatal, "scope", "SCOPE_FORBIDDEN", "x")
	severe.Err = severity{}
	results := []*executor.Result{
		ended(executor.EndCompleted, "", "", ""), ended(executor.EndCancelled, "", "", ""),
		ended(executor.EndMaxFailures, "", "", "x"),
		ended(executor.EndRefused, "", "", "x"), severe,
	}
	tests := []struct {
		name  string
		route notify.Route
		want  int
	}{
		{"all", notify.Route{}, 5},
		{"warnings", notify.Route{Level: slog.LevelWarn}, 3},
		{"errors", notify.Route{Level: slog.LevelError}, 2},
		{"statuses", notify.Route{Statuses: []executor.Status{executor.StatusBlocked, executor.StatusCompleted}}, 2},
		{"both", notify.Route{Level: slog.LevelWarn, Statuses: []executor.Status{executor.StatusCompleted}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &channel{name: "c"}
			tt.route.Channel = c.channel()
			n := &notify.Notifier{Routes: []notify.Route{tt.route}}
			for _, r := range results {
				require.NoError(t, n.Notify(t.Context(), r))
			}
			assert.Len(t, c.got, tt.want)
		})
	}
}

// severity is an error whose taxonomy calls it high.
type severity struct{}

func (severity) Error() string { return "severe" }

func (severity) Taxonomy() *taxonomy.Taxonomy {
	return &taxonomy.Taxonomy{None: taxonomy.Traits{Reaction: &taxonomy.Reaction{}, Severity: taxonomy.SeverityHigh}}
}

func (severity) Row() taxonomy.Row { return taxonomy.RowUnknown }

func TestLog(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(
		slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	n := &notify.Notifier{Routes: []notify.Route{{Channel: notify.NewLog(logger)}}}
	require.NoError(
		t, n.Notify(t.Context(), ended(executor.EndMaxFailures, "timeout", "ITERATION_TIMEOUT", "too slow")))
	var got map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	assert.Equal(t, map[string]any{
		"level": "WARN", "msg": "[TIMEOUT] Task blocked: too slow", "run": "r1", "task": "t1", "status": "blocked",
		"end_reason": "max_failures", "category": "timeout", "code": "ITERATION_TIMEOUT", "error": "too slow",
		"iterations": 0.0, "failures": 0.0, "commits": 0.0, "pushed": false, "warnings": 0.0,
	}, got)
	assert.NoError(t, notify.NewLog(nil).Send(t.Context(), notify.Message{Level: slog.LevelDebug}))
}
