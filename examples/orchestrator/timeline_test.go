package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// everyEvent is a path with an event of each kind.
func everyEvent() []escalate.Event {
	const step, haiku, sonnet = "2.3", "haiku", "sonnet"
	path := []escalate.Event{
		{Kind: escalate.RunStarted, Text: "resumed"},
		{Kind: escalate.PlanChecked, Text: "3 of 3 prerequisites are met"},
		{Kind: escalate.StepStarted, Step: step, Text: "Describe how agents work here"},
		{Kind: escalate.Called, Step: step, Tier: haiku, Role: escalate.Execute},
		{Kind: escalate.TierFailed, Step: step, Tier: haiku, Code: "TIER_OVERLOADED", Message: "overloaded"},
		{Kind: escalate.Waiting, Step: step, Tier: haiku, Until: began.Add(7 * time.Second), Text: "TIER_OVERLOADED"},
		{Kind: escalate.Retried, Step: step, Tier: haiku, Text: "try_again"},
		{Kind: escalate.Claimed, Step: step, Tier: haiku, Text: "failed"},
		{Kind: escalate.Claimed, Step: step, Tier: haiku, Text: "done"},
		{Kind: escalate.Verified, Step: step, Tier: haiku, Text: "gate", Message: "exit status 1"},
		{Kind: escalate.Verified, Step: step, Tier: haiku, Text: "criteria"},
		{Kind: escalate.Refused, Step: step, Tier: sonnet, Code: "INTER_AGENT_MISALIGNMENT",
			Text: "no rule takes it from an agent"},
		{Kind: escalate.Classified, Step: step, Tier: haiku, Code: "PREREQUISITE_FAILURE", FaultKind: taxonomy.Fault,
			Reaction: "find_out"},
		{Kind: escalate.Classified, Step: step, Tier: haiku, Code: "UNCLASSIFIED", Retryable: true},
		{Kind: escalate.PutBack, Step: step, Tier: haiku, Text: "refs/errgen/plan/1"},
		{Kind: escalate.PassedOver, Step: step, Tier: sonnet, Text: "it has failed itself too often"},
		{Kind: escalate.Escalated, Step: step, Tier: sonnet, From: haiku, Purpose: taxonomy.PurposeDiagnosis},
		{Kind: escalate.Called, Step: step, Tier: sonnet, Role: escalate.Diagnose, Purpose: taxonomy.PurposeDiagnosis},
		{Kind: escalate.Diagnosed, Step: step, Tier: sonnet, Text: "simple", Message: "the file is AGENTS.md"},
		{Kind: escalate.Corrected, Step: step, Tier: sonnet},
		{Kind: escalate.Called, Step: step, Tier: sonnet, Role: escalate.Fix},
		{Kind: escalate.Accepted, Step: step, Tier: sonnet, Files: []string{"a", "b"}, Text: "0123456789abcdef"},
		{Kind: escalate.GuardReached, Step: step, Text: "turns"},
		{Kind: escalate.Asked, Step: step, Tier: "human", Message: "what now?"},
		{Kind: escalate.Answered, Step: step, Tier: "Ann", Text: "in cents"},
		{Kind: escalate.StepEnded, Step: step, Tier: sonnet, Text: "done"},
		{Kind: escalate.Warned, Message: "close the journal"},
		{Kind: escalate.NotReviewed, Step: step, Tier: haiku, Code: "TIER_OVERLOADED", Message: "overloaded"},
		{Kind: escalate.Recovered, Step: step, Tier: haiku, Text: "cleanup"},
		{Kind: escalate.Recovered, Step: step, Tier: haiku, Text: "cleanup", Message: "disk full"},
		{Kind: "later_kind", Text: "x"},
		{Kind: escalate.RunEnded, Text: "completed"},
	}
	for i := range path {
		path[i].At = began.Add(time.Duration(i) * time.Second)
	}
	return path
}

var onePlan = plan.Plan{Steps: []plan.Step{{ID: "2.3"}}}

func TestTimeline(t *testing.T) {
	var out bytes.Buffer
	lines := newTimeline(&out, onePlan, errs.Table)
	lines.rest(&escalate.Result{Path: everyEvent()})
	assert.Equal(t, `   0.0s               the run begins: resumed
   1.0s               the plan is checked: 3 of 3 prerequisites are met
   2.0s  2.3          begins: Describe how agents work here
   3.0s  2.3  haiku   is called to carry the step out
   4.0s  2.3  haiku   fails itself: overloaded                              TIER_OVERLOADED
   5.0s  2.3  haiku   waits 2s                                              TIER_OVERLOADED
   6.0s  2.3  haiku   tries again, try_again
   7.0s  2.3  haiku   says that it has failed
   8.0s  2.3  haiku   says that it is done
   9.0s  2.3  haiku   the gate does not pass: exit status 1
  10.0s  2.3  haiku   the criteria are met
  11.0s  2.3  sonnet  its label is refused: no rule takes it from an agent  INTER_AGENT_MISALIGNMENT
  12.0s  2.3  haiku   a fault, not retryable: find_out                      PREREQUISITE_FAILURE
  13.0s  2.3  haiku   failed, retryable                                     UNCLASSIFIED
  14.0s  2.3  haiku   what it changed is put back, kept in refs/errgen/plan/1
  15.0s  2.3  sonnet  is passed over: it has failed itself too often
  16.0s  2.3  sonnet  takes over from haiku (diagnosis)
  17.0s  2.3  sonnet  is called to find out why it failed (diagnosis)
  18.0s  2.3  sonnet  finds it simple: the file is AGENTS.md
  19.0s  2.3  sonnet  corrects the instructions
  20.0s  2.3  sonnet  is called to mend it and carry the step out
  21.0s  2.3  sonnet  its work counts, 2 files, commit 0123456789ab
  22.0s  2.3          a guard is reached: turns
  23.0s  2.3  human   is asked
  24.0s  2.3  Ann     answers: in cents
  25.0s  2.3  sonnet  the step is done
  26.0s               warning: close the journal
  27.0s  2.3  haiku   nobody could review what it has done: overloaded      TIER_OVERLOADED
  28.0s  2.3  haiku   the strategy cleanup has run
  29.0s  2.3  haiku   the strategy cleanup fails: disk full
  30.0s               later_kind: x
  31.0s               the run ends: completed
`, out.String())
}

