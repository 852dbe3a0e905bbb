package taxonomy_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var errPlain = errors.New("plain")

// equalTables holds that two tables say the same.
func equalTables(t testing.TB, want, got taxonomy.Table, about ...any) {
	t.Helper()
	wantRows, wantReaction := said(want)
	gotRows, gotReaction := said(got)
	require.Equal(t, len(wantRows), len(gotRows))
	for i := range wantRows {
		require.Equal(t, wantRows[i], gotRows[i], append(about, "row", i)...)
	}
	require.Equal(t, wantReaction, gotReaction, about...)
}

// sectionsOf returns the profile of a table without its name and rows. One that a run has of its
// own has no name to call its numbers by.
func sectionsOf(table taxonomy.Table) taxonomy.Profile {
	if table.Overlay == nil {
		return taxonomy.Profile{
			Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
			Recovery:  taxonomy.Recovery{Enabled: true},
			Retry:     taxonomy.RetryDefaults{Enabled: true}, Reporting: taxonomy.Reporting{Context: true},
		}
	}
	p := taxonomy.Profile{
		Detection: table.Overlay.Detection, Recovery: table.Overlay.Recovery, Retry: table.Overlay.Retry,
		Reporting: table.Overlay.Reporting,
	}
	if p.Retry.Policy != nil {
		p.Retry.Policy = new(*p.Retry.Policy)
		p.Retry.Policy.Name = "retry"
	}
	return p
}

// What a run overrides means what the same text means in a profile.
func TestOverrideIsLikeAProfile(t *testing.T) {
	for _, text := range []string{
		"{reactions: {stop: {log: {level: info, message: ''}}, again: {action: retry_operation}}}",
		"{reactions: {wait: {action: escalate, then: stop}, again: {action: recover, strategy: rest}}}",
		"{reactions: {ask: {action: escalate}, up: {action: retry, to: high, purpose: analysis, then: block}}}",
		"{reactions: {block: {log: {level: error}, extent: run}}, codes: {S: {reaction: block}}}",
		"{reactions: {wait: {revert: files, accept_completion: false, feed_back: false, shared: run, " +
			"honor_retry_after: false}, calm: {resume: operation, session: fresh, count_failure: false, " +
			"policy: slow}}}",
		"{policies: {slow: {max_delay: 1h, max_retry_after: 5m, max_elapsed: 6h, multiplier: 1.5, backoff: linear, " +
			"jitter: full}, fast: {max_delay: 1h, jitter: 0}}}",
		"{policies: {slow: {adapt: {attempts: {min: 2, max: 6}, delay: {min: 500ms}}, budget: {retries: 0.2}}, " +
			"fast: {max_attempts: 2, adapt: {delay: {max: 1s}}, budget: {retries: 1.5, " +
			"breaker: {of: 20, probe: 1m}}}}}",
		"{codes: {'*': {reaction: calm}, '@auth': {reaction: block}, '@net': {reaction: continue}, net: {severity: " +
			"high}, C: {reaction: stop}}}",
		"{codes: {'*': {reaction: {retryable: block, permanent: continue}, retryable: false}, I: {retryable: true}}}",
		"{codes: {'*': {severity: critical, http: 503, kind: failure}, net: {http: 500, grpc: CANCELLED}, W: " +
			"{recoverability: unknown}, R: {retryable: false}}}",
		"{detection: {text: false, severity: false}, recovery: {max_attempts: 2, allowed: [rest]}}",
		"{recovery: {allowed: []}, reporting: {log_level: debug, stack: true, context: false}}",
		"{retry: {enabled: false, initial_delay: 2s, jitter: 0.5, adapt: {attempts: {max: 4}}, budget: {retries: " +
			"0.1}}}",
	} {
		t.Run(text, func(t *testing.T) {
			declared := tableOf(t, overridden+"profiles:\n  it: "+text+"\n")
			want, err := declared.Profile("it")
			require.NoError(t, err)
			got, err := declared.Override(decoded(t, text))
			require.NoError(t, err)
			equalTables(t, want, got)
			assert.Equal(t, sectionsOf(want), sectionsOf(got))
			again, err := got.Override(decoded(t, "{codes: {}}"))
			require.NoError(t, err)
			equalTables(t, want, again, "nothing laid over it")
		})
	}
}

