package taxonomy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var errPlain = errors.New("plain")

// overridden is a taxonomy that has everything an override can meet.
const overridden = `
errgen: 1
package: errs
groups: {auth: A., net: N.}
strategies: {reduce: R., rest: R.}
tiers: {low: {}, high: {purpose: analysis}, boss: {person: true}}
policies:
  slow: {initial_delay: 2s, adapt: {attempts: {min: 2, max: 6}, delay: {min: 1s, max: 5s}}}
  fast:
    {initial_delay: 0s, max_delay: 1s, jitter: 0.1, max_retry_after: 1m, adapt: {attempts: {max: 6}}, budget: {breaker: {failures: 3}}}
reactions:
  again:   {action: retry, policy: slow, then: up}
  up:      {action: escalate, purpose: diagnosis, then: once}
  ask:     {action: retry, to: low, purpose: verification, policy: slow}
  once:    {action: retry_operation, policy: {max_attempts: 2}, then: stop}
  stop:    {action: abort, log: {level: warn, message: Stopping.}}
  shorter: {action: recover, strategy: reduce, policy: slow, session: reduced, then: again}
  calm:    {action: recover, strategy: rest, then: stop}
  wait:    {action: retry, policy: fast, count_failure: false, honor_retry_after: true, shared: credential, revert: iteration, accept_completion: true, feed_back: true}
fallback: {code: R}
uncategorized: again
categories:
  net:
    severity: low
    http: 502
    grpc: UNAVAILABLE
    fields: {n: {type: int}, after: {type: duration, from: retry_after}, files: {type: strings, from: files}}
    codes:
      R: {message: r, retryable: true, reaction: again, groups: [net, auth], when: [{if: {n: 1}, retryable: false, reaction: stop}]}
      S: {message: s, reaction: stop, groups: [auth]}
      W: {message: w, aliases: [net.wait], names: [pause], retryable: true, recoverability: recoverable, reaction: wait}
  job:
    fields: {after: {type: duration, from: retry_after}, files: {type: strings, from: files}}
    codes:
      C: {message: c, retryable: true, reaction: shorter}
      D: {message: d, reaction: calm}
      Q: {message: q, retryable: true, reaction: ask}
      I: {message: i, retryable: true, reaction: {action: retry, then: {action: retry_operation, policy: slow, then: stop}}}
`

// tableOf returns the table of a taxonomy, as generating and compiling it would.
func tableOf(t testing.TB, src string) taxonomy.Table {
	t.Helper()
	tree, findings := spec.Parse("taxonomy.yaml", []byte(src))
	require.False(t, diag.HasErrors(findings), findings)
	return taxonomy.Table{Taxonomy: resolve.Build(tree).Taxonomy}
}

// decoded reads overrides as a configuration holds them.
func decoded(t testing.TB, text string) taxonomy.Overrides {
	t.Helper()
	var o taxonomy.Overrides
	require.NoError(t, yaml.Unmarshal([]byte(text), &o))
	return o
}

// chains returns the reactions of each code and its branches, and of an error that is not of the
// taxonomy, as a program walks them: names, and the numbers of attempts of their policies.
func chains(t testing.TB, table taxonomy.Table) map[string]string {
	t.Helper()
	text := func(r taxonomy.Reaction) string {
		var names []string
		for _, step := range table.Overlay.Chain(&r) {
			name := step.Name
			if step.Action == taxonomy.Block && name != "block" {
				name += "!"
			}
			if step.Policy != nil {
				name += "/" + string(rune('0'+step.Policy.MaxAttempts))
			}
			names = append(names, name)
		}
		return strings.Join(names, " ")
	}
	out := map[string]string{"plain": text(table.Reaction(errPlain))}
	for row, code := range table.Taxonomy.Codes() {
		out[code.Value] = text(*table.Row(row).Reaction)
		for i := range code.When {
			out[fmt.Sprintf("%s.%d", code.Value, i+1)] = text(*table.Row(row.When(uint8(i + 1))).Reaction)
		}
	}
	out["unknown"] = text(*table.Row(taxonomy.RowUnknown).Reaction)
	return out
}

