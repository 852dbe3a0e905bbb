package state_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// handClock is a clock that goes only when somebody waits, or a call takes time.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// tickingClock goes on whenever it is read.
type tickingClock struct{ handClock }

func (c *tickingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (c *handClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(0, d))
	return context.Cause(ctx)
}

// caller is a provider whose calls take two seconds and end as the errors say; after the last it is
// done.
type caller struct {
	clock  *handClock
	ends   []error
	during func(call int)
	calls  int
}

func (*caller) Name() string                    { return "anthropic-api" }
func (*caller) Credential() string              { return "main" }
func (*caller) Available(context.Context) error { return nil }
func (c *caller) Call(ctx context.Context, _ executor.Request) (executor.Answer, error) {
	c.calls++
	if c.during != nil {
		c.during(c.calls)
	}
	if err := c.clock.Sleep(ctx, 2*time.Second); err != nil {
		return executor.Answer{}, err
	}
	if c.calls <= len(c.ends) {
		return executor.Answer{}, c.ends[c.calls-1]
	}
	return executor.Answer{Text: "TASK COMPLETE"}, nil
}

// pupil notes what it is told.
type pupil struct{ told []retry.Outcome }

func (p *pupil) Learn(o retry.Outcome) { p.told = append(p.told, o) }

// lesson runs a task and returns what learners were told of it.
func lesson(ctx context.Context, t *testing.T, s *state.Store, run string, c *caller) []retry.Outcome {
	t.Helper()
	p := &pupil{}
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider: c, Journal: s.Journal(), Clock: c.clock, Learners: []retry.Learner{p},
		Random: func() float64 { return 0.5 },
	})
	require.NoError(t, err)
	e.Start(ctx, executor.Task{Run: run, ID: run, Prompt: "work"}).Wait()
	return p.told
}

func outcomes(t *testing.T, s *state.Store, since time.Time) []retry.Outcome {
	t.Helper()
	var all []retry.Outcome
	require.NoError(t, s.Outcomes(t.Context(), since, func(o retry.Outcome) error {
		all = append(all, o)
		return nil
	}))
	return all
}

// alter runs a statement beside the state.
func (p *purse) alter(t *testing.T, statement string) {
	t.Helper()
	p.beside(t, func(db *sql.DB) {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	})
}

var (
	callDay    = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	limited    = &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429}
	broken     = &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 503}
	errUnheard = errors.New("what nobody has seen before")
)

// What is read is what learners were told while it happened, in the order in which the calls of all
// runs ended.
func TestOutcomesAreWhatLearnersWereTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := state.Open(t.Context(), path, state.Options{Table: errs.Table})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()

	later := lesson(
		t.Context(), t, s, "later",
		&caller{clock: &handClock{now: callDay.Add(time.Hour)}, ends: []error{broken, errUnheard}})
	first := lesson(
		t.Context(), t, s, "first", &caller{clock: &handClock{now: callDay}, ends: []error{limited, limited, broken}})
	require.Len(t, first, 4)
	require.Len(t, later, 3)
	assert.Equal(t, append(first, later...), outcomes(t, s, time.Time{}))
	assert.Equal(t, later, outcomes(t, s, later[0].At))
	assert.Equal(t, later[1:], outcomes(t, s, later[0].At.Add(1)))
	assert.Empty(t, outcomes(t, s, callDay.Add(24*time.Hour)))

	assert.Equal(t, retry.Outcome{
		At: callDay.Add(9 * time.Second), Took: 2 * time.Second, Provider: "anthropic-api", Lane: "anthropic-api/main",
		Code: errs.CodeProviderRateLimit.String(), After: errs.CodeProviderRateLimit.String(), Policy: first[1].Policy,
		Attempt: 2, Wait: 5 * time.Second,
	}, first[1])
	assert.Empty(t, first[3].Code, "it succeeded")

	enough := errors.New("enough")
	n := 0
	assert.Equal(t, enough, s.Outcomes(t.Context(), time.Time{}, func(retry.Outcome) error { n++; return enough }))
	assert.Equal(t, 1, n)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, s.Outcomes(ctx, time.Time{}, func(retry.Outcome) error { return nil }), context.Canceled)
}

