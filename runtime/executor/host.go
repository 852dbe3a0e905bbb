package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// host implements [loop.Host] with a configuration's collaborators.
type host struct {
	cfg       Config
	providers []Provider // by tier; nil if the tier has no provider
	admission *admission

	mu     sync.Mutex
	spaces map[string]Space // of the running runs
}

var errLimit = errors.New("the time limit passed")

func (h *host) Do(ctx context.Context, e loop.Effect) (out loop.Outcome) {
	limited, stop := ctx, func() {}
	if e.Limit > 0 {
		limited, stop = context.WithTimeoutCause(ctx, e.Limit, errLimit)
	}
	defer stop()
	began, op := h.cfg.Clock.Now(), e.Op()
	err := ctx.Err()
	if err == nil {
		err = contain(e.Source, op, func() error { return h.carryOut(limited, &e, &out) })
	}
	out.Took = h.cfg.Clock.Now().Sub(began)
	if _, calls := e.Do.(loop.CallProvider); calls && !h.cfg.DryRun {
		defer ignorePanic(func() { h.admission.Done(e.Run, out.Failure, out.Cancelled) })
	}
	var closed *loop.Admission
	switch {
	case err == nil:
		return out
	case ctx.Err() != nil:
		out.Cancelled = true
		return out
	case errors.As(err, &closed):
		out.Result = *closed
		return out
	case context.Cause(limited) == errLimit && !h.ownError(err):
		err = timeoutEvidence(&e, err, out.Took)
	}
	part, ok := errors.AsType[*partError](err)
	if !ok {
		part = &partError{e.Source, op, e.Paths(), err}
	}
	f := h.Fail(aboutPaths(part.err, part.paths), part.source, part.op)
	if len(f.Files) == 0 {
		f.Files = part.paths
	}
	out.Failure = &f
	return out
}

// partError is the failure of a part of an effect, which is reported as a separate operation, about
// the paths.
type partError struct {
	source, op string
	paths      loop.Paths
	err        error
}

func (p *partError) Error() string { return p.err.Error() }

// contain runs code of a collaborator and returns a panic as evidence. It is the only function that
// recovers panics.
func contain(source, op string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &taxonomy.Evidence{
				Source: source, Op: op, Type: "panic", Text: text.Beginning(fmt.Sprint("panic: ", p), maxMessage),
			}
		}
	}()
	return f()
}

// ignorePanic runs code of a collaborator. If it panics, the caller continues.
func ignorePanic(f func()) {
	_ = contain("", "", func() error {
		f()
		return nil
	})
}

// aboutPaths adds the paths to evidence without files.
func aboutPaths(err error, paths Paths) error {
	ev, ok := err.(*taxonomy.Evidence)
	if !ok || ev == nil || len(ev.Files) > 0 || len(paths) == 0 {
		return err
	}
	filled := *ev
	filled.Files = paths
	return &filled
}

func timeoutEvidence(e *loop.Effect, err error, took time.Duration) error {
	ev := &taxonomy.Evidence{Source: e.Source, Op: e.Op(), Type: "timeout", Err: err}
	span := e.Limit
	if call, ok := e.Do.(loop.CallProvider); ok {
		span = cmp.Or(call.Span, span)
	}
	var reported *taxonomy.Evidence
	if errors.As(err, &reported) {
		ev.Text, ev.Output, ev.Credential, ev.Files = reported.Text, reported.Output, reported.Credential,
			reported.Files
	}
	ev.Attributes = map[string]string{
		"iteration":  strconv.Itoa(e.Iteration),
		"timeout_ms": strconv.FormatInt(span.Milliseconds(), 10),
		"elapsed_ms": strconv.FormatInt(took.Milliseconds(), 10),
	}
	return ev
}

// credential returns the given credential or, if that is empty, the one of the tier's provider. If
// the provider is not [Credentialed], it returns "", because its calls share one lane.
func (h *host) credential(tier int, named string) string {
	c, ok := h.providers[tier].(Credentialed)
	switch {
	case !ok:
		return ""
	case named == "":
		return c.Credential()
	}
	return named
}

func (h *host) space(run string) Space {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.spaces[run]
}

