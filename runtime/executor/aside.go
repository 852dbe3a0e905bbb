package executor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// lastWord is how long a collaborator has to return once its context has ended.
const lastWord = time.Second

// fileAndNotify puts the task's file where it belongs and tells people. What fails there is a
// warning.
func (r *runner) fileAndNotify(ctx context.Context) {
	if r.cfg.Filer != nil {
		r.aside(ctx, operation{name: opFile, source: sourceExecutor, class: classSide}, r.cfg.Filer.File)
	}
	if r.cfg.Notifier != nil {
		r.aside(ctx, operation{name: opNotify, source: sourceNotify, class: classSide}, r.cfg.Notifier.Notify)
	}
}

// aside runs what cannot change the outcome, for no longer than the grace.
func (r *runner) aside(ctx context.Context, op operation, f func(context.Context, *Result) error) {
	shown := *r.result // what is left behind must not see the result change
	shown.Warnings = slices.Clip(shown.Warnings)
	for _, err := range each(
		bounding(ctx, r.cfg.Limits.Grace, op, func(ctx context.Context) error { return f(ctx, &shown) })) {
		failed := r.fail(&iteration{number: r.number}, op, err)
		r.warn(op.name+resourceOf(err), failed.err)
	}
}

// bounding runs f with a limit, whatever becomes of ctx. An f that does not return in time is left
// behind in its goroutine.
func bounding(ctx context.Context, limit time.Duration, op operation, f func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	left, err := attended(bounded, op, f)
	if !left {
		return err
	}
	return &taxonomy.Evidence{
		Source: op.source, Op: op.name, Type: typeTimeout, Text: "it " + leftBehind,
		Attributes: map[string]string{"timeout_ms": fmt.Sprint(limit.Milliseconds())},
	}
}

// leftBehind is said of what does not return.
const leftBehind = "does not return, and was left behind"

// attended runs f in a goroutine of its own, and waits for it until a last word after ctx has
// ended; left reports that it is still running then.
func attended(ctx context.Context, op operation, f func(context.Context) error) (left bool, err error) {
	done := make(chan error, 1)
	go func() {
		err := error(&taxonomy.Evidence{Source: op.source, Op: op.name, Type: typePanic, Text: errCutShort.Error()})
		defer func() { done <- err }()
		err = contained(op, func() error { return f(ctx) })
	}()
	select {
	case err := <-done:
		return false, err
	case <-ctx.Done():
	}
	word := time.NewTimer(lastWord)
	defer word.Stop()
	select {
	case err := <-done:
		return false, err
	case <-word.C:
		return true, nil
	}
}

// each returns the errors that were joined to err, or err.
func each(err error) (all []error) {
	if err == nil {
		return nil
	}
	_ = contained(operation{}, func() error {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			all = slices.DeleteFunc(slices.Clone(joined.Unwrap()), func(err error) bool { return err == nil })
		}
		return nil
	})
	if len(all) == 0 {
		all = []error{err}
	}
	return all[:min(len(all), maxListed)]
}

// resourceOf returns what evidence says that an error is about, in parentheses.
func resourceOf(err error) string {
	if ev, ok := err.(*taxonomy.Evidence); ok && ev != nil && ev.Attributes["resource"] != "" {
		return " (" + ev.Attributes["resource"] + ")"
	}
	return ""
}