// declaredChains are the chains without overrides.
var declaredChains = map[string]string{
	"R": "again/3 up once/2 stop", "R.1": "stop", "S": "stop", "W": "wait/3 block",
	"C": "shorter/3 again/3 up once/2 stop",
	"D": "calm stop", "Q": "ask/3 block", "I": "I I.then/3 stop", "plain": "again/3 up once/2 stop",
	"unknown": "again/3 up once/2 stop",
}

func TestOverrideReactions(t *testing.T) {
	for _, tt := range []struct {
		name, profile, over string
		want                map[string]string // that differ
	}{
		{"a code with its branches", "{}", "{codes: {R: block, net: continue}}",
			map[string]string{"R": "block", "R.1": "block", "S": "continue", "W": "continue", "unknown": "block"}},
		{"a further name", "{}", "{codes: {pause: calm}}", map[string]string{"W": "calm stop"}},
		{"an alias", "{}", "{codes: {net.wait: calm}}", map[string]string{"W": "calm stop"}},
		{"a code before its category before all", "{}", "{codes: {'*': continue, net: block, S: stop}}",
			map[string]string{"R": "block", "R.1": "block", "W": "block", "C": "continue", "D": "continue",
				"Q": "continue", "I": "continue", "unknown": "block"}},
		{"no retry of codes that are not retryable", "{}", "{codes: {job: ask}}",
			map[string]string{"C": "ask/3 block", "I": "ask/3 block"}},
		{"uncategorized", "{}", "{uncategorized: stop}", map[string]string{"plain": "stop"}},
		{"a policy, wherever it is", "{}", "{policies: {slow: {max_attempts: 7}}}", map[string]string{
			"R": "again/7 up once/2 stop", "C": "shorter/7 again/7 up once/2 stop", "Q": "ask/7 block",
			"I": "I I.then/7 stop", "plain": "again/7 up once/2 stop", "unknown": "again/7 up once/2 stop",
		}},
		{"a reaction with a policy", "{}", "{codes: {W: again}, policies: {slow: {max_attempts: 2}}}",
			map[string]string{
				"R": "again/2 up once/2 stop", "C": "shorter/2 again/2 up once/2 stop", "Q": "ask/2 block",
				"I": "I I.then/2 stop", "plain": "again/2 up once/2 stop", "unknown": "again/2 up once/2 stop",
				"W": "again/2 up once/2 stop",
			}},
		{"a reaction that the profile changes", "{reactions: {wait: {then: stop}}}", "{codes: {R: wait}}",
			map[string]string{"R": "wait/3 stop", "unknown": "wait/3 stop", "W": "wait/3 stop"}},
		{"a policy that the profile changes", "{policies: {fast: {max_attempts: 2, max_delay: 9s}}}",
			"{policies: {fast: {initial_delay: 2s}}}", map[string]string{"W": "wait/2 block"}},
		{"retries off", "{}", "{retry: {enabled: false}}", map[string]string{
			"R": "up stop", "W": "block", "C": "shorter/3 up stop", "Q": "block", "I": "stop", "plain": "up stop",
			"unknown": "up stop",
		}},
		{"retries on again", "{retry: {enabled: false}}", "{retry: {enabled: true}}", nil},
		{"retries off stay off", "{retry: {enabled: false}, recovery: {allowed: []}}", "{codes: {'*': calm}}",
			map[string]string{"R": "stop", "S": "stop", "W": "stop", "C": "stop", "D": "stop", "Q": "stop", "I": "stop",
				"plain": "up stop", "unknown": "stop"}},
		{"strategies", "{recovery: {allowed: [reduce]}}", "{recovery: {allowed: [rest]}}", map[string]string{
			"C": "again/3 up once/2 stop"}},
		{"no strategies", "{}", "{recovery: {max_attempts: 0}}", map[string]string{
			"C": "again/3 up once/2 stop", "D": "stop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table, err := tableOf(t, overridden+"profiles:\n  it: "+tt.profile+"\n").Profile("it")
			require.NoError(t, err)
			table, err = table.Override(decoded(t, tt.over))
			require.NoError(t, err)
			want := map[string]string{}
			for code, chain := range declaredChains {
				want[code] = chain
			}
			for code, chain := range tt.want {
				want[code] = chain
			}
			assert.Equal(t, want, chains(t, table))
			assert.Equal(t, "it", table.Overlay.Name)
		})
	}
}

