package taxonomy_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Whatever a profile has on and off, switches that a run sets all of mean what a profile with just
// those means.
func TestOverrideSwitchesAtRandom(t *testing.T) {
	for seed := range uint64(200) {
		g := generator{rand.New(rand.NewPCG(seed, 2))}
		src := strings.Replace(overridden, "action: recover, strategy: rest, then: stop",
			"action: recover, strategy: rest, then: "+g.one("stop", "shorter", "wait", "up"), 1)
		profile, all := g.switches(), g.switches()
		both, err := yaml.Marshal(map[string]taxonomy.Overrides{"it": profile, "all": all})
		require.NoError(t, err)
		base := tableOf(t, src+"profiles:\n  "+strings.ReplaceAll(string(both), "\n", "\n  ")+"\n")
		before, err := base.Profile("it")
		require.NoError(t, err)
		want, err := base.Profile("all")
		require.NoError(t, err)
		got, err := before.Override(all)
		require.NoError(t, err)
		equalTables(t, want, got, string(both))
		assert.Equal(t, sectionsOf(want), sectionsOf(got))
	}
}

// switches are all that can be on or off.
func (g generator) switches() taxonomy.Overrides {
	return taxonomy.Overrides{
		Detection: &taxonomy.DetectionOverride{Text: new(g.maybe(2)), Severity: new(g.maybe(2)),
			Recoverability: new(g.maybe(2))},
		Recovery: &taxonomy.RecoveryOverride{
			Enabled: new(!g.maybe(3)), MaxAttempts: new(g.IntN(3)),
			Allowed: [][]string{{}, {"rest"}, {"reduce"}, {"rest", "reduce"}}[g.IntN(4)],
		},
		Retry: &taxonomy.RetryOverride{Enabled: new(g.maybe(2))},
		Reporting: &taxonomy.ReportingOverride{LogLevel: g.one("debug", "error"), Stack: new(g.maybe(2)),
			Context: new(g.maybe(2))},
	}
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
