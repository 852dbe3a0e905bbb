package executor

import "github.com/errgen/errgen/runtime/internal/text"

// emit tells the observer what happened.
func (r *runner) emit(e Event) {
	if r.cfg.Observer == nil {
		return
	}
	e.At, e.Run, e.Task = r.cfg.Clock.Now(), r.task.Run, r.task.ID
	if e.Iteration == 0 {
		e.Iteration = r.number
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	observe(r.cfg.Observer, e)
}

// warn notes what went wrong without changing the outcome.
func (r *runner) warn(s string, err error) {
	if err != nil {
		s += ": " + text.Error(err, maxMessage)
	}
	s = text.Beginning(s, maxMessage)
	if len(r.result.Warnings) < maxListed {
		r.result.Warnings = append(r.result.Warnings, s)
	}
	r.emit(Event{Kind: Warned, Text: s, Err: err})
}
