package escalate

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// noVerifier finds nothing wrong.
type noVerifier struct{}

func (noVerifier) Prerequisites(context.Context, []plan.Prerequisite) []Verification { return nil }
func (noVerifier) Gate(context.Context, []plan.Command) []*taxonomy.Evidence         { return nil }
func (noVerifier) Criteria(context.Context, []plan.Criterion) []*taxonomy.Evidence   { return nil }

// soundConfig is a configuration with which nothing is wrong.
func soundConfig() Config {
	w := reactions{}.wired()
	w.table.Tiers = []taxonomy.Tier{{Name: "low"}, {Name: "high"}, {Name: "owner", Person: true}}
	return Config{
		Verifier: noVerifier{},
		Calls: executor.Config{
			Table: taxonomy.Table{Taxonomy: w.table}, Classify: w.classify, Decode: w.decode,
			Tiers: map[string]executor.Provider{"low": &actor{}},
		},
	}
}

func TestProblems(t *testing.T) {
	var nobody *actor
	for _, tt := range []struct {
		change func(c *Config)
		want   []string
	}{
		{func(*Config) {}, nil},
		{func(c *Config) { *c = Config{} }, []string{"no Verifier", "no Calls.Classify", "no Calls.Table"}},
		{func(c *Config) { c.Calls.Tiers = nil }, []string{"no tier of the taxonomy has a provider in Calls.Tiers"}},
		{func(c *Config) { c.Calls.Tiers["top"] = &actor{} }, []string{`the taxonomy has no tier "top"`}},
		{func(c *Config) { c.Calls.Tiers["owner"] = &actor{} },
			[]string{`tier "owner" is a person and has no provider`}},
		{func(c *Config) { c.Calls.Tiers["high"] = nobody }, []string{`tier "high" has a nil provider`}},
		{func(c *Config) { c.Calls.Journal, c.Calls.Decode = filejournal.New("x"), nil },
			[]string{"a Calls.Journal without Calls.Decode, so that no call could be gone on with"}},
		{func(c *Config) { c.Commit = true }, []string{"Commit without a Calls.Workspace"}},
		{func(c *Config) { c.Guards = Guards{-1, -time.Second, -time.Minute, -2, -3} }, []string{
			"Guards.Turns is -1, less than 0", "Guards.Time is -1s, less than 0",
			"Guards.StepTime is -1m0s, less than 0", "Guards.Repeats is -2, less than 0",
			"Guards.TierFailures is -3, less than 0"}},
		{func(c *Config) { c.MaxEvidence = -1 }, []string{"MaxEvidence is -1, less than 0"}},
		{func(c *Config) {
			c.Reviewer, c.PlanReviewer = NewReviewer(nil, ReviewerOptions{}), NewPlanReviewer(nobody, ReviewerOptions{})
		},
			[]string{"the Reviewer has no provider", "the PlanReviewer has no provider"}},
		{func(c *Config) { c.Journal = (*fileJournal)(nil) }, []string{"the Journal is a nil *escalate.fileJournal"}},
		{func(c *Config) {
			c.Calls.Provider, c.Calls.Limits.Run, c.Calls.Continue, c.Calls.DryRun = &actor{}, 1, true, true
			c.Calls.Setup, c.Calls.Prompt = func(context.Context) error { return nil }, executor.DefaultPrompt
			c.Calls.Deliver, c.Calls.Markers.Done = executor.DeliverPush, "x"
		}, []string{
			"Calls.Setup is set, which an escalation decides itself",
			"Calls.Provider is set, which an escalation decides itself",
			"Calls.Limits is set, which an escalation decides itself",
			"Calls.Deliver is set, which an escalation decides itself",
			"Calls.Continue is set, which an escalation decides itself",
			"Calls.DryRun is set, which an escalation decides itself",
			"Calls.Markers is set, which an escalation decides itself",
			"Calls.Prompt is set, which an escalation decides itself"}},
	} {
		c := soundConfig()
		tt.change(&c)
		err := c.problems()
		_, made := New(c)
		if tt.want == nil {
			require.NoError(t, err)
			require.NoError(t, made)
			continue
		}
		require.Error(t, err)
		assert.Equal(t, tt.want, strings.Split(err.Error(), "\n"))
		require.ErrorContains(t, made, tt.want[0])
	}
}

