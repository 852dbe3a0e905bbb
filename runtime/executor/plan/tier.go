package plan

import (
	"context"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tier is a provider whose answers are reports. An answer without a claim or with a claim of
// failure becomes an error.
type tier struct {
	executor.Provider
	of    *taxonomy.Tier
	step  string
	claim subject
	// needs checks the prerequisites before the first call; it may be nil.
	needs func(ctx context.Context) error
}

// Available implements executor.Provider.
func (t *tier) Available(ctx context.Context) error {
	if t.needs != nil {
		if err := t.needs(ctx); err != nil {
			return err
		}
	}
	return t.Provider.Available(ctx)
}

// Call implements executor.Provider.
func (t *tier) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	a, err := t.Provider.Call(ctx, req)
	a.Signal, a.Question = executor.SignalNone, ""
	if err != nil || a.Failure != "" {
		return a, err
	}
	isReview := t.claim == reviewClaim
	r, ok := readReport(a.Text, t.claim, req.Mark, t.of.Classifies || isReview)
	switch {
	case !ok && isReview:
		return a, &taxonomy.Evidence{Source: t.Name(), Op: "call", Type: "no_report", Text: a.Text}
	case !ok:
		return a, &taxonomy.Evidence{Source: "agent", Op: "execute", Type: "no_report", Text: a.Text,
			Attributes: map[string]string{"step": t.step, "tier": t.of.Name}}
	case !isReview && !r.done:
		return a, r.evidence(t.step, t.of.Name)
	}
	a.Signal = executor.SignalDone // the findings of a review are read from its text
	return a, nil
}

// Credential implements executor.Credentialed.
func (t *tier) Credential() string {
	if c, ok := t.Provider.(executor.Credentialed); ok {
		return c.Credential()
	}
	return ""
}

// Idempotent implements executor.Idempotence.
func (t *tier) Idempotent() taxonomy.Tristate {
	if i, ok := t.Provider.(executor.Idempotence); ok {
		return i.Idempotent()
	}
	return taxonomy.Unspecified
}

// End implements executor.Ender.
func (t *tier) End(ctx context.Context, p executor.Process) error {
	if e, ok := t.Provider.(executor.Ender); ok {
		return e.End(ctx, p)
	}
	return nil
}

type startedKey struct{}

// Started returns the function that a [Verifier] calls immediately after it starts a process. If
// that function returns an error, the verifier ends the process. Outside of a step Started returns
// nil.
func Started(ctx context.Context) func(executor.Process) error {
	started, _ := ctx.Value(startedKey{}).(func(executor.Process) error)
	return started
}
