package retry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// code is an error of a taxonomy made by hand.
type code struct {
	of  *taxonomy.Taxonomy
	row taxonomy.Row
}

func (c code) Error() string                { return "it failed" }
func (c code) Taxonomy() *taxonomy.Taxonomy { return c.of }
func (c code) Row() taxonomy.Row            { return c.row }
func (c code) Hints() taxonomy.Hints        { return taxonomy.Hints{RetryAfter: taxonomy.Some(7 * s)} }

// tableOf returns a table with one code for each reaction, and the codes.
func tableOf(reactions ...taxonomy.Reaction) (taxonomy.Table, []error) {
	category := &taxonomy.Category{Name: "work", Codes: make([]taxonomy.Code, 1)}
	t := &taxonomy.Taxonomy{
		Categories:    []*taxonomy.Category{category},
		Uncategorized: &taxonomy.Reaction{Action: taxonomy.Block},
	}
	var codes []error
	for i := range reactions {
		category.Codes = append(category.Codes, taxonomy.Code{
			Value: string(rune('a' + i)), Traits: taxonomy.Traits{Retryable: true, Reaction: &reactions[i]},
		})
		codes = append(codes, code{t, taxonomy.At(0, uint16(i+1))})
	}
	return taxonomy.Table{Taxonomy: t}, codes
}

