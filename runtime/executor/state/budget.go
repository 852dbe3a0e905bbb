package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The scopes of a budget. [ScopeOfTask] returns the scope of one task.
const (
	ScopeAttempt = "attempt" // each iteration of a run
	ScopeTask    = "task"    // each task, with all its runs and generations
	ScopeAll     = "all"     // all tasks together

	oneTask = "task:"
)

// ScopeOfTask returns the scope of the task with the ID. Its limit replaces that of [ScopeTask], in
// tokens and in dollars.
func ScopeOfTask(id string) string { return oneTask + id }

// Amount is a number of tokens, input and output together, and a cost.
type Amount struct {
	Tokens  taxonomy.Opt[int64]   `json:"tokens,omitzero"`
	CostUSD taxonomy.Opt[float64] `json:"cost_usd,omitzero"`
}

// Limit is the maximum of what may be spent. Absent numbers are unlimited.
type Limit struct {
	Amount
	// Note is the reason, for people.
	Note string `json:"note,omitzero"`
}

// SetLimit is a limit that was set, with its scope.
type SetLimit struct {
	Scope string    `json:"scope"`
	At    time.Time `json:"at"`
	Limit
}

// SetBudget sets the limit of a scope. It applies from the next call on, also to runs of other
// processes. A Limit without numbers removes it. Replaced limits stay on record.
func (s *Store) SetBudget(ctx context.Context, scope string, l Limit) error {
	doing := "set a budget"
	tokens, cost := l.Tokens.Or(0), l.CostUSD.Or(0)
	err := checkScope(scope)
	if err == nil && (tokens < 0 || !(cost >= 0) || math.IsInf(cost, 0)) {
		err = fmt.Errorf("a limit (%d tokens, %g dollars) must be 0 or a positive number", tokens, cost)
	}
	if err != nil {
		return s.failed("state_write", doing, err)
	}
	l.Note = mask.Beginning(l.Note, maxError)
	return s.write(ctx, doing, func(t *tx) error {
		record, err := json.Marshal(SetLimit{scope, s.clock.Now().UTC(), l})
		if err == nil {
			_, err = t.exec("INSERT INTO budgets (scope, record) VALUES (?, ?)", scope, string(record))
		}
		return err
	})
}

func checkScope(scope string) error {
	if scope == ScopeAttempt || scope == ScopeTask || scope == ScopeAll {
		return nil
	}
	if id, ok := strings.CutPrefix(scope, oneTask); ok {
		return checkTask(id)
	}
	return errors.New("the scope of a budget is attempt, task, all, or task: and the ID of a task")
}

// Budgets returns the limits that apply, in the order in which they were set.
func (s *Store) Budgets(ctx context.Context) ([]SetLimit, error) {
	return list[SetLimit](ctx, s, "read the budgets", `SELECT record FROM budgets
		WHERE id IN (SELECT max(id) FROM budgets GROUP BY scope) AND (tokens IS NOT NULL OR cost_microusd IS NOT NULL)
		ORDER BY id`)
}

// BudgetOptions configure a budget.
type BudgetOptions struct {
	// Assume is the cost of a call that is in progress or whose cost is unknown. If it is absent,
	// calls in progress cost nothing, and after a call of unknown cost the budget allows no further
	// call, because the limit may be exceeded.
	Assume Amount
}

// account compares the spending with a limit, in tokens or millionths of a dollar.
type account struct {
	scope, unit                string
	limit                      int64
	known, unknown, inProgress int64
}

// The units of a limit.
const (
	unitTokens = "tokens"
	unitUSD    = "usd"
)