// Overrides compose on top of a profile, as if the profile said both.
func TestOverrideOfAProfile(t *testing.T) {
	for _, tt := range []struct{ name, profile, over, both string }{
		{"policies field by field",
			"{policies: {slow: {max_attempts: 9, max_delay: 1h}}}", "{policies: {slow: {max_attempts: 2}}}",
			"{policies: {slow: {max_attempts: 2, max_delay: 1h}}}"},
		{"reactions field by field",
			"{reactions: {wait: {then: stop}, again: {log: {level: info}}}}",
			"{reactions: {wait: {feed_back: false}, again: {log: {message: Again.}}}}",
			"{reactions: {wait: {then: stop, feed_back: false}, again: {log: {level: info, message: Again.}}}}"},
		{"a code against all", "{codes: {S: {reaction: continue, http: 404}}}",
			"{codes: {'*': {reaction: block, severity: high}}}",
			"{codes: {S: {reaction: block, http: 404, severity: high}, '*': {reaction: block, severity: high}}}"},
		{"a reaction that the profile has another version of",
			"{reactions: {wait: {then: stop}}}", "{codes: {R: {reaction: {retryable: wait}}}}",
			"{reactions: {wait: {then: stop}}, codes: {R: {reaction: {retryable: wait}}}}"},
		{"a policy that the profile has another version of",
			"{policies: {fast: {max_attempts: 9}}}", "{reactions: {again: {policy: fast}}}",
			"{policies: {fast: {max_attempts: 9}}, reactions: {again: {policy: fast}}}"},
		{"purposes field by field", "{reactions: {ask: {to: high}, up: {purpose: analysis}}}",
			"{reactions: {ask: {purpose: diagnosis}, up: {to: high}}}",
			"{reactions: {ask: {to: high, purpose: diagnosis}, up: {to: high, purpose: analysis}}}"},
		{"a kind of reaction that the profile has changed", "{reactions: {up: {action: retry, then: block}}}",
			"{reactions: {up: {to: low, purpose: analysis}}}",
			"{reactions: {up: {action: retry, to: low, purpose: analysis, then: block}}}"},
		{"retries that are off stay off",
			"{retry: {enabled: false}}", "{codes: {'*': {reaction: {retryable: wait, permanent: calm}}}}",
			"{retry: {enabled: false}, codes: {'*': {reaction: {retryable: wait, permanent: calm}}}}"},
		{"strategies that are off stay off",
			"{recovery: {allowed: [reduce]}}", "{codes: {R: {reaction: calm}}}",
			"{recovery: {allowed: [reduce]}, codes: {R: {reaction: calm}}}"},
		{"what a profile does not rate", "{detection: {severity: false, recoverability: false}}",
			"{codes: {'*': {severity: high, http: 500}}}",
			"{detection: {severity: false, recoverability: false}, codes: {'*': {http: 500}}}"},
		{"a flag taken away by the profile stays away", "{codes: {R: {retryable: false}}}",
			"{codes: {net: {severity: high}}, reactions: {again: {log: {level: error}}}}",
			"{codes: {R: {retryable: false}, net: {severity: high}}, reactions: {again: {log: {level: error}}}}"},
		{"sections field by field",
			"{detection: {text: false}, recovery: {max_attempts: 2, allowed: [rest]}, retry: {max_attempts: 7}, " +
				"reporting: {log_level: error, stack: true}}",
			"{detection: {severity: false}, recovery: {max_attempts: 4}, retry: {initial_delay: 2s}, reporting: " +
				"{stack: false}}",
			"{detection: {text: false, severity: false}, recovery: {max_attempts: 4, allowed: [rest]}, retry: " +
				"{max_attempts: 7, initial_delay: 2s}, reporting: {log_level: error, stack: false}}"},
		{"adapt and budget field by field",
			"{policies: {fast: {adapt: {target: 0.7}, budget: {retries: 0.5, breaker: {of: 9}}}}}",
			"{policies: {fast: {adapt: {attempts: {max: 9}}, budget: {reserve: 1, breaker: {failures: 4}}}}}",
			"{policies: {fast: {adapt: {target: 0.7, attempts: {max: 9}}, budget: {retries: 0.5, reserve: 1, " +
				"breaker: {of: 9, failures: 4}}}}}"},
		{"retries switched off", "{policies: {slow: {max_attempts: 9}}}", "{retry: {enabled: false}}",
			"{policies: {slow: {max_attempts: 9}}, retry: {enabled: false}}"},
		{"retries switched on", "{retry: {enabled: false}}", "{retry: {enabled: true}}", "{}"},
		{"retries switched on, with what the profile says besides",
			"{retry: {enabled: false}, reactions: {up: {session: fresh}, calm: {session: fresh}, shorter: " +
				"{feed_back: true}}, codes: {R: {severity: critical}}}",
			"{retry: {enabled: true}, reactions: {again: {policy: fast}}}",
			"{reactions: {up: {session: fresh}, calm: {session: fresh}, shorter: {feed_back: true}, again: " +
				"{policy: fast}}, codes: {R: {severity: critical}}}"},
		{"retries switched on, and a policy that the profile has another version of",
			"{retry: {enabled: false}, policies: {slow: {max_attempts: 9}}}", "{retry: {enabled: true}}",
			"{policies: {slow: {max_attempts: 9}}}"},
		{"retries switched on for codes that the profile sends elsewhere",
			"{retry: {enabled: false}, codes: {R: {reaction: block}}}",
			"{retry: {enabled: true}, codes: {W: {reaction: again}}}",
			"{codes: {R: {reaction: block}, W: {reaction: again}}}"},
		{"retries switched on where the flag was taken away",
			"{retry: {enabled: false}, codes: {R: {retryable: false}, W: {retryable: false}}}",
			"{retry: {enabled: true}}", "{codes: {R: {retryable: false}, W: {retryable: false}}}"},
		{"strategies switched on", "{recovery: {enabled: false}}", "{recovery: {enabled: true}}", "{}"},
		{"strategies switched on, retries left off", "{recovery: {enabled: false}, retry: {enabled: false}}",
			"{recovery: {enabled: true}}", "{retry: {enabled: false}}"},
		{"other strategies", "{recovery: {allowed: [rest]}}", "{recovery: {allowed: [reduce]}}",
			"{recovery: {allowed: [reduce]}}"},
		{"one strategy more",
			"{recovery: {allowed: []}, reactions: {calm: {log: {level: info}}}}", "{recovery: {allowed: [rest]}}",
			"{recovery: {allowed: [rest]}, reactions: {calm: {log: {level: info}}}}"},
		{"everything off, everything on",
			"{recovery: {enabled: false, allowed: []}, retry: {enabled: false}, detection: {text: false, severity: " +
				"false, recoverability: false}, reporting: {context: false}}",
			"{recovery: {enabled: true, allowed: [reduce, rest]}, retry: {enabled: true}, detection: {text: true, " +
				"severity: true, recoverability: true}, reporting: {context: true}}",
			"{recovery: {allowed: [reduce, rest]}}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := tableOf(t, overridden+"profiles:\n  it: "+tt.profile+"\n  both: "+tt.both+"\n")
			profile, err := base.Profile("it")
			require.NoError(t, err)
			want, err := base.Profile("both")
			require.NoError(t, err)
			got, err := profile.Override(decoded(t, tt.over))
			require.NoError(t, err)
			equalTables(t, want, got)
			assert.Equal(t, sectionsOf(want), sectionsOf(got))
			assert.Equal(t, "it", got.Overlay.Name)
		})
	}
}

