package state

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// The scopes of a budget. [ScopeOfTask] is the scope of one task.
const (
	ScopeAttempt = "attempt" // each iteration of a run
	ScopeTask    = "task"    // each task, all its runs and generations together
	ScopeAll     = "all"     // all tasks together
)

const ofOneTask = "task:"

// ScopeOfTask returns the scope of the task with the ID. As long as it has a limit, that takes the
// place of the one of [ScopeTask], in tokens and in dollars.
func ScopeOfTask(id string) string { return ofOneTask + id }

// Amount is a number of tokens, in and out together, and a cost in US dollars.
type Amount struct {
	Tokens  taxonomy.Opt[int64]
	CostUSD taxonomy.Opt[float64]
}

// Limit is what may be spent. What is absent is not limited; of 0 nothing may be spent. More than
// 90 million dollars, or million million tokens, is as much as that: see [Store.Budget].
type Limit struct {
	Tokens taxonomy.Opt[int64]
	// CostUSD counts in whole millionths, rounded down.
	CostUSD taxonomy.Opt[float64]
	// Note says why, to people.
	Note string
}

// SetLimit is a limit as it was set.
type SetLimit struct {
	Scope string
	At    time.Time
	Limit
}

// SetBudget sets what may be spent in a scope: [ScopeAttempt], [ScopeTask], [ScopeAll] or one of
// [ScopeOfTask]. It holds from the next call on, also for runs of other processes, until it is set
// again; a Limit without tokens and cost lifts it. Each is kept as a row of its own. A limit below
// nothing, or that is no number, is refused.
func (s *Store) SetBudget(ctx context.Context, scope string, l Limit) error {
	const doing = "set a budget"
	tokens, cost, err := l.columns()
	if err == nil {
		err = checkScope(scope)
	}
	if err != nil {
		return s.failed(doing, err)
	}
	at, note := stamp(s.clock.Now()), column(textMask.Beginning(l.Note, maxError))
	return s.write(ctx, doing, func(t *tx) error {
		_, err := t.exec("INSERT INTO budgets (at, scope, tokens, cost_microusd, note) VALUES (?, ?, ?, ?, ?)", at,
			scope, tokens, cost, note)
		return err
	})
}

var (
	errScope       = errors.New("the scope of a budget is attempt, task, all, or task: and the ID of a task")
	errLimitTokens = errors.New("a limit of tokens is 0 or more")
	errLimitCost   = errors.New("a limit of dollars is a finite number, 0 or more")
)

func checkScope(scope string) error {
	switch scope {
	case ScopeAttempt, ScopeTask, ScopeAll:
		return nil
	}
	id, ok := strings.CutPrefix(scope, ofOneTask)
	if !ok {
		return errScope
	}
	return checkTask(id)
}

// columns returns the limit as columns.
func (l Limit) columns() (tokens, cost sql.Null[int64], err error) {
	if l.Tokens.Or(0) < 0 {
		return tokens, cost, errLimitTokens
	}
	dollars, ok := l.CostUSD.Get()
	if !ok {
		return optional(l.Tokens), cost, nil
	}
	if dollars < 0 || math.IsNaN(dollars) || math.IsInf(dollars, 0) {
		return tokens, cost, errLimitCost
	}
	// A float that was meant as whole millionths may be a trifle below them.
	cost = sql.Null[int64]{V: math.MaxInt64, Valid: true}
	if down := math.Floor(dollars*perUSD + 1e-6); down < math.MaxInt64 {
		cost.V = int64(down)
	}
	return optional(l.Tokens), cost, nil
}

// Budgets returns the limits that hold, in the order in which they were set. One that was lifted is
// not among them.
func (s *Store) Budgets(ctx context.Context) ([]SetLimit, error) {
	var all []SetLimit
	err := s.query(ctx, "read the budgets", `
		SELECT scope, at, tokens, cost_microusd, coalesce(note, '') FROM budgets
		WHERE id IN (SELECT max(id) FROM budgets GROUP BY scope) AND (tokens IS NOT NULL OR cost_microusd IS NOT NULL)
		ORDER BY id`, nil, func(r row) (err error) {
		var l SetLimit
		var at string
		var tokens, cost sql.Null[int64]
		if err := r.Scan(&l.Scope, &at, &tokens, &cost, &l.Note); err != nil {
			return err
		}
		l.Tokens, l.CostUSD = opt(tokens), optionalDollars(cost)
		l.At, err = parseStamp(at)
		all = append(all, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// limit is a limit as it is compared; negative is none.
type limit struct {
	scope  string
	tokens int64
	cost   int64
}

// holds reports that something is limited. The zero limit is none that was set.
func (l limit) holds() bool { return l.scope != "" && (l.tokens >= 0 || l.cost >= 0) }

// limits returns the limits that hold for a call of a task, the narrowest first.
func (v *view) limits(task string) ([]limit, error) {
	found := map[string]limit{}
	err := v.query(`
		SELECT scope, coalesce(tokens, -1), coalesce(cost_microusd, -1) FROM budgets
		WHERE id IN (SELECT max(id) FROM budgets WHERE scope IN (?, ?, ?, ?) GROUP BY scope)`,
		[]any{ScopeAttempt, ScopeTask, ScopeOfTask(task), ScopeAll}, func(r row) error {
			var l limit
			err := r.Scan(&l.scope, &l.tokens, &l.cost)
			l.tokens, l.cost = min(l.tokens, most), min(l.cost, most)
			found[l.scope] = l
			return err
		})
	ofTask := ScopeTask
	if found[ScopeOfTask(task)].holds() {
		ofTask = ScopeOfTask(task)
	}
	var all []limit
	for _, scope := range []string{ScopeAttempt, ofTask, ScopeAll} {
		if l := found[scope]; l.holds() {
			all = append(all, l)
		}
	}
	return all, err
}
