package handler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// opCall is the operation that evidence names.
const opCall = "call"

// The types of evidence that the handler itself makes.
const (
	typeTimeout = "timeout"
	typePanic   = "panic"
)

// errTimeout is why the context of a call ends when its time is over.
var errTimeout = errors.New("the operation's time is over")

// provider is the provider of an executor that does nothing but one operation. It serves one run.
type provider struct {
	op      *Op
	timeout time.Duration
	grace   time.Duration
	calls   int
	// left is what a call that was left behind will say; nil when there is none.
	left chan error
}

// Name returns the source of the operation's failures.
func (p *provider) Name() string { return p.op.Source }

// Credential returns the name of the operation's credential.
func (p *provider) Credential() string { return p.op.Credential }

// Available reports that the operation can be called.
func (p *provider) Available(context.Context) error { return nil }

// Call does the operation.
func (p *provider) Call(ctx context.Context, _ executor.Request) (executor.Answer, error) {
	if p.timeout > 0 {
		timed, cancel := context.WithTimeoutCause(ctx, p.timeout, errTimeout)
		defer cancel()
		ctx = timed
	}
	if err := p.do(ctx); err != nil {
		return executor.Answer{}, err
	}
	return executor.Answer{Signal: executor.SignalDone}, nil
}

// do calls the operation in a goroutine of its own, so that one that does not return can be left
// behind.
func (p *provider) do(ctx context.Context) error {
	if p.left != nil && !p.returned(ctx) {
		return p.timedOut(nil, "the call before does not return, and it is not called again before that")
	}
	p.calls++
	done := make(chan error, 1)
	go p.run(ctx, done)
	select {
	case err := <-done:
		return p.judged(ctx, err)
	case <-ctx.Done():
	}
	word := time.NewTimer(p.grace)
	defer word.Stop()
	select {
	case err := <-done:
		return p.judged(ctx, err)
	case <-word.C:
		p.left = done
		if context.Cause(ctx) == errTimeout {
			return p.timedOut(nil, "it does not return, and was left behind")
		}
		return context.Cause(ctx)
	}
}

// returned waits for the call that was left behind.
func (p *provider) returned(ctx context.Context) bool {
	select {
	case <-p.left:
		p.left = nil
		return true
	case <-ctx.Done():
		return false
	}
}

// run does the operation, and says in any case that it is over.
func (p *provider) run(ctx context.Context, done chan<- error) {
	err := error(p.evidence(typePanic, "the operation has ended its goroutine", nil))
	defer func() {
		if thrown := recover(); thrown != nil {
			err = p.evidence(typePanic, fmt.Sprint("panic: ", thrown), nil)
		}
		done <- err
	}()
	err = p.op.Do(ctx)
}

// judged returns what a call has returned. One that fails when its time is over has timed out,
// unless the error is one of a taxonomy already.
func (p *provider) judged(ctx context.Context, err error) error {
	if err == nil || context.Cause(ctx) != errTimeout || isCoded(err) {
		return err
	}
	return p.timedOut(err, "it takes longer than "+p.timeout.String())
}

// isCoded reports whether err is of a taxonomy. One that panics when it is walked is not.
func isCoded(err error) (is bool) {
	defer func() { _ = recover() }()
	_, is = taxonomy.First(err, nil)
	return is
}

// timedOut is the evidence of a call whose time is over, with what the operation itself says of it.
func (p *provider) timedOut(err error, text string) error {
	ev := p.evidence(typeTimeout, text, err)
	if said, ok := err.(*taxonomy.Evidence); ok && said != nil {
		own := *said
		maps.Copy(ev.Attributes, own.Attributes)
		own.Type, own.Attributes = typeTimeout, ev.Attributes
		own.Source, own.Op = cmp.Or(own.Source, ev.Source), cmp.Or(own.Op, ev.Op)
		own.Text, own.Credential = cmp.Or(own.Text, ev.Text), cmp.Or(own.Credential, ev.Credential)
		ev = &own
	}
	ev.Attributes["timeout_ms"] = strconv.FormatInt(p.timeout.Milliseconds(), 10)
	return ev
}

func (p *provider) evidence(typ, text string, cause error) *taxonomy.Evidence {
	return &taxonomy.Evidence{
		Source: p.op.Source, Op: opCall, Type: typ, Text: text, Err: cause, Credential: p.op.Credential,
		Attributes: map[string]string{"component": p.op.component()},
	}
}