// named is a taxonomy whose names have several meanings: reactions and policies in place have the
// names of codes, categories and reactions.
const named = `
errgen: 1
package: errs
policies: {wait: {max_attempts: 4}, slow: {max_attempts: 5}}
reactions:
  stop:  {action: abort}
  calm:  {action: recover, strategy: rest, then: stop}
  wait:  {action: retry, policy: {max_attempts: 2}}
  slow:  {action: retry, policy: slow}
  sleep: {action: retry, policy: wait}
strategies: {rest: R.}
uncategorized: stop
categories:
  stop:
    codes:
      A: {message: a, retryable: true, reaction: wait}
      B: {value: net.b, message: b, retryable: true, reaction: wait}
      slow: {value: net.slow, message: slow, retryable: true, reaction: {action: retry, policy: {max_attempts: 3}}}
  slow:
    codes:
      E: {message: e, retryable: true, reaction: sleep}
      F: {value: B.f, message: f, retryable: true, reaction: sleep}
`

func TestOverrideNames(t *testing.T) {
	for _, tt := range []struct {
		name, profile string
		overs         []string
		want          map[string]string // that differ
	}{
		{"the profile's version of a reaction without a row", "{reactions: {calm: {then: block}}}",
			[]string{"{codes: {A: calm}}"}, map[string]string{"A": "calm block"}},
		{"a reaction whose successor the profile changes", "{reactions: {stop: {action: block}}}",
			[]string{"{codes: {A: calm}}"}, map[string]string{"A": "calm stop!", "plain": "stop!"}},
		{"the profile's version of a policy without a row", "{policies: {slow: {max_attempts: 2}}}",
			[]string{"{codes: {A: slow}}"}, map[string]string{"A": "slow/2 block"}},
		{"the profile's version of a predeclared reaction", "{reactions: {continue: {action: block}}}",
			[]string{"{codes: {A: continue}}"}, map[string]string{"A": "continue!"}},
		{"a changed policy without a row, named later", "{}",
			[]string{"{policies: {slow: {max_attempts: 7}}}", "{codes: {A: slow}}"},
			map[string]string{"A": "slow/7 block"}},
		{"a policy changed by the profile and twice", "{policies: {slow: {max_attempts: 2}}}",
			[]string{
				"{policies: {slow: {max_attempts: 7}}}", "{policies: {slow: {max_delay: 1m}}}", "{codes: {A: slow}}",
			},
			map[string]string{"A": "slow/7 block"}},
		{"a reaction in place with the name of a declared one",
			"{codes: {stop: {reaction: {action: retry, policy: {max_attempts: 9}}}}}", []string{"{codes: {E: stop}}"},
			map[string]string{"A": "stop/9 block", "net.b": "stop/9 block", "net.slow": "stop/9 block", "E": "stop"}},
		{"a policy in place with the name of a declared one", "{}", []string{"{policies: {wait: {max_attempts: 7}}}"},
			map[string]string{"E": "sleep/7 block", "B.f": "sleep/7 block"}},
		{"a profile's policy in place with the name of a declared one",
			"{codes: {slow: {reaction: {action: retry, policy: {max_attempts: 9}}}}}",
			[]string{"{policies: {slow: {max_attempts: 7}}}"}, map[string]string{"net.slow": "slow/9 block"}},
		{"a code's key in the file", "{}", []string{"{codes: {B: stop}}"}, map[string]string{"net.b": "stop"}},
		{"a code's value before its key", "{}", []string{"{codes: {net.b: stop, B: calm}}"},
			map[string]string{"net.b": "stop"}},
		{"a code before a category of its name", "{}", []string{"{codes: {slow: stop}}"},
			map[string]string{"net.slow": "stop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plain := tableOf(t, named+"profiles:\n  it: "+tt.profile+"\n")
			want := chains(t, plain)
			maps.Copy(want, tt.want)
			table, err := plain.Profile("it")
			require.NoError(t, err)
			for _, over := range tt.overs {
				table, err = table.Override(decoded(t, over))
				require.NoError(t, err)
			}
			assert.Equal(t, want, chains(t, table))
		})
	}
}

