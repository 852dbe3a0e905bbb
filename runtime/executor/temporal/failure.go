package temporal

import (
	"cmp"
	"encoding/json"
	"errors"
	"time"

	"go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Failures carries generated errors through Temporal: an error that an activity or a workflow
// returns is the same typed error where it arrives, for errors.Is and errors.As, with its code,
// context and cause. Set it as client.Options.FailureConverter. On the wire it is an application
// failure whose type is the code, and which is retried if Table says that the error is retryable.
// Secret fields do not travel. An error of an unknown code arrives as a *[taxonomy.Unknown].
type Failures struct {
	// Table determines which errors are retried.
	Table taxonomy.Table
	// Decode reads an error from its package's JSON: the generated UnmarshalError, as a func that
	// returns error.
	Decode func(b []byte) (error, error)
	// Next converts all other errors; the SDK's default converter by default.
	Next converter.FailureConverter
}

func (c Failures) next() converter.FailureConverter {
	if c.Next != nil {
		return c.Next
	}
	return temporal.GetDefaultFailureConverter()
}

// arrived is an error that has passed through Temporal.
type arrived struct {
	error       // as the SDK has it
	typed error // as it was
}

func (a *arrived) Unwrap() []error { return []error{a.typed, a.error} }

// CallEffect returns the effect of the typed error. The SDK error describes the same call, so its
// effect does not count.
func (a *arrived) CallEffect() (effect taxonomy.Effect, sent bool) {
	return taxonomy.EffectOf(a.typed, nil), false
}

// ErrorToFailure converts an error to what Temporal stores.
func (c Failures) ErrorToFailure(err error) *failure.Failure {
	var came *arrived
	if errors.As(err, &came) && came == err {
		return c.next().ErrorToFailure(came.error)
	}
	var application *temporal.ApplicationError
	if e, ok := taxonomy.First(err, nil); ok && !errors.As(err, &application) {
		if typed, ok := e.(taxonomy.Error); ok {
			retryable := c.Table.Retryable(err)
			return c.next().
				ErrorToFailure(applicationError(err, typed, temporal.ApplicationErrorOptions{NonRetryable: !retryable}))
		}
	}
	return c.next().ErrorToFailure(err)
}

// FailureToError converts what Temporal stores to an error.
func (c Failures) FailureToError(f *failure.Failure) error {
	err := c.next().FailureToError(f)
	const maxDepth = 32
	for depth := 0; f != nil && depth < maxDepth; depth++ {
		details := f.GetApplicationFailureInfo().GetDetails()
		var wire json.RawMessage
		if details != nil && converter.GetDefaultDataConverter().FromPayloads(details, &wire) == nil &&
			c.Decode != nil {
			if typed, decodeErr := c.Decode(wire); decodeErr == nil {
				return &arrived{err, typed}
			}
		}
		f = f.GetCause()
	}
	return err
}

// applicationError returns the SDK's error that carries typed, with the text of err.
func applicationError(err error, typed taxonomy.Error, o temporal.ApplicationErrorOptions) error {
	o.Details = []any{json.RawMessage(typed.AppendJSON(nil))}
	return temporal.NewApplicationErrorWithOptions(taxonomy.Redact(err.Error()), taxonomy.CodeOf(typed), o)
}

// defaultPolicy applies to a reaction without a policy, as in retry.Do.
var defaultPolicy = taxonomy.DefaultPolicy("default")

// ApplicationError returns err so that Temporal retries the activity as the table specifies: with
// the delay of its reaction's policy after this attempt (activity.GetInfo(ctx).Attempt, from 1), a
// hint such as Retry-After included, or not at all. An err that the table cannot classify is
// returned as it is. Return it from an activity whose RetryPolicy is that of [RetryPolicy].
func ApplicationError(table taxonomy.Table, err error, attempt int32) error {
	if err == nil {
		return nil
	}
	found, ok := taxonomy.First(table.Classify(err), nil)
	typed, isError := found.(taxonomy.Error)
	if !ok || !isError {
		return err
	}
	var o temporal.ApplicationErrorOptions
	reaction := table.Reaction(typed)
	o.NonRetryable = !reaction.Retries()
	if !o.NonRetryable {
		policy := cmp.Or(table.Overlay.PolicyOf(&reaction), &defaultPolicy)
		var hint taxonomy.Opt[time.Duration]
		if reaction.HonorRetryAfter {
			hint = retry.HintOf(taxonomy.HintsOf(typed), time.Now())
		}
		next := retry.State{Calls: int(attempt) - 1}.Next(policy, hint, nil)
		o.NonRetryable, o.NextRetryDelay = next.Stop != 0, next.Wait
	}
	return applicationError(err, typed, o)
}

// RetryPolicy returns Temporal's policy for activities that return [ApplicationError]: the number
// of attempts and the delays come from there, so it only bounds what Temporal does of itself, after
// a timeout.
func RetryPolicy(p *taxonomy.Policy) *temporal.RetryPolicy {
	o := &temporal.RetryPolicy{
		InitialInterval: p.InitialDelay, BackoffCoefficient: p.Multiplier, MaximumInterval: p.MaxDelay,
		MaximumAttempts: int32(p.MaxAttempts),
	}
	if p.Backoff == taxonomy.Constant || o.BackoffCoefficient < 1 {
		o.BackoffCoefficient = 1
	}
	return o
}
