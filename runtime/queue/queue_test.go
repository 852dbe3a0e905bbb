package queue_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var source = retry.WithClassifier(booking.Classify, detect.WithSource(booking.SourceCalendar))

func status(n int) error { return &taxonomy.Evidence{Source: "calendar", Status: n} }

func TestDecideByTheTable(t *testing.T) {
	const ms = time.Millisecond
	times := func(n int, code string) (codes []string) {
		for range n {
			codes = append(codes, code)
		}
		return codes
	}
	busy := &taxonomy.Evidence{Source: "calendar", Status: 429, RetryAfter: taxonomy.Some(70 * ms)}
	for _, tt := range []struct {
		name    string
		err     error
		history queue.History
		want    queue.Action
		wait    time.Duration
		code    string
		why     retry.Stop
	}{
		{name: "success", want: queue.Ack},
		{"continue", booking.NewRoomSkipped(), queue.History{}, queue.Ack, 0, "ROOM_SKIPPED", retry.StoppedPermanent},
		{"abort", booking.NewRoomTaken(), queue.History{}, queue.Dead, 0, "ROOM_TAKEN", retry.StoppedPermanent},
		{"block", status(401), queue.History{}, queue.Park, 0, "CALENDAR_REFUSED", retry.StoppedPermanent},
		{"escalate", status(422), queue.History{}, queue.Park, 0, "CALENDAR_ODD", retry.StoppedPermanent},
		{"recover", status(409), queue.History{}, queue.Park, 0, "CALENDAR_BROKEN", retry.StoppedPermanent},
		{"no code", errors.New("odd"), queue.History{}, queue.Park, 0, "CALENDAR_REFUSED", retry.StoppedPermanent},
		{"marked", retry.Permanent(status(503)), queue.History{},
			queue.Park, 0, "CALENDAR_DOWN", retry.StoppedPermanent},
		{"retry", status(503), queue.History{}, queue.Retry, 10 * ms, "CALENDAR_DOWN", 0},
		{"already done", &taxonomy.Evidence{Source: "calendar", Status: 503, Effect: taxonomy.EffectDone},
			queue.History{}, queue.Ack, 0, "CALENDAR_DOWN", retry.StoppedDone},
		{"retry again", status(503), queue.History{Attempts: 2}, queue.Retry, 20 * ms, "CALENDAR_DOWN", 0},
		{"exhausted", status(503), queue.History{Attempts: 3}, queue.Park, 0, "CALENDAR_DOWN", retry.StoppedAttempts},
		{"other codes", status(503), queue.History{Attempts: 9, Codes: times(8, "CALENDAR_BUSY")},
			queue.Retry, 10 * ms, "CALENDAR_DOWN", 0},
		{"this code", status(503), queue.History{Attempts: 3, Codes: times(2, "CALENDAR_DOWN")},
			queue.Park, 0, "CALENDAR_DOWN", retry.StoppedAttempts},
		{"lost attempts", status(503), queue.History{Attempts: 3, Codes: times(1, "CALENDAR_BUSY")},
			queue.Retry, 20 * ms, "CALENDAR_DOWN", 0},
		{"hint", busy, queue.History{}, queue.Retry, 70 * ms, "CALENDAR_BUSY", 0},
		{"next reaction of the chain", status(429), queue.History{Attempts: 3},
			queue.Retry, time.Second, "CALENDAR_BUSY", 0},
		{"its second call", status(429), queue.History{Attempts: 4}, queue.Retry, 2 * time.Second, "CALENDAR_BUSY", 0},
		{"chain exhausted", status(429), queue.History{Attempts: 5},
			queue.Dead, 0, "CALENDAR_BUSY", retry.StoppedAttempts},
		{"elapsed", status(425), queue.History{Attempts: 2, First: time.Now().Add(-90 * time.Second)},
			queue.Dead, 0, "CALENDAR_LATE", retry.StoppedElapsed},
		{"cancelled call", fmt.Errorf("call: %w", context.Canceled), queue.History{}, queue.Retry, time.Second, "", 0},
		{"cancelled again and again", context.Canceled, queue.History{Attempts: 3},
			queue.Dead, 0, "", retry.StoppedAttempts},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := queue.Decide(t.Context(), booking.Table, tt.err, tt.history, source)
			assert.Equal(t, tt.want.String(), d.Action.String())
			assert.Equal(t, []any{tt.wait, tt.code, tt.why, false}, []any{d.Wait, d.Code, d.Why, d.Uncounted})
			assert.Equal(t, tt.err == nil, d.Err == nil)
		})
	}
}