// A code that is not retryable keeps the taxonomy's reaction, if the profile's version retries. Its
// policy is then the taxonomy's version.
func TestOverridePolicyOfKeptReaction(t *testing.T) {
	table, err := tableOf(t, `
errgen: 1
package: errs
policies: {p: {max_attempts: 3}}
strategies: {rest: R.}
reactions: {calm: {action: recover, strategy: rest, policy: p, then: abort}}
categories: {a: {codes: {A: {message: a, reaction: calm}}}}
profiles: {it: {reactions: {calm: {action: retry}}, policies: {p: {max_attempts: 2}}}}
`).Profile("it")
	require.NoError(t, err)
	assert.Equal(t, "calm/3 abort", chains(t, table)["A"])
	got := table
	for _, tt := range []struct{ over, want string }{
		{"{policies: {p: {max_attempts: 7}}}", "calm/7 abort"},
		{"{policies: {p: {max_delay: 1m}}}", "calm/7 abort"},
		{"{policies: {p: {max_attempts: 9}}}", "calm/9 abort"},
	} {
		got, err = got.Override(decoded(t, tt.over))
		require.NoError(t, err)
		assert.Equal(t, tt.want, chains(t, got)["A"], tt.over)
	}
	row, _ := got.Taxonomy.Find("A")
	assert.Equal(t, time.Minute, got.Row(row).Reaction.Policy.MaxDelay)
	_, err = table.Override(decoded(t, "{policies: {p: {max_attempts: 0}}}"))
	assert.EqualError(t, err, "errs: overrides: policies.p.max_attempts: 0 is out of range (1 to 1000000)",
		"once, for both versions")
}

// Overrides of a table that has the same overrides add nothing to it.
func TestOverrideRepeatedly(t *testing.T) {
	table, err := tableOf(t, overridden+"profiles: {it: {policies: {slow: {max_attempts: 2}}}}\n").Profile("it")
	require.NoError(t, err)
	var sizes []int
	for range 5 {
		table, err = table.Override(decoded(t, "{policies: {slow: {max_delay: 1m}, fast: {max_attempts: 2}}}"))
		require.NoError(t, err)
		sizes = append(sizes, len(fmt.Sprintf("%+v", *table.Overlay)))
	}
	assert.Equal(t, slices.Repeat(sizes[:1], 5), sizes)
}

// The profile of a generated package has its versions of reactions and policies too.
func TestOverrideGeneratedProfile(t *testing.T) {
	table, err := errs.Table.Profile(errs.ProfileUnattended)
	require.NoError(t, err)
	table, err = table.Override(decoded(t, "{policies: {rate_limit: {initial_delay: 9s}}}"))
	require.NoError(t, err)
	table, err = table.Override(decoded(t, "{codes: {PROVIDER_CRASH: wait}}"))
	require.NoError(t, err)
	r := table.Reaction(errs.NewProviderCrash("p", "x"))
	assert.Equal(t, []any{"wait", "stop", 13, 9 * time.Second, time.Minute},
		[]any{r.Name, r.Then.Name, r.Policy.MaxAttempts, r.Policy.InitialDelay, r.Policy.MaxRetryAfter})
}

