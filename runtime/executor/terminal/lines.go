package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// line is a line that stays.
type line struct {
	mood mood
	text string
}

func say(m mood, format string, args ...any) []line {
	return []line{{m, fmt.Sprintf(format, args...)}}
}

// lines returns what stays of an event.
func (o *Observer) lines(e executor.Event, r *run) []line {
	switch e.Kind {
	case executor.RunStarted:
		return say(plain, "run %s: %s%s", e.Run, cmp.Or(e.Task, "no task"), bracketed(e.Text))
	case executor.IterationStarted:
		return say(plain, "iteration %d%s", e.Iteration, bracketed(e.Tier))
	case executor.CallStarted, executor.Progressed, executor.Waited:
		return o.linesOfWork(e)
	case executor.Waiting:
		return o.linesOfWait(e)
	case executor.ErrorClassified:
		return say(bad, "  %s", failure(e.Err))
	case executor.ReactionTaken:
		return say(doubtful, "  %s", o.reaction(e))
	case executor.Warned:
		return say(doubtful, "  warning: %s", cmp.Or(e.Text, failure(e.Err)))
	case executor.Paused:
		return say(plain, "  paused")
	case executor.Unpaused:
		return say(plain, "  going on")
	case executor.Escalated:
		return say(doubtful, "  handed over to %s", e.Tier)
	case executor.RunEnded:
		return o.result(e.Result, r)
	}
	return linesOfFiles(e)
}

// linesOfWork are needed only where no live line tells the same.
func (o *Observer) linesOfWork(e executor.Event) []line {
	switch {
	case e.Kind == executor.CallStarted && !o.live:
		return say(plain, "  calling %s", e.Source)
	case e.Kind == executor.Waited && o.live:
		return say(faint, "  waited %s", took(e.Took))
	}
	return nil
}

func (o *Observer) linesOfWait(e executor.Event) []line {
	if o.live {
		return nil
	}
	now := o.o.Clock.Now()
	text := fmt.Sprintf("  waiting %s, until %s", ahead(e.Until.Sub(now)), o.clockTime(e.Until, now))
	return say(plain, "%s%s", text, bracketed(e.Text))
}

// linesOfFiles are what happened to the work itself.
func linesOfFiles(e executor.Event) []line {
	switch e.Kind {
	case executor.CallEnded:
		return say(faint, "  %s took %s%s", e.Source, took(e.Took), usage(e.Usage))
	case executor.ChangesDetected:
		if len(e.Files) > 0 {
			return say(plain, "  changed %s", listed(e.Files))
		}
	case executor.Saved:
		return say(faint, "  saved as %s", e.Text)
	case executor.Reverted:
		return say(doubtful, "  put back %s", listed(e.Files))
	case executor.Asked:
		return say(plain, "  asked about %s: %s", names(e.Files), e.Text)
	case executor.Validated:
		if e.Err != nil {
			return say(bad, "  %s failed after %s", e.Op, took(e.Took))
		}
		return say(good, "  %s passed after %s", e.Op, took(e.Took))
	case executor.Committed:
		return say(good, "  committed %s as %s", listed(e.Files), shortCommit(e.Text))
	case executor.Pushed:
		return say(good, "  pushed")
	case executor.PROpened:
		return say(good, "  opened %s", e.Text)
	case executor.Recovered:
		if e.Err != nil {
			return say(bad, "  strategy %s failed: %s", e.Text, failure(e.Err))
		}
		return say(good, "  strategy %s worked", e.Text)
	case executor.Prevented:
		against := cmp.Or(e.Code, "a failure")
		if e.Err != nil {
			return say(bad, "  against %s: %s failed: %s", against, e.Text, failure(e.Err))
		}
		return say(faint, "  against %s: %s", against, e.Text)
	}
	return nil
}

// failure returns "[CATEGORY] message (CODE)"; without a category the message alone.
func failure(err error) string {
	if err == nil {
		return "unknown error"
	}
	category, code := taxonomy.CategoryOf(err), taxonomy.CodeOf(err)
	if category == "" {
		return err.Error()
	}
	return fmt.Sprintf("[%s] %s (%s)", strings.ToUpper(category), err.Error(), code)
}

// reaction says what is done about an error.
func (o *Observer) reaction(e executor.Event) string {
	text := words(e.Action)
	if name := e.Reaction.Name; name != "" && name != e.Action.String() {
		text += bracketed(name)
	}
	if e.UsedUp {
		text += ", tries used up"
	}
	if m := e.Reaction.LogMessage; m != "" {
		text += ": " + m
	}
	return text
}

// words says an action to people.
func words(a taxonomy.Action) string {
	switch a {
	case taxonomy.Abort:
		return "stopping"
	case taxonomy.Block:
		return "stopping for a person"
	case taxonomy.Continue:
		return "going on"
	case taxonomy.Retry:
		return "trying again"
	case taxonomy.RetryOperation:
		return "trying that once more"
	case taxonomy.Escalate:
		return "handing over"
	case taxonomy.Recover:
		return "recovering"
	}
	return a.String()
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func usage(u executor.Usage) string {
	text := ""
	if n, ok := u.InputTokens.Get(); ok {
		text += fmt.Sprintf(", %d tokens in", n)
	}
	if n, ok := u.OutputTokens.Get(); ok {
		text += fmt.Sprintf(", %d out", n)
	}
	if usd, ok := u.CostUSD.Get(); ok {
		text += fmt.Sprintf(", $%.2f", usd)
	}
	return text
}

func shortCommit(id string) string { return id[:min(len(id), 12)] }
