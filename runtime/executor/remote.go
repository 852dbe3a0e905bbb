package executor

import "context"

// The functions of this file are for a loop in another environment, such as the workflow of an
// engine. There, several processes may carry out the effects of one run.

// WithHooks returns a context for [Host.Do]. Emit receives the events of the effect, such as the
// progress of a call. Started receives each process that the effect starts; if it returns an error,
// the process is ended. Both may be nil.
func WithHooks(ctx context.Context, emit func(Event), started func(Running) error) context.Context {
	return context.WithValue(ctx, hooksKey{}, hooks{emit: emit, started: started})
}

// Attach opens the working tree of a run, if this process does not have it open. Call it before an
// effect on the tree of a run that another process may have begun.
func (h *Host) Attach(ctx context.Context, run string) error {
	if h.cfg.Workspace == nil {
		return nil
	}
	return contain(sourceGit, OpLock, func() error { return h.lock(ctx, &Effect{Run: run}) })
}

// Release unlocks the working tree of a run. If the run is completed and all changes are checked,
// it also removes everything that was stored for the run, except saved attempts.
func (h *Host) Release(s *RunState) error {
	h.mu.Lock()
	sp := h.spaces[s.Task.Run]
	delete(h.spaces, s.Task.Run)
	h.mu.Unlock()
	if sp == nil {
		return nil
	}
	forget := s.End == EndCompleted && len(s.Unchecked) == 0
	return contain(sourceGit, OpLock, func() error { return sp.Close(forget) })
}

// Result returns the result of a state; its Err is an error of the host's taxonomy.
func (h *Host) Result(s *RunState) *Result { return h.result(s) }

// Observe passes an event of a run to the configuration's observer.
func (h *Host) Observe(s *RunState, e Event) {
	if h.cfg.Observer == nil {
		return
	}
	e.Run, e.Task, e.Iteration = s.Task.Run, s.Task.ID, s.Iter.Number
	if e.At.IsZero() {
		e.At = h.cfg.Clock.Now()
	}
	h.cfg.Observer.Observe(e)
}