func TestDoByTable(t *testing.T) {
	twice := &taxonomy.Policy{Name: "twice", MaxAttempts: 2, InitialDelay: s}
	slow := &taxonomy.Policy{Name: "slow", MaxAttempts: 2, InitialDelay: m, MaxDelay: m}
	park := &taxonomy.Reaction{Name: "park", Action: taxonomy.Block}
	again := func(p *taxonomy.Policy, then *taxonomy.Reaction) taxonomy.Reaction {
		return taxonomy.Reaction{Action: taxonomy.Retry, Policy: p, Then: then}
	}
	later := again(slow, park)
	honors := again(twice, park)
	honors.HonorRetryAfter = true
	noRetries := &taxonomy.Profile{}
	for _, tt := range []struct {
		name     string
		reaction taxonomy.Reaction
		profile  *taxonomy.Profile
		calls    int
		took     time.Duration
		why      retry.Stop
		action   taxonomy.Action
	}{
		{"policy, then", again(twice, park), nil, 2, s, retry.StoppedAttempts, taxonomy.Block},
		{"a chain of two policies", again(twice, &later), nil, 3, s + m, retry.StoppedAttempts, taxonomy.Block},
		{"without then", again(twice, nil), nil, 2, s, retry.StoppedAttempts, taxonomy.Block},
		{"operation without then", taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: twice}, nil, 2, s,
			retry.StoppedAttempts, taxonomy.Abort},
		{"without policy", again(nil, park), nil, 3, 3 * s, retry.StoppedAttempts, taxonomy.Block},
		{"numbers of the profile", again(nil, park),
			&taxonomy.Profile{Retry: taxonomy.RetryDefaults{Enabled: true, Policy: slow}}, 2, m, retry.StoppedAttempts,
			taxonomy.Block},
		{"profile without retries", again(twice, &later), noRetries, 1, 0, retry.StoppedPermanent, taxonomy.Block},
		{"hint that the reaction honors", honors, nil, 2, 7 * s, retry.StoppedAttempts, taxonomy.Block},
		{"abort", taxonomy.Reaction{}, nil, 1, 0, retry.StoppedPermanent, taxonomy.Abort},
		{"escalate", taxonomy.Reaction{Action: taxonomy.Escalate}, nil, 1, 0, retry.StoppedPermanent,
			taxonomy.Escalate},
		{"continue", taxonomy.Reaction{Action: taxonomy.Continue}, nil, 1, 0, retry.StoppedPermanent,
			taxonomy.Continue},
		{"recover", taxonomy.Reaction{Action: taxonomy.Recover}, nil, 1, 0, retry.StoppedPermanent, taxonomy.Recover},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table, codes := tableOf(tt.reaction)
			table.Overlay = tt.profile
			op, calls := story(codes[0])
			c := newClock()
			began := c.now
			err := retry.Do(t.Context(), op, retry.ByTable(table), retry.WithClock(c))
			e, ok := errors.AsType[*retry.Error](err)
			require.True(t, ok)
			assert.Equal(t, []any{tt.calls, tt.took, tt.why, tt.action},
				[]any{*calls, c.now.Sub(began), e.Why, e.Reaction.Action})
			assert.Equal(t, []any{tt.calls, tt.took}, []any{e.Calls, e.Waited})
			assert.ErrorIs(t, err, codes[0])
		})
	}
	t.Run("each code has its own count", func(t *testing.T) {
		table, codes := tableOf(again(twice, park), again(twice, park))
		op, calls := story(codes[0], codes[1], codes[0])
		require.Error(t, retry.Do(t.Context(), op, retry.ByTable(table), retry.WithClock(newClock())))
		assert.Equal(t, 3, *calls)
	})
	t.Run("permanent", func(t *testing.T) {
		table, codes := tableOf(again(twice, park))
		op, calls := story(retry.Permanent(codes[0]))
		e, _ := errors.AsType[*retry.Error](retry.Do(t.Context(), op, retry.ByTable(table)))
		assert.Equal(t, []any{1, taxonomy.Block}, []any{*calls, e.Reaction.Action})
	})
	t.Run("deadline", func(t *testing.T) {
		table, codes := tableOf(again(slow, park))
		ctx, cancel := context.WithTimeout(t.Context(), s)
		defer cancel()
		op, _ := story(codes[0])
		e, _ := errors.AsType[*retry.Error](retry.Do(ctx, op, retry.ByTable(table)))
		assert.Equal(t, []any{retry.StoppedDeadline, taxonomy.Block}, []any{e.Why, e.Reaction.Action})
	})
	t.Run("deadline before the first call", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
		defer cancel()
		op, calls := story(nil)
		err := retry.Do(ctx, op, retry.ByTable(orders.Table))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		e, _ := errors.AsType[*retry.Error](err)
		assert.Equal(t, []any{0, "", retry.StoppedDeadline}, []any{*calls, taxonomy.CodeOf(err), e.Why})
		assert.Equal(t, orders.Table.Reaction(orders.Classify(ctx.Err())), e.Reaction)
	})
	t.Run("deadline during a call", func(t *testing.T) {
		table, codes := tableOf(again(slow, park))
		ctx, cancel := context.WithTimeout(t.Context(), ms)
		defer cancel()
		op := func(context.Context) error { <-ctx.Done(); return codes[0] }
		e, _ := errors.AsType[*retry.Error](retry.Do(ctx, op, retry.ByTable(table)))
		assert.Equal(t, []any{retry.StoppedDeadline, taxonomy.Block}, []any{e.Why, e.Reaction.Action})
	})
	t.Run("a cycle of then", func(t *testing.T) {
		r := again(twice, nil)
		r.Then = &r
		table, codes := tableOf(r)
		table.Overlay = noRetries
		op, calls := story(codes[0])
		require.Error(t, retry.Do(t.Context(), op, retry.ByTable(table)))
		assert.Equal(t, 1, *calls)
	})
	t.Run("unclassified", func(t *testing.T) {
		table, _ := tableOf()
		op, _ := story(errFlaky)
		e, _ := errors.AsType[*retry.Error](retry.Do(t.Context(), op, retry.ByTable(table)))
		assert.Equal(t, taxonomy.Block, e.Reaction.Action, "the reaction to uncategorized errors")
	})
}

