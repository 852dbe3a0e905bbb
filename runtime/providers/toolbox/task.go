package toolbox

import (
	"context"

	"github.com/errgen/errgen/runtime/executor"
)

type doneArgs struct {
	Summary string `json:"summary"`
}

// done is task_done.
func (t *Toolbox) done(_ context.Context, a doneArgs) (Result, error) {
	return Result{Text: orText(a.Summary, "done"), Signal: executor.SignalDone}, nil
}

type blockedArgs struct {
	Question string `json:"question"`
}

// blocked is task_blocked.
func (t *Toolbox) blocked(_ context.Context, a blockedArgs) (Result, error) {
	if a.Question == "" {
		return failed("question is missing"), nil
	}
	return Result{Text: a.Question, Signal: executor.SignalBlocked, Question: a.Question}, nil
}