const (
	paidRuns = `SELECT run, task_id, calls, input_tokens, output_tokens, cost_microusd, unknown_tokens, unknown_cost
		FROM runs`
	paidAttempts = `SELECT '', task_id, calls, input_tokens, output_tokens, cost_microusd,
		iif(input_tokens IS NULL OR output_tokens IS NULL, calls, 0) AS unknown_tokens,
		iif(cost_microusd IS NULL, calls, 0) AS unknown_cost
		FROM attempts INDEXED BY attempts_paid WHERE run IS NULL AND calls > 0`
	// paid selects the costs of runs and of attempts without a run.
	paid   = paidRuns + " UNION ALL " + paidAttempts
	sumsOf = `SELECT task_id, sum(calls) AS calls, sum(input_tokens) AS input_tokens,
		sum(output_tokens) AS output_tokens, sum(cost_microusd) AS cost_microusd,
		sum(unknown_tokens) AS unknown_tokens, sum(unknown_cost) AS unknown_cost`
	// spending is the JSON form of the sums.
	spending = `json_object('calls', coalesce(calls, 0), 'usage', json_object('inputTokens', input_tokens,
		'outputTokens', output_tokens, 'costUSD', cost_microusd / 1e6), 'unknownTokens', coalesce(unknown_tokens, 0),
		'unknownCost', coalesce(unknown_cost, 0))`
	// paidByTask selects the sums of each task. It sums each table first, which needs no sorting.
	paidByTask = sumsOf + " FROM (" + sumsOf + " FROM (" + paidRuns + ") GROUP BY task_id UNION ALL " +
		sumsOf + " FROM (" + paidAttempts + ") GROUP BY task_id) GROUP BY task_id"
)

// Budget returns the budget of an executor that uses this state; see [Store.SetBudget]. The costs
// of the run come from its bill, and all others from the state. Concurrent runs can exceed a limit
// by their calls in progress.
//
// If calls of the run could not be saved, other runs do not see their cost. Then a limit that the
// run shares with others allows no further call. If the state cannot be read, no call is allowed.
func (s *Store) Budget(o BudgetOptions) executor.Budget { return budget{s, o} }

type budget struct {
	*Store
	o BudgetOptions
}

// Allow implements [executor.Budget]. Its evidence has the attributes scope, limit, spent and unit
// ("tokens" or "usd"). If several limits are exceeded, it reports the one of the narrowest scope.
func (s budget) Allow(ctx context.Context, bill executor.Call) error {
	var accounts []account
	var written int
	err := s.view(ctx, "read the budget", func(v *tx) (err error) {
		if accounts, err = s.accounts(v, &bill); err != nil || len(accounts) == 0 {
			return err
		}
		return v.scan("SELECT coalesce((SELECT calls FROM runs WHERE run = ?), 0)", []any{bill.Run}, &written)
	})
	if err != nil {
		ev := s.failed("state_read", "read the budget", err)
		return &taxonomy.Evidence{Source: "budget", Op: "budget", Type: "unknown_cost", Errno: ev.Errno, Err: err,
			Text: "the cost so far cannot be read: " + err.Error(), Attributes: ev.Attributes}
	}
	assume := map[string]taxonomy.Opt[int64]{unitTokens: s.o.Assume.Tokens, unitUSD: microUSD(s.o.Assume.CostUSD)}
	var unknown *taxonomy.Evidence
	for _, a := range accounts {
		if assumed, ok := assume[a.unit].Get(); ok {
			a.known, a.unknown = a.known+assumed*(a.unknown+a.inProgress), 0
		}
		switch {
		case a.known >= a.limit:
			return a.evidence("exceeded", fmt.Sprintf("the budget of %s is exhausted: %s of %s %s are spent", a.name(),
				a.amount(a.known), a.amount(a.limit), a.unit))
		case unknown != nil:
		case a.scope != ScopeAttempt && bill.Total.Calls > written:
			unsaved := text.Count(bill.Total.Calls-written, "call")
			unknown = a.evidence("unknown_cost", fmt.Sprintf("the budget of %s cannot be checked: %s of run %s could "+
				"not be saved, so their cost is missing for other runs", a.name(), unsaved, bill.Run))
		case a.unknown > 0:
			unknown = a.evidence("unknown_cost", fmt.Sprintf("the budget of %s cannot be checked: the cost of %s is "+
				"unknown, in addition to %s of %s %s that are spent; set BudgetOptions.Assume, or remove the limit",
				a.name(), text.Count(a.unknown, "call"), a.amount(a.known), a.amount(a.limit), a.unit))
			unknown.Attributes["unknown"] = strconv.FormatInt(a.unknown, 10)
		}
	}
	if unknown != nil {
		return unknown
	}
	return nil
}