// A call that was not made is classified like any failure, and has its code's reaction.
func TestDoNotCalled(t *testing.T) {
	down := errs.NewProviderCrash("p", "")
	for _, tt := range []struct {
		name   string
		table  taxonomy.Table
		gate   *gate
		shared retry.SharedWait
		story  []error
		opts   []retry.Option
		why    retry.Stop
		code   string
		action taxonomy.Action
	}{
		{name: "refused", table: orders.Table, gate: &gate{wait: s}, opts: []retry.Option{retry.FailFast()},
			why: retry.StoppedRefused, code: "STORE_DOWN", action: taxonomy.Retry},
		{name: "refused after a call", table: errs.Table, gate: &gate{wait: s, after: 1, retries: 9},
			story: []error{down},
			opts:  []retry.Option{retry.FailFast()}, why: retry.StoppedRefused, code: "PROVIDER_CRASH",
			action: errs.Table.Reaction(down).Action},
		{name: "refused for longer than the deadline", table: orders.Table, gate: &gate{wait: time.Hour},
			why: retry.StoppedDeadline, code: "STORE_DOWN", action: taxonomy.Retry},
		{name: "the breaker fails", table: orders.Table, gate: &gate{fails: io.EOF}, why: retry.StoppedWait,
			code: "UNEXPECTED", action: taxonomy.Abort},
		{name: "the shared wait fails", table: orders.Table, shared: brokenWait{until: io.EOF}, why: retry.StoppedWait,
			code: "UNEXPECTED", action: taxonomy.Abort},
		{name: "the shared wait passes the deadline", table: orders.Table, shared: longWait{},
			why: retry.StoppedDeadline, action: taxonomy.Retry},
		{name: "without a table", gate: &gate{wait: s}, opts: []retry.Option{retry.FailFast()},
			why: retry.StoppedRefused, action: taxonomy.Abort},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), m)
			defer cancel()
			opts := append(tt.opts, retry.WithClock(&clock{time.Now()}))
			if tt.table.Taxonomy != nil {
				opts = append(opts, retry.ByTable(tt.table))
			}
			if tt.gate != nil {
				opts = append(opts, retry.WithBreaker(tt.gate, "lane"))
			}
			if tt.shared != nil {
				opts = append(opts, retry.WithSharedWait(tt.shared, "lane"))
			}
			op, calls := story(tt.story...)
			err := retry.Do(ctx, op, opts...)
			e, ok := errors.AsType[*retry.Error](err)
			require.True(t, ok)
			assert.Equal(t, []any{len(tt.story), tt.why, tt.code, tt.action},
				[]any{*calls, e.Why, taxonomy.CodeOf(err), e.Reaction.Action})
			if tt.gate != nil && tt.gate.fails == nil {
				require.ErrorIs(t, err, retry.ErrRefused)
				wait, refused := retry.RefusedFor(err)
				assert.Equal(t, []any{tt.gate.refused, true}, []any{wait, refused})
			}
			if tt.code != "" {
				assert.Equal(t, tt.table.Reaction(err), e.Reaction)
			}
		})
	}
}

// longWait is a lane that stays closed for an hour.
type longWait struct{ brokenWait }

func (longWait) Until(context.Context, string) (time.Time, error) {
	return time.Now().Add(time.Hour), nil
}

// The promises about a generated table: raw errors are classified, and profile and overrides apply.
func TestDoByGeneratedTable(t *testing.T) {
	strict, err := errs.Table.Profile("strict")
	require.NoError(t, err)
	parked, err := errs.Table.Override(taxonomy.Overrides{Codes: map[string]string{"PROVIDER_API_ERROR": "block"}})
	require.NoError(t, err)
	raw := &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 500, Text: "overloaded"}
	for _, tt := range []struct {
		name   string
		table  taxonomy.Table
		calls  int
		action taxonomy.Action
	}{
		{"as declared", errs.Table, 5, taxonomy.Block},
		{"profile without retries", strict, 1, taxonomy.Block},
		{"override to another reaction", parked, 1, taxonomy.Block},
	} {
		t.Run(tt.name, func(t *testing.T) {
			op, calls := story(raw)
			err := retry.Do(t.Context(), op, retry.ByTable(tt.table), retry.WithClock(newClock()),
				retry.WithClassifier(errs.Classify, detect.WithTable(tt.table)))
			e, ok := errors.AsType[*retry.Error](err)
			require.True(t, ok)
			assert.Equal(t, tt.calls, *calls)
			assert.Equal(t, tt.action, e.Reaction.Action)
			require.ErrorIs(t, err, errs.CodeProviderAPIError, "the last error, classified")
		})
	}
}

