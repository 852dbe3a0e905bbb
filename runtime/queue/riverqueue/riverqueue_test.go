//go:build unix

package riverqueue_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/queue/riverqueue"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// scripted fails as fail says.
type scripted struct {
	river.WorkerDefaults[job]
	fail func(ctx context.Context, j *river.Job[job]) error
}

func (s scripted) Work(ctx context.Context, j *river.Job[job]) error { return s.fail(ctx, j) }

// A refusal makes no attempt. A job that a person starts again has all its attempts. A job whose
// workers died ends.
func TestStatesOfJobs(t *testing.T) {
	_, pool := database(t)
	var mu sync.Mutex
	calls := map[string]int{}
	refusal := &taxonomy.Evidence{Source: "breaker", Type: "open", RetryAfter: taxonomy.Some(time.Millisecond),
		Err: retry.ErrRefused}
	fail := func(_ context.Context, j *river.Job[job]) error {
		mu.Lock()
		defer mu.Unlock()
		calls[j.Args.Code]++
		switch n := calls[j.Args.Code]; {
		case j.Args.Code == "refused" && n <= 2:
			return refusal
		case j.Args.Code == "refused":
			return nil
		case j.Args.Code == "snoozed":
			return river.JobCancel(context.DeadlineExceeded)
		}
		return failureOf(j.Args.Code)
	}
	decisions := make(chan queue.Decision, 99)
	config := river.Config{Workers: river.NewWorkers(), Logger: slog.New(slog.DiscardHandler)}
	river.AddWorker(config.Workers, scripted{fail: fail})
	client, err := newClient(pool, config, riverqueue.OnDecision(
		func(_ context.Context, _ *rivertype.JobRow, d queue.Decision) { decisions <- d }))
	require.NoError(t, err)
	insert := func(code string) int64 {
		inserted, err := client.Insert(t.Context(), job{Code: code}, nil)
		require.NoError(t, err)
		return inserted.Job.ID
	}
	refused, parked := insert("refused"), insert("CALENDAR_DOWN")
	poisoned, own := insert("ROOM_SKIPPED"), insert("snoozed")
	_, err = pool.Exec(t.Context(), "UPDATE river_job SET attempt = 8 WHERE id = $1", poisoned)
	require.NoError(t, err)
	ended, cancel := client.Subscribe(river.EventKindJobCompleted, river.EventKindJobCancelled,
		river.EventKindJobFailed)
	defer cancel()
	require.NoError(t, client.Start(t.Context()))
	t.Cleanup(func() { assert.NoError(t, client.StopAndCancel(context.Background())) })
	end := func(id int64) *rivertype.JobRow {
		for {
			select {
			case e := <-ended:
				if e.Job.ID == id && e.Job.FinalizedAt != nil {
					return e.Job
				}
			case <-t.Context().Done():
				t.Fatal(t.Context().Err())
			}
		}
	}
	rows := map[int64]*rivertype.JobRow{}
	for len(rows) < 4 {
		e := <-ended
		if e.Job.FinalizedAt != nil {
			rows[e.Job.ID] = e.Job
		}
	}
	assert.Equal(t, []any{rivertype.JobStateCompleted, 1}, []any{rows[refused].State, rows[refused].Attempt})
	assert.Equal(t, []any{rivertype.JobStateCancelled, 3}, []any{rows[parked].State, rows[parked].Attempt})
	assert.Equal(t, rivertype.JobStateCancelled, rows[own].State, "the worker decided")
	assert.Equal(t, rivertype.JobStateDiscarded, rows[poisoned].State)
	assert.Zero(t, calls["ROOM_SKIPPED"], "the worker was not called")
	action, code := riverqueue.Last(rows[poisoned])
	assert.Equal(t, []any{queue.Dead, "UNEXPECTED"}, []any{action, code})
	_, none := riverqueue.Last(rows[refused])
	assert.Empty(t, none)

	_, err = client.JobRetry(t.Context(), parked)
	require.NoError(t, err)
	row := end(parked)
	assert.Equal(t, []any{rivertype.JobStateCancelled, 6}, []any{row.State, row.Attempt})
	assert.NotEmpty(t, decisions)
}

// Attempts of clients that do not work the kind, and those before a person started the job again, are no
// lost attempts. Without a decision, the policy of the client applies.
func TestAttemptsWithoutDecision(t *testing.T) {
	var config river.Config
	riverqueue.Configure(&config, booking.Table)
	m := config.Middleware[0].(rivertype.WorkerMiddleware)
	failed := func(text string) rivertype.AttemptError { return rivertype.AttemptError{Error: text} }
	unknownKind := failed((&rivertype.UnknownJobKindError{Kind: "pay"}).Error())
	for _, tt := range []struct {
		name   string
		errors []rivertype.AttemptError
		called bool
	}{
		{"lost with their workers", nil, false},
		{"of an unknown kind", slices.Repeat([]rivertype.AttemptError{unknownKind}, 9), true},
		{"cancelled by the worker", []rivertype.AttemptError{{Attempt: 9, Error: "JobCancelError: not now"}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			called := false
			_ = m.Work(t.Context(), &rivertype.JobRow{Kind: "pay", Attempt: 10, MaxAttempts: 25, Errors: tt.errors},
				func(context.Context) error { called = true; return nil })
			assert.Equal(t, tt.called, called)
		})
	}
	started := time.Now().Add(time.Hour) // the clock of the database is ahead
	job := &rivertype.JobRow{Attempt: 1, MaxAttempts: 25, AttemptedAt: &started, ScheduledAt: started.Add(-time.Minute)}
	standard := (&river.DefaultClientRetryPolicy{}).NextRetry(job)
	assert.WithinDuration(t, standard, config.RetryPolicy.NextRetry(job), time.Second)
	_ = m.Work(t.Context(), job, func(context.Context) error { return failureOf("CALENDAR_DOWN") })
	assert.WithinDuration(t, started.Add(10*time.Millisecond), config.RetryPolicy.NextRetry(job), 5*time.Millisecond)

	began, now := time.Now().Add(-time.Hour), time.Now()
	job.AttemptedAt, job.ScheduledAt = &began, began.Add(time.Second)
	assert.False(t, config.RetryPolicy.NextRetry(job).Before(now), "River would take its default policy")
}

// The workers of a service follow the table.
func ExampleConfigure() {
	config := &river.Config{Workers: river.NewWorkers()}
	river.AddWorker(config.Workers, worker{})
	riverqueue.Configure(config, booking.Table, riverqueue.OnDecision(
		func(ctx context.Context, job *rivertype.JobRow, d queue.Decision) {
			slog.InfoContext(ctx, "job ended", "job", job.ID, "decision", d, "err", d.Err)
		}))
}

func BenchmarkSuccess(b *testing.B) {
	var config river.Config
	riverqueue.Configure(&config, booking.Table)
	m := config.Middleware[0].(rivertype.WorkerMiddleware)
	row := &rivertype.JobRow{Attempt: 1, MaxAttempts: 25}
	inner := func(context.Context) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		_ = m.Work(b.Context(), row, inner)
	}
}