// The shipped taxonomy: its profile `unattended` as overrides of the table, and once more over the
// profile itself.
func TestOverrideOfTheShippedTaxonomy(t *testing.T) {
	o := decoded(t, `
reactions:
  backoff: {then: stop}
  wait: {then: stop}
policies:
  api: {max_attempts: 3}
  rate_limit: {max_attempts: 13, max_retry_after: 1m, max_elapsed: 1m}
`)
	want, err := errs.Table.Profile("unattended")
	require.NoError(t, err)
	got, err := errs.Table.Override(o)
	require.NoError(t, err)
	equalTables(t, want, got)
	twice, err := want.Override(o)
	require.NoError(t, err)
	equalTables(t, want, twice)
	assert.True(t, twice.Overlay.Reporting.Stack, "the profile's own settings stay")
}

func TestOverrideLeavesTheTaxonomyAlone(t *testing.T) {
	base := tableOf(t, overridden)
	before, err := json.Marshal(base.Taxonomy)
	require.NoError(t, err)
	o := decoded(
		t, "{codes: {'*': {reaction: block, severity: high}}, reactions: {again: {then: stop}}, policies: {slow: "+
			"{max_attempts: 9}}}")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := base.Override(o)
			assert.NoError(t, err)
			equalTables(t, got, got)
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

// Of rows that a group or a reaction shares, those that may be retried are, and the others are not.
func TestOverrideNeverRetriesThePermanent(t *testing.T) {
	for _, text := range []string{
		"{codes: {'*': {reaction: again, retryable: true}}}",
		"{codes: {net: {reaction: once}}}",
		"{codes: {'*': {reaction: {retryable: wait, permanent: again}}}}",
		"{reactions: {stop: {action: retry, then: block}}}",
	} {
		base := tableOf(t, overridden)
		got, err := base.Override(decoded(t, text))
		require.NoError(t, err)
		for row := range base.Taxonomy.Rows() {
			before, after := base.Row(row), got.Row(row)
			if !before.Retryable {
				assert.False(t, after.Retryable, text)
				assert.NotContains(t, []taxonomy.Action{taxonomy.Retry, taxonomy.RetryOperation}, after.Reaction.Action,
					text)
			}
		}
	}
}

func TestOverridesJSONAndYAML(t *testing.T) {
	text := `{
"codes": {"*": {"reaction": {"retryable": "block"}, "http": 500}, "S": {"reaction": "stop", "retryable": false}},
"reactions": {"again": {"policy": "slow", "then": "stop", "log": {"level": "error", "message": ""}}, "up": {"to": "high", "purpose": "analysis"}},
"policies": {"slow": {"jitter": "full", "max_delay": "5s"}, "fast": {"jitter": 0.5}},
"uncategorized": "stop",
"detection": {"text": false},
"recovery": {"max_attempts": 2, "allowed": []},
"retry": {"enabled": true, "max_attempts": 7, "budget": {"retries": 0, "reserve": 0, "window": "1m"}},
"reporting": {"log_level": "warn", "stack": false}}`
	var fromJSON taxonomy.Overrides
	require.NoError(t, json.Unmarshal([]byte(text), &fromJSON))
	assert.Equal(t, decoded(t, text), fromJSON, "YAML and JSON mean the same")
	b, err := json.Marshal(fromJSON)
	require.NoError(t, err)
	assert.Contains(t, string(b), `"allowed":[]`, "an empty list is not the same as none")
	var back taxonomy.Overrides
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, fromJSON, back)
	b, err = yaml.Marshal(fromJSON)
	require.NoError(t, err)
	assert.Equal(t, fromJSON, decoded(t, string(b)))
	assert.NotNil(t, decoded(t, string(b)).Recovery.Allowed)
	assert.Nil(t, decoded(t, "{recovery: {enabled: true}}").Recovery.Allowed)
}

