package executor

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
func (r *runner) warn(text string, err error) {
	if err != nil {
		text += ": " + errorText(err)
	}
	text = beginningOf(text, maxMessage)
	if len(r.result.Warnings) < maxListed {
		r.result.Warnings = append(r.result.Warnings, text)
	}
	r.emit(Event{Kind: Warned, Text: text, Err: err})
}
