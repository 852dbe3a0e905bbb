package state_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// paidTaxonomy has a code for each reaction; evidence has the code that is called like its type, or
// else "stop".
func paidTaxonomy() *taxonomy.Taxonomy {
	category := &taxonomy.Category{Name: "paid", Codes: make([]taxonomy.Code, 1)}
	t := &taxonomy.Taxonomy{
		Package: "paid", Domain: "paid", Categories: []*taxonomy.Category{category},
		Tiers:         []taxonomy.Tier{{Name: "high"}},
		Uncategorized: &taxonomy.Reaction{Name: "uncategorized"},
	}
	for _, r := range []*taxonomy.Reaction{
		{Name: "again", Action: taxonomy.Retry},
		{Name: "repeat", Action: taxonomy.RetryOperation, Policy: &taxonomy.Policy{Name: "many", MaxAttempts: 20}},
		{Name: "stop", Action: taxonomy.Abort},
		{Name: "up", Action: taxonomy.Escalate},
	} {
		category.Codes = append(category.Codes, taxonomy.Code{Value: r.Name, Traits: taxonomy.Traits{Reaction: r}})
	}
	return t
}

// paidError is an error of a paidTaxonomy.
type paidError struct {
	t     *taxonomy.Taxonomy
	code  int
	text  string
	cause error
}

func (e *paidError) Error() string                { return e.text }
func (e *paidError) Unwrap() error                { return e.cause }
func (e *paidError) Taxonomy() *taxonomy.Taxonomy { return e.t }
func (e *paidError) Row() taxonomy.Row            { return taxonomy.At(0, uint16(e.code+1)) }
func (e *paidError) AppendMessage(b []byte) []byte {
	return append(b, e.text...)
}
func (e *paidError) AppendContext(b []byte) []byte { return append(b, "{}"...) }
func (e *paidError) AppendJSON(b []byte) []byte {
	wire, _ := json.Marshal(paidWire{e.code, e.text})
	return append(b, wire...)
}

type paidWire struct {
	Code int
	Text string
}

// payer is a provider whose calls cost what is said, in turn; the last is repeated. It ends with
// what ends says, and before that calls during.
type payer struct {
	name   string
	costs  []executor.Usage
	ends   func(call int) error // nil is that there is more to do
	during func(call int)

	mu    sync.Mutex
	calls int
}

func (p *payer) Name() string                    { return p.name }
func (p *payer) Available(context.Context) error { return nil }
func (p *payer) Call(context.Context, executor.Request) (executor.Answer, error) {
	p.mu.Lock()
	p.calls++
	call := p.calls
	p.mu.Unlock()
	if p.during != nil {
		p.during(call)
	}
	var err error
	if p.ends != nil {
		err = p.ends(call)
	}
	return executor.Answer{Text: "more to do", Usage: p.costs[min(call, len(p.costs))-1]}, err
}

func costs(in, out int64, usd float64) executor.Usage {
	return executor.Usage{InputTokens: taxonomy.Some(in), OutputTokens: taxonomy.Some(out), CostUSD: taxonomy.Some(usd)}
}

func failing(typ string) error {
	return &taxonomy.Evidence{Source: "payer", Op: "call", Type: typ}
}

// instant is a clock on which waits take no time.
type instant struct{}

func (instant) Now() time.Time                                   { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
func (instant) Sleep(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }

// purse is a state whose budgets are tried.
type purse struct {
	*state.Store
	path string
	o    state.BudgetOptions
}

func openPurse(t *testing.T) *purse {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := state.Open(t.Context(), path, state.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return &purse{Store: s, path: path}
}

// set sets limits of a scope; negative is none.
func (p *purse) set(t *testing.T, scope string, tokens int64, usd float64) {
	t.Helper()
	var l state.Limit
	if tokens >= 0 {
		l.Tokens = taxonomy.Some(tokens)
	}
	if usd >= 0 {
		l.CostUSD = taxonomy.Some(usd)
	}
	require.NoError(t, p.SetBudget(t.Context(), scope, l))
}

// config is an executor's that works with the purse.
func (p *purse) config(by *payer) executor.Config {
	table := paidTaxonomy()
	//lint:ignore ST1008 it is a Classifier
	classify := func(err error, source, op string) (error, string) {
		ev, ok := err.(*taxonomy.Evidence)
		if !ok {
			ev = &taxonomy.Evidence{Source: source, Op: op, Err: err}
		}
		if row, ok := table.Find(ev.Type); ok {
			return &paidError{table, row.Code() - 1, ev.Error(), ev}, "its type"
		}
		return &paidError{table, 2, ev.Error(), ev}, "nothing else"
	}
	return executor.Config{
		Table: taxonomy.Table{Taxonomy: table}, Classify: classify, Provider: by, Journal: p.Journal(),
		Budget: p.Budget(p.o), Clock: instant{},
		Decode: func(b []byte) (error, error) {
			var w paidWire
			err := json.Unmarshal(b, &w)
			return &paidError{table, w.Code, w.Text, nil}, err
		},
		Limits: executor.Limits{Iterations: 10},
	}
}

func (p *purse) run(t *testing.T, by *payer, run, task string, changes ...func(*executor.Config)) *executor.Result {
	t.Helper()
	cfg := p.config(by)
	for _, change := range changes {
		change(&cfg)
	}
	e, err := executor.New(cfg)
	require.NoError(t, err)
	started := e.Start(t.Context(), executor.Task{Run: run, ID: task, Prompt: "work"})
	return started.Wait()
}

// refusal is the evidence that ended a run for its budget.
func refusal(t *testing.T, r *executor.Result) *taxonomy.Evidence {
	t.Helper()
	require.Equal(t, executor.EndFatal, r.EndReason, "%+v", r.Errors)
	var ev *taxonomy.Evidence
	require.ErrorAs(t, r.Err, &ev)
	require.Equal(t, "budget", ev.Source)
	require.Equal(t, "budget", ev.Op)
	return ev
}

// beside runs f on a connection of its own.
func (p *purse) beside(t *testing.T, f func(*sql.DB)) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+p.path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	f(db)
}
