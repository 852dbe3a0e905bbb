package executor

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Describe returns an event as one line for people. Secrets are masked, and the line has no control
// characters.
func Describe(e Event) string { return text.OneLine(describe(e), maxMessage) }

func describe(e Event) string {
	switch e.Kind {
	case RunStarted:
		return fmt.Sprintf("run %s: %s%s", e.Run, cmp.Or(e.Task, "no task"), inBrackets(e.Text))
	case IterationStarted:
		return fmt.Sprintf("iteration %d%s", e.Iteration, inBrackets(e.Tier))
	case CallStarted:
		return "calling " + e.Source
	case Progressed:
		return e.Text
	case CallEnded:
		return fmt.Sprintf("%s took %s%s", e.Source, shortTime(e.Took), describeUsage(e.Usage))
	case ChangesDetected:
		return "changed " + listFiles(e.Files)
	case ErrorClassified:
		return describeError(e.Err)
	case ReactionTaken:
		return describeReaction(e)
	case Waiting:
		return fmt.Sprintf("waiting %s%s", shortTime(e.Until.Sub(e.At)), inBrackets(e.Text))
	case Waited:
		return "waited " + shortTime(e.Took)
	case Saved:
		return "saved as " + e.Text
	case Reverted:
		return "reverted " + listFiles(e.Files)
	case Asked:
		return "asked about " + fileNames(e.Files) + ": " + e.Text
	case Validated:
		if e.Err != nil {
			return fmt.Sprintf("%s failed after %s", e.Op, shortTime(e.Took))
		}
		return fmt.Sprintf("%s passed after %s", e.Op, shortTime(e.Took))
	case Committed:
		return fmt.Sprintf("committed %s as %s", listFiles(e.Files), e.Text[:min(len(e.Text), 12)])
	case Pushed:
		return "pushed"
	case PROpened:
		return "opened " + e.Text
	case Escalated:
		return "escalated to " + e.Tier
	case Recovered:
		if e.Err != nil {
			return fmt.Sprintf("strategy %s failed: %s", e.Text, describeError(e.Err))
		}
		return "strategy " + e.Text + " succeeded"
	case Prevented:
		against := "against " + cmp.Or(e.Code, "a failure") + ": " + e.Text
		if e.Err != nil {
			return against + " failed: " + describeError(e.Err)
		}
		return against
	case Warned:
		return "warning: " + cmp.Or(e.Text, describeError(e.Err))
	case IterationEnded:
		return fmt.Sprintf("iteration %d ended after %s", e.Iteration, shortTime(e.Took))
	case RunEnded:
		return describeResult(e.Result)
	}
	return string(e.Kind)
}

// Severity returns the log level of an event. A reaction taken has the level of the reaction. Error
// is for a failed run, Warn for warnings and other failures, Info for progress, Debug for the rest.
func Severity(e Event) slog.Level {
	switch e.Kind {
	case ReactionTaken:
		return levelOf(e.Reaction.LogLevel)
	case Warned:
		return slog.LevelWarn
	case RunEnded:
		if e.Result != nil && e.Result.Status == StatusFailed {
			return slog.LevelError
		}
		if e.Result != nil && e.Result.Status == StatusBlocked {
			return slog.LevelWarn
		}
		return slog.LevelInfo
	case Asked, Committed, Escalated, IterationStarted, PROpened, Prevented, Pushed, Recovered, Reverted, RunStarted,
		Validated:
		if e.Err != nil {
			return slog.LevelWarn
		}
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// levelOf returns the level of a reaction. If it has no level, that is Debug.
func levelOf(l taxonomy.LogLevel) slog.Level {
	return [...]slog.Level{slog.LevelDebug, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}[l]
}

// describeError returns "[CATEGORY] message (CODE)", or the message of an uncategorized error.
func describeError(err error) string {
	if err == nil {
		return "unknown error"
	}
	message := text.Error(err, maxMessage)
	category, code := taxonomy.CategoryOf(err), taxonomy.CodeOf(err)
	if category == "" {
		return message
	}
	return fmt.Sprintf("[%s] %s (%s)", strings.ToUpper(category), message, code)
}

func describeReaction(e Event) string {
	s := map[taxonomy.Action]string{
		taxonomy.Abort: "stopping", taxonomy.Block: "stopping for a person", taxonomy.Continue: "continuing",
		taxonomy.Retry: "trying again", taxonomy.RetryOperation: "repeating the operation",
		taxonomy.Escalate: "escalating", taxonomy.Recover: "recovering",
	}[e.Action]
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

func describeResult(r *Result) string {
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
	return s + describeUsage(r.Usage)
}

func describeUsage(u Usage) string {
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

func shortTime(d time.Duration) string {
	if d < 10*time.Second {
		return max(d, 0).Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// listFiles returns a text such as "2 files: a, b" with at most five names.
func listFiles(files []string) string {
	if len(files) == 0 {
		return text.Count(0, "file")
	}
	return text.Count(len(files), "file") + ": " + fileNames(files)
}

func fileNames(files []string) string {
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
