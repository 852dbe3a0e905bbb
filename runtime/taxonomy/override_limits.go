package taxonomy

// AdaptOverride changes how far what has come of tries may move a policy's numbers. What is nil or
// empty is not set. Where the policy has no `adapt` yet, a bound that is not set is the number of
// the policy itself.
type AdaptOverride struct {
	Attempts *AttemptsOverride `json:"attempts,omitempty" yaml:"attempts,omitempty"`
	Delay    *DelayOverride    `json:"delay,omitempty" yaml:"delay,omitempty"`
	Target   *float64          `json:"target,omitempty" yaml:"target,omitempty"`
	Window   *int              `json:"window,omitempty" yaml:"window,omitempty"`
}

// AttemptsOverride changes the bounds of MaxAttempts.
type AttemptsOverride struct {
	Min *int `json:"min,omitempty" yaml:"min,omitempty"`
	Max *int `json:"max,omitempty" yaml:"max,omitempty"`
}

// DelayOverride changes the bounds of InitialDelay. They are written as in "1.5s" or "2h".
type DelayOverride struct {
	Min string `json:"min,omitempty" yaml:"min,omitempty"`
	Max string `json:"max,omitempty" yaml:"max,omitempty"`
}

// BudgetOverride changes what all callers in a lane may try together. What is nil or empty is not
// set.
type BudgetOverride struct {
	Retries *float64         `json:"retries,omitempty" yaml:"retries,omitempty"`
	Reserve *int             `json:"reserve,omitempty" yaml:"reserve,omitempty"`
	Window  string           `json:"window,omitempty" yaml:"window,omitempty"`
	Breaker *BreakerOverride `json:"breaker,omitempty" yaml:"breaker,omitempty"`
}

// BreakerOverride changes when a circuit breaker opens and how it closes again.
type BreakerOverride struct {
	Failures  *int   `json:"failures,omitempty" yaml:"failures,omitempty"`
	Of        *int   `json:"of,omitempty" yaml:"of,omitempty"`
	Probe     string `json:"probe,omitempty" yaml:"probe,omitempty"`
	Successes *int   `json:"successes,omitempty" yaml:"successes,omitempty"`
}
