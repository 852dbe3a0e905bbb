package executor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The limits that hold unless a [Config] has others.
const (
	defaultIterations = 50
	defaultFailures   = 3
	defaultIteration  = 10 * time.Minute
	defaultGrace      = 30 * time.Second
	defaultCheck      = time.Minute
	defaultFeedback   = 16 << 10
)

// The markers that hold unless a [Config] has others.
const (
	defaultDone    = "TASK COMPLETE"
	defaultBlocked = "BLOCKED"
)

// Executor runs tasks. Without a [Workspace] and without a [Journal] it runs any number of them at
// once, as far as what it works with is safe for concurrent use. With one of these it serves one
// run at a time: another that begins meanwhile is refused.
type Executor struct {
	cfg    Config
	ladder ladder
	random retry.Random
	// busy reports that a run uses what serves one run at a time.
	busy atomic.Bool
}

// New returns an executor. The error names everything that is wrong with the configuration at once.
func New(cfg Config) (*Executor, error) {
	if err := cfg.problems(); err != nil {
		return nil, fmt.Errorf("configure executor: %w", err)
	}
	cfg = cfg.completed()
	return &Executor{
		cfg:    cfg,
		ladder: newLadder(cfg.Provider, cfg.Table.Taxonomy.Tiers, cfg.Tiers),
		random: shared(cfg.Random),
	}, nil
}

// shared returns a random source that several runs can use at once.
func shared(r retry.Random) retry.Random {
	if r == nil {
		return rand.Float64
	}
	var mu sync.Mutex
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return r()
	}
}

func (c *Config) problems() error {
	var all []error
	problem := func(wrong bool, format string, args ...any) {
		if wrong {
			all = append(all, fmt.Errorf(format, args...))
		}
	}
	problem(c.Table.Taxonomy == nil, "no Table")
	problem(c.Classify == nil, "no Classify")
	problem(c.Journal != nil && c.Decode == nil, "a Journal without Decode, so that no run could be resumed")
	problem(c.Deliver > DeliverPullRequest, "no Delivery is %d", c.Deliver)
	problem(c.Deliver != DeliverNothing && c.Workspace == nil, "a Delivery without a Workspace")
	for _, l := range c.Limits.numbers() {
		problem(l.value < 0, "Limits.%s is %s, less than 0", l.name, l.text)
	}
	problem(c.Provider != nil && isNil(c.Provider), "the Provider is a nil %T", c.Provider)
	var tiers []taxonomy.Tier
	if c.Table.Taxonomy != nil {
		tiers = c.Table.Taxonomy.Tiers
		all = append(all, c.tierProblems()...)
	}
	if c.Setup == nil && (tiers != nil || len(c.Tiers) == 0) && newLadder(c.Provider, tiers, c.Tiers).first() < 0 {
		all = append(all, errors.New("no Provider, and none of a tier"))
	}
	return errors.Join(all...)
}

// isNil reports whether a provider is nil, or a nil pointer.
func isNil(p Provider) bool {
	if p == nil {
		return true
	}
	v := reflect.ValueOf(p)
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Slice, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// tierProblems finds providers of tiers that are not there.
func (c *Config) tierProblems() []error {
	var all []error
	known := make(map[string]taxonomy.Tier)
	for _, t := range c.Table.Taxonomy.Tiers {
		known[t.Name] = t
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tiers)) {
		p := c.Tiers[name]
		tier, ok := known[name]
		switch {
		case !ok:
			all = append(all, fmt.Errorf("the taxonomy has no tier %q", name))
		case isNil(p):
			all = append(all, fmt.Errorf("tier %q has a nil Provider", name))
		case tier.Person:
			all = append(all, fmt.Errorf("tier %q is a person and has no Provider", name))
		}
	}
	return all
}

type limit struct {
	name  string
	value int64
	text  string
}

func (l Limits) numbers() []limit {
	count := func(name string, n int) limit { return limit{name, int64(n), fmt.Sprint(n)} }
	span := func(name string, d time.Duration) limit { return limit{name, int64(d), d.String()} }
	return []limit{
		count("Iterations", l.Iterations), count("Failures", l.Failures), count("Attempts", l.Attempts),
		span("Iteration", l.Iteration), span("Check", l.Check), span("Run", l.Run), span("Grace", l.Grace),
		count("Feedback", l.Feedback),
	}
}

// completed returns c with what is zero as its comments say.
func (c Config) completed() Config {
	c.Limits.Iterations = cmp.Or(c.Limits.Iterations, defaultIterations)
	c.Limits.Failures = cmp.Or(c.Limits.Failures, defaultFailures)
	c.Limits.Iteration = cmp.Or(c.Limits.Iteration, defaultIteration)
	c.Limits.Grace = cmp.Or(c.Limits.Grace, defaultGrace)
	c.Limits.Check = cmp.Or(c.Limits.Check, defaultCheck)
	c.Limits.Feedback = cmp.Or(c.Limits.Feedback, defaultFeedback)
	c.Markers = c.Markers.completed()
	c.Learners = learners(c.Learners, c.Adaptive)
	if c.Clock == nil {
		c.Clock = retry.System
	}
	if c.Prompt == nil {
		c.Prompt = DefaultPrompt
	}
	if c.CommitMessage == nil {
		c.CommitMessage = func(t Task, _ int, _ []string) string { return cmp.Or(t.Title, t.ID, "Work on a task") }
	}
	return c
}