// Whatever others have written, each event is one line of at most 100 columns, and nothing in it
// commands a terminal.
func TestTimelineOfHostileTexts(t *testing.T) {
	hostile := strings.Repeat("日本\x1b[31m\r\n\u202e\u0301 e", 60)
	var out bytes.Buffer
	lines := newTimeline(&out, plan.Plan{Steps: []plan.Step{{ID: strings.Repeat("9", 40)}}}, errs.Table)
	path := everyEvent()
	for i := range path {
		e := &path[i]
		e.Step, e.Tier, e.From, e.Text, e.Message, e.Code = hostile, hostile, hostile, hostile, hostile, hostile
		lines.Observe(*e)
	}
	all := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	assert.Len(t, all, len(path))
	for _, line := range all {
		assert.LessOrEqual(t, columns(line), lineWidth, line)
	}
	assert.NotContains(t, out.String(), "\x1b")
	assert.NotContains(t, out.String(), "\u202e")
	assert.NotContains(t, out.String(), "\r")
}

// How long something takes is seen, also where the line is cut.
func TestTimelineKeepsDurations(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		limit      int
	}{
		{"fails itself: scripted limits the rate, retry after 10h",
			"fails itself: scripted limits the r… retry after 10h", 52},
		{"fails itself: scripted limits the rate, retry after 100ms: come back later",
			"fails itself: scripted limits the… retry after 100ms", 52},
		{"fails itself: scripted limits the rate, retry after 1h30m0s",
			"fails itself: scripted limits t… retry after 1h30m0s", 52},
		{"waits 2s, and then goes on with what it had begun before it was stopped", "waits 2s, and then goes on …", 28},
		{"a text without a duration that is far too long for one line", "a text without a duration …", 27},
		{"it takes 2s", "it takes 2s", 20},
		{strings.Repeat("日本", 30) + " retry after 2s", "日本日本… retry after 2s", 25},
		{"failed after 10h", "failed …", 8},
	} {
		got := keeping(tt.text, tt.limit)
		assert.Equal(t, tt.want, got)
		assert.LessOrEqual(t, columns(got), tt.limit)
	}
}

// States have names; marks are a rendering. B-O09
func TestSteps(t *testing.T) {
	var out bytes.Buffer
	writeSteps(&out, &escalate.Result{
		EndReason: escalate.EndFailed, Error: "it failed\n\x1b[2J",
		Steps: []escalate.StepResult{
			{ID: "1", Title: "One", State: escalate.StepDone, By: "sonnet", Commit: "0123456789abcdef",
				Files: []string{"a", "b\x1b"}, Correction: &escalate.Correction{By: "sonnet", Why: "wrong name"}},
			{ID: "2", State: escalate.StepBlocked,
				Attempts: []escalate.Attempt{{Code: "AMBIGUITY_ERROR", Message: "which?"}}},
			{ID: "3", State: escalate.StepFailed},
			{ID: "4", State: escalate.StepCancelled},
			{ID: "5", State: escalate.StepPending},
		},
		Warnings: []string{"w"},
	})
	assert.Equal(t, `
[x] 1 One
      done by sonnet, commit 0123456789ab
      changed a, b`+"\uFFFD"+`
      instructions corrected by sonnet: wrong name
[!] 2
      AMBIGUITY_ERROR: which?
[✗] 3
[-] 4
[ ] 5

it failed
`+"\uFFFD"+`[2J
warning: w
`, out.String())
}

// What befalls a tier while it is called is shown where it happens.
func TestCallsInTheTimeline(t *testing.T) {
	var out bytes.Buffer
	d := &desk{}
	c := &calls{d, newTimeline(&out, onePlan, errs.Table)}
	d.Observe(escalate.Event{Kind: escalate.Called, Step: "2.3", Tier: "opus", Role: escalate.Fix})
	c.Observe(
		executor.Event{Kind: executor.ReactionTaken, At: began, Action: taxonomy.Retry, Err: errs.NewUnclassified()})
	c.Observe(
		executor.Event{Kind: executor.ReactionTaken, At: began, Action: taxonomy.Abort, Err: errs.NewUnclassified()})
	c.Observe(executor.Event{Kind: executor.Waiting, At: began, Until: began.Add(time.Second), Text: "UNCLASSIFIED"})
	c.Observe(executor.Event{Kind: executor.CallStarted, At: began})
	assert.Equal(t, 2, strings.Count(out.String(), "\n"))
	assert.Regexp(t, `0\.0s  2\.3  opus    waits 1s +UNCLASSIFIED\n$`, out.String())
}
