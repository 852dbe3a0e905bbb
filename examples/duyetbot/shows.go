package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxLine is the longest shown line of foreign text, in characters, and maxWhole of the bot's
	// own.
	maxLine  = 160
	maxWhole = 2000
	// maxLines limits the shown lines of a skill's output.
	maxLines = 5
)

// shows prints the steps of a skill to a terminal.
type shows struct {
	ctx    context.Context // of the skill's run
	w      io.Writer
	table  taxonomy.Table
	source string              // of the skill
	mask   func(string) string // of secrets
	call   int
	// of the last strategy; a strategy that exceeded its time may store it at any time
	said atomic.Pointer[recovery.Record]
	told string // the beginning of the warning about a failed strategy, which is not printed twice
}

// line prints a step. Its text is not trusted.
func (s *shows) line(step, format string, args ...any) {
	text := shortened(s.masked(fmt.Sprintf(format, args...)))
	fmt.Fprintf(s.w, "  %-10s %s\n", step, terminal.Printable(text))
}

// masked returns a text without secrets.
func (s *shows) masked(text string) string { return taxonomy.Redact(s.mask(text)) }

// lines prints a step with all lines of its text, for messages of the bot itself.
func (s *shows) lines(step, format string, args ...any) {
	lines := strings.Split(strings.TrimSpace(s.masked(fmt.Sprintf(format, args...))), "\n")
	for _, line := range lines[:min(len(lines), maxLines)] {
		fmt.Fprintf(s.w, "  %-10s %s\n", step, terminal.Printable(cut(line, maxWhole)))
		step = ""
	}
}

// shortened returns the beginning of the first line of a text.
func shortened(text string) string {
	text, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if cut := cut(text, maxLine); cut != text {
		return cut
	}
	if more {
		return text + " …"
	}
	return text
}

// cut returns the beginning of a text.
func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func (s *shows) begin(sk *skill) {
	profile := "none"
	if s.table.Overlay != nil {
		profile = s.table.Overlay.Name
	}
	fmt.Fprintf(s.w, "%s (profile %s)", sk.Name, profile)
	if sk.Doc != "" {
		fmt.Fprintf(s.w, ": %s", terminal.Printable(shortened(s.masked(sk.Doc))))
	}
	fmt.Fprintln(s.w)
}

func (s *shows) end(out recovery.Outcome, output string) {
	lines := strings.Split(output, "\n")
	if out.Success() && output != "" {
		for _, line := range lines[max(0, len(lines)-maxLines):] {
			s.line("output", "%s", line)
		}
	}
	switch {
	case out.Recovered:
		s.line("done", "succeeded after %s", counted(out.Calls))
	case out.Success():
		s.line("done", "succeeded")
	case out.Result.Status == executor.StatusCancelled:
		s.line("done", "cancelled after %s", counted(out.Calls))
	default:
		s.line("done", "failed (%s) after %s: %s", out.Result.EndReason, counted(out.Calls), out.Message())
	}
}

func counted(calls int) string {
	if calls == 1 {
		return "1 call"
	}
	return fmt.Sprint(calls, " calls")
}

// recorded stores the record of a strategy.
func (s *shows) recorded(r recovery.Record) { s.said.Store(&r) }

// waiting prints the wait of a strategy.
func (s *shows) waiting(strategy string, d time.Duration) {
	s.line("waiting", "%s (%s)", rounded(d), strategy)
}

// Observe prints an event of the run.
func (s *shows) Observe(e executor.Event) {
	switch e.Kind {
	case executor.CallStarted:
		s.call++
	case executor.CallEnded:
		s.line("called", "call %d took %s", s.call, rounded(e.Took))
	case executor.ReactionTaken:
		s.reaction(e)
	case executor.Waiting:
		s.line("waiting", "%s for %s", rounded(e.Until.Sub(e.At)), s.reason(e.Text))
	case executor.Waited:
		s.line("waited", "%s", rounded(e.Took))
	case executor.Recovered:
		s.recovery(e)
	case executor.Prevented:
		s.line("prevented", "%s is likely: %s", e.Code, e.Text)
	case executor.Warned:
		if s.told == "" || !strings.HasPrefix(e.Text, s.told) {
			s.lines("warning", "%s", e.Text)
		}
		s.told = ""
	}
}

func (s *shows) reaction(e executor.Event) {
	what := e.Action.String()
	switch e.Action {
	case taxonomy.Recover:
		what = "recover by " + e.Reaction.Strategy
	case taxonomy.Retry, taxonomy.RetryOperation:
		what = "try again"
	}
	if e.MaxAttempts > 0 {
		what += fmt.Sprintf(", %d of %d", e.Attempt, e.MaxAttempts)
	}
	if e.Exhausted {
		what += ", because the reaction before is exhausted"
	}
	s.line("decided", "%s (%s)", what, e.Reaction.Name)
}

func (s *shows) recovery(e executor.Event) {
	said := s.said.Swap(nil)
	if said == nil || said.Strategy != e.Text {
		said = &recovery.Record{}
	}
	if e.Err == nil {
		s.lines("recovered", "%s: %s", e.Text, cmp.Or(said.Message, "fixed"))
		return
	}
	s.told = "strategy " + e.Text + ": "
	if s.ctx.Err() != nil && said.Data[recovery.DataChanged] == "" {
		return
	}
	s.lines("failed", "%s: %s", e.Text, cmp.Or(said.Message, e.Err.Error()))
	if ref := said.Data[recovery.DataSaved]; ref != "" {
		s.lines(
			"saved",
			"its changes were reverted: git --git-dir \"$(git rev-parse --git-common-dir)/errgen/recovery\" show %s",
			ref,
		)
	}
}

// reason returns the reason of a wait in words.
func (s *shows) reason(why string) string {
	if why == "breaker" {
		return s.source + ", which has failed too often of late"
	}
	return why
}

func rounded(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// Report prints a failure.
func (s *shows) Report(o *report.Occurrence) {
	var traits []string
	for _, trait := range []string{o.Severity, o.Recoverability} {
		if trait != "" {
			traits = append(traits, trait)
		}
	}
	s.line("detected", "%s: %s", strings.Join(append([]string{o.Code}, traits...), ", "), o.Message)
	s.line("enriched", "%s", around(o))
	s.line("reported", "as %s", o.ID)
}

// around describes the circumstances of a failure.
func around(o *report.Occurrence) string {
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if src := o.Source; src != nil {
		say("%s of %s", src.Component, src.Type)
	}
	if x := o.Execution; x != nil {
		say("mode %s", x.Mode)
		if x.TaskID != "" {
			say("task %s", x.TaskID)
		}
		if x.Step != "" {
			say("step %s", x.Step)
		}
	}
	if r := o.Repository; r != nil {
		say("%s/%s", r.Owner, r.Repo)
		if r.EntityNumber > 0 {
			say("%s %d", cmp.Or(r.EntityType, "entity"), r.EntityNumber)
		}
	}
	if o.SourceCode != "" {
		say("code %s", o.SourceCode)
	}
	return strings.Join(parts, ", ")
}

// Update prints nothing, because the strategy has its own line.
func (s *shows) Update(*report.Occurrence) {}

// Retried prints nothing, because the last line has the number of calls.
func (s *shows) Retried(report.Retry) {}