func TestCompleted(t *testing.T) {
	c := Config{}.completed()
	assert.Equal(t, Guards{Turns: 150, Time: 10 * time.Minute, Repeats: 2, TierFailures: 3}, c.Guards)
	assert.Equal(t, 64<<10, c.MaxEvidence)
	assert.Equal(t, retry.System, c.Calls.Clock)
	own := Config{Guards: Guards{1, 2, 3, 4, 5}, MaxEvidence: 5, Calls: executor.Config{Clock: &instant{}}}
	assert.Equal(t, own, own.completed())
}

func TestRunNames(t *testing.T) {
	for name, want := range map[string]bool{
		"r": true, "Run-1.2_x": true, strings.Repeat("x", 80): true, "": false, strings.Repeat("x", 81): false,
		"-r": false, ".r": false, "_r": false,
		"a/b": false, "../x": false, "a b": false, "é": false,
	} {
		assert.Equal(t, want, validRun(name), "%q", name)
	}
	assert.Equal(t, "r-12", callName("r", time.Time{}, 12))
	assert.Equal(t, "r-rs-12", callName("r", time.UnixMilli(1000), 12))
}

// What is done stays done as long as what it was judged by is the same.
func TestStepFingerprints(t *testing.T) {
	step := func() plan.Step {
		return plan.Step{
			ID: "1", Title: "T", Instructions: "Do.", Line: 3,
			Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "a", Doc: "why", Line: 4}},
			Criteria:      []plan.Criterion{{Kind: plan.Exists, Path: "b", Line: 5}},
		}
	}
	was := stepFingerprint(step())
	for _, tt := range []struct {
		name   string
		change func(s *plan.Step)
		same   bool
	}{
		{"nothing", func(*plan.Step) {}, true},
		{"title", func(s *plan.Step) { s.Title = "other" }, true},
		{"lines", func(s *plan.Step) { s.Line, s.Prerequisites[0].Line, s.Criteria[0].Line = 1, 2, 3 }, true},
		{"what a prerequisite is for", func(s *plan.Step) { s.Prerequisites[0].Doc = "" }, true},
		{"instructions", func(s *plan.Step) { s.Instructions = "Do not." }, false},
		{"a prerequisite", func(s *plan.Step) { s.Prerequisites[0].Name = "c" }, false},
		{"a criterion", func(s *plan.Step) { s.Criteria[0].Min = 1 }, false},
		{"no criteria", func(s *plan.Step) { s.Criteria = nil }, false},
	} {
		s := step()
		tt.change(&s)
		assert.Equal(t, tt.same, stepFingerprint(s) == was, tt.name)
	}
	p := plan.Plan{Title: "x", Steps: []plan.Step{step()}}
	fingerprint := planFingerprint(p)
	p.Title = "y"
	assert.Equal(t, fingerprint, planFingerprint(p))
	p.Gate = []plan.Command{{Args: []string{"make"}}}
	assert.NotEqual(t, fingerprint, planFingerprint(p))
	assert.Equal(t, 3, step().Line, "what is fingerprinted stays as it is")
}

func TestTableFingerprints(t *testing.T) {
	policy := taxonomy.Policy{MaxAttempts: 2}
	of := func(all reactions, tiers ...taxonomy.Tier) string {
		w := all.wired()
		w.table.Tiers = tiers
		return tableFingerprint(taxonomy.Table{Taxonomy: w.table})
	}
	base := of(reactions{"a": {Action: taxonomy.Retry, Policy: &policy}})
	assert.Equal(t, base, of(reactions{"a": {Action: taxonomy.Retry, Policy: &taxonomy.Policy{MaxAttempts: 2}}}))
	for _, other := range []string{
		of(nil), of(reactions{"a": {Action: taxonomy.Block, Policy: &policy}}),
		of(reactions{"a": {Action: taxonomy.Retry}}),
		of(reactions{"a": {Action: taxonomy.Retry, Policy: &policy, Then: &taxonomy.Reaction{}}}),
		of(reactions{"a": {Action: taxonomy.Retry, Policy: &policy}}, taxonomy.Tier{Name: "low"}),
		tableFingerprint(taxonomy.Table{}),
	} {
		assert.NotEqual(t, base, other)
	}
}
