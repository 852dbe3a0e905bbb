package state

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// The units of a limit.
const (
	unitTokens = "tokens"
	unitUSD    = "usd"
)

// account is what was spent of a limit, in tokens or in millionths of a dollar.
type account struct {
	scope, unit  string
	limit, spent int64
	unknown      int64 // calls of which it is not known
}

// assuming returns the account with what each call is taken to cost of which it is not known;
// negative assumes nothing.
func (a account) assuming(each, underWay int64) account {
	if each < 0 {
		return a
	}
	a.spent = added(a.spent, times(each, added(a.unknown, underWay)))
	a.unknown = 0
	return a
}

// exceeded is the evidence that nothing is left.
func (a account) exceeded() *taxonomy.Evidence {
	return a.evidence("exceeded", fmt.Sprintf("the budget of %s is used up: %s of %s %s are spent",
		a.name(), a.amount(a.spent), a.amount(a.limit), a.unit))
}

// unknownCost is the evidence that nobody knows whether something is left.
func (a account) unknownCost() *taxonomy.Evidence {
	what := "cost"
	if a.unit == unitTokens {
		what = "number of tokens"
	}
	ev := a.evidence(
		"unknown_cost",
		fmt.Sprintf(
			"whether the budget of %s is used up cannot be known: the %s of %s is unknown, beside %s of %s %s that "+
				"are spent; "+
				"say what such a call is taken to cost (BudgetOptions.Assume), or lift the limit",
			a.name(), what, callCount(a.unknown), a.amount(a.spent), a.amount(a.limit), a.unit))
	ev.Attributes["unknown"] = strconv.FormatInt(a.unknown, 10)
	return ev
}

// behind is the evidence that others would not know what the run has spent.
func (a account) behind(run string, calls int64) *taxonomy.Evidence {
	ev := a.evidence(
		"unknown_cost",
		fmt.Sprintf(
			"the budget of %s cannot be kept: %s of run %s could not be written down, so that others do not know "+
				"of what was spent",
			a.name(), callCount(calls), textMask.Beginning(run, 256)))
	ev.Attributes["unknown"] = strconv.FormatInt(calls, 10)
	return ev
}

// callCount returns a number of calls as people say it.
func callCount(calls int64) string {
	if calls == 1 {
		return "1 call"
	}
	return strconv.FormatInt(calls, 10) + " calls"
}

func (a account) evidence(typ, said string) *taxonomy.Evidence {
	return &taxonomy.Evidence{
		Source: "budget", Op: "budget", Type: typ, Text: said,
		Attributes: map[string]string{
			"scope": a.scope, "limit": a.amount(a.limit), "spent": a.amount(a.spent), "unit": a.unit,
		},
	}
}

// name says to people what the scope is.
func (a account) name() string {
	switch a.scope {
	case ScopeAttempt:
		return "an attempt"
	case ScopeTask:
		return "a task"
	case ScopeAll:
		return "all tasks"
	}
	return "task " + textMask.Beginning(strings.TrimPrefix(a.scope, ofOneTask), 256)
}

// amount returns a number of the unit as a decimal.
func (a account) amount(n int64) string {
	if a.unit != unitUSD {
		return strconv.FormatInt(n, 10)
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%06d", n/perUSD, n%perUSD), "0"), ".")
}

// unknowable is the evidence that what was spent cannot be read.
func unknowable(err error) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{
		Source: "budget", Op: "budget", Type: "unknown_cost", Text: "what was spent cannot be read: " + err.Error(),
		Err:        err,
		Attributes: map[string]string{},
	}
	if cause, ok := err.(*taxonomy.Evidence); ok && cause != nil {
		ev.Errno = cause.Errno
		maps.Copy(ev.Attributes, cause.Attributes)
	}
	return ev
}
