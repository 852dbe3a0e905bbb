package terminal

import (
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// result returns the lines that end a run.
func (o *Observer) result(r *executor.Result, known *run) []line {
	if r == nil {
		return say(plain, "ended")
	}
	out := []line{o.verdict(r, known)}
	if r.Error != "" && r.Status != executor.StatusCompleted {
		text := r.Error
		if r.ErrorCategory != "" {
			text = fmt.Sprintf("[%s] %s (%s)", strings.ToUpper(r.ErrorCategory), r.Error, r.ErrorCode)
		}
		out = append(out, line{bad, "  " + text})
	}
	if r.Question != "" {
		out = append(out, line{doubtful, "  question: " + r.Question})
	}
	if len(r.UncommittedFiles) > 0 {
		out = append(out, line{doubtful, "  not committed: " + listed(r.UncommittedFiles)})
	}
	if len(r.UncheckedFiles) > 0 {
		out = append(out, line{bad, "  not checked: " + listed(r.UncheckedFiles)})
	}
	return out
}

// verdict returns how a run ended, after what.
func (o *Observer) verdict(r *executor.Result, known *run) line {
	s := string(r.Status)
	if string(r.EndReason) != s {
		s += bracketed(strings.ReplaceAll(string(r.EndReason), "_", " "))
	}
	s += " after " + text.Count(r.Iterations, "iteration")
	if d := o.o.Clock.Now().Sub(known.began); d >= time.Second {
		s += ", " + elapsed(d)
	}
	if n := len(r.Commits); n > 0 {
		s += ", " + text.Count(n, "commit")
	}
	if n := r.ErrorCount; n > 0 {
		s += ", " + text.Count(n, "error")
	}
	return line{moodOf(r.Status), s + usage(r.Usage)}
}

func moodOf(s executor.Status) mood {
	switch s {
	case executor.StatusCompleted:
		return good
	case executor.StatusFailed:
		return bad
	}
	return doubtful
}
