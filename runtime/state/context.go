package state

import (
	"cmp"
	"context"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on what the next attempt is told, in bytes and numbers.
const (
	maxEarlier   = 10
	maxFirstLine = 300
	maxMeaning   = 1 << 10
)

// RetryContext is what the next attempt at a task ought to know of those before it. Its texts are
// what programs, files and models have said, with secrets masked; [RetryContext.Render] makes of
// them what a prompt may hold.
//
// What has failed before is the latest attempt since the last clean one, in all runs of the task's
// generation, that counted or that the taxonomy feeds back. Rate limits, refusals of a budget,
// interruptions and the like that came after it are in Since. Where there is none of that kind, it
// is the last attempt.
type RetryContext struct {
	// AttemptNumber is that of the attempt to come, from 1. An attempt that did not count, such as
	// one that was rate limited, has the number of the one after it.
	AttemptNumber int `json:"attempt_number"`
	// MaxAttempts is how many there may be; 0 is not known.
	MaxAttempts int `json:"max_attempts"`
	// PreviousErrorCode is the code of what has failed before as it was written, also when the
	// taxonomy does not know it any more. Of a failure without one it is the fallback's. It is
	// empty when nothing has failed: the last attempt was cancelled, or asked a question.
	PreviousErrorCode string `json:"previous_error_code"`
	// PreviousError is what the error said; never empty.
	PreviousError string `json:"previous_error"`
	// WhatWasTried sums up the attempt that PreviousError is of: the files that it has changed, and
	// the end of its answer; never empty.
	WhatWasTried string `json:"what_was_tried"`
	// CheckOutput is what that failure is told by in detail: what tests and linters have printed,
	// say. It is empty unless the taxonomy's reaction feeds the failure back.
	CheckOutput string `json:"check_output,omitempty"`
	// Meaning is what the taxonomy says of the code, or else of its fallback.
	Meaning string `json:"meaning,omitempty"`
	// WhatToFix is what the taxonomy says can be done about it.
	WhatToFix string `json:"what_to_fix,omitempty"`
	// Interrupted reports that the last attempt did not fail, but that the process which made it
	// died.
	Interrupted bool `json:"interrupted,omitempty"`
	// Cancelled reports that the last attempt did not fail, but that a person stopped it.
	Cancelled bool `json:"cancelled,omitempty"`
	// Question is what a person was asked, if a run has stopped with that and no attempt since was
	// clean or failed by the agent's fault.
	Question string `json:"question,omitempty"`
	// Since are the attempts after the one that PreviousError is of, newest last; of many the
	// newest.
	Since []EarlierAttempt `json:"since,omitempty"`
	// Earlier are failed attempts before the one that PreviousError is of, newest last; of many the
	// newest.
	Earlier []EarlierAttempt `json:"earlier,omitempty"`
}

// EarlierAttempt is an attempt beside the one that is told of.
type EarlierAttempt struct {
	Number int `json:"number"`
	// Code is empty if the attempt was cancelled.
	Code string `json:"code"`
	// Error is the first line of what the error said.
	Error string `json:"error"`
	// Cancelled reports that a person stopped it.
	Cancelled bool `json:"cancelled,omitempty"`
	// CheckOutput is set if no attempt since was answered, so that it may not have been heard.
	CheckOutput string `json:"check_output,omitempty"`
}

// RetryContext returns what the next attempt at the task ought to know; nil when there is nothing
// to be told: the last attempt of the task's generation was clean and asked nothing, or there is
// none. MaxAttempts is how many attempts there may be; 0 is not known.
func (s *Store) RetryContext(ctx context.Context, task string, maxAttempts int) (*RetryContext, error) {
	h, err := s.history(ctx, task)
	if err != nil || h == nil {
		return nil, err
	}
	h.told.MaxAttempts = maxAttempts
	return &h.told, nil
}

// history is what is known of the attempts at a task.
type history struct {
	told RetryContext
	last Attempt // without its texts
}

// history returns nil when there is nothing to be told.
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
	st, err := s.stretchOf(v, task)
	if err != nil || st.latest.ID == 0 || st.latest.Success && st.asked == "" {
		return nil, err
	}
	chosen, err := s.newest(v, "WHERE id = ?", cmp.Or(st.failure, st.latest.ID))
	if err != nil || len(chosen) == 0 {
		return nil, err
	}
	a := &chosen[0]
	told, err := s.tellIn(v, a, &st)
	if err != nil {
		return nil, err
	}
	told.Interrupted, told.Cancelled = st.latest.interrupted && !st.latest.cancelled(), st.latest.cancelled()
	if told.Question, err = questionOf(v, st.asked); err != nil {
		return nil, err
	}
	counted, err := countedOf(v, a)
	if err != nil {
		return nil, err
	}
	told.AttemptNumber = counted + 1
	if told.Since, err = s.since(v, a, &st, told.AttemptNumber); err != nil {
		return nil, err
	}
	told.Earlier, err = s.earlier(v, a, counted)
	return &history{told: told, last: st.latest.Attempt}, err
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
	err = v.row("SELECT count(*) FROM attempts WHERE task_id = ? AND generation = ? AND counted = 1",
		[]any{a.Task, a.Generation}, &n)
	return n, err
}

