package taxonomy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Overrides are the changes of a run to a table, for a configuration file. The keys are those of a
// profile in the taxonomy's language. Reactions and policies are names. Zero values change nothing.
//
// In the tags, `range` has the limits of a number, and `to` the name of the field that changes if it
// has another name.
type Overrides struct {
	// Codes change the traits of a code (by its value or an alias), of a category, of an "@group",
	// or of all codes ("*"). The most specific one wins, key by key. Of two groups, the one that
	// the taxonomy declares first wins.
	Codes map[string]TraitsOverride `json:"codes,omitempty" yaml:"codes,omitempty"`
	// Reactions change declared reactions, and the predeclared abort, block and continue, field by
	// field.
	Reactions map[string]ReactionOverride `json:"reactions,omitempty" yaml:"reactions,omitempty"`
	// Policies change declared policies, field by field.
	Policies map[string]PolicyOverride `json:"policies,omitempty" yaml:"policies,omitempty"`
	// Uncategorized names the reaction to an error that is not of the taxonomy.
	Uncategorized string `json:"uncategorized,omitempty" yaml:"uncategorized,omitempty"`
	// Detection, Recovery, Retry and Reporting change the profile's sections, field by field.
	// Without a profile, they change one that has everything on and no limits.
	Detection *DetectionOverride `json:"detection,omitempty" yaml:"detection,omitempty"`
	Recovery  *RecoveryOverride  `json:"recovery,omitempty" yaml:"recovery,omitempty"`
	Retry     *RetryOverride     `json:"retry,omitempty" yaml:"retry,omitempty"`
	Reporting *ReportingOverride `json:"reporting,omitempty" yaml:"reporting,omitempty"`
}

// TraitsOverride changes the traits of rows.
type TraitsOverride struct {
	Kind           string       `json:"kind,omitempty" yaml:"kind,omitempty"`
	Severity       string       `json:"severity,omitempty" yaml:"severity,omitempty"`
	Retryable      *bool        `json:"retryable,omitempty" yaml:"retryable,omitempty"`
	Recoverability string       `json:"recoverability,omitempty" yaml:"recoverability,omitempty"`
	Reaction       *ReactionRef `json:"reaction,omitempty" yaml:"reaction,omitempty"`
	HTTP           *int         `json:"http,omitempty" yaml:"http,omitempty" range:"400..599"`
	GRPC           string       `json:"grpc,omitempty" yaml:"grpc,omitempty"`
}

// ReactionOverride changes a reaction. Policy and Then are names.
type ReactionOverride struct {
	Doc              string       `json:"doc,omitempty" yaml:"doc,omitempty"`
	Action           string       `json:"action,omitempty" yaml:"action,omitempty"`
	Policy           string       `json:"policy,omitempty" yaml:"policy,omitempty"`
	Then             string       `json:"then,omitempty" yaml:"then,omitempty"`
	Log              *LogOverride `json:"log,omitempty" yaml:"log,omitempty"`
	CountFailure     *bool        `json:"count_failure,omitempty" yaml:"count_failure,omitempty"`
	HonorRetryAfter  *bool        `json:"honor_retry_after,omitempty" yaml:"honor_retry_after,omitempty"`
	AcceptCompletion *bool        `json:"accept_completion,omitempty" yaml:"accept_completion,omitempty"`
	FeedBack         *bool        `json:"feed_back,omitempty" yaml:"feed_back,omitempty"`
	Shared           string       `json:"shared,omitempty" yaml:"shared,omitempty"`
	Revert           string       `json:"revert,omitempty" yaml:"revert,omitempty"`
	Extent           string       `json:"extent,omitempty" yaml:"extent,omitempty"`
	Strategy         string       `json:"strategy,omitempty" yaml:"strategy,omitempty"`
	Session          string       `json:"session,omitempty" yaml:"session,omitempty"`
	Resume           string       `json:"resume,omitempty" yaml:"resume,omitempty"`
	To               string       `json:"to,omitempty" yaml:"to,omitempty"`
	Purpose          string       `json:"purpose,omitempty" yaml:"purpose,omitempty"`
}

// LogOverride changes the log line of a reaction.
type LogOverride struct {
	Level   string  `json:"level,omitempty" yaml:"level,omitempty" to:"LogLevel"`
	Message *string `json:"message,omitempty" yaml:"message,omitempty" to:"LogMessage"`
}