func TestOverrideNumbers(t *testing.T) {
	declared := taxonomy.Policy{
		Name: "slow", MaxAttempts: 3, InitialDelay: 2 * time.Second, MaxDelay: 30 * time.Second, Multiplier: 2,
		MaxRetryAfter: 30 * time.Second,
		Adapt: &taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6, MinDelay: time.Second, MaxDelay: 5 * time.Second,
			Target: 0.8, Window: 50},
	}
	for over, change := range map[string]func(p *taxonomy.Policy){
		"{}": func(*taxonomy.Policy) {},
		"{max_attempts: 9, max_elapsed: 1h, multiplier: 1.5, backoff: linear, jitter: 0.5}": func(p *taxonomy.Policy) {
			p.MaxAttempts, p.MaxElapsed, p.Multiplier, p.Backoff = 9, time.Hour, 1.5, taxonomy.Linear
			p.JitterKind, p.Jitter = taxonomy.JitterProportional, 0.5
			p.Adapt.MaxAttempts = 9
		},
		"{max_attempts: 1}": func(p *taxonomy.Policy) {
			p.MaxAttempts, p.Adapt.MinAttempts, p.Adapt.MaxAttempts = 1, 1, 1
		},
		"{max_delay: 1h}": func(p *taxonomy.Policy) { p.MaxDelay, p.MaxRetryAfter = time.Hour, time.Hour },
		"{max_delay: 1h, max_retry_after: 1m}": func(p *taxonomy.Policy) {
			p.MaxDelay, p.MaxRetryAfter = time.Hour, time.Minute
		},
		"{max_delay: 1s}": func(p *taxonomy.Policy) {
			p.InitialDelay, p.MaxDelay, p.MaxRetryAfter = time.Second, time.Second, time.Second
			p.Adapt.MaxDelay = time.Second
		},
		"{initial_delay: 1m}": func(p *taxonomy.Policy) {
			p.InitialDelay, p.MaxDelay, p.MaxRetryAfter = time.Minute, time.Minute, time.Minute
			p.Adapt.MaxDelay = time.Minute
		},
		"{initial_delay: 10ms}": func(p *taxonomy.Policy) {
			p.InitialDelay, p.Adapt.MinDelay = 10*time.Millisecond, 10*time.Millisecond
		},
	} {
		t.Run(over, func(t *testing.T) {
			want, adapt := declared, *declared.Adapt
			want.Adapt = &adapt
			change(&want)
			base := tableOf(t, overridden)
			got, err := base.Override(decoded(t, "{policies: {slow: "+over+"}}"))
			require.NoError(t, err)
			row, _ := base.Taxonomy.Find("R")
			assert.Equal(t, want, *got.Row(row).Reaction.Policy)
		})
	}
}

func TestOverrideSections(t *testing.T) {
	base := tableOf(t, overridden)
	got, err := base.Override(decoded(t, "{detection: {text: false}, recovery: {max_attempts: 2, allowed: [rest]}, "+
		"retry: {max_attempts: 7, max_delay: 5s}, reporting: {log_level: warn, stack: true, context: false}}"))
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Profile{
		Uncategorized: got.Overlay.Uncategorized,
		Detection:     taxonomy.Detection{Severity: true, Recoverability: true},
		Recovery:      taxonomy.Recovery{Enabled: true, MaxAttempts: 2, Allowed: []string{"rest"}},
		Retry: taxonomy.RetryDefaults{Enabled: true, Policy: &taxonomy.Policy{Name: "retry", MaxAttempts: 7,
			InitialDelay: time.Second, MaxDelay: 5 * time.Second, MaxRetryAfter: 5 * time.Second, Multiplier: 2}},
		Reporting: taxonomy.Reporting{LogLevel: taxonomy.LogWarn, Stack: true},
	}, *got.Overlay)
	got, err = got.Override(decoded(t, "{recovery: {enabled: false}, retry: {initial_delay: 2s}}"))
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Recovery{MaxAttempts: 2, Allowed: []string{"rest"}}, got.Overlay.Recovery)
	assert.Equal(t, []any{7, 2 * time.Second}, []any{got.Overlay.Retry.Policy.MaxAttempts,
		got.Overlay.Retry.Policy.InitialDelay})
}

// Overrides change of a report only what they set.
func TestOverrideReporting(t *testing.T) {
	for _, tt := range []struct {
		profile, over           string
		stack, context, records bool
		level                   taxonomy.LogLevel
	}{
		{"", "{codes: {R: block}}", true, false, false, taxonomy.LogNone},
		{"", "{reporting: {log_level: warn}}", true, false, false, taxonomy.LogWarn},
		{"", "{reporting: {stack: true}}", true, false, true, taxonomy.LogNone},
		{"", "{reporting: {stack: false}}", false, false, false, taxonomy.LogNone},
		{"", "{reporting: {context: true}}", true, true, false, taxonomy.LogNone},
		{"{}", "{codes: {R: block}}", false, true, false, taxonomy.LogNone},
		{"{reporting: {stack: true, context: false, log_level: info}}", "{codes: {R: block}}", true, false, true,
			taxonomy.LogInfo},
		{"{reporting: {stack: true}}", "{reporting: {stack: false, context: false}}", false, false, false,
			taxonomy.LogNone},
	} {
		t.Run(tt.profile+tt.over, func(t *testing.T) {
			table := tableOf(t, overridden)
			assert.Equal(t, []bool{true, false}, []bool{table.ReportsStack(), table.ReportsContext()}, "no overrides")
			if tt.profile != "" {
				var err error
				table, err = tableOf(t, overridden+"profiles:\n  it: "+tt.profile+"\n").Profile("it")
				require.NoError(t, err)
			}
			for _, over := range []string{tt.over, "{codes: {S: block}}"} {
				var err error
				table, err = table.Override(decoded(t, over))
				require.NoError(t, err)
				assert.Equal(t, []bool{tt.stack, tt.context}, []bool{table.ReportsStack(), table.ReportsContext()})
				assert.Equal(t, tt.records, table.Trace(errPlain) != errPlain)
				assert.Equal(t, tt.level, table.Overlay.Reporting.LogLevel)
			}
		})
	}
}

