package escalate

import "slices"

// maxPath is how many events of a path are kept: the first half of them, and the last.
const maxPath = 1000

// maxWarnings bounds the warnings of a result.
const maxWarnings = 100

// emit notes an event, and tells the observer.
func (r *run) emit(e Event) {
	if e.At.IsZero() {
		e.At = r.now()
	}
	e.Run = r.result.Run
	e = maskedEvent(e)
	path := r.result.Path
	if len(path) >= maxPath {
		path = append(path[:maxPath/2], path[maxPath/2+1:]...)
		r.state.dropped++
	}
	r.result.Path = append(path, e)
	r.observe(e)
}

// observe tells the observer. Its panic is no failure of the run.
func (r *run) observe(e Event) {
	if r.cfg.Observer == nil || r.silent {
		return
	}
	if r.telling != nil {
		r.telling.Lock()
		defer r.telling.Unlock()
	}
	defer func() { _ = recover() }()
	r.cfg.Observer.Observe(e)
}

// warn notes what went wrong without changing the outcome.
func (r *run) warn(what string, err error) {
	if err != nil {
		what += ": " + err.Error()
	}
	what = bounded(what)
	if len(r.result.Warnings) < maxWarnings && !slices.Contains(r.result.Warnings, what) {
		r.result.Warnings = append(r.result.Warnings, what)
	}
	r.emit(Event{Kind: Warned, Message: what})
}
