package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// what says in one line what happened. The code has a place of its own.
func what(e escalate.Event) string {
	switch e.Kind {
	case escalate.RunStarted:
		return after("the run begins", e.Text)
	case escalate.PlanChecked:
		return after("the plan is checked", e.Text)
	case escalate.StepStarted:
		return after("begins", e.Text)
	case escalate.Called:
		return "is called to " + task(e)
	case escalate.Claimed:
		return claims(e)
	case escalate.Refused:
		return after("its label is refused", e.Text)
	case escalate.Classified:
		return classified(e)
	case escalate.TierFailed:
		return after("fails itself", e.Message)
	case escalate.PassedOver:
		return after("is passed over", e.Text)
	case escalate.Diagnosed:
		return after("finds it "+e.Text, e.Message)
	case escalate.Corrected:
		return "corrects the instructions"
	case escalate.Verified:
		return verified(e)
	}
	return went(e)
}

// went says what became of what happened.
func went(e escalate.Event) string {
	switch e.Kind {
	case escalate.Waiting:
		return "waits " + e.Until.Sub(e.At).Round(10*time.Millisecond).String()
	case escalate.NotReviewed:
		return after("nobody could review what it has done", e.Message)
	case escalate.Recovered:
		return strategy(e)
	case escalate.Retried:
		return "tries again" + about(", ", e.Text)
	case escalate.Escalated:
		return "takes over" + about(" from ", e.From) + purposeOf(e)
	case escalate.GuardReached:
		return after("a guard is reached", e.Text)
	case escalate.PutBack:
		return "what it changed is put back" + about(", kept in ", e.Text)
	case escalate.Accepted:
		return accepted(e)
	case escalate.Asked:
		return "is asked"
	case escalate.Answered:
		return after("answers", e.Text)
	case escalate.StepEnded:
		return "the step is " + e.Text
	case escalate.RunEnded:
		return "the run ends: " + e.Text
	case escalate.Warned:
		return after("warning", e.Message)
	}
	return after(string(e.Kind), cmp.Or(e.Message, e.Text))
}

// strategy says what came of a strategy.
func strategy(e escalate.Event) string {
	if e.Message != "" {
		return "the strategy " + e.Text + " fails: " + e.Message
	}
	return "the strategy " + e.Text + " has run"
}

// after adds what is known to what happened.
func after(what, text string) string { return what + about(": ", text) }

func about(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// task says what a tier is called for.
func task(e escalate.Event) string {
	switch e.Role {
	case escalate.Execute:
		return "carry the step out"
	case escalate.Diagnose:
		return "find out why it failed" + purposeOf(e)
	case escalate.Fix:
		return "mend it and carry the step out"
	}
	return string(e.Role)
}

func purposeOf(e escalate.Event) string {
	if e.Purpose == taxonomy.PurposeNone {
		return ""
	}
	return " (" + e.Purpose.String() + ")"
}

// classified says what a failure is, and what is done about it.
func classified(e escalate.Event) string {
	parts := []string{"failed"}
	if e.FaultKind != taxonomy.KindNone {
		parts = []string{"a " + e.FaultKind.String()}
	}
	if e.Retryable {
		parts = append(parts, "retryable")
	} else {
		parts = append(parts, "not retryable")
	}
	return strings.Join(parts, ", ") + about(": ", e.Reaction)
}

func claims(e escalate.Event) string {
	if e.Text == "done" {
		return "says that it is done"
	}
	return "says that it has failed"
}

// checks are how what was verified is spoken of: when it is so, and when not.
var checks = map[string][2]string{
	"prerequisites": {"the prerequisites are met", "a prerequisite is not met"},
	"gate":          {"the gate passes", "the gate does not pass"},
	"criteria":      {"the criteria are met", "the criteria are not met"},
	"review":        {"the review finds nothing", "the review finds something"},
	"clean":         {"the tree is clean", "the tree is not clean"},
}

// verified says what was checked, and what came of it.
func verified(e escalate.Event) string {
	words, known := checks[e.Text]
	switch {
	case !known && e.Message == "":
		return "verified: " + e.Text
	case !known:
		return "not met: " + e.Text + ": " + e.Message
	case e.Message == "":
		return words[0]
	}
	return after(words[1], e.Message)
}

func accepted(e escalate.Event) string {
	text := "its work counts, " + counted(len(e.Files), "file")
	if e.Text != "" {
		text += ", commit " + e.Text[:min(len(e.Text), 12)]
	}
	return text
}

func counted(n int, what string) string { return countedAs(n, what, what+"s") }

func countedAs(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