// carryOut carries out an effect, and completes its outcome. The effects on the working tree are in
// onTree.
func (h *host) carryOut(ctx context.Context, e *loop.Effect, out *loop.Outcome) error {
	switch do := e.Do.(type) {
	case loop.LoadConfig:
		return h.cfg.Setup(ctx)
	case loop.Lock:
		return h.lock(ctx, e.Run, do.Continue, out)
	case loop.EndProcesses:
		return h.endProcesses(ctx, do.Processes)
	case loop.Available:
		return h.providers[e.Tier].Available(ctx)
	case loop.Admit:
		return h.admission.Admit(ctx, do.Call)
	case loop.Pause:
		return h.admission.Pause(ctx, e.Source, h.credential(e.Tier, do.Credential), do.Until)
	case loop.CallProvider:
		return h.call(ctx, e, do.Prompt, out)
	case loop.Ask:
		return h.ask(ctx, e.Run, do, out)
	case loop.Validate:
		return h.validate(ctx, e, do, out)
	case loop.Recover:
		return h.recover(ctx, e.Run, do.Failure)
	case loop.File:
		return h.withGrace(ctx, do.State, h.cfg.Filer.File)
	case loop.Notify:
		return h.withGrace(ctx, do.State, h.cfg.Notifier.Notify)
	}
	return h.onTree(ctx, e, out)
}

func (h *host) ask(ctx context.Context, run string, do loop.Ask, out *loop.Outcome) error {
	q := Question{Run: run, Task: do.Task, Paths: do.Paths}
	if h.cfg.Guard != nil {
		q.Mode = h.cfg.Guard.Mode()
	}
	approved, err := h.cfg.Asker.Ask(ctx, q)
	if errors.Is(err, ErrUnattended) {
		out.Result = loop.Approval{NoPerson: true}
		return nil
	}
	out.Result = loop.Approval{Approved: approved}
	return err
}

// lock opens the working tree of a run. If the run continues, it has one, but a process on another
// host does not.
func (h *host) lock(ctx context.Context, run string, continues bool, out *loop.Outcome) error {
	if h.space(run) != nil {
		return nil
	}
	if clone, ok := h.cfg.Workspace.(Clone); ok && continues {
		if made, _ := clone.Exists(); !made {
			return h.missingTree()
		}
	}
	sp, err := h.cfg.Workspace.Open(ctx, run)
	if err != nil {
		return err
	}
	if w, ok := sp.(interface{ Warnings() []string }); ok {
		out.Warnings = append(out.Warnings, w.Warnings()...)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.spaces[run] = sp
	return nil
}

func (h *host) missingTree() error {
	return refusal("the working tree of the run is missing: restore " + h.dir() +
		", or begin a run with another name")
}

func (h *host) endProcesses(ctx context.Context, left []loop.Running) error {
	var all []error
	for _, p := range left {
		var owner any = h.cfg.Validator
		switch p.Op {
		case loop.OpCall:
			owner = h.providers[p.Tier]
		case loop.OpRecover:
			owner = h.cfg.Recoverer
		}
		if ender, ok := owner.(Ender); ok {
			if err := ender.End(ctx, p.Process); err != nil {
				all = append(all, err)
			}
		}
	}
	return errors.Join(all...)
}

func (h *host) validate(ctx context.Context, e *loop.Effect, do loop.Validate, out *loop.Outcome) error {
	c := Check{
		Phase: do.Phase, Run: e.Run, Iteration: e.Iteration, Tier: e.Tier, Base: do.Base, Tree: do.Tree, Text: do.Text,
	}
	if started := loop.HooksOf(ctx).Started; started != nil {
		c.Started = func(p Process) error { return started(loop.Running{Process: p, Op: e.Op()}) }
	}
	return h.watched(ctx, e.Run, out, func() error { return h.cfg.Validator.Validate(ctx, c) })
}

func (h *host) recover(ctx context.Context, run string, f *loop.Failure) error {
	return h.cfg.Recoverer.Recover(ctx, taxonomy.RecoveryRequest{
		Err: h.errorOf(f), Reaction: *f.Decision.Reaction, Evidence: f.Evidence,
		NoText: !h.cfg.Table.SearchesText(), Run: run, Attempt: f.Decision.Attempt,
	})
}

// Started returns the function to which a strategy of a [Recoverer] reports each process that it
// starts. If that function returns an error, the strategy ends the process. Started returns nil
// outside of a run.
func Started(ctx context.Context) func(Process) error {
	started := loop.HooksOf(ctx).Started
	if started == nil {
		return nil
	}
	return func(p Process) error { return started(loop.Running{Process: p, Op: loop.OpRecover}) }
}

// withGrace runs a filer or notifier until the grace is over. A cancellation does not stop it.
func (h *host) withGrace(ctx context.Context, s *RunState, f func(context.Context, *Result) error) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), h.cfg.Limits.Grace)
	defer stop()
	return f(ctx, h.Result(s))
}

