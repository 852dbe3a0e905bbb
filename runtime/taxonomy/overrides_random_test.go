package taxonomy_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// needFields are what errgen finds by the fields of a taxonomy, which a table does not tell the
// roles of.
var needFields = []string{"E-role-field"}

// Overrides at random mean what the same profile means to errgen, and what errgen refuses is
// refused.
func TestOverrideAtRandom(t *testing.T) {
	base := tableOf(t, overridden)
	equal, refused := 0, 0
	for seed := range uint64(500) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		o := g.overrides()
		text, err := yaml.Marshal(o)
		require.NoError(t, err)
		profile := "profiles:\n  it:\n    doc: D.\n    " + strings.ReplaceAll(string(text), "\n", "\n    ") + "\n"
		m, findings := check.Load("taxonomy.yaml", []byte(overridden+profile))
		got, err := base.Override(o)
		if m == nil {
			if errors := slices.DeleteFunc(findings, func(f diag.Finding) bool {
				return f.Severity != diag.Error || slices.Contains(needFields, f.ID)
			}); len(errors) > 0 {
				require.Error(t, err, "errgen refuses %v in\n%s", errors, profile)
				refused++
			}
			continue
		}
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				require.Contains(t, line, "nothing that it covers", "errgen refuses nothing in\n%s", profile)
			}
			continue
		}
		want, err := taxonomy.Table{Taxonomy: m.Taxonomy}.Profile("it")
		require.NoError(t, err)
		equalTables(t, want, got, profile)
		equal++
	}
	assert.Greater(t, equal, 100)
	assert.Greater(t, refused, 100)
}

type generator struct{ *rand.Rand }

// maybe reports true once in n times.
func (g generator) maybe(n int) bool { return g.IntN(n) == 0 }

func (g generator) one(words ...string) string { return words[g.IntN(len(words))] }

// word returns one of the words, or mostly none.
func (g generator) word(words ...string) string {
	if !g.maybe(4) {
		return ""
	}
	return g.one(words...)
}

func (g generator) flag() *bool {
	if !g.maybe(5) {
		return nil
	}
	return new(g.maybe(2))
}

var (
	someReactions = []string{"again", "up", "once", "stop", "shorter", "calm", "wait", "ask", "abort", "block",
		"continue"}
	someActions = []string{"retry", "retry_operation", "continue", "abort", "block", "escalate", "recover"}
)

func (g generator) overrides() taxonomy.Overrides {
	var o taxonomy.Overrides
	for range g.IntN(3) {
		if o.Codes == nil {
			o.Codes = map[string]taxonomy.TraitsOverride{}
		}
		o.Codes[g.one("R", "S", "W", "C", "D", "Q", "I", "net", "job", "@auth", "@net", "*")] = g.traits()
	}
	for range g.IntN(3) {
		if o.Reactions == nil {
			o.Reactions = map[string]taxonomy.ReactionOverride{}
		}
		name := g.one(someReactions...)
		r := g.reaction()
		if name == "abort" || name == "block" || name == "continue" {
			// errgen does not look for circles of these
			r = taxonomy.ReactionOverride{Log: &taxonomy.LogOverride{Level: "info"}}
		}
		o.Reactions[name] = r
	}
	if o.Codes == nil && o.Reactions == nil || g.maybe(2) {
		o.Policies = map[string]taxonomy.PolicyOverride{g.one("slow", "fast"): g.policy()}
	}
	g.sections(&o)
	return o
}

func (g generator) traits() taxonomy.TraitsOverride {
	o := taxonomy.TraitsOverride{
		Kind: g.word("fault", "failure"), Severity: g.word("low", "medium", "high", "critical"), Retryable: g.flag(),
		Recoverability: g.word("retryable", "recoverable", "permanent", "unknown"), GRPC: g.word("ABORTED", "INTERNAL"),
	}
	if g.maybe(4) {
		o.HTTP = new(400 + g.IntN(200))
	}
	if g.maybe(2) {
		o.Reaction = &taxonomy.ReactionRef{Name: g.one(someReactions...)}
		if g.maybe(3) {
			o.Reaction = &taxonomy.ReactionRef{Retryable: g.one(someReactions...), Permanent: g.word(someReactions...)}
		}
	}
	return o
}

