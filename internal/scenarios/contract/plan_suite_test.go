package contract_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// PlanSubject carries out plans. Run plays all rounds of a story in one new repository and returns
// what came of each. The ladder is that of examples/orchestrator/taxonomy.yaml: haiku reports raw
// errors, sonnet and opus classify, human is a person.
type PlanSubject interface {
	Run(t *testing.T, s PlanStory) []PlanOutcome
}

// Files are contents by path, Turns the turns of each tier, and Counts how many turns a tier had.
type (
	Files  = map[string]string
	Turns  = map[string][]Turn
	Counts = map[string]int

	Plan      = plan.Plan
	Step      = plan.Step
	Need      = plan.Need // the address SERVICE is that of the service of PlanFacts
	Criterion = plan.Criterion
)

// PlanStory is a plan, how everything around it behaves, and what must come of it.
type PlanStory struct {
	Name    string
	Rows    string // the requirements that it shows
	Plan    Plan
	Profile string // of the taxonomy
	Facts   PlanFacts
	// Tiers are the turns of each tier in order. A further call of the tier is an error.
	Tiers map[string][]Turn
	Want  PlanWant
	Then  []PlanRound // what follows the first run
}

// PlanFacts are the surroundings of a plan.
type PlanFacts struct {
	Files map[string]string // committed before, besides AGENTS.md and go.mod
	// ServiceAfter is how many waits a service needs until it answers.
	ServiceAfter int
	// Reviews are the verdicts on steps, in order, and PlanReviews those on the plan; nil is no
	// review at all.
	Reviews, PlanReviews []Verdict
	// Forbidden are patterns of files that no tier may change.
	Forbidden []string
}

// Verdict is the result of a review: no finding, a finding, or a failure of the review.
type Verdict struct {
	Finding, Text string
	Away          *taxonomy.Evidence
}

// Turn is what a tier does in one call for a step. The zero Turn reports that the step is done.
type Turn struct {
	Says   string            // the words of the report
	Writes map[string]string // files
	Fails  bool              // the report says that the step failed
	Claim  string            // takes the place of the end of the report
	// Label, Finding, Reason and Exit are the typed part of a report of a tier that classifies.
	Label, Finding, Reason, Signal string
	Exit                           int
	// Cause and Instructions are what it finds out, and how it corrects the step.
	Cause, Instructions string
	// Needed hands on instead: nothing is changed, and this is needed from above.
	Needed  string
	Away    *taxonomy.Evidence // the call itself fails
	Cancels bool               // the caller gives up meanwhile
}

// PlanRound is what happens after a run has ended. Without an answer it is run again.
type PlanRound struct {
	Answer *PlanAnswer
	Writes map[string]string // what the person changes first
	Want   PlanWant
}

// PlanAnswer is a person's answer.
type PlanAnswer struct {
	Step   string // the first one by default
	Text   string
	ByHand bool // the person has carried the step out
}

// PlanOutcome is the outcome of all rounds up to one.
type PlanOutcome struct {
	Status string   // completed, blocked, failed or cancelled
	Code   string   // of what ended it
	Steps  []string // "ID status", and the tier whose work counts
	Turns  map[string]int
	// Failures are "step tier CODE" of all failures of steps, in order.
	Failures  []string
	Asked     string // the step that a person is asked about; empty without a question
	Question  string
	Corrected []string   // "ID tier: instructions" of steps that were corrected by work that counts
	Commits   [][]string // the files of each commit
	Warnings  []string
	Prompts   map[string][]string // what each tier was told, the last turn last
	Waited    time.Duration
	Tree      []string // the files that are new or changed since the beginning
}

// PlanWant is what must be observed. Facts are texts that must be contained; what begins with "!"
// must not.
type PlanWant struct {
	Status, Code string
	Steps        []string
	Turns        map[string]int
	Failures     []string
	Asked        string
	Question     []string
	Corrected    []string
	Commits      [][]string
	Warnings     [][]string
	Told         map[string][]string // facts of the last prompt of a tier
	Waited       time.Duration
	// Absent are files that must not be in the tree, Present such that must be.
	Absent, Present []string
}

// planSuite plays the stories of these names, or all stories.
func planSuite(t *testing.T, subject PlanSubject, names ...string) {
	for _, s := range planStories() {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		t.Run(strings.ReplaceAll(s.Name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			wants, theirs := []PlanWant{s.Want}, map[string]string{}
			for _, round := range s.Then {
				wants = append(wants, round.Want)
				maps.Copy(theirs, round.Writes)
			}
			all := subject.Run(t, s)
			require.Len(t, all, len(wants))
			for i, want := range wants {
				want.check(t, all[i], "%s, round %d", s.Rows, i+1)
				accepted := slices.Concat(append(all[i].Commits, slices.Collect(maps.Keys(theirs)))...)
				if all[i].Status == "completed" {
					assert.Subset(t, accepted, all[i].Tree, "work that was not accepted is in the tree")
				}
			}
		})
	}
}

func (w PlanWant) check(t *testing.T, got PlanOutcome, where ...any) {
	t.Helper()
	assert.Equal(t, PlanWant{Status: w.Status, Code: w.Code, Steps: w.Steps, Turns: w.Turns, Failures: w.Failures,
		Asked: w.Asked, Commits: w.Commits, Waited: w.Waited, Corrected: w.Corrected},
		PlanWant{Status: got.Status, Code: got.Code, Steps: got.Steps, Turns: got.Turns, Failures: got.Failures,
			Asked: got.Asked, Commits: got.Commits, Waited: got.Waited, Corrected: got.Corrected}, where...)
	contains(t, got.Question, w.Question, where)
	if assert.Len(t, got.Warnings, len(w.Warnings), where...) {
		for i, facts := range w.Warnings {
			contains(t, got.Warnings[i], facts, where)
		}
	}
	for tier, facts := range w.Told {
		if assert.NotEmpty(t, got.Prompts[tier], where...) {
			contains(t, got.Prompts[tier][len(got.Prompts[tier])-1], facts, where)
		}
	}
	for _, path := range w.Absent {
		assert.NotContains(t, got.Tree, path, where...)
	}
	assert.Subset(t, got.Tree, w.Present, where...)
}

func contains(t *testing.T, text string, facts []string, where []any) {
	t.Helper()
	for _, fact := range facts {
		if absent, ok := strings.CutPrefix(fact, "!"); ok {
			assert.NotContains(t, text, absent, where...)
		} else {
			assert.Contains(t, text, fact, where...)
		}
	}
}

// The rows that the stories show are those that a plan's room has to keep.
func TestPlanStoriesCoverTheRows(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	names := map[string]bool{}
	for _, s := range planStories() {
		assert.False(t, names[s.Name], s.Name)
		names[s.Name] = true
		for row := range strings.FieldsSeq(s.Rows) {
			shown[row] = true
		}
	}
	for _, row := range strings.Fields("O4 O5 O6 O7 O8 O9 O10 O11 O12 O13 O14 O15 O16 O17 O18 O19 O20 O21 O22 O23 " +
		"O24 O25 O26 O27 O28 O29 O30 O31 O32 O33 O34 O35 O36 O37 O38") {
		assert.True(t, shown[row], row)
	}
}
