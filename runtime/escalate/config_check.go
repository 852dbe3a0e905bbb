package escalate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/retry"
)

// What holds unless a [Config] has something else.
const (
	defaultTurns        = 150
	defaultTierTime     = 10 * time.Minute
	defaultRepeats      = 2
	defaultTierFailures = 3
	defaultEvidence     = 64 << 10
)

// completed returns c with what is zero as its comments say.
func (c Config) completed() Config {
	c.Guards.Turns = cmp.Or(c.Guards.Turns, defaultTurns)
	c.Guards.Time = cmp.Or(c.Guards.Time, defaultTierTime)
	c.Guards.Repeats = cmp.Or(c.Guards.Repeats, defaultRepeats)
	c.Guards.TierFailures = cmp.Or(c.Guards.TierFailures, defaultTierFailures)
	c.MaxEvidence = cmp.Or(c.MaxEvidence, defaultEvidence)
	c.Calls.Classify = harmless(c.Calls.Classify)
	if isNil(c.Calls.Clock) {
		c.Calls.Clock = retry.System
	}
	return c
}

// problems returns everything that is wrong with the configuration, or nil.
func (c *Config) problems() error {
	var all []error
	problem := func(wrong bool, format string, args ...any) {
		if wrong {
			all = append(all, fmt.Errorf(format, args...))
		}
	}
	problem(isNil(c.Verifier), "no Verifier")
	problem(c.Calls.Classify == nil, "no Calls.Classify")
	problem(c.Calls.Journal != nil && c.Calls.Decode == nil,
		"a Calls.Journal without Calls.Decode, so that no call could be gone on with")
	problem(c.Commit && isNil(c.Calls.Workspace), "Commit without a Calls.Workspace")
	for _, name := range decided(&c.Calls) {
		problem(true, "Calls.%s is set, which an escalation decides itself", name)
	}
	for _, g := range c.Guards.numbers() {
		problem(g.value < 0, "Guards.%s is %s, less than 0", g.name, g.text)
	}
	problem(c.MaxEvidence < 0, "MaxEvidence is %d, less than 0", c.MaxEvidence)
	all = append(all, c.optionalProblems()...)
	if c.Calls.Table.Taxonomy == nil {
		return errors.Join(append(all, errors.New("no Calls.Table"))...)
	}
	return errors.Join(append(all, c.tierProblems()...)...)
}

// optionalProblems finds what is there and yet nil, which would panic in the middle of a run.
func (c *Config) optionalProblems() []error {
	var all []error
	for _, o := range []struct {
		name string
		is   any
	}{
		{"Calls.Workspace", c.Calls.Workspace}, {"Calls.Guard", c.Calls.Guard}, {"Calls.Journal", c.Calls.Journal},
		{"Reviewer", c.Reviewer}, {"PlanReviewer", c.PlanReviewer}, {"Journal", c.Journal}, {"Observer", c.Observer},
	} {
		if o.is != nil && isNil(o.is) {
			all = append(all, fmt.Errorf("the %s is a nil %T", o.name, o.is))
		}
	}
	for _, o := range []struct {
		name string
		is   any
	}{{"Reviewer", c.Reviewer}, {"PlanReviewer", c.PlanReviewer}} {
		if r, ok := o.is.(*reviewer); ok && r != nil && r.usable() != nil {
			all = append(all, fmt.Errorf("the %s has no provider", o.name))
		}
	}
	return all
}

// tierProblems finds providers of tiers that are not there, and that nobody can carry out anything.
func (c *Config) tierProblems() []error {
	var all []error
	known, some := map[string]bool{}, false
	for _, t := range c.Calls.Table.Taxonomy.Tiers {
		known[t.Name] = true
		p, ok := c.Calls.Tiers[t.Name]
		switch {
		case !ok:
		case isNil(p):
			all = append(all, fmt.Errorf("tier %q has a nil provider", t.Name))
		case t.Person:
			all = append(all, fmt.Errorf("tier %q is a person and has no provider", t.Name))
		default:
			some = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Calls.Tiers)) {
		if !known[name] {
			all = append(all, fmt.Errorf("the taxonomy has no tier %q", name))
		}
	}
	if !some {
		all = append(all, errors.New("no tier of the taxonomy has a provider in Calls.Tiers"))
	}
	return all
}

// decided names what is set in the configuration of calls although an escalation decides it.
func decided(c *executor.Config) []string {
	var names []string
	for _, d := range []struct {
		name string
		set  bool
	}{
		{"Setup", c.Setup != nil}, {"Provider", c.Provider != nil}, {"Validator", c.Validator != nil},
		{"Filer", c.Filer != nil},
		{"Notifier", c.Notifier != nil}, {"Limits", c.Limits != executor.Limits{}},
		{"Deliver", c.Deliver != executor.DeliverNothing},
		{"Continue", c.Continue}, {"DryRun", c.DryRun}, {"Markers", c.Markers != executor.Markers{}},
		{"Prompt", c.Prompt != nil},
		{"CommitMessage", c.CommitMessage != nil},
	} {
		if d.set {
			names = append(names, d.name)
		}
	}
	return names
}

type guardNumber struct {
	name  string
	value int64
	text  string
}

func (g Guards) numbers() []guardNumber {
	count := func(name string, n int) guardNumber { return guardNumber{name, int64(n), strconv.Itoa(n)} }
	return []guardNumber{
		count("Turns", g.Turns), {"Time", int64(g.Time), g.Time.String()},
		{"StepTime", int64(g.StepTime), g.StepTime.String()},
		count("Repeats", g.Repeats), count("TierFailures", g.TierFailures),
	}
}

// isNil reports whether v is nil, or holds a nil.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Slice, reflect.Chan, reflect.Interface:
		return r.IsNil()
	}
	return false
}

// maxRunName leaves room for the number of a call in the name of its run of the executor, which has
// 100 bytes at most.
const maxRunName = 80

// runNameExpected says which names of runs there may be.
const runNameExpected = "1 to 80 letters, digits, '-', '_' and '.', the first a letter or a digit"

// validRun reports whether a run can have this name: its calls, the tree and the journal are named
// after it.
func validRun(name string) bool {
	return len(name) <= maxRunName && filelock.CheckName(name) == nil && name[0] != '-' && name[0] != '_'
}

// callName names the run of the executor that a call is. When the run began is in it: the journal
// of calls may know another run of this name, whose state is gone.
func callName(run string, began time.Time, number int) string {
	if !began.IsZero() {
		run += "-" + strconv.FormatUint(uint64(began.UnixMilli()), 36)
	}
	return run + "-" + strconv.Itoa(number)
}