// PolicyOverride changes a policy. Durations are written as "1.5s" or "2h".
type PolicyOverride struct {
	Doc           string          `json:"doc,omitempty" yaml:"doc,omitempty"`
	MaxAttempts   *int            `json:"max_attempts,omitempty" yaml:"max_attempts,omitempty" range:"1..1000000"`
	InitialDelay  string          `json:"initial_delay,omitempty" yaml:"initial_delay,omitempty"`
	MaxDelay      string          `json:"max_delay,omitempty" yaml:"max_delay,omitempty"`
	MaxElapsed    string          `json:"max_elapsed,omitempty" yaml:"max_elapsed,omitempty"`
	MaxRetryAfter string          `json:"max_retry_after,omitempty" yaml:"max_retry_after,omitempty"`
	Multiplier    *float64        `json:"multiplier,omitempty" yaml:"multiplier,omitempty" range:"1.."`
	Backoff       string          `json:"backoff,omitempty" yaml:"backoff,omitempty"`
	Jitter        JitterText      `json:"jitter,omitempty" yaml:"jitter,omitempty"`
	Adapt         *AdaptOverride  `json:"adapt,omitempty" yaml:"adapt,omitempty"`
	Budget        *BudgetOverride `json:"budget,omitempty" yaml:"budget,omitempty"`
}

// AdaptOverride changes the limits of a policy's adaptive numbers. For a policy without `adapt`, a
// limit that is not set is the policy's number.
type AdaptOverride struct {
	Attempts *AttemptsOverride `json:"attempts,omitempty" yaml:"attempts,omitempty"`
	Delay    *DelayOverride    `json:"delay,omitempty" yaml:"delay,omitempty"`
	Target   *float64          `json:"target,omitempty" yaml:"target,omitempty" range:"0.01..0.99"`
	Window   *int              `json:"window,omitempty" yaml:"window,omitempty" range:"10..1000"`
}

// AttemptsOverride changes the bounds of MaxAttempts.
type AttemptsOverride struct {
	Min *int `json:"min,omitempty" yaml:"min,omitempty" to:"MinAttempts"`
	Max *int `json:"max,omitempty" yaml:"max,omitempty" to:"MaxAttempts"`
}

// DelayOverride changes the bounds of InitialDelay.
type DelayOverride struct {
	Min string `json:"min,omitempty" yaml:"min,omitempty" to:"MinDelay"`
	Max string `json:"max,omitempty" yaml:"max,omitempty" to:"MaxDelay"`
}

// BudgetOverride changes the limits that all callers in a lane share.
type BudgetOverride struct {
	Retries *float64         `json:"retries,omitempty" yaml:"retries,omitempty" range:"0.."`
	Reserve *int             `json:"reserve,omitempty" yaml:"reserve,omitempty" range:"0..1000000"`
	Window  string           `json:"window,omitempty" yaml:"window,omitempty" range:">0"`
	Breaker *BreakerOverride `json:"breaker,omitempty" yaml:"breaker,omitempty"`
}

// BreakerOverride changes the limits of a circuit breaker.
type BreakerOverride struct {
	Failures  *int   `json:"failures,omitempty" yaml:"failures,omitempty" range:"1..1000"`
	Of        *int   `json:"of,omitempty" yaml:"of,omitempty" range:"1..1000"`
	Probe     string `json:"probe,omitempty" yaml:"probe,omitempty" range:">0"`
	Successes *int   `json:"successes,omitempty" yaml:"successes,omitempty" range:"1..1000"`
}

// DetectionOverride changes the switches of classification.
type DetectionOverride struct {
	Text           *bool `json:"text,omitempty" yaml:"text,omitempty"`
	Severity       *bool `json:"severity,omitempty" yaml:"severity,omitempty"`
	Recoverability *bool `json:"recoverability,omitempty" yaml:"recoverability,omitempty"`
}

// RecoveryOverride changes the limits for strategies.
type RecoveryOverride struct {
	Enabled *bool `json:"enabled,omitempty" yaml:"enabled,omitempty"`
	// MaxAttempts is the maximum number of strategies in a run; 0 allows none.
	MaxAttempts *int `json:"max_attempts,omitempty" yaml:"max_attempts,omitempty" range:"0.."`
	// Allowed are the strategies that may run. An empty list that is not nil allows none.
	Allowed AllowedStrategies `json:"allowed,omitzero" yaml:"allowed,omitempty"`
}

// AllowedStrategies are names of strategies. Nil changes nothing; an empty list allows none.
type AllowedStrategies []string

// IsZero reports whether the list is nil, so that an empty list is written.
func (s AllowedStrategies) IsZero() bool { return s == nil }

// RetryOverride changes the switch of retries, and the policy of reactions without one.
type RetryOverride struct {
	Enabled        *bool `json:"enabled,omitempty" yaml:"enabled,omitempty"`
	PolicyOverride `yaml:",inline"`
}

