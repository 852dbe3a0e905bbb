package state

import (
	"cmp"
	"context"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on what the next attempt is told, in bytes and numbers.
const (
	maxEarlier   = 10
	maxFirstLine = 300
	maxMeaning   = 1 << 10
)

// RetryContext is what the next attempt at a task ought to know of those before it. Its texts are what programs, files and models
// have said, with secrets masked; [RetryContext.Render] makes of them what a prompt may hold.
type RetryContext struct {
	// AttemptNumber is that of the attempt to come, from 1. An attempt that did not count, such as one that was rate limited, has
	// the number of the one after it.
	AttemptNumber int `json:"attempt_number"`
	// MaxAttempts is how many there may be; 0 is not known.
	MaxAttempts int `json:"max_attempts"`
	// PreviousErrorCode is the code of the last attempt as it was written, also when the taxonomy does not know it any more. Of an
	// attempt without one it is the fallback's.
	PreviousErrorCode string `json:"previous_error_code"`
	// PreviousError is what the error said; never empty.
	PreviousError string `json:"previous_error"`
	// WhatWasTried sums the last attempt up: the files that it has changed, and the end of its answer; never empty.
	WhatWasTried string `json:"what_was_tried"`
	// CheckOutput is what the last attempt's failure is told by in detail: what tests and linters have printed, say. It is empty
	// unless the taxonomy's reaction feeds the failure back.
	CheckOutput string `json:"check_output,omitempty"`
	// Meaning is what the taxonomy says of the code, or else of its fallback.
	Meaning string `json:"meaning,omitempty"`
	// WhatToFix is what the taxonomy says can be done about it.
	WhatToFix string `json:"what_to_fix,omitempty"`
	// Interrupted reports that the last attempt did not fail, but that the process which made it died.
	Interrupted bool `json:"interrupted,omitempty"`
	// Earlier are failed attempts before the last one, newest last; of many the newest.
	Earlier []EarlierAttempt `json:"earlier,omitempty"`
}

// EarlierAttempt is an attempt before the last one.
type EarlierAttempt struct {
	Number int    `json:"number"`
	Code   string `json:"code"`
	// Error is the first line of what the error said.
	Error string `json:"error"`
	// CheckOutput is set if no attempt since was answered, so that nobody was told yet.
	CheckOutput string `json:"check_output,omitempty"`
}

// RetryContext returns what the next attempt at the task ought to know; nil when there is nothing to be told: the last attempt of
// the task's generation did not fail, or there is none. MaxAttempts is how many attempts there may be; 0 is not known.
func (s *Store) RetryContext(ctx context.Context, task string, maxAttempts int) (*RetryContext, error) {
	h, err := s.history(ctx, task)
	if err != nil || h == nil {
		return nil, err
	}
	h.told.MaxAttempts = maxAttempts
	return &h.told, nil
}

// history is what is known of the attempts at a task, the last of which has failed.
type history struct {
	told RetryContext
	last Attempt
}

// history returns nil when the last attempt did not fail, or there is none.
func (s *Store) history(ctx context.Context, task string) (h *history, err error) {
	err = s.view(ctx, "read the attempts before", func(v *view) (err error) {
		h, err = s.historyIn(v, task)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *Store) historyIn(v *view, task string) (*history, error) {
	last, err := s.newest(v, `JOIN tasks t USING (task_id, generation) WHERE task_id = ? ORDER BY id DESC LIMIT 1`, task)
	if err != nil || len(last) == 0 || last[0].Success {
		return nil, err
	}
	a := &last[0]
	decisive, err := decisiveOf(v, a)
	if err != nil {
		return nil, err
	}
	told := s.tell(a, decisive)
	counted, err := countedOf(v, a)
	if err != nil {
		return nil, err
	}
	told.AttemptNumber = counted + 1
	told.Earlier, err = s.earlier(v, a, counted)
	return &history{told: told, last: *a}, err
}

// newest returns the attempts that the rest of a query chooses.
func (s *Store) newest(v *view, where string, args ...any) (all []Attempt, err error) {
	err = v.query(selectAttempts+where, args, func(r row) error {
		a, err := s.attempt(r)
		all = append(all, a)
		return err
	})
	return all, err
}

// countedOf returns how many attempts of the generation count as failures.
func countedOf(v *view, a *Attempt) (n int, err error) {
	err = v.row("SELECT count(*) FROM attempts WHERE task_id = ? AND generation = ? AND counted = 1", []any{a.Task, a.Generation}, &n)
	return n, err
}

// tell returns what is told of the last attempt.
func (s *Store) tell(a *Attempt, d decisiveError) RetryContext {
	told := RetryContext{
		PreviousErrorCode: s.shownCode(a.CodeAsWritten),
		PreviousError:     beginning(a.Error, maxError),
		WhatWasTried:      tried(a),
		Interrupted:       d.interrupted,
	}
	if told.PreviousError == "" {
		told.PreviousError = "It ended without success, and no error was reported."
	}
	if code := s.describe(a); code != nil {
		told.Meaning, told.WhatToFix = oneLine(code.Doc, maxMeaning), oneLine(code.Resolution, maxMeaning)
	}
	if s.feedsBack(a) {
		told.CheckOutput = ending(cmp.Or(a.Feedback, contextText(d.details.V, a.Error)), maxOutput)
	}
	return told
}

// earlier returns the failed attempts before the last one, up to which as many have counted.
func (s *Store) earlier(v *view, last *Attempt, counted int) ([]EarlierAttempt, error) {
	pending, err := pendingOf(v, last)
	if err != nil {
		return nil, err
	}
	before, err := s.newest(v, "WHERE task_id = ? AND generation = ? AND id < ? AND success = 0 ORDER BY id DESC LIMIT ?",
		last.Task, last.Generation, last.ID, maxEarlier)
	if err != nil || len(before) == 0 {
		return nil, err
	}
	all := make([]EarlierAttempt, len(before))
	counted -= countOf(last)
	for i := range before {
		a := &before[i]
		told := EarlierAttempt{Number: counted - countOf(a) + 1, Code: s.shownCode(a.CodeAsWritten), Error: firstLine(a.Error, maxFirstLine)}
		if a.Run == last.Run && s.feedsBack(a) {
			told.CheckOutput = beginning(pending[a.Iteration], maxOutput)
		}
		counted -= countOf(a)
		all[len(all)-1-i] = told
	}
	return all, nil
}

// countOf returns 1 for an attempt that counts.
func countOf(a *Attempt) int {
	if a.Counted.Or(false) {
		return 1
	}
	return 0
}

// shownCode returns a code as it is told: as it was written, and of none the fallback's.
func (s *Store) shownCode(written string) string {
	if written == "" && s.options.Table.Taxonomy != nil {
		written = s.options.Table.Taxonomy.Fallback
	}
	return oneLine(written, maxFirstLine)
}

// describe returns what the taxonomy says of an attempt's code, or else of its fallback; nil when it says nothing.
func (s *Store) describe(a *Attempt) *taxonomy.Code {
	if s.options.Table.Taxonomy == nil {
		return nil
	}
	code, _ := s.options.Table.Code(a.Code)
	return code
}
