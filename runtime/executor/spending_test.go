package executor

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func priced(in, out int64, cost float64) Usage {
	u := usage(in, cost)
	u.OutputTokens = taxonomy.Some(out)
	return u
}

func TestSpending(t *testing.T) {
	for _, tt := range []struct {
		name  string
		calls []Usage
		want  Spending
	}{
		{"none", nil, Spending{}},
		{"known", []Usage{priced(1, 2, 3), priced(0, 0, 0)}, Spending{Calls: 2, Usage: priced(1, 2, 3)}},
		{"nothing known", []Usage{{}, {}}, Spending{Calls: 2, UnknownTokens: 2, UnknownCost: 2}},
		{"half of the tokens", []Usage{usage(5, 1)}, Spending{Calls: 1, Usage: usage(5, 1), UnknownTokens: 1}},
		{"some", []Usage{priced(1, 1, 1), {}},
			Spending{Calls: 2, Usage: priced(1, 1, 1), UnknownTokens: 1, UnknownCost: 1}},
		{"more than can be counted", []Usage{priced(math.MaxInt64, 1, 1), priced(1, 1, 1)},
			Spending{Calls: 2, Usage: priced(math.MaxInt64, 2, 2), UnknownTokens: 1, UnknownCost: 1}},
	} {
		var s Spending
		for _, u := range tt.calls {
			s.begin()
			s.end(u)
		}
		assert.Equal(t, tt.want, s, tt.name)
	}
}

// bills is a budget that refuses nothing, and keeps what it was asked.
type bills struct{ all []Bill }

func (b *bills) Allow(_ context.Context, bill Bill) error {
	b.all = append(b.all, bill)
	return nil
}

func TestBillsBeforeEachCall(t *testing.T) {
	costing := func(s step) step { s.answer.Usage = priced(10, 1, 0.5); return s }
	m := mortalOf(DeliverNothing, nil, costing(works("a")), costing(breaks("repeat")), costing(works("b")),
		costing(done()))
	b := &bills{}
	m.cfg.Budget = b
	r := m.live(t, 0)
	require.Equal(t, EndCompleted, r.EndReason)
	spent := func(calls int) Spending {
		if calls == 0 {
			return Spending{}
		}
		return Spending{Calls: calls, Usage: priced(int64(10*calls), int64(calls), 0.5*float64(calls))}
	}
	var want []Bill
	for i, of := range []struct{ iteration, before int }{{1, 0}, {2, 0}, {2, 1}, {3, 0}} {
		want = append(
			want, Bill{Run: "run", Task: "task", Iteration: of.iteration, Provider: "fake", Attempt: spent(of.before),
				Total: spent(i)})
	}
	assert.Equal(t, want, b.all)
	assert.Equal(t, spent(4), r.Spending())
}

// A call that was interrupted is of unknown cost, to the budget and in the result, also of a run
// that is asked for again.
func TestSpendingOfAnInterruptedCall(t *testing.T) {
	m := mortalOf(DeliverNothing, map[string]taxonomy.Reaction{"interrupted": {Action: taxonomy.Retry}},
		step{answer: Answer{Text: "more", Usage: priced(10, 1, 0.5)}, err: fails("repeat")},
		step{answer: Answer{Text: "TASK COMPLETE", Usage: priced(10, 1, 0.5)}})
	b := &bills{}
	m.cfg.Budget = b
	m.journal.fail = func(_ int, e Entry) error {
		if e.Answered != nil && e.Answered.Call == 2 {
			runtime.Goexit()
		}
		return nil
	}
	require.Nil(t, m.live(t, 0))
	m.journal.fail, b.all = nil, nil
	before := Spending{Calls: 2, Usage: priced(10, 1, 0.5), UnknownTokens: 1, UnknownCost: 1}
	r := m.live(t, 0)
	require.Equal(t, EndCompleted, r.EndReason, "%+v", r.Errors)
	require.Len(t, b.all, 1)
	assert.Equal(t, []Spending{{}, before}, []Spending{b.all[0].Attempt, b.all[0].Total})
	want := Spending{Calls: 3, Usage: priced(20, 2, 1), UnknownTokens: 1, UnknownCost: 1}
	assert.Equal(t, want, r.Spending())
	assert.Equal(t, want, m.live(t, 0).Spending(), "again")
}

// The calls of an iteration that goes on in another process are in its bill.
func TestSpendingOfAnIterationThatGoesOn(t *testing.T) {
	m := mortalOf(DeliverNothing, nil, step{answer: Answer{Usage: priced(10, 1, 0.5)}, err: fails("repeat")}, done())
	b := &bills{}
	m.cfg.Budget = b
	m.journal.fail = func(_ int, e Entry) error {
		if e.Started != nil && e.Started.Call == 2 {
			runtime.Goexit()
		}
		return nil
	}
	require.Nil(t, m.live(t, 0))
	m.journal.fail, b.all = nil, nil
	require.Equal(t, EndCompleted, m.live(t, 0).EndReason)
	one := Spending{Calls: 1, Usage: priced(10, 1, 0.5)}
	require.Len(t, b.all, 1)
	assert.Equal(t, []Spending{one, one}, []Spending{b.all[0].Attempt, b.all[0].Total})
}