func TestDoByTableSharesWaits(t *testing.T) {
	policy := &taxonomy.Policy{Name: "p", MaxAttempts: 2, InitialDelay: m, MaxDelay: m}
	for shared, want := range map[taxonomy.Shared]time.Duration{taxonomy.SharedCredential: m, taxonomy.SharedRun: 0} {
		table, codes := tableOf(taxonomy.Reaction{Action: taxonomy.Retry, Policy: policy, Shared: shared})
		c := newClock()
		began := c.now
		waits := retry.NewSharedWait(c, always(0))
		op, _ := story(codes[0], nil)
		pause := func(retry.Attempt) {}
		require.NoError(t, retry.Do(t.Context(), op, retry.ByTable(table), retry.WithClock(c), retry.WithNotify(pause),
			retry.WithSharedWait(waits, "lane")))
		assert.Equal(t, m, c.now.Sub(began))
		c.now = began
		until, err := waits.Until(t.Context(), "lane")
		require.NoError(t, err)
		assert.Equal(t, want, max(0, until.Sub(began)))
	}
}

// The code of the last error survives in logs and in JSON, and secrets do not.
func TestErrorLogAndJSON(t *testing.T) {
	secret := "password=hunter2hunter2"
	table, err := errs.Table.Profile("strict")
	require.NoError(t, err)
	op, _ := story(errs.NewProviderAPIError("p", secret))
	failure := retry.Do(t.Context(), op, retry.ByTable(table))

	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("failed", "err", failure)
	var logged struct {
		Err struct {
			Code, Category, Action, Stopped string
			Context                         struct{ Provider string }
		}
	}
	require.NoError(t, json.Unmarshal(log.Bytes(), &logged))
	e := logged.Err
	assert.Equal(t, []string{"PROVIDER_API_ERROR", "provider", "p", "block", "not_retryable"},
		[]string{e.Code, e.Category, e.Context.Provider, e.Action, e.Stopped})

	body, err := json.Marshal(failure)
	require.NoError(t, err)
	var wire struct {
		Code, Action string
		Calls        int
	}
	require.NoError(t, json.Unmarshal(body, &wire))
	assert.Equal(t, []any{"PROVIDER_API_ERROR", "block", 1}, []any{wire.Code, wire.Action, wire.Calls})
	decoded, err := gen.Unmarshal(body, errs.Table.Taxonomy)
	require.NoError(t, err)
	assert.ErrorIs(t, decoded, errs.CodeProviderAPIError)

	outer, err := json.Marshal(errs.NewGitStatusFailed("").WithCause(failure))
	require.NoError(t, err)
	assert.Contains(t, string(outer), `"code":"PROVIDER_API_ERROR"`, "as the cause of another error")
	plain := retry.Do(t.Context(), func(context.Context) error { return errors.New(secret) })
	other, err := json.Marshal(plain)
	require.NoError(t, err)
	for _, text := range []string{log.String(), string(body), string(outer), string(other)} {
		assert.NotContains(t, text, "hunter2")
	}
}

// With the attributes of a request, the error is still one of Do: in logs, JSON and errors.As.
func TestAttachToError(t *testing.T) {
	for _, err := range []error{orders.NewOrderConflict(), taxonomy.WithStack(orders.NewOrderConflict())} {
		op := func(context.Context) error { return retry.Permanent(err) }
		failure := orders.Attach(retry.Do(t.Context(), op, retry.ByTable(orders.Table)), orders.RequestID("r-1"))

		var log bytes.Buffer
		handler := slog.NewJSONHandler(&log, &slog.HandlerOptions{ReplaceAttr: taxonomy.ReplaceAttr})
		slog.New(handler).Info("failed", "err", failure)
		body, err := json.Marshal(failure)
		require.NoError(t, err)
		for _, text := range []string{log.String(), string(body)} {
			assert.Contains(t, text, `"stopped":"not_retryable"`)
			assert.Contains(t, text, `"context":{"requestId":"r-1"}`)
		}
		found, ok := errors.AsType[*retry.Error](failure)
		require.True(t, ok)
		typed, ok := errors.AsType[*orders.OrderError](found.Err)
		require.True(t, ok)
		assert.Equal(t, "r-1", typed.RequestID.Or(""))
	}
}

// With attributes, an error still has its text, also if the function returned the cause of the
// context's end.
func TestAttachToCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	err := retry.Do(ctx, func(context.Context) error {
		cancel(orders.NewOrderConflict())
		return context.Cause(ctx)
	}, retry.ByTable(orders.Table))
	attached := orders.Attach(err, orders.RequestID("r-1"))
	assert.EqualError(t, attached, err.Error())
	assert.ErrorIs(t, attached, context.Canceled)
	assert.ErrorIs(t, attached, orders.CodeOrderConflict)
}