// An unknown key is an error, because ignoring it could leave something on that it was to switch
// off.
func TestOverridesAreStrict(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"x": 1}`, `"x"`},
		{`{"recovery": {"alowed": ["x"]}}`, `"alowed"`},
		{`{"retry": {"enabled": true, "max_tries": 2}}`, `"max_tries"`},
		{`{"detection": {"texts": true}}`, `"texts"`},
		{`{"reporting": {"level": "warn"}}`, `"level"`},
		{`{"codes": {"A": {"retriable": true}}}`, `"retriable"`},
		{`{"codes": {"A": {"reaction": {"permanent": "stop", "polcy": "x"}}}}`, `"polcy"`},
		{`{"reactions": {"again": {"akshun": "retry"}}}`, `"akshun"`},
		{`{"reactions": {"again": {"policy": {"max_attempts": 2}}}}`, "policy"},
		{`{"policies": {"slow": {"adapt": {"attempts": {"most": 2}}}}}`, `"most"`},
		{`{"policies": {"slow": {"budget": {"breaker": {"after": 2}}}}}`, `"after"`},
		{`{"policies": {"slow": {"jitter": true}}}`, "string"},
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

// A taxonomy made by hand need not list what every taxonomy has.
func TestOverrideOfABareTaxonomy(t *testing.T) {
	stop := &taxonomy.Reaction{Name: "stop"}
	bare := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{
		Package: "bare", Categories: []*taxonomy.Category{
			{Name: "c", Codes: []taxonomy.Code{{}, {Value: "X", Traits: taxonomy.Traits{Reaction: stop}}}},
		},
		None: taxonomy.Traits{Reaction: stop}, Permanent: taxonomy.Traits{Reaction: stop},
		Reactions: []*taxonomy.Reaction{stop},
	}}
	got, err := bare.Override(decoded(t, "{codes: {X: {reaction: block, severity: low}}, uncategorized: continue}"))
	require.NoError(t, err)
	rows, uncategorized := said(got)
	assert.Equal(t, []taxonomy.Traits{{Reaction: stop}, {Reaction: stop}, {
		Reaction: &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}, Severity: taxonomy.SeverityLow,
	}}, rows, "without a fallback nothing covers the rows without a code")
	assert.Equal(t, taxonomy.Reaction{Name: "continue", Action: taxonomy.Continue}, uncategorized)
	assert.Equal(t, taxonomy.Profile{
		Rows: got.Overlay.Rows, Uncategorized: got.Overlay.Uncategorized,
		Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
		Recovery:  taxonomy.Recovery{Enabled: true},
		Retry:     taxonomy.RetryDefaults{Enabled: true}, Reporting: taxonomy.Reporting{Context: true},
	}, *got.Overlay, "as a profile that says nothing else")

	_, err = bare.Override(decoded(t, "{reactions: {stop: {action: retry, to: low, purpose: analysis}}}"))
	assert.ErrorContains(t, err, "reactions.stop: the taxonomy has no tiers")
	_, err = bare.Override(decoded(t, "{reactions: {stop: {action: escalate}}, policies: {p: {max_attempts: 1}}}"))
	assert.EqualError(t, err, `bare: overrides: policies: no policy "p"; there are none
reactions.stop: the taxonomy has no tiers`)
}

// FuzzOverride takes any JSON: it ends, changes no static data, and retries nothing that is
// permanent.
func FuzzOverride(f *testing.F) {
	for _, seed := range []string{
		`{"codes": {"*": {"reaction": {"retryable": "again", "permanent": "wait"}, "retryable": true}}}`,
		`{"reactions": {"abort": {"action": "recover", "strategy": "rest", "then": "abort"},` +
			` "again": {"then": "again"}}}`,
		`{"retry": {"enabled": false, "max_attempts": 2}, "recovery": {"allowed": ["rest"]},` +
			` "policies": {"slow": {"adapt": {"delay": {"max": "3s"}}, "budget": {"breaker": {"failures": 2}}}}}`,
		`{"reactions": {"ask": {"action": "escalate", "purpose": "diagnosis"},` +
			` "up": {"action": "retry", "to": "boss", "purpose": "analysis"}}}`,
		`{"policies": {"slow": {"max_attempts": -1, "jitter": 1e999, "max_delay": "99999999h"}},` +
			` "uncategorized": "again"}`,
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