// What a cancelled call has cost is written down, and is no answer.
func TestSpendingOfACancelledCall(t *testing.T) {
	m := mortalOf(DeliverNothing, nil, done())
	ctx, cancel := context.WithCancel(t.Context())
	m.cfg.Provider = &fakeProvider{tree: m.tree, steps: []step{{do: func(context.Context, Request) (Answer, error) {
		cancel()
		return Answer{Text: "TASK COMPLETE", Usage: priced(10, 1, 0.5)}, errors.New("cut short")
	}}}}
	e, err := New(m.cfg)
	require.NoError(t, err)
	r := e.Run(ctx, aTask)
	want := Spending{Calls: 1, Usage: priced(10, 1, 0.5)}
	assert.Equal(t, EndCancelled, r.EndReason)
	assert.Equal(t, want, r.Spending())
	p := fold(m.entries(t))
	assert.Equal(t, want, p.spent)

	m.journal.cut(PointAnswered, 1) // as if the process had died before
	p = fold(m.entries(t))
	assert.Equal(t, want, p.spent)
	require.NotNil(t, p.open)
	assert.Empty(t, p.open.answers)
	assert.True(t, p.open.interrupted(1))
}

func (m *mortal) entries(t *testing.T) []Entry {
	t.Helper()
	entries, err := m.journal.Open(t.Context(), "run")
	require.NoError(t, err)
	return entries
}

// A journal that knows nothing of what is unknown is read as one that does.
func TestSpendingOfAnOldJournal(t *testing.T) {
	var entries []Entry
	for _, line := range []string{
		`{"point":"begun","at":"2026-01-01T00:00:00Z","begun":{"version":1,"run":"r","task":"t","taxonomy":"",` +
			`"config":"","prompt":""}}`,
		`{"point":"started","at":"2026-01-01T00:00:00Z","iteration":1,"started":{"call":1,"provider":"p"}}`,
		`{"point":"answered","at":"2026-01-01T00:00:00Z","iteration":1,"answered":{"call":1,` +
			`"usage":{"inputTokens":3},"took":"1s"}}`,
		`{"point":"started","at":"2026-01-01T00:00:00Z","iteration":1,"started":{"call":2,"provider":"p"}}`,
		`{"point":"answered","at":"2026-01-01T00:00:00Z","iteration":1,"answered":{"call":2,` +
			`"usage":{"inputTokens":3,"outputTokens":4,"costUSD":5},"took":"1s"}}`,
		`{"point":"closed","at":"2026-01-01T00:00:00Z","iteration":1,"closed":{"failures":0,"counted":0,` +
			`"count":false,"clean":true}}`,
		`{"point":"started","at":"2026-01-01T00:00:00Z","iteration":2,"started":{"call":1,"provider":"p"}}`,
	} {
		var e Entry
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		entries = append(entries, e, e) // and each twice
	}
	entries = entries[:len(entries)-1]
	p := fold(entries)
	assert.Equal(t, Spending{Calls: 3, Usage: priced(6, 4, 5), UnknownTokens: 2, UnknownCost: 2}, p.spent)
	require.NotNil(t, p.open)
	assert.Equal(t, Spending{Calls: 1, UnknownTokens: 1, UnknownCost: 1}, p.open.spent)
}

func TestWhatAnErrorIsTakenFor(t *testing.T) {
	w := newWorld(reactions())
	w.tables.taxonomy.Fallback = "stop"
	newer := taxonomy.NewUnknown(
		w.tables.taxonomy, taxonomy.Wire{Code: "NEWER " + aSecret, Category: "c", Message: "it broke"})
	w.provider.steps = []step{{err: newer}}
	r := w.run(t)
	require.Len(t, r.Errors, 1)
	assert.Equal(t, []string{"NEWER [REDACTED]", "stop"}, []string{r.Errors[0].Code, r.Errors[0].Understood})
	assert.Len(t, r.Errors[0].Fingerprint, 16)
}

func TestFingerprintsOfErrors(t *testing.T) {
	w := newWorld(reactions(), breaks("again"), breaks("again"), breaks("undo", "x"),
		step{err: errors.New("no evidence 1")},
		step{err: errors.New("no evidence 2")}, done())
	w.cfg.Limits.Failures = 10
	r := w.run(t)
	require.Len(t, r.Errors, 5)
	printed := func(i int) string { return r.Errors[i].Fingerprint }
	assert.Equal(t, printed(0), printed(1))
	assert.NotEqual(t, printed(0), printed(2))
	assert.Equal(t, printed(3), printed(4))
	assert.Empty(t, r.Errors[0].Understood)
}

func TestChangedFilesOfAnIteration(t *testing.T) {
	m := mortalOf(DeliverCommits, nil, works("b", "a", "forbidden/"+aSecret), done())
	m.live(t, 0)
	var changed [][]string
	for _, e := range m.entries(t) {
		if e.Closed != nil {
			changed = append(changed, e.Closed.Changed)
		}
	}
	assert.Equal(t, [][]string{{"a", "b", "forbidden/[REDACTED]"}, nil}, changed)
}