// The decisions of a queue are those of retry.Do for the same failures.
func TestDecideAsDo(t *testing.T) {
	for row, code := range booking.Table.Taxonomy.Codes() {
		err := booking.Table.Taxonomy.New(row, nil)
		synctest.Test(t, func(t *testing.T) {
			var waits []time.Duration
			done := retry.Do(t.Context(), func(context.Context) error { return err }, retry.ByTable(booking.Table),
				retry.WithRandom(nil), retry.WithNotify(func(a retry.Attempt) { waits = append(waits, a.Wait) }))
			e, _ := errors.AsType[*retry.Error](done)
			first := time.Now()
			for i, want := range waits {
				d := queue.Decide(t.Context(), booking.Table, err, queue.History{Attempts: i + 1, First: first},
					retry.WithRandom(nil))
				if i == len(waits)-1 {
					assert.NotEqual(t, queue.Retry, d.Action, code.Value)
					assert.Equal(t, []any{e.Why, e.Reaction}, []any{d.Why, d.Reaction}, code.Value)
					return
				}
				require.Equal(t, queue.Retry, d.Action, "%s: attempt %d", code.Value, i+1)
				assert.Equal(t, want, d.Wait, code.Value)
				time.Sleep(d.Wait)
			}
		})
	}
}

func TestDecideAfterDo(t *testing.T) {
	for _, tt := range []struct {
		name string
		by   retry.Option
		want queue.Action
		why  retry.Stop
	}{
		{"with a table", retry.ByTable(booking.Table), queue.Park, retry.StoppedAttempts},
		{"with a policy", retry.ByPolicy(taxonomy.Policy{MaxAttempts: 2}), queue.Retry, retry.StoppedNot},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := retry.Do(t.Context(), func(context.Context) error { return status(503) }, tt.by)
				d := queue.Decide(t.Context(), booking.Table, err, queue.History{})
				assert.Equal(t, []any{tt.want, "CALENDAR_DOWN", tt.why}, []any{d.Action, d.Code, d.Why})
			})
		})
	}
}

// A refusal and a shutdown are retried without an attempt.
func TestDecideUncounted(t *testing.T) {
	breakers := breaker.New(breaker.Options{})
	policy := taxonomy.Policy{MaxAttempts: 1, Budget: &taxonomy.Budget{
		Breaker: &taxonomy.Breaker{Failures: 1, Of: 1, Probe: 9 * time.Second}}}
	release, err := breakers.Acquire(t.Context(), "calendar")
	require.NoError(t, err)
	release(retry.Result{Failed: true, Policy: &policy})
	_, refusal := breakers.Acquire(t.Context(), "calendar")
	afterDo := retry.Do(t.Context(), func(context.Context) error { return nil }, retry.ByTable(booking.Table),
		retry.WithBreaker(breakers, "calendar"), retry.FailFast())
	stopped, stop := context.WithCancel(t.Context())
	stop()
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("stop initiated"))
	cancelled := retry.Do(stopped, func(context.Context) error { return nil }, retry.ByTable(booking.Table))
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		wait time.Duration
		why  retry.Stop
	}{
		{"refusal", t.Context(), refusal, 9 * time.Second, retry.StoppedRefused},
		{"classified refusal", t.Context(), booking.Classify(refusal), time.Second, retry.StoppedRefused},
		{"refusal of Do", t.Context(), afterDo, 9 * time.Second, retry.StoppedRefused},
		{"shutdown", stopped, stopped.Err(), 0, retry.StoppedCancelled},
		{"shutdown with a cause", ended, fmt.Errorf("call: %w", context.Cause(ended)), 0, retry.StoppedCancelled},
		{"shutdown in Do", stopped, cancelled, 0, retry.StoppedCancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := queue.Decide(tt.ctx, booking.Table, tt.err, queue.History{Attempts: 99})
			assert.Equal(t, []any{queue.Retry, true, tt.why}, []any{d.Action, d.Uncounted, d.Why})
			assert.InDelta(t, tt.wait, d.Wait, float64(time.Second))
		})
	}
}

// A job whose worker dies in each attempt ends after the attempts that the table permits.
func TestPoisoned(t *testing.T) {
	most := queue.MaxAttempts(booking.Table)
	assert.Equal(t, 8, most)
	_, poisoned := queue.Poisoned(booking.Table, queue.History{Attempts: most})
	assert.False(t, poisoned)
	_, poisoned = queue.Poisoned(booking.Table, queue.History{Attempts: 2 * most, Codes: make([]string, most)})
	assert.False(t, poisoned)
	d, poisoned := queue.Poisoned(booking.Table, queue.History{Attempts: most + 1})
	assert.True(t, poisoned)
	assert.Equal(t, []any{queue.Dead, "UNEXPECTED"}, []any{d.Action, d.Code})
}