func TestOverrideMistakes(t *testing.T) {
	for _, tt := range []struct{ over, paths string }{
		{"{codes: {X: block}}", "codes.X"},
		{"{codes: {'@auth': block}}", "codes.@auth"},
		{"{codes: {R: stopp}}", "codes.R"},
		{"{codes: {R: I}}", "codes.R"},
		{"{uncategorized: x}", "uncategorized"},
		{"{policies: {x: {max_attempts: 1}}}", "policies.x"},
		{"{policies: {once: {max_attempts: 1}}}", "policies.once"},
		{"{policies: {slow: {max_attempts: 0, multiplier: 0.5, jitter: 1.5, max_elapsed: -1s}}}",
			"policies.slow.max_attempts policies.slow.multiplier policies.slow.jitter policies.slow.max_elapsed"},
		{"{policies: {slow: {initial_delay: 2s, max_delay: 1s}}}", "policies.slow.max_delay"},
		{"{policies: {slow: {multiplier: .nan, max_retry_after: -1s}}}",
			"policies.slow.multiplier policies.slow.max_retry_after"},
		{"{recovery: {allowed: [rest, sleep], max_attempts: -1}}", "recovery.max_attempts recovery.allowed"},
		{"{retry: {max_attempts: 0}}", "retry.max_attempts"},
		{"{codes: {S: again}}", "codes.S"},
		{"{codes: {D: shorter}}", "codes.D"},
		{"{codes: {X: y, R: z}, policies: {slow: {max_attempts: 1000001}}}",
			"policies.slow.max_attempts codes.R codes.X codes.X"},
	} {
		t.Run(tt.over, func(t *testing.T) {
			got, err := tableOf(t, overridden).Override(decoded(t, tt.over))
			require.Error(t, err)
			assert.Equal(t, taxonomy.Table{}, got)
			var paths []string
			for line := range strings.SplitSeq(strings.TrimPrefix(err.Error(), "errs: overrides: "), "\n") {
				path, _, _ := strings.Cut(line, ":")
				paths = append(paths, path)
			}
			assert.Equal(t, strings.Fields(tt.paths), paths, err)
		})
	}
	_, err := tableOf(t, "errgen: 1\npackage: errs\ncategories: {a: {codes: {A: {message: a}}}}\n").Override(
		decoded(t, "{policies: {x: {max_attempts: 1}}}"))
	assert.EqualError(t, err, `errs: overrides: policies.x: no policy "x"; there are none`)
	_, err = taxonomy.Table{}.Override(taxonomy.Overrides{})
	assert.EqualError(t, err, "overrides: the table has no taxonomy")
}

func TestOverrideLeavesTheTaxonomyAlone(t *testing.T) {
	base := tableOf(t, overridden)
	before, err := json.Marshal(base.Taxonomy)
	require.NoError(t, err)
	o := decoded(t, "{codes: {'*': block}, policies: {slow: {max_attempts: 9}}}")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := base.Override(o)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	after, err := json.Marshal(base.Taxonomy)
	require.NoError(t, err)
	assert.JSONEq(t, string(before), string(after))
	same, err := base.Override(taxonomy.Overrides{})
	require.NoError(t, err)
	assert.Equal(t, base, same, "no overrides, no overlay")
}

