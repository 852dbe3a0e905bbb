// Package describe describes events to people.
package describe

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const maxLine = 4 << 10

// Event returns an event as one line. Secrets are masked, and the line has no control characters.
func Event(e loop.Event) string { return text.OneLine(unmasked(e), maxLine) }

func unmasked(e loop.Event) string {
	took := " after " + shortTime(e.Took)
	switch e.Kind {
	case loop.RunStarted:
		return "run " + e.Run + ": " + cmp.Or(e.Task, "no task") + inBrackets(e.Text)
	case loop.IterationStarted:
		return fmt.Sprint("iteration ", e.Iteration) + inBrackets(e.Tier)
	case loop.CallStarted:
		return "calling " + e.Source
	case loop.Progressed:
		return e.Text
	case loop.CallEnded:
		return e.Source + " took " + shortTime(e.Took) + usage(e.Usage)
	case loop.ErrorClassified:
		return Error(e.Err)
	case loop.ReactionTaken:
		return reaction(e)
	case loop.Waiting:
		return "waiting " + shortTime(e.Until.Sub(e.At)) + inBrackets(e.Text)
	case loop.Waited:
		return "waited " + shortTime(e.Took)
	case loop.Reverted:
		return "reverted " + Files(e.Files)
	case loop.Asked:
		return "asked about " + names(e.Files) + ": " + e.Text
	case loop.Validated:
		if e.Err != nil {
			return e.Op + " failed" + took
		}
		return e.Op + " passed" + took
	case loop.Committed:
		return fmt.Sprintf("committed %s as %.12s", Files(e.Files), e.Text)
	case loop.Delivered:
		return map[string]string{
			loop.OpDeliver: "delivered as ", loop.OpForward: "forwarded the checked out branch to ",
			loop.OpPush: "pushed ", loop.OpPR: "opened ",
		}[e.Op] + e.Text
	case loop.Escalated:
		return "escalated to " + e.Tier
	case loop.Recovered:
		if e.Err != nil {
			return "strategy " + e.Text + " failed: " + Error(e.Err)
		}
		return "strategy " + e.Text + " succeeded"
	case loop.Warned:
		if e.Text == "" {
			return "warning: " + Error(e.Err)
		}
		return "warning: " + e.Text
	case loop.IterationEnded:
		return fmt.Sprint("iteration ", e.Iteration, " ended") + took
	case loop.RunEnded:
		return result(e.Result)
	}
	return string(e.Kind)
}

// Severity returns the log level of an event. A reaction taken has the level of the reaction. Error
// is for a failed run, Warn for warnings and other failures, Info for progress, Debug for the rest.
func Severity(e loop.Event) slog.Level {
	switch e.Kind {
	case loop.ReactionTaken:
		return Level(e.Reaction.LogLevel)
	case loop.Warned:
		return slog.LevelWarn
	case loop.CallStarted, loop.Progressed, loop.CallEnded, loop.ErrorClassified, loop.Waiting, loop.Waited,
		loop.IterationEnded:
		return slog.LevelDebug
	}
	switch {
	case e.Result != nil && e.Result.Status == loop.StatusFailed:
		return slog.LevelError
	case e.Result != nil && e.Result.Status == loop.StatusBlocked, e.Err != nil:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// Level returns the level of a reaction. If it has no level, that is Debug.
func Level(l taxonomy.LogLevel) slog.Level {
	return [...]slog.Level{slog.LevelDebug, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}[l]
}

// Error returns "[CATEGORY] message (CODE)", or the message of an uncategorized error.
func Error(err error) string {
	if err == nil {
		return "unknown error"
	}
	message, category := text.Error(err, maxLine), taxonomy.CategoryOf(err)
	if category == "" {
		return message
	}
	return fmt.Sprintf("[%s] %s (%s)", strings.ToUpper(category), message, taxonomy.CodeOf(err))
}

func reaction(e loop.Event) string {
	s := map[taxonomy.Action]string{
		taxonomy.Abort: "stopping", taxonomy.Block: "stopping for a person", taxonomy.Continue: "continuing",
		taxonomy.Retry: "trying again", taxonomy.RetryOperation: "repeating the operation",
		taxonomy.Escalate: "escalating", taxonomy.Recover: "recovering",
	}[e.Action]
	if a := e.Action; e.Reaction.Agent.AcceptCompletion &&
		(a == taxonomy.Retry || a == taxonomy.Escalate || a == taxonomy.Recover) {
		s += " unless the remaining work completes the task"
	}
	if name := e.Reaction.Name; name != e.Action.String() {
		s += inBrackets(name)
	}
	if e.Exhausted {
		s += ", retries exhausted"
	}
	if e.Reaction.LogMessage != "" {
		s += ": " + e.Reaction.LogMessage
	}
	return s
}

func result(r *loop.Result) string {
	if r == nil {
		return "ended"
	}
	s := string(r.Status)
	if string(r.EndReason) != s {
		s += inBrackets(strings.ReplaceAll(string(r.EndReason), "_", " "))
	}
	s += " after " + text.Count(r.Iterations, "iteration")
	if d := r.EndedAt.Sub(r.StartedAt); d >= time.Second && !r.EndedAt.IsZero() {
		s += ", " + shortTime(d)
	}
	if n := len(r.Commits); n > 0 {
		s += ", " + text.Count(n, "commit")
	}
	if n := r.ErrorCount; n > 0 {
		s += ", " + text.Count(n, "error")
	}
	return s + usage(r.Usage)
}

func usage(u loop.Usage) string {
	s := ""
	if n, ok := u.InputTokens.Get(); ok {
		s += fmt.Sprintf(", %d tokens in", n)
	}
	if n, ok := u.OutputTokens.Get(); ok {
		s += fmt.Sprintf(", %d out", n)
	}
	if usd, ok := u.CostUSD.Get(); ok {
		s += fmt.Sprintf(", $%.2f", usd)
	}
	return s
}

// shortTime returns "1.2s", "15s", "1m5s" or "2h3m0s".
func shortTime(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", max(d, 0).Seconds())
	}
	return d.Round(time.Second).String()
}

// Files returns a text such as "2 files: a, b" with at most five names.
func Files(files []string) string {
	if len(files) == 0 {
		return "0 files"
	}
	return text.Count(len(files), "file") + ": " + names(files)
}

func names(files []string) string {
	const shown = 5
	s := strings.Join(files[:min(len(files), shown)], ", ")
	if more := len(files) - shown; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
