package handler

import (
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// DefaultGrace is how long an operation has to return once its context has ended, unless a [Config]
// says otherwise.
const DefaultGrace = 5 * time.Second

// Config is what a [Handler] works with. Table and Classify are required; what else is nil or zero
// is left out, or is as its comment says. All of it must be safe for concurrent use, except for
// Random.
type Config struct {
	// Table is the taxonomy's table, of a profile if one is wanted, with overrides
	// (Table.Override).
	Table taxonomy.Table
	// Classify gives failures their codes.
	Classify executor.Classifier
	// Recoverer runs strategies; without one they count as failed. One that panics is contained,
	// and so is one that is left behind by recovery.Contain.
	Recoverer executor.Recoverer
	// Sink is told of all failures, and what has become of them.
	Sink report.Sink
	// ID returns the ID of an occurrence; nil returns random ones.
	ID func() string
	// StatusSources are the types of sources in whose messages an HTTP status is looked for where
	// they state none, unless the table's profile has texts not searched.
	StatusSources []string
	// Observer is told of every step, after Sink. What is decided once the context has ended comes
	// to nothing, and is not told.
	Observer executor.Observer

	// Gate, Adaptive, Preventer, Checker, Learners and Lanes are those of an executor. The Gate is
	// left out where the profile does not retry: it would have the first call wait for what the
	// retries of others have come to.
	Gate      retry.Breaker
	Adaptive  *retry.Adaptive
	Preventer executor.Preventer
	Checker   executor.Checker
	Learners  []retry.Learner
	Lanes     retry.SharedWait
	Clock     retry.Clock  // retry.System
	Random    retry.Random // math/rand/v2

	// Timeout is how long one call of an operation may take; 0 is no limit. Waits do not count. It
	// is measured by the system's clock, whatever Clock is. It holds for a check of the Checker
	// too, of which 0 is a minute.
	Timeout time.Duration
	// Grace is how long an operation has to return once its context has ended; 0 is [DefaultGrace].
	// One that does not is left behind in its goroutine, and not called again before it has
	// returned.
	Grace time.Duration
}

func (c *Config) problems() error {
	var all []error
	if c.Timeout < 0 {
		all = append(all, fmt.Errorf("the Timeout is %s, less than 0", c.Timeout))
	}
	if c.Grace < 0 {
		all = append(all, fmt.Errorf("the Grace is %s, less than 0", c.Grace))
	}
	return errors.Join(all...)
}