// What is told of an attempt that did not fail.
const (
	askedText     = "It stopped with a question to a person."
	cancelledText = "It was stopped before it ended."
)

// tellIn returns what is told of the attempt that was chosen.
func (s *Store) tellIn(v *view, a *Attempt, st *stretch) (RetryContext, error) {
	switch {
	case a.ID == st.asking && a.ID != st.failure:
		return RetryContext{PreviousError: askedText, WhatWasTried: tried(a)}, nil
	case a.cancelled() && a.ID != st.failure:
		return RetryContext{PreviousError: cancelledText, WhatWasTried: tried(a)}, nil
	}
	details, err := detailsOf(v, a)
	return s.tell(a, details), err
}

// tell returns what is told of an attempt that failed.
func (s *Store) tell(a *Attempt, details string) RetryContext {
	told := RetryContext{PreviousErrorCode: s.shownCode(a.CodeAsWritten),
		PreviousError: textMask.Beginning(a.Error, maxError),
		WhatWasTried:  tried(a)}
	if told.PreviousError == "" {
		told.PreviousError = "It ended without success, and no error was reported."
	}
	if code := s.describe(a); code != nil {
		told.Meaning, told.WhatToFix = textMask.OneLine(code.Doc, maxMeaning),
			textMask.OneLine(code.Resolution, maxMeaning)
	}
	if s.feedsBack(a) {
		told.CheckOutput = textMask.Ending(cmp.Or(a.Feedback, contextText(details, a.Error)), maxOutput)
	}
	return told
}

// since returns the attempts after the one that failed by the agent's fault, none of which counts.
func (s *Store) since(v *view, a *Attempt, st *stretch, number int) ([]EarlierAttempt, error) {
	if st.failure == 0 || st.failure == st.latest.ID {
		return nil, nil
	}
	after, err := s.newest(
		v, "WHERE task_id = ? AND generation = ? AND id > ? AND id <= ? AND id <> ? ORDER BY id DESC LIMIT ?",
		a.Task, a.Generation, st.failure, st.latest.ID, st.asking, maxEarlier)
	if err != nil {
		return nil, err
	}
	var all []EarlierAttempt
	for i := range slices.Backward(after) {
		all = append(all, s.line(&after[i], number))
	}
	return all, nil
}

// line returns what is told of another attempt.
func (s *Store) line(a *Attempt, number int) EarlierAttempt {
	told := EarlierAttempt{Number: number, Error: firstLine(a.Error, maxFirstLine), Cancelled: a.cancelled()}
	if !told.Cancelled || a.CodeAsWritten != "" {
		told.Code = s.shownCode(a.CodeAsWritten)
	}
	return told
}

// earlier returns the failed attempts before one, up to which as many have counted.
func (s *Store) earlier(v *view, last *Attempt, counted int) ([]EarlierAttempt, error) {
	pending, err := pendingOf(v, last)
	if err != nil {
		return nil, err
	}
	before, err := s.newest(
		v, "WHERE task_id = ? AND generation = ? AND id < ? AND success = 0 ORDER BY id DESC LIMIT ?",
		last.Task, last.Generation, last.ID, maxEarlier)
	if err != nil || len(before) == 0 {
		return nil, err
	}
	all := make([]EarlierAttempt, len(before))
	counted -= countOf(last)
	for i := range before {
		a := &before[i]
		told := s.line(a, counted-countOf(a)+1)
		if a.Run != "" && a.Run == last.Run && s.feedsBack(a) {
			told.CheckOutput = textMask.Beginning(pending[a.Iteration], maxOutput)
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
	return textMask.OneLine(written, maxFirstLine)
}

// describe returns what the taxonomy says of an attempt's code, or else of its fallback; nil when
// it says nothing.
func (s *Store) describe(a *Attempt) *taxonomy.Code {
	if s.options.Table.Taxonomy == nil {
		return nil
	}
	code, _ := s.options.Table.Code(a.Code)
	return code
}