// MaxAttempts covers each failure that Decide retries, so that no retried job is poisoned.
func TestMaxAttempts(t *testing.T) {
	policy := &taxonomy.Policy{Name: "p", MaxAttempts: 5, InitialDelay: time.Second}
	retries := &taxonomy.Reaction{Name: "again", Action: taxonomy.Retry, Policy: policy,
		Then: taxonomy.Predeclared(taxonomy.Abort)}
	table := func(traits taxonomy.Traits, uncategorized *taxonomy.Reaction) taxonomy.Table {
		code := taxonomy.Code{Value: "A", Traits: taxonomy.Traits{Reaction: taxonomy.Predeclared(taxonomy.Abort)},
			When: []taxonomy.Traits{traits}}
		return taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Uncategorized: uncategorized,
			Categories: []*taxonomy.Category{{Name: "c", Codes: []taxonomy.Code{{}, code}}}}}
	}
	abort := taxonomy.Traits{Reaction: taxonomy.Predeclared(taxonomy.Abort)}
	unknown := func(t taxonomy.Table) error {
		return taxonomy.NewUnknown(t.Taxonomy, taxonomy.Wire{Code: "NEW", Retryable: true})
	}
	for _, tt := range []struct {
		name  string
		table taxonomy.Table
		err   func(taxonomy.Table) error // its attempt 1 is retried
		want  int
	}{
		{"an error that no rule matches", table(abort, retries),
			func(taxonomy.Table) error { return errors.New("x") }, 5},
		{"a branch of a code", table(taxonomy.Traits{Reaction: retries, Retryable: true}, nil), nil, 5},
		{"a cancelled call", table(abort, nil), func(taxonomy.Table) error { return context.Canceled }, 3},
		{"an unknown code that is retryable", table(abort, nil), unknown, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			most := queue.MaxAttempts(tt.table)
			assert.Equal(t, tt.want, most)
			if tt.err == nil {
				return
			}
			for attempt := range most {
				d := queue.Decide(t.Context(), tt.table, tt.err(tt.table), queue.History{Attempts: attempt + 1})
				_, poisoned := queue.Poisoned(tt.table, queue.History{Attempts: attempt + 2})
				assert.Equal(t, d.Action != queue.Retry, poisoned, "attempt %d: %s", attempt+1, d.Action)
			}
		})
	}
}

// A refusal that follows a failed call in the same attempt does not hide the failure.
func TestDecideRefusedAfterCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		breakers := breaker.New(breaker.Options{})
		policy := taxonomy.Policy{MaxAttempts: 3, InitialDelay: time.Millisecond, Budget: &taxonomy.Budget{
			Retries: -1, Breaker: &taxonomy.Breaker{Failures: 1, Of: 1, Probe: time.Minute}}}
		err := retry.Do(t.Context(), func(context.Context) error { return status(503) },
			retry.ByPolicy(policy), retry.WithBreaker(breakers, "calendar"), retry.FailFast())
		require.ErrorIs(t, err, retry.ErrRefused)
		d := queue.Decide(t.Context(), booking.Table, err, queue.History{Attempts: 1})
		assert.Equal(t, []any{queue.Retry, false, "CALENDAR_DOWN"}, []any{d.Action, d.Uncounted, d.Code})
		assert.InDelta(t, time.Minute, d.Wait, float64(time.Second), "the job waits for the breaker")
		d = queue.Decide(t.Context(), booking.Table, err, queue.History{Attempts: 3})
		assert.Equal(t, []any{queue.Park, retry.StoppedAttempts}, []any{d.Action, d.Why}, "the job ends")
	})
}

func TestCallReturnsPanics(t *testing.T) {
	err := queue.Call(func() error { panic("lost") })
	d := queue.Decide(t.Context(), booking.Table, err, queue.History{})
	assert.Equal(t, []any{queue.Dead, "UNEXPECTED"}, []any{d.Action, d.Code})
	assert.Equal(t, "unexpected: panic: lost", d.Err.Error())
	p, ok := errors.AsType[*taxonomy.Panic](d.Err)
	require.True(t, ok)
	assert.Contains(t, string(p.Stack), "TestCallReturnsPanics")
}

// A rule that matches the panics of servers matches those of queues.
func TestPanicAsOfServers(t *testing.T) {
	served := problem.Handler(func(http.ResponseWriter, *http.Request) error { panic("lost") },
		problem.OnError(func(_ *http.Request, err error) {
			want := detect.Of(err)
			assert.Equal(t, []string{"panic", "panic: lost"}, []string{want.Type, want.Text})
			got := detect.Of(queue.Call(func() error { panic("lost") }))
			got.Err, want.Err = nil, nil // with the stacks
			assert.Equal(t, want, got)
		}))
	w := httptest.NewRecorder()
	served.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
}