// ReportingOverride changes the contents of reports.
type ReportingOverride struct {
	LogLevel string `json:"log_level,omitempty" yaml:"log_level,omitempty"`
	Stack    *bool  `json:"stack,omitempty" yaml:"stack,omitempty"`
	Context  *bool  `json:"context,omitempty" yaml:"context,omitempty"`
}

// UnmarshalJSON decodes overrides. An unknown key is an error at every level. A YAML decoder must
// be strict itself.
func (o *Overrides) UnmarshalJSON(b []byte) error {
	type plain Overrides
	var in plain
	if err := strictly(b, &in); err != nil {
		return err
	}
	*o = Overrides(in)
	return nil
}

func strictly(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// JitterText is a number from 0 to 1, or one of none, full and decorrelated.
type JitterText string

// UnmarshalJSON reads a string or a number.
func (j *JitterText) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, &n); err == nil && len(b) > 0 && b[0] != '"' {
		*j = JitterText(n)
		return nil
	}
	return json.Unmarshal(b, (*string)(j))
}

// ReactionRef is the name of a reaction, or one for retryable codes and one for the others. An
// empty name changes nothing. In JSON and YAML it is a string, or an object with retryable and
// permanent.
type ReactionRef struct {
	Name      string `json:"-" yaml:"-"`
	Retryable string `json:"retryable,omitempty" yaml:"retryable,omitempty"`
	Permanent string `json:"permanent,omitempty" yaml:"permanent,omitempty"`
}

type reactionByFlag ReactionRef

func (r ReactionRef) form() any {
	if r.Retryable != "" || r.Permanent != "" {
		return reactionByFlag(r)
	}
	return r.Name
}

// MarshalJSON returns a string or an object.
func (r ReactionRef) MarshalJSON() ([]byte, error) { return json.Marshal(r.form()) }

// MarshalYAML returns a string or a mapping.
func (r ReactionRef) MarshalYAML() (any, error) { return r.form(), nil }

// UnmarshalJSON reads a string or an object; an unknown key is an error.
func (r *ReactionRef) UnmarshalJSON(b []byte) error {
	return r.read(func(v any) error { return strictly(b, v) })
}

// UnmarshalYAML reads a string or a mapping, by any YAML library that passes a decode function.
func (r *ReactionRef) UnmarshalYAML(decode func(any) error) error { return r.read(decode) }

func (r *ReactionRef) read(decode func(any) error) error {
	var in ReactionRef
	if decode(&in.Name) == nil {
		*r = in
		return nil
	}
	in.Name = ""
	if err := decode((*reactionByFlag)(&in)); err != nil {
		return err
	}
	*r = in
	return nil
}

// Problem is a mistake in overrides, or an override that is skipped for some rows.
type Problem struct {
	// Path is the path of the key: "reactions.again.policy".
	Path    string
	Message string
	// Skipped are the rows that the override is not applied to, because they are not retryable.
	Skipped []Row
	// Mistake is false for an override that is skipped for some rows only.
	Mistake bool
}

// Error returns the path and the message.
func (p Problem) Error() string { return p.Path + ": " + p.Message }

// Override returns the table, with its profile, changed by the overrides. The receiver and the
// taxonomy do not change. An override that would retry a row that is not retryable is skipped for
// that row.
//
// The error wraps a [Problem] for each mistake: an undeclared name, a value out of range, a key
// that the action does not take, a retry without a limit, a cycle of `then`, and an override that
// is skipped for every row that it covers. [Table.Profile] of the result is without the overrides.
func (t Table) Override(o Overrides) (Table, error) {
	if t.Taxonomy == nil {
		return Table{}, errors.New("overrides: the table has no taxonomy")
	}
	out, problems := t.Apply(o)
	var mistakes []error
	for _, p := range problems {
		if p.Mistake {
			mistakes = append(mistakes, p)
		}
	}
	if mistakes != nil {
		return Table{}, fmt.Errorf("%s: overrides: %w", t.Taxonomy.Package, errors.Join(mistakes...))
	}
	return out, nil
}

// Apply is [Table.Override] for tools that show each problem. It returns all problems, and the
// table with the overrides that have none.
func (t Table) Apply(o Overrides) (Table, []Problem) {
	if len(o.Codes) == 0 && len(o.Reactions) == 0 && len(o.Policies) == 0 && o.Uncategorized == "" &&
		o.Detection == nil && o.Recovery == nil && o.Retry == nil && o.Reporting == nil {
		return t, nil
	}
	v := newOverlay(t, &o)
	t.Overlay = v.profile()
	return t, v.problems
}