// accounts returns the limits that apply to a call and the spending in their scopes. The narrowest
// scope is first, and tokens are before dollars.
func (s *Store) accounts(v *tx, bill *executor.Call) (all []account, err error) {
	set, err := query[SetLimit](v, `SELECT record FROM budgets WHERE id IN (SELECT max(id) FROM budgets
		WHERE scope IN (?, ?, ?, ?) GROUP BY scope)`, ScopeAttempt, ScopeTask, ScopeOfTask(bill.Task), ScopeAll)
	if err != nil {
		return nil, err
	}
	limits := map[string]Amount{}
	for _, l := range set {
		if l.Amount != (Amount{}) {
			limits[l.Scope] = l.Amount
		}
	}
	ofTask := ScopeTask
	if _, ok := limits[ScopeOfTask(bill.Task)]; ok {
		ofTask = ScopeOfTask(bill.Task)
	}
	for _, scope := range []string{ScopeAttempt, ofTask, ScopeAll} {
		l, ok := limits[scope]
		if !ok {
			continue
		}
		own, others, inProgress := bill.Total, executor.Spending{}, int64(0)
		switch scope {
		case ScopeAttempt:
			own = bill.Attempt
		case ScopeAll:
			others, inProgress, err = s.others(v, bill.Run, "")
		default:
			others, inProgress, err = s.others(v, bill.Run, bill.Task)
		}
		if err != nil {
			return nil, err
		}
		a := account{scope: scope, inProgress: inProgress}
		if limit, ok := l.Tokens.Get(); ok {
			a.unit, a.limit = unitTokens, limit
			a.known = own.Usage.InputTokens.Or(0) + own.Usage.OutputTokens.Or(0) + others.Usage.InputTokens.Or(0) +
				others.Usage.OutputTokens.Or(0)
			a.unknown = int64(own.UnknownTokens+others.UnknownTokens) - inProgress
			all = append(all, a)
		}
		if limit, ok := microUSD(l.CostUSD).Get(); ok {
			a.unit, a.limit = unitUSD, limit
			a.known = microUSD(own.Usage.CostUSD).Or(0) + microUSD(others.Usage.CostUSD).Or(0)
			a.unknown = int64(own.UnknownCost+others.UnknownCost) - inProgress
			all = append(all, a)
		}
	}
	return all, nil
}

// others returns the spending of all other runs on a task, and the number of their calls in
// progress, which the spending counts as unknown. If task is empty, it returns those on all tasks.
func (s *Store) others(v *tx, run, task string) (spent executor.Spending, inProgress int64, err error) {
	sums, err := query[executor.Spending](v, "SELECT "+spending+" FROM ("+sumsOf+" FROM ("+paid+
		") WHERE run <> ?1 AND (?2 = '' OR task_id = ?2))", run, task)
	if err != nil {
		return spent, 0, err
	}
	// The last call of a run is in progress if the process of the run is alive, and unknown
	// otherwise.
	calling, err := query[string](v, `SELECT json_quote(run) FROM runs WHERE ended_at IS NULL AND phase = 'calling'
		AND run <> ?1 AND (?2 = '' OR task_id = ?2)`, run, task)
	for _, other := range calling {
		if s.holder(other) != nil {
			inProgress++
		}
	}
	return sums[0], inProgress, err
}

func (a account) evidence(typ, text string) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: "budget", Op: "budget", Type: typ, Text: text, Attributes: map[string]string{
		"scope": a.scope, "limit": a.amount(a.limit), "spent": a.amount(a.known), "unit": a.unit,
	}}
}

// name returns the scope for messages.
func (a account) name() string {
	switch a.scope {
	case ScopeAttempt:
		return "an attempt"
	case ScopeTask:
		return "a task"
	case ScopeAll:
		return "all tasks"
	}
	return "task " + mask.Beginning(strings.TrimPrefix(a.scope, oneTask), 256)
}

// amount returns a number of the unit as a decimal.
func (a account) amount(n int64) string {
	if a.unit != unitUSD {
		return strconv.FormatInt(n, 10)
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%06d", n/perUSD, n%perUSD), "0"), ".")
}