// There is one time at which a call has ended, however long it takes to write that down.
func TestOutcomesHaveTheTimeThatLearnersWereTold(t *testing.T) {
	p := openPurse(t)
	clock := &tickingClock{handClock{now: callDay}}
	c := &caller{clock: &clock.handClock, ends: []error{limited, errUnheard}}
	taught := &pupil{}
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider: c, Journal: p.Journal(), Clock: clock, Learners: []retry.Learner{taught},
	})
	require.NoError(t, err)
	e.Start(t.Context(), executor.Task{Run: "r", ID: "r", Prompt: "work"}).Wait()
	require.Len(t, taught.told, 3)
	assert.Equal(t, taught.told, outcomes(t, p.Store, time.Time{}))
}

// Of a call that was cancelled, or whose process died, nobody knows what it came to.
func TestOutcomesOfCallsThatWereCutOff(t *testing.T) {
	s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{Table: errs.Table})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	c := &caller{clock: &handClock{now: callDay}, ends: []error{limited}, during: func(call int) {
		if call == 2 {
			cancel()
		}
	}}
	told := lesson(ctx, t, s, "cancelled", c)
	require.Len(t, told, 1)
	assert.Equal(t, told, outcomes(t, s, time.Time{}))
}

// What an entry does not say is empty, and what it says is given.
func TestOutcomesOfEntriesThatSayLess(t *testing.T) {
	p := openPurse(t)
	told := lesson(t.Context(), t, p.Store, "r", &caller{clock: &handClock{now: callDay}, ends: []error{limited}})
	p.alter(
		t, "UPDATE entries SET body = json_remove(body, '$.started.lane', '$.started.retryOf', '$.started.waits') "+
			"WHERE point = 'started'")
	for i := range told {
		told[i].Lane, told[i].After, told[i].Policy, told[i].Attempt, told[i].Wait = "", "", "", 0, 0
	}
	assert.Equal(t, told, outcomes(t, p.Store, time.Time{}))

	p.alter(t, "DELETE FROM entries WHERE point = 'started' AND iteration = 1")
	assert.Equal(t, told[1:], outcomes(t, p.Store, time.Time{}), "a check came before it, and it was not made")

	p.alter(t, "UPDATE entries SET body = '{' WHERE point = 'answered' AND iteration = 2")
	err := p.Outcomes(t.Context(), time.Time{}, func(retry.Outcome) error { return nil })
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Equal(t, "state", ev.Source)
	assert.Contains(t, ev.Error(), "journal of run r, entry")
}

// What was recorded teaches what was told at the time.
func TestAdaptiveLearnsFromWhatWasRecorded(t *testing.T) {
	p := openPurse(t)
	policy := &taxonomy.Policy{
		Name: "rate_limit", MaxAttempts: 21, InitialDelay: 5 * time.Second, MaxDelay: time.Minute,
		Adapt: &taxonomy.Adapt{MinDelay: time.Second, MaxDelay: time.Minute, Target: 0.8, Window: 50},
	}
	live := retry.NewAdaptive()
	for i := range 5 {
		ends := []error{limited, limited, limited}
		for _, o := range lesson(t.Context(), t, p.Store, "r"+string(rune('a'+i)),
			&caller{clock: &handClock{now: callDay.Add(time.Duration(i) * time.Hour)}, ends: ends}) {
			policy.Name = max(policy.Name, o.Policy)
			live.Learn(o)
		}
	}
	again := retry.NewAdaptive()
	require.NoError(t, p.Outcomes(t.Context(), time.Time{}, func(o retry.Outcome) error {
		again.Learn(o)
		return nil
	}))
	code := errs.CodeProviderRateLimit.String()
	assert.Equal(t, live.Policy(policy, code), again.Policy(policy, code))
}