func (h *host) call(ctx context.Context, e *loop.Effect, p *loop.PromptInput, out *loop.Outcome) error {
	hook := loop.HooksOf(ctx)
	req := Request{
		Prompt: h.prompt(*p), Dir: h.dir(), Session: p.Session, Reduced: p.Reduced, Run: e.Run,
		Iteration: e.Iteration, Tier: p.Tier, Mark: p.Mark, Limit: e.Limit,
	}
	if h.cfg.DryRun {
		out.Result = loop.Answer{Text: text.Tail(req.Prompt, maxAnswer)}
		return nil
	}
	if hook.Started != nil {
		req.Started = func(p Process) error {
			return hook.Started(loop.Running{Process: p, Op: loop.OpCall, Tier: e.Tier})
		}
	}
	if hook.Emit != nil {
		req.Progress = func(s string) { hook.Emit(Event{Kind: Progressed, Text: text.Beginning(s, maxMessage)}) }
	}
	var a Answer
	err := h.watched(ctx, e.Run, out, func() (err error) {
		a, err = h.providers[e.Tier].Call(ctx, req)
		return err
	})
	if err == nil && a.Failure != "" {
		err = loop.PlainFailure(a.Failure)
	}
	signal, question := signalOf(a, h.cfg.Markers, err, h.ownError(err))
	session := a.Session
	if taxonomy.Redact(session) != session {
		session = ""
	}
	out.Result = loop.Answer{
		Text: text.Tail(a.Text, maxAnswer), Signal: signal, Question: text.Beginning(question, maxMessage),
		Session: session, Usage: a.Usage,
	}
	return err
}

// watched calls a provider or a validator. A warning names each change of the person's repository
// during the call.
func (h *host) watched(ctx context.Context, run string, out *loop.Outcome, call func() error) error {
	sp := h.space(run)
	if sp == nil {
		return call()
	}
	if err := sp.BeforeCall(ctx); err != nil {
		return err
	}
	err := call()
	changed, failed := sp.AfterCall(context.WithoutCancel(ctx))
	if failed != nil {
		changed = append(changed, text.Error(failed, maxMessage))
	}
	out.Warnings = append(out.Warnings, changed...)
	return err
}

func (h *host) dir() string {
	if h.cfg.Workspace == nil {
		return ""
	}
	return h.cfg.Workspace.Dir()
}

func (h *host) Attach(ctx context.Context, run string) error {
	if h.cfg.Workspace == nil {
		return nil
	}
	return contain(loop.SourceGit, loop.OpLock, func() error { return h.lock(ctx, run, true, &loop.Outcome{}) })
}

func (h *host) Release(s *RunState) error {
	h.mu.Lock()
	sp := h.spaces[s.Task.Run]
	delete(h.spaces, s.Task.Run)
	h.mu.Unlock()
	if sp == nil {
		return nil
	}
	return contain(loop.SourceGit, loop.OpLock, func() error {
		if h.cfg.DryRun {
			return sp.Discard()
		}
		return sp.Close(s.End == EndCompleted && len(s.Unchecked) == 0)
	})
}

func (h *host) Observe(s *RunState, e Event) {
	e.Run, e.Task, e.Iteration = s.Task.Run, s.Task.ID, s.Iter.Number
	if e.At.IsZero() {
		e.At = h.cfg.Clock.Now()
	}
	h.cfg.Observer.Observe(e)
}

// NewResult returns the result of a state. If the last error occurred in another process, decode
// reads it. Decode may be nil.
func NewResult(s *RunState, decode func([]byte) (error, error)) *Result {
	h := host{cfg: Config{Decode: decode}}
	return h.Result(s)
}

func (h *host) Result(s *RunState) *Result { return loop.NewResult(s, h.decode) }
