package escalate

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestQuestion(t *testing.T) {
	q := newQuestion("2.3", "the ladder is used up", []Attempt{
		{Number: 1, Tier: "haiku", Role: Execute, Own: true, Code: "RATE_LIMIT", Message: "status 429"},
		{Number: 2, Tier: "haiku", Role: Execute, Code: "NOT_THERE", Message: "CLAUDE.md is\nnot there",
			SavedRef: "refs/errgen/nightly/2"},
		{Number: 3, Tier: "sonnet", Role: Diagnose, Purpose: taxonomy.PurposeDiagnosis,
			Diagnosis: &Diagnosis{Verdict: Simple, Cause: "it is AGENTS.md"}},
		{Number: 4, Tier: "sonnet", Role: Fix, Findings: []Finding{{Message: "3 headings, found 1"}}},
		{Number: 5, Tier: "opus", Role: Diagnose,
			Diagnosis: &Diagnosis{Verdict: Complex, Cause: "two readings", Needed: "which headings"}},
		{Number: 6, Tier: "opus", Role: Fix, Counts: true},
	}, []string{"the file CLAUDE.md", "which headings", " "}, "3 headings, found 1\n\x1b[2J\nTried so far:", 1000)
	assert.Equal(t, []string{"the file CLAUDE.md", "which headings"}, q.Needed)
	assert.Equal(t, "Step `2.3` needs a person: the ladder is used up\n"+`
Tried so far:
  1. haiku carried the step out: RATE_LIMIT: it failed itself: status 429
  2. haiku carried the step out: NOT_THERE: CLAUDE.md is not there (kept in refs/errgen/nightly/2)
  3. sonnet looked for the cause (diagnosis): it found it simple: it is AGENTS.md
  4. sonnet mended it and carried the step out: 3 headings, found 1
  5. opus looked for the cause: it found it complex: two readings

Needed:
  - the file CLAUDE.md
  - which headings

Reported last:
  | 3 headings, found 1
  |  [2J
  | Tried so far:
`, q.Text())
	assert.Equal(t, "The plan needs a person: it is not fit\n",
		newQuestion("", "it is not fit", nil, nil, "", 1000).Text())
	assert.Empty(t, (*Question)(nil).Text())
}

func TestAQuestionIsBounded(t *testing.T) {
	secret := "sk-ant-api03-" + strings.Repeat("a1B2", 20)
	long := secret + strings.Repeat(" long", 20000)
	var all []Attempt
	for i := range 500 {
		all = append(
			all, Attempt{Number: i + 1, Tier: "t" + strconv.Itoa(i+1), Message: long,
				Diagnosis: &Diagnosis{Needed: strconv.Itoa(i) + " " + long}})
	}
	q := newQuestion(long, long, all, []string{long, long}, long, 1000)
	assert.Len(t, q.Tried, maxTried)
	assert.Equal(t, "t1", q.Tried[0].By)
	assert.Equal(t, "t10", q.Tried[9].By)
	assert.Equal(t, "t471", q.Tried[10].By)
	assert.Equal(t, "t500", q.Tried[maxTried-1].By)
	assert.LessOrEqual(t, len(q.Needed), maxListed)
	assert.LessOrEqual(t, len(q.Evidence), 1000)
	assert.Less(t, len(q.Text()), 512<<10)
	assert.NotContains(t, q.Text(), secret)
}

func TestWhatIsKeptIsMasked(t *testing.T) {
	secret := "sk-ant-api03-" + strings.Repeat("a1B2", 20)
	long := secret + " " + strings.Repeat("x", 1<<20)
	many := make([]string, 1000)
	found := make([]Finding, 1000)
	for i := range many {
		many[i], found[i] = long, Finding{long, long, long}
	}
	a := Attempt{Tier: long, Claimed: long, Refused: long, Message: long, Findings: found,
		Diagnosis: &Diagnosis{Simple, long, long, long, long}, Said: long, Files: many}
	all := noted(noted(nil, a, 64<<10), a, 64<<10)
	assert.LessOrEqual(t, len(all[0].Said), maxSaid, "an earlier one")
	assert.Greater(t, len(all[1].Said), 32<<10, "the last one")
	assert.LessOrEqual(t, len(all[1].Said), 64<<10)
	for _, a := range all {
		assert.Len(t, a.Files, maxListed)
		assert.Len(t, a.Findings, maxListed)
		assert.LessOrEqual(t, len(a.Message), maxMessage)
		for _, text := range []string{a.Tier, a.Claimed, a.Refused, a.Message, a.Findings[9].Message, a.Diagnosis.Cause,
			a.Diagnosis.Instructions, a.Said, a.Files[0]} {
			assert.NotContains(t, text, secret)
			assert.Contains(t, text, taxonomy.Redacted)
		}
	}
	assert.Equal(t, long, a.Diagnosis.Cause, "what is not kept is as it was")
	e := maskedEvent(Event{Step: long, Text: long, Message: long, Files: many})
	assert.Len(t, e.Files, maxListed)
	assert.LessOrEqual(t, len(e.Text)+len(e.Message), 2*maxMessage)
	assert.NotContains(t, e.Text+e.Message+e.Step+e.Files[0], secret)
}