func TestOverridesJSONAndYAML(t *testing.T) {
	text := `{
"codes": {"*": "block", "S": "stop"},
"policies": {"slow": {"max_delay": "5s", "backoff": "linear"}, "fast": {"jitter": 0.5}},
"uncategorized": "stop",
"detection": {"text": false},
"recovery": {"max_attempts": 2, "allowed": []},
"retry": {"enabled": true, "max_attempts": 7},
"reporting": {"log_level": "warn", "stack": false}}`
	var fromJSON taxonomy.Overrides
	require.NoError(t, json.Unmarshal([]byte(text), &fromJSON))
	assert.Equal(t, decoded(t, text), fromJSON, "YAML and JSON mean the same")
	b, err := json.Marshal(fromJSON)
	require.NoError(t, err)
	assert.JSONEq(t, text, string(b), "an empty list is not the same as none")
	assert.Nil(t, decoded(t, "{recovery: {enabled: true}}").Recovery.Allowed)
}

// An unknown key is an error, because ignoring it could leave something on that it was to switch
// off.
func TestOverridesAreStrict(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"x": 1}`, `"x"`},
		{`{"reactions": {"again": {"then": "stop"}}}`, `"reactions"`},
		{`{"recovery": {"alowed": ["x"]}}`, `"alowed"`},
		{`{"retry": {"enabled": true, "max_tries": 2}}`, `"max_tries"`},
		{`{"detection": {"texts": true}}`, `"texts"`},
		{`{"reporting": {"level": "warn"}}`, `"level"`},
		{`{"policies": {"slow": {"adapt": {"target": 0.5}}}}`, `"adapt"`},
		{`{"policies": {"slow": {"backoff": "no"}}}`, "backoff"},
		{`{"policies": {"slow": {"initial_delay": "5"}}}`, "duration"},
		{`{"codes": {"A": {"reaction": "stop"}}}`, "codes"},
		{`{"uncategorized": 7}`, "uncategorized"},
	} {
		var o taxonomy.Overrides
		assert.ErrorContains(t, json.Unmarshal([]byte(tt.text), &o), tt.want, tt.text)
		assert.Equal(t, taxonomy.Overrides{}, o, "nothing of it is taken: %s", tt.text)
		strict := yaml.NewDecoder(strings.NewReader(tt.text))
		strict.KnownFields(true)
		if strings.HasPrefix(tt.want, `"`) {
			assert.ErrorContains(t, strict.Decode(&o), strings.Trim(tt.want, `"`), tt.text)
		}
	}
}

// FuzzOverride takes any JSON: it ends, changes no static data, and retries nothing that is
// permanent.
func FuzzOverride(f *testing.F) {
	for _, seed := range []string{
		`{"codes": {"*": "again", "net": "wait"}, "uncategorized": "again"}`,
		`{"retry": {"enabled": false, "max_attempts": 2}, "recovery": {"allowed": ["rest"]}}`,
		`{"policies": {"slow": {"max_attempts": -1, "jitter": 1e999, "max_delay": "99999999h"}}}`,
	} {
		f.Add([]byte(seed))
	}
	base, err := tableOf(
		f, overridden+
			"profiles: {quiet: {retry: {enabled: false}, recovery: {allowed: [reduce]}, reactions: {up: {session: "+
			"fresh}}}}\n").Profile("quiet")
	require.NoError(f, err)
	before, _ := json.Marshal(base.Taxonomy)
	f.Fuzz(func(t *testing.T, text []byte) {
		var o taxonomy.Overrides
		if json.Unmarshal(text, &o) != nil {
			return
		}
		got, err := base.Override(o)
		after, _ := json.Marshal(base.Taxonomy)
		require.JSONEq(t, string(before), string(after))
		if err != nil {
			return
		}
		for i := range base.Taxonomy.Rows() {
			row := got.Row(i)
			if base.Row(i).Retryable {
				continue
			}
			require.False(t, row.Retryable)
			for r, steps := row.Reaction, 0; r != nil; r = r.Then {
				require.NotContains(t, []taxonomy.Action{taxonomy.Retry, taxonomy.RetryOperation}, r.Action)
				steps++
				require.Less(t, steps, 100)
			}
		}
	})
}
