package taxonomy

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Overrides are what one run changes of a table: data that a configuration holds, with the keys of
// the taxonomy's language. They mean what the sections of the same names mean in a profile. What is
// zero is not set.
type Overrides struct {
	// Codes change what is said of a code (by its value or an alias), of a category, of an
	// "@group", or of all ("*"). The most specific wins, key by key; of groups the one that the
	// taxonomy declares first.
	Codes map[string]TraitsOverride `json:"codes,omitempty" yaml:"codes,omitempty"`
	// Reactions change declared reactions, and the predeclared abort, block and continue, field by
	// field.
	Reactions map[string]ReactionOverride `json:"reactions,omitempty" yaml:"reactions,omitempty"`
	// Policies change declared policies, field by field.
	Policies map[string]PolicyOverride `json:"policies,omitempty" yaml:"policies,omitempty"`
	// Uncategorized replaces the reaction to what is not of the taxonomy.
	Uncategorized *ReactionRef `json:"uncategorized,omitempty" yaml:"uncategorized,omitempty"`
	// Detection, Recovery, Retry and Reporting change the profile's sections, field by field. Where
	// there is no profile, they change one that has everything on and bounds nothing.
	Detection *DetectionOverride `json:"detection,omitempty" yaml:"detection,omitempty"`
	Recovery  *RecoveryOverride  `json:"recovery,omitempty" yaml:"recovery,omitempty"`
	Retry     *RetryOverride     `json:"retry,omitempty" yaml:"retry,omitempty"`
	Reporting *ReportingOverride `json:"reporting,omitempty" yaml:"reporting,omitempty"`
}

// TraitsOverride changes what rows say.
type TraitsOverride struct {
	Kind           string       `json:"kind,omitempty" yaml:"kind,omitempty"`
	Severity       string       `json:"severity,omitempty" yaml:"severity,omitempty"`
	Retryable      *bool        `json:"retryable,omitempty" yaml:"retryable,omitempty"`
	Recoverability string       `json:"recoverability,omitempty" yaml:"recoverability,omitempty"`
	Reaction       *ReactionRef `json:"reaction,omitempty" yaml:"reaction,omitempty"`
	HTTP           *int         `json:"http,omitempty" yaml:"http,omitempty"`
	GRPC           string       `json:"grpc,omitempty" yaml:"grpc,omitempty"`
}

// ReactionOverride changes a reaction, or is one that stands in place; then it needs an action.
type ReactionOverride struct {
	Doc              string       `json:"doc,omitempty" yaml:"doc,omitempty"`
	Action           string       `json:"action,omitempty" yaml:"action,omitempty"`
	Policy           *PolicyRef   `json:"policy,omitempty" yaml:"policy,omitempty"`
	Then             *ReactionRef `json:"then,omitempty" yaml:"then,omitempty"`
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

// LogOverride changes what is said when a reaction is taken.
type LogOverride struct {
	Level   string  `json:"level,omitempty" yaml:"level,omitempty"`
	Message *string `json:"message,omitempty" yaml:"message,omitempty"`
}

// PolicyOverride changes a policy, or is one that stands in place. Durations are as in "1.5s" or
// "2h".
type PolicyOverride struct {
	Doc           string          `json:"doc,omitempty" yaml:"doc,omitempty"`
	MaxAttempts   *int            `json:"max_attempts,omitempty" yaml:"max_attempts,omitempty"`
	InitialDelay  string          `json:"initial_delay,omitempty" yaml:"initial_delay,omitempty"`
	MaxDelay      string          `json:"max_delay,omitempty" yaml:"max_delay,omitempty"`
	MaxElapsed    string          `json:"max_elapsed,omitempty" yaml:"max_elapsed,omitempty"`
	MaxRetryAfter string          `json:"max_retry_after,omitempty" yaml:"max_retry_after,omitempty"`
	Multiplier    *float64        `json:"multiplier,omitempty" yaml:"multiplier,omitempty"`
	Backoff       string          `json:"backoff,omitempty" yaml:"backoff,omitempty"`
	Jitter        JitterText      `json:"jitter,omitempty" yaml:"jitter,omitempty"`
	Adapt         *AdaptOverride  `json:"adapt,omitempty" yaml:"adapt,omitempty"`
	Budget        *BudgetOverride `json:"budget,omitempty" yaml:"budget,omitempty"`
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

// ReactionRef names a reaction, or holds one that stands in place, or chooses by whether the code
// is retryable. In JSON and YAML it is a string, an object with the keys of a reaction, or one with
// retryable and permanent. Only the overrides of Codes may choose.
type ReactionRef struct {
	Name string
	// Inline stands in place.
	Inline *ReactionOverride
	// Retryable and Permanent are names; an empty one changes nothing for such codes.
	Retryable string
	Permanent string
}

// PolicyRef names a policy, or holds one that stands in place. In JSON and YAML it is a string or
// an object.
type PolicyRef struct {
	Name   string
	Inline *PolicyOverride
}

// Override returns the table with the overrides laid over it, and over its profile if it has one:
// what a profile that goes past retries has put in a reaction's place is what is overridden. An
// override never makes retried what is not retryable; for such a row it is left out, as a profile's
// is. Table and taxonomy stay as they are.
//
// Everything that is surely a mistake is reported, in one error: a name that is not declared, with
// what there is; a value that cannot be; a key that the action does not take; a retry without
// bounds; a `then` that leads in a circle; an override that is left out for every row it covers.
// [Table.Profile] of the result is without the overrides.
//
// What the profile has switched off and the overrides switch on comes back as the taxonomy has it:
// a profile keeps nothing of a reaction that it goes past. Where it says itself what is done about
// a code, that stays.
func (t Table) Override(o Overrides) (Table, error) {
	if t.Taxonomy == nil {
		return Table{}, errors.New("overrides: the table has no taxonomy")
	}
	if o.isZero() {
		return t, nil
	}
	v := newOverlay(t, &o)
	profile := v.profile()
	if len(v.problems) > 0 {
		return Table{}, fmt.Errorf("%s: overrides: %w", t.Taxonomy.Package, errors.Join(v.problems...))
	}
	return Table{Taxonomy: t.Taxonomy, Overlay: profile}, nil
}

func (o *Overrides) isZero() bool {
	return len(o.Codes) == 0 && len(o.Reactions) == 0 && len(o.Policies) == 0 && o.Uncategorized == nil &&
		o.Detection == nil && o.Recovery == nil && o.Retry == nil && o.Reporting == nil
}