func (g generator) reaction() taxonomy.ReactionOverride {
	o := taxonomy.ReactionOverride{Action: g.word(someActions...)}
	if g.maybe(2) {
		o.Log = &taxonomy.LogOverride{Level: g.one("debug", "info", "warn", "error")}
	}
	if g.maybe(4) {
		o.Then = g.one(someReactions...)
	}
	if g.maybe(5) {
		o.Policy = g.one("slow", "fast")
	}
	// Each of these is refused with some actions, so that most must be without.
	switch g.IntN(18) {
	case 0:
		o.CountFailure = new(g.maybe(2))
	case 1:
		o.HonorRetryAfter = new(g.maybe(2))
	case 2:
		o.AcceptCompletion = new(g.maybe(2))
	case 3:
		o.FeedBack = new(g.maybe(2))
	case 4:
		o.Shared = g.one("run", "credential")
	case 5:
		o.Revert = g.one("files", "iteration")
	case 6:
		o.Extent = g.one("task", "run")
	case 7:
		o.Session = g.one("keep", "fresh", "reduced")
	case 8:
		o.Resume = g.one("iteration", "operation")
	case 9:
		o.To = g.one("low", "high", "boss")
	case 10:
		o.Purpose = g.one("diagnosis", "analysis", "verification")
	case 11:
		o.To, o.Purpose = g.one("low", "high", "boss"), g.one("diagnosis", "analysis", "verification")
	}
	if o.Action == "recover" && !g.maybe(5) {
		o.Strategy = g.one("reduce", "rest")
	}
	if o == (taxonomy.ReactionOverride{}) {
		o.Log = &taxonomy.LogOverride{Level: "info"}
	}
	return o
}

func (g generator) policy() taxonomy.PolicyOverride {
	o := taxonomy.PolicyOverride{
		InitialDelay: g.word("0s", "1s", "3s"), MaxDelay: g.word("500ms", "5s", "1h"), MaxElapsed: g.word("1h"),
		MaxRetryAfter: g.word("10m"),
		Backoff:       g.word("constant", "linear", "exponential"),
		Jitter:        taxonomy.JitterText(g.word("none", "full", "decorrelated")),
	}
	if g.maybe(3) {
		o.MaxAttempts = new(g.IntN(5))
	}
	if g.maybe(5) {
		o.Multiplier = new(float64(g.IntN(4)))
	}
	if g.maybe(5) {
		o.Adapt = g.adapt()
	}
	if g.maybe(5) {
		o.Budget = g.budget()
	}
	if o == (taxonomy.PolicyOverride{}) {
		o.MaxAttempts = new(4)
	}
	return o
}

// number returns a number from least on, or mostly none.
func (g generator) number(least, below int) *int {
	if g.maybe(2) {
		return nil
	}
	return new(least + g.IntN(below-least))
}

func (g generator) share(n int) *float64 {
	if g.maybe(2) {
		return nil
	}
	return new(float64(g.IntN(n)) / 8)
}

func (g generator) adapt() *taxonomy.AdaptOverride {
	o := &taxonomy.AdaptOverride{Window: g.number(9, 60)}
	if o.Window == nil || g.maybe(2) {
		o.Attempts = &taxonomy.AttemptsOverride{Max: new(g.IntN(8))}
		o.Attempts.Min = g.number(0, 4)
	}
	if g.maybe(2) {
		o.Delay = &taxonomy.DelayOverride{Min: g.word("0s", "1s", "10ms"), Max: g.one("500ms", "1s", "5s", "0s")}
	}
	if g.maybe(4) {
		o.Target = new(float64(g.IntN(9)) / 8)
	}
	return o
}

func (g generator) budget() *taxonomy.BudgetOverride {
	o := &taxonomy.BudgetOverride{Retries: g.share(16)}
	if g.maybe(4) {
		o.Reserve = new(g.IntN(4))
	}
	if g.maybe(4) {
		o.Window = g.one("0s", "1s", "1m")
	}
	if o.Retries == nil && o.Reserve == nil && o.Window == "" || g.maybe(2) {
		o.Breaker = &taxonomy.BreakerOverride{Failures: g.number(0, 5), Of: new(1 + g.IntN(9)),
			Probe: g.word("0s", "1s")}
		if g.maybe(4) {
			o.Breaker.Successes = new(g.IntN(3))
		}
	}
	return o
}

// sections changes a profile's sections, each seldom.
func (g generator) sections(o *taxonomy.Overrides) {
	if g.maybe(6) {
		o.Detection = &taxonomy.DetectionOverride{Text: g.flag(), Severity: new(g.maybe(2)), Recoverability: g.flag()}
	}
	if g.maybe(6) {
		o.Recovery = &taxonomy.RecoveryOverride{Enabled: g.flag(), MaxAttempts: new(g.IntN(9))}
		if g.maybe(2) {
			o.Recovery.Allowed = [][]string{{}, {"rest"}, {"reduce"}, {"rest", "reduce"}, {"sleep"}}[g.IntN(5)]
		}
	}
	if g.maybe(6) {
		o.Retry = &taxonomy.RetryOverride{Enabled: new(g.maybe(2))}
		if g.maybe(2) {
			o.Retry.PolicyOverride = g.policy()
		}
	}
	if g.maybe(6) {
		o.Reporting = &taxonomy.ReportingOverride{LogLevel: g.word("debug", "info", "warn", "error"),
			Stack: new(g.maybe(2)), Context: g.flag()}
	}
}
