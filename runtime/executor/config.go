package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Config configures an [Executor]. A simple program sets some of the first ten fields. Table,
// Classify and Provider are required; every other field may be zero.
type Config struct {
	// Table is the taxonomy's table, with profile and overrides.
	Table taxonomy.Table
	// Classify assigns codes to failures.
	Classify Classifier
	// Provider does the work.
	Provider Provider
	// Workspace is the working tree; nil if the provider changes no files.
	Workspace Workspace
	// Guard judges which paths may be changed; nil allows all.
	Guard Guard
	// Validator checks work before it is delivered; nil checks nothing.
	Validator Validator
	// Deliver selects how finished work is delivered.
	Deliver Delivery
	// KeepBranch leaves the commits of a completed run on their branch. By default, the branch that
	// the person has checked out is forwarded to them, unless a pull request is opened.
	KeepBranch bool
	// Store stores the states of runs, so that they can be resumed. It requires Decode.
	Store Store
	// Limits limit a run.
	Limits Limits
	// Observer observes events; see [Observers].
	Observer Observer

	// Decode decodes an error from the JSON of its package. It is the generated UnmarshalError, in
	// a function that returns the interface error.
	Decode func(b []byte) (error, error)
	// Tiers are the providers of the taxonomy's tiers, by name. If Provider is nil, runs begin with
	// the first tier that has a provider.
	Tiers map[string]Provider
	// Setup is the program's part of the setup, such as reading its configuration. Its error is a
	// failure of source "config" and op "load_config". It is classified, recorded and notified like
	// any other. Each of several joined errors is a separate failure. If Setup fails, Provider may
	// be nil.
	Setup func(ctx context.Context) error
	// Admission limits calls.
	Admission Admission
	Asker     Asker
	Recoverer Recoverer
	Filer     Filer
	Notifier  Notifier
	Clock     retry.Clock // retry.System by default

	// Checks are the phases in which the validator checks. The default is pre_commit, pre_push and
	// pre_pr, except those that a [Selective] validator excludes. All other phases come before a
	// commit, in the given order.
	Checks []Phase
	// Continue makes all iterations use one conversation.
	Continue bool
	// Strict blocks where a reaction would continue without a call, a check or a commit.
	Strict bool
	// ApproveUnattended approves changes that need a person's approval if no person can answer. By
	// default, they are denied.
	ApproveUnattended bool
	// DryRun makes the first prompt without calling a provider.
	DryRun bool
	// Markers are the lines that end a provider's answers.
	Markers Markers
	// Prompt makes the prompt of an iteration; [DefaultPrompt] by default.
	Prompt func(PromptInput) string
	// CommitMessage makes the message of a commit; the task's title by default.
	CommitMessage func(t Task, iteration int, paths []string) string
}

// withDefaults returns the limits with the defaults.
func withDefaults(l Limits) Limits {
	l.Iterations = cmp.Or(l.Iterations, 50)
	l.Failures = cmp.Or(l.Failures, 3)
	l.Attempts = cmp.Or(l.Attempts, Unlimited)
	l.Iteration = cmp.Or(l.Iteration, 10*time.Minute)
	l.Run = cmp.Or(l.Run, Unlimited)
	l.Grace = cmp.Or(l.Grace, 30*time.Second)
	l.Feedback = cmp.Or(l.Feedback, 16<<10)
	return l
}

// problems returns an error with all problems of the configuration, or nil.
func (c *Config) problems() error {
	var all []error
	problem := func(wrong bool, format string, args ...any) {
		if wrong {
			all = append(all, fmt.Errorf(format, args...))
		}
	}
	problem(c.Table.Taxonomy == nil, "Table is missing")
	problem(c.Classify == nil, "Classify is missing")
	problem(c.Store != nil && c.Decode == nil, "a Store requires Decode")
	problem(c.Deliver > DeliverPullRequest, "Deliver: %d is unknown", c.Deliver)
	problem(c.Deliver != DeliverNothing && c.Workspace == nil, "Deliver requires a Workspace")
	for name, n := range map[string]int{
		"Iterations": c.Limits.Iterations, "Failures": c.Limits.Failures, "Attempts": c.Limits.Attempts,
		"Feedback": c.Limits.Feedback, "Iteration": int(c.Limits.Iteration), "Run": int(c.Limits.Run),
		"Grace": int(c.Limits.Grace),
	} {
		problem(n < 0, "Limits.%s: %d is negative", name, n)
	}
	if c.Table.Taxonomy != nil {
		for name := range c.Tiers {
			i := slices.IndexFunc(c.Table.Taxonomy.Tiers, func(t taxonomy.Tier) bool { return t.Name == name })
			problem(i < 0, "the taxonomy has no tier %q, which Tiers names", name)
			problem(i >= 0 && c.Table.Taxonomy.Tiers[max(i, 0)].Person, "tier %q is a person and has no provider", name)
		}
	}
	problem(c.Setup == nil && c.Provider == nil && len(c.Tiers) == 0, "Provider is missing")
	slices.SortFunc(all, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(all...)
}

// completed returns the configuration with the defaults.
func (c Config) completed() Config {
	c.Limits = withDefaults(c.Limits)
	c.Markers = withDefaultMarkers(c.Markers)
	if c.Clock == nil {
		c.Clock = retry.System
	}
	if c.Prompt == nil {
		c.Prompt = DefaultPrompt
	}
	if c.CommitMessage == nil {
		c.CommitMessage = func(t Task, _ int, _ []string) string { return cmp.Or(t.Title, t.ID, "Work on a task") }
	}
	c.Observer = Observers(c.Observer) // contains panics
	return c
}

// ladder returns the tiers and their providers: first Config.Provider, then the taxonomy's tiers.
func (c *Config) ladder() ([]loop.Tier, []Provider) {
	tiers, providers := []loop.Tier{{}}, []Provider{c.Provider}
	for _, t := range c.Table.Taxonomy.Tiers {
		tiers = append(tiers, loop.Tier{Name: t.Name, Person: t.Person})
		providers = append(providers, c.Tiers[t.Name])
	}
	for i, p := range providers {
		if p != nil {
			tiers[i].Callable, tiers[i].Provider = true, p.Name()
			if declared, ok := p.(Idempotence); ok {
				tiers[i].Idempotent = declared.Idempotent()
			}
		}
	}
	return tiers, providers
}

// loop returns the configuration of the loop.
func (c *Config) loop(tiers []loop.Tier) loop.Config {
	lc := loop.Config{
		Ladder: tiers, Deliver: c.Deliver, Setup: c.Setup != nil, Workspace: c.Workspace != nil,
		Asker: c.Asker != nil, Filer: c.Filer != nil, Notifier: c.Notifier != nil, Recoverer: c.Recoverer != nil,
		Strict:   c.Strict,
		Continue: c.Continue, ApproveUnattended: c.ApproveUnattended, DryRun: c.DryRun,
		Limits: c.Limits, Checks: c.Checks, KeepBranch: c.KeepBranch,
	}
	if c.Table.Overlay != nil {
		lc.MaxRuns = c.Table.Overlay.Recovery.MaxAttempts
	}
	if c.Workspace != nil {
		lc.Dir = c.Workspace.Dir()
	}
	if c.Validator == nil {
		lc.Checks = nil
	} else if lc.Checks == nil {
		selective, ok := c.Validator.(Selective)
		for _, p := range []Phase{PreCommit, PrePush, PrePR} {
			if !ok || selective.Checks(p) {
				lc.Checks = append(lc.Checks, p)
			}
		}
	}
	return lc
}
