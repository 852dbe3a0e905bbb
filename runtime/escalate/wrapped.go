package escalate

import (
	"context"
	"errors"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// wrapped is the provider of a tier, every answer of which ends the run.
type wrapped struct {
	executor.Provider
	call *calling
}

// Available gives the provider the time that a tier has to say that it is there.
func (w *wrapped) Available(ctx context.Context) error {
	timed, release := context.WithTimeout(ctx, w.call.time())
	defer release()
	return w.Provider.Available(timed)
}

// Call makes any answer one that is done: what the text says is for the escalation to read, also
// when it says BLOCKED.
func (w *wrapped) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	w.call.noteDeadline(false)
	req.Reduced = req.Reduced || w.call.ask.reduced
	a, err := w.Provider.Call(ctx, req)
	if err != nil || a.Failure != "" {
		w.call.noteDeadline(errors.Is(ctx.Err(), context.DeadlineExceeded))
		return a, err
	}
	w.call.answer(a.Text)
	a.Signal, a.Question = executor.SignalDone, ""
	return a, nil
}

// wrap wraps a provider. Whether it has a credential and can end processes stays as it is.
func (c *calling) wrap(p executor.Provider) executor.Provider {
	w := &wrapped{Provider: p, call: c}
	credential, hasCredential := p.(executor.Credentialed)
	ender, ends := p.(executor.Ender)
	switch {
	case hasCredential && ends:
		return struct {
			*wrapped
			executor.Credentialed
			executor.Ender
		}{w, credential, ender}
	case hasCredential:
		return struct {
			*wrapped
			executor.Credentialed
		}{w, credential}
	case ends:
		return struct {
			*wrapped
			executor.Ender
		}{w, ender}
	}
	return w
}

// nameOf returns the name of a provider, whatever its Name method does.
func nameOf(p executor.Provider) (name string) {
	defer func() { _ = recover() }()
	return p.Name()
}

// deferring runs strategies, but none after an answer: what fails then is about the step, and a
// strategy against it the escalation's.
type deferring struct {
	inner executor.Recoverer
	call  *calling
}

var errDeferred = errors.New("the tier has answered: the reaction to the step's failure decides about strategies")

func (d *deferring) Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error {
	d.call.mu.Lock()
	heard := d.call.heard
	d.call.mu.Unlock()
	if heard && failed.Reaction.Resume != taxonomy.ResumeOperation {
		return errDeferred
	}
	return d.inner.Recover(ctx, failed)
}
