package state

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// defaultPromptLimit is how many bytes a prompt is told of earlier attempts, unless somebody says
// otherwise.
const defaultPromptLimit = 16 << 10

// promptPatience is how long a prompt waits for what the state says.
const promptPatience = 10 * time.Second

// PromptOptions are how a prompt tells of earlier attempts. The zero value is good.
type PromptOptions struct {
	// MaxAttempts is how many attempts there may be, as [executor.Limits].Attempts says; 0 is not
	// told.
	MaxAttempts int
	// Limit is how many bytes are told of earlier attempts; 0 is 16 KiB.
	Limit int
	// Base makes the prompt, in which Feedback is what is told, and is introduced; nil is
	// [executor.DefaultPrompt].
	Base func(executor.PromptInput) string
}

// Prompt returns what makes the prompts of an executor whose journal is in the same state, for
// [executor.Config].Prompt. In place of the executor's own feedback they have what
// [RetryContext.Render] tells of the attempts before: also of those of earlier runs of the task.
// The executor's own feedback stays, cut to the limit, if the state cannot be read, if the last
// attempt in it is not the one before the iteration, because the journal could not be written, if
// there is nothing to be told, and if the limit is too small.
func (s *Store) Prompt(o PromptOptions) func(executor.PromptInput) string {
	base := o.Base
	if base == nil {
		base = executor.DefaultPrompt
	}
	limit := cmp.Or(o.Limit, defaultPromptLimit)
	return func(in executor.PromptInput) string {
		if told := s.told(in, o.MaxAttempts, limit); told != "" {
			in.Feedback, in.Introduced = told, true
		} else {
			in.Feedback = within(in.Feedback, limit, in.Markers)
		}
		return base(in)
	}
}

// within returns fenced feedback, of at most limit bytes.
func within(feedback string, limit int, m executor.Markers) string {
	if len(feedback) <= limit {
		return feedback
	}
	inside := feedback
	if first, rest, ok := strings.Cut(feedback, "\n"); ok && strings.HasPrefix(first, "<<<<") {
		inside = rest[:max(0, strings.LastIndexByte(rest, '\n'))] // without its fences, for it gets others
	}
	return executor.Fence(inside, limit, m)
}

// told returns what the prompt tells of earlier attempts; empty when the executor knows better, and
// when there is no room.
func (s *Store) told(in executor.PromptInput, maxAttempts, limit int) string {
	ctx, cancel := context.WithTimeout(context.Background(), promptPatience)
	defer cancel()
	h, err := s.history(ctx, in.Task.ID)
	if err != nil || h == nil || !h.precedes(in) {
		return ""
	}
	h.told.MaxAttempts = maxAttempts
	return h.told.Render(limit, in.Markers)
}

// precedes reports whether the last attempt is the one before the iteration: that of the same run,
// or before its first one any of an earlier run.
func (h *history) precedes(in executor.PromptInput) bool {
	if h.last.Run != "" && h.last.Run == in.Task.Run {
		return h.last.Iteration == in.Iteration-1
	}
	return in.Iteration <= 1
}
