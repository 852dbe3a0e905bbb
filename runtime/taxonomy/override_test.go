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

// What a run overrides means what the same text means in a profile.
func TestOverrideIsLikeAProfile(t *testing.T) {
	for _, text := range []string{
		"{reactions: {stop: {log: {level: error}}}}",
		"{reactions: {stop: {log: {level: info, message: ''}}}}",
		"{policies: {slow: {max_attempts: 9}}}",
		"{policies: {slow: {max_delay: 1h}}}",
		"{policies: {slow: {max_delay: 1h, max_retry_after: 5m, max_elapsed: 6h, multiplier: 1.5, backoff: linear, jitter: full}}}",
		"{policies: {fast: {max_delay: 1h, jitter: 0}}}",
		"{policies: {fast: {jitter: decorrelated}, slow: {jitter: 0.5}}}",
		"{reactions: {stop: {action: abort}}, policies: {slow: {initial_delay: 2s}}}",
		"{reactions: {again: {action: abort}}}",
		"{reactions: {again: {action: retry_operation}}}",
		"{reactions: {again: {action: recover, strategy: rest}}}",
		"{reactions: {wait: {action: recover, strategy: rest}}}",
		"{reactions: {wait: {action: escalate, then: stop}}}",
		"{reactions: {up: {action: continue}}}",
		"{reactions: {up: {to: high, session: fresh}}}",
		"{reactions: {block: {log: {level: error}, extent: run}}, codes: {S: {reaction: block}}}",
		"{codes: {'*': {reaction: calm}, '@auth': {reaction: block}, '@net': {reaction: continue}, net: {severity: high}, C: {reaction: stop}}}",
		"{codes: {'@auth': {reaction: block}, net: {reaction: continue}}}",
		"{codes: {'*': {reaction: {retryable: block, permanent: continue}}}}",
		"{codes: {'*': {reaction: calm}, job: {reaction: {retryable: block}}}}",
		"{codes: {S: {reaction: {action: block, log: {level: error}}}, '@net': {reaction: {action: abort, extent: run}}, '*': {reaction: {action: continue}}}}",
		"{codes: {'*': {reaction: {action: retry, policy: {max_attempts: 7, jitter: 0.25}, then: {action: escalate, then: {action: abort, extent: run}}}}}}",
		"{codes: {'*': {reaction: continue}, '@auth': {reaction: again}}}",
		"{reactions: {stop: {action: retry, then: block}}}",
		"{codes: {I: {retryable: false}}}",
		"{codes: {R: {retryable: false}, W: {retryable: false}}}",
		"{codes: {'*': {retryable: false}, I: {retryable: true}}}",
		"{codes: {W: {recoverability: unknown}, R: {recoverability: retryable, retryable: true}}}",
		"{codes: {'*': {severity: critical, http: 503, kind: failure}, net: {http: 500, grpc: CANCELLED}, R: {retryable: false}}}",
		"{reactions: {once: {then: {action: block, log: {level: error}}}}}",
		"{reactions: {again: {policy: fast, then: block, count_failure: false}}, policies: {fast: {max_attempts: 2}}}",
		"{reactions: {again: {policy: {max_attempts: 4, max_delay: 2s}}}}",
		"{reactions: {wait: {revert: files, accept_completion: false, feed_back: false, shared: run, honor_retry_after: false}}}",
		"{reactions: {calm: {resume: operation, session: fresh, count_failure: false, policy: slow}}}",
	} {
		t.Run(text, func(t *testing.T) {
			declared := tableOf(t, overridden+"profiles:\n  it: "+text+"\n")
			want, err := declared.Profile("it")
			require.NoError(t, err)
			got, err := declared.Override(decoded(t, text))
			require.NoError(t, err)
			equalTables(t, want, got)
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
			"{reactions: {wait: {then: stop}, again: {log: {level: info}}}}", "{reactions: {wait: {feed_back: false}, again: {log: {message: Again.}}}}",
			"{reactions: {wait: {then: stop, feed_back: false}, again: {log: {level: info, message: Again.}}}}"},
		{"a code against all", "{codes: {S: {reaction: continue, http: 404}}}", "{codes: {'*': {reaction: block, severity: high}}}",
			"{codes: {S: {reaction: block, http: 404, severity: high}, '*': {reaction: block, severity: high}}}"},
		{"a reaction that the profile has another version of",
			"{reactions: {wait: {then: stop}}}", "{codes: {R: {reaction: {retryable: wait}}}}",
			"{reactions: {wait: {then: stop}}, codes: {R: {reaction: {retryable: wait}}}}"},
		{"a policy that the profile has another version of",
			"{policies: {fast: {max_attempts: 9}}}", "{reactions: {again: {policy: fast}}}",
			"{policies: {fast: {max_attempts: 9}}, reactions: {again: {policy: fast}}}"},
		{"a reaction that the profile ends, taken up again",
			"{reactions: {wait: {action: abort}}}", "{reactions: {wait: {action: retry}}}",
			"{reactions: {wait: {action: retry}}}"},
		{"retries that are off stay off",
			"{retry: {enabled: false}}", "{codes: {'*': {reaction: {retryable: wait, permanent: calm}}}}",
			"{retry: {enabled: false}, codes: {'*': {reaction: {retryable: wait, permanent: calm}}}}"},
		{"strategies that are off stay off",
			"{recovery: {allowed: [reduce]}}", "{codes: {R: {reaction: calm}}}",
			"{recovery: {allowed: [reduce]}, codes: {R: {reaction: calm}}}"},
		{"what a profile does not rate", "{detection: {severity: false, recoverability: false}}", "{codes: {'*': {severity: high, http: 500}}}",
			"{detection: {severity: false, recoverability: false}, codes: {'*': {http: 500}}}"},
		{"a flag taken away by the profile stays away", "{codes: {R: {retryable: false}}}", "{codes: {net: {severity: high}}, reactions: {again: {log: {level: error}}}}",
			"{codes: {R: {retryable: false}, net: {severity: high}}, reactions: {again: {log: {level: error}}}}"},
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
			assert.Equal(t, "it", got.Overlay.Name)
			assert.Equal(t, profile.Overlay.Detection, got.Overlay.Detection)
			assert.Equal(t, profile.Overlay.Recovery, got.Overlay.Recovery)
		})
	}
}

// The shipped taxonomy: its profile `unattended` as overrides of the table, and once more over the profile itself.
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
	o := decoded(t, "{codes: {'*': {reaction: block, severity: high}}, reactions: {again: {then: stop}}, policies: {slow: {max_attempts: 9}}}")
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

func TestOverrideProblems(t *testing.T) {
	for _, tt := range []struct{ name, over, want string }{
		{"no such code", "{codes: {X: {http: 500}}}", `codes: no code or category "X"; there are net, job, R, S, W, C, D, I`},
		{"no such group", "{codes: {'@x': {http: 500}}}", `codes: no group "x"; there are auth, net`},
		{"a code twice", "{codes: {W: {http: 500}, net.wait: {http: 501}}}", "codes: W and net.wait are the same code"},
		{"no such reaction", "{reactions: {x: {extent: run}}}", `reactions: no reaction "x"; there are stop, once, up, again, shorter, calm, block, wait, abort, continue`},
		{"no such policy", "{policies: {x: {max_attempts: 1}}}", `policies: no policy "x"; there are slow, fast`},
		{"a reaction's policy", "{reactions: {again: {policy: x}}}", `reactions.again.policy: no policy "x"; there are slow, fast`},
		{"a code's reaction", "{codes: {R: {reaction: stopp}}}", `codes.R.reaction: no reaction "stopp"`},
		{"a code's reaction by flag", "{codes: {R: {reaction: {retryable: stop, permanent: stopp}}}}", `codes.R.reaction: no reaction "stopp"`},
		{"what follows", "{reactions: {again: {then: x}}}", `reactions.again.then: no reaction "x"`},
		{"what follows in place", "{codes: {R: {reaction: {action: retry, then: {action: retry, then: x}}}}}", `codes.R.reaction.then.then: no reaction "x"`},
		{"uncategorized", "{uncategorized: x}", `uncategorized: no reaction "x"`},
		{"uncategorized by flag", "{uncategorized: {retryable: stop}}", "uncategorized: only overrides of codes choose by retryable and permanent"},
		{"strategy", "{reactions: {calm: {strategy: x}}}", `reactions.calm.strategy: no strategy "x"; there are reduce, rest`},
		{"tier", "{reactions: {up: {to: x}}}", `reactions.up.to: no tier "x"; there are low, high`},
		{"action", "{reactions: {again: {action: retri}}}", `reactions.again.action: "retri" is none of abort, block, continue, retry, retry_operation, escalate, recover`},
		{"other words", "{reactions: {again: {session: new, revert: none, log: {level: loud}}}}", `reactions.again.session: "new" is none of keep, fresh, reduced
reactions.again.revert: "none" is none of files, iteration
reactions.again.log.level: "loud" is none of debug, info, warn, error`},
		{"words of codes", "{codes: {R: {severity: none, kind: x, recoverability: never, grpc: OKAY}}}", `codes.R.severity: "none" is none of low, medium, high, critical
codes.R.kind: "x" is none of fault, failure
codes.R.grpc: "OKAY" is none of OK, CANCELLED,`},
		{"HTTP", "{codes: {R: {http: 1}}}", "codes.R.http: 1 is no HTTP status: they go from 100 to 599"},
		{"flag against recoverability", "{codes: {R: {retryable: false, recoverability: retryable}}}", "codes.R: retryable is false, and recoverability is retryable"},
		{"flag and in place", "{codes: {R: {reaction: {retryable: stop, action: abort}}}}", "codes.R.reaction: either chooses by retryable and permanent, or stands in place"},
		{"in place without action", "{codes: {R: {reaction: {extent: run}}}}", "codes.R.reaction: a reaction in place needs an action"},
		{"a circle", "{reactions: {up: {then: again}}}", "reactions.again.then: then leads in a circle: up, again, up"},
		{"a circle in place", "{reactions: {calm: {then: {action: retry, then: calm}}}}", "reactions.calm.then.then: then leads in a circle: calm, calm.then, calm"},
		{"keys of another action", "{reactions: {stop: {policy: slow, session: fresh, to: high, feed_back: true}}}", `reactions.stop: abort does not take policy
reactions.stop: abort does not take session
reactions.stop: abort does not take to
reactions.stop: abort does not take feed_back`},
		{"recover needs", "{reactions: {again: {action: recover}}}", "reactions.again: recover needs a strategy"},
		{"retry_operation needs", "{reactions: {stop: {action: retry_operation, policy: slow}}}", "reactions.stop: retry_operation needs then"},
		{"completion needs", "{reactions: {again: {accept_completion: true}}}", "reactions.again: accept_completion needs revert"},
		{"a log without a level", "{reactions: {again: {log: {message: Hm.}}}}", "reactions.again: log needs a level"},
		{"no bounds", "{reactions: {calm: {count_failure: false}}}", "reactions.calm: nothing bounds this: it does not count as a failure and has no policy"},
		{"bounds of a policy", "{policies: {slow: {max_attempts: 0, multiplier: 0.5, jitter: 1.5, initial_delay: 5, max_elapsed: -1s, backoff: no}}}", `policies.slow.max_attempts: at least 1, not 0: it counts calls in total, the first included
policies.slow.multiplier: at least 1, not 0.5
policies.slow.initial_delay: "5" is no duration, such as 1.5s or 2h
policies.slow.max_elapsed: -1s is negative
policies.slow.backoff: "no" is none of exponential, constant, linear
policies.slow.jitter: "1.5" is neither a number from 0 to 1 nor none, full or decorrelated`},
		{"delays", "{policies: {slow: {max_delay: 1s}}}", "policies.slow: max_delay 1s is below initial_delay 2s"},
		{"a code that is not retryable", "{codes: {S: {reaction: again}}}", "codes.S.reaction: nothing that it covers is retryable"},
		{"a flag", "{codes: {job: {severity: low}, S: {retryable: true}}}", "codes.S.retryable: nothing that it covers is retryable"},
		{"a reaction that only serves what is not retryable", "{reactions: {calm: {action: retry, then: block}}}", "reactions.calm: nothing that it covers is retryable"},
		{"everything at once", "{codes: {X: {http: 1}, R: {reaction: y}}, reactions: {z: {}, again: {policy: q}}, policies: {slow: {max_attempts: -1}}}", "codes: no code or category \"X\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := tableOf(t, overridden)
			got, err := base.Override(decoded(t, tt.over))
			require.Error(t, err)
			assert.Equal(t, taxonomy.Table{}, got)
			assert.ErrorContains(t, err, tt.want)
			assert.True(t, strings.HasPrefix(err.Error(), "errs: overrides: "), err)
			lines := strings.Split(err.Error(), "\n")
			assert.Equal(t, len(lines), len(unique(lines)), "each said once: %s", err)
		})
	}
	_, err := tableOf(t, overridden).Override(decoded(t, "{codes: {X: {http: 1}, R: {reaction: y}}, reactions: {z: {}, again: {policy: q}}, policies: {slow: {max_attempts: -1}}}"))
	assert.Len(t, strings.Split(err.Error(), "\n"), 6)
	_, err = taxonomy.Table{}.Override(taxonomy.Overrides{})
	assert.EqualError(t, err, "overrides: the table has no taxonomy")
}

func unique(lines []string) map[string]bool {
	set := map[string]bool{}
	for _, line := range lines {
		set[line] = true
	}
	return set
}

// Of rows that a group or a reaction shares, those that may be retried are, and the others are not.
func TestOverrideNeverRetriesThePermanent(t *testing.T) {
	for _, text := range []string{
		"{codes: {'*': {reaction: again, retryable: true}}}",
		"{codes: {net: {reaction: {action: retry_operation, policy: slow, then: stop}}}}",
		"{codes: {'*': {reaction: {retryable: wait, permanent: again}}}}",
		"{reactions: {stop: {action: retry, then: block}}}",
	} {
		base := tableOf(t, overridden)
		got, err := base.Override(decoded(t, text))
		require.NoError(t, err)
		for i := range base.Taxonomy.Rows {
			before, after := base.Row(taxonomy.Row(i)), got.Row(taxonomy.Row(i))
			if !before.Retryable {
				assert.False(t, after.Retryable, text)
				assert.NotContains(t, []taxonomy.Action{taxonomy.Retry, taxonomy.RetryOperation}, after.Reaction.Action, text)
			}
		}
	}
}

func TestOverridesAreKept(t *testing.T) {
	text := `{
"codes": {"*": {"reaction": {"retryable": "block"}, "http": 500}, "S": {"reaction": "stop", "retryable": false}},
"reactions": {"again": {"policy": {"max_attempts": 2, "jitter": 0.5}, "then": {"action": "abort", "log": {"level": "error", "message": ""}}}, "up": {"policy": "slow"}},
"policies": {"slow": {"jitter": "full", "max_delay": "5s"}},
"uncategorized": "stop"}`
	var fromJSON taxonomy.Overrides
	require.NoError(t, json.Unmarshal([]byte(text), &fromJSON))
	assert.Equal(t, decoded(t, text), fromJSON, "YAML and JSON mean the same")
	b, err := json.Marshal(fromJSON)
	require.NoError(t, err)
	var back taxonomy.Overrides
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, fromJSON, back)
	b, err = yaml.Marshal(fromJSON)
	require.NoError(t, err)
	assert.Equal(t, fromJSON, decoded(t, string(b)))

	both := taxonomy.ReactionRef{Retryable: "stop", Inline: &taxonomy.ReactionOverride{Action: "abort"}}
	b, err = json.Marshal(both)
	require.NoError(t, err)
	assert.JSONEq(t, `{"retryable": "stop", "action": "abort"}`, string(b), "a mistake is kept, too")

	for _, broken := range []string{
		`{"uncategorized": {"akshun": "retry"}}`, `{"uncategorized": 7}`, `{"reactions": {"again": {"policy": {"max": 1}}}}`,
		`{"policies": {"slow": {"jitter": true}}}`, `{"reactions": {"again": {"policy": []}}}`,
	} {
		assert.Error(t, json.Unmarshal([]byte(broken), &back), broken)
	}
	for _, broken := range []string{"uncategorized: [a]", "reactions: {again: {policy: [a]}}"} {
		assert.Error(t, yaml.Unmarshal([]byte(broken), &back), broken)
	}
	strict := yaml.NewDecoder(strings.NewReader("uncategorized: {akshun: retry}"))
	strict.KnownFields(true)
	assert.ErrorContains(t, strict.Decode(&back), "akshun")
}

// A taxonomy made by hand need not list what every taxonomy has.
func TestOverrideOfABareTaxonomy(t *testing.T) {
	stop := &taxonomy.Reaction{Name: "stop"}
	bare := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{
		Package: "bare", Categories: []taxonomy.Category{{Name: "c", Count: 1}}, Codes: []taxonomy.Code{{Value: "X", Row: 2}}, ByValue: []uint16{0},
		Rows:      []taxonomy.RowTraits{{Reaction: stop}, {Reaction: stop}, {Reaction: stop, Code: 1}},
		Reactions: []*taxonomy.Reaction{stop},
	}}
	got, err := bare.Override(decoded(t, "{codes: {X: {reaction: block, severity: low}}, uncategorized: continue}"))
	require.NoError(t, err)
	rows, uncategorized := said(got)
	assert.Equal(t, []taxonomy.RowTraits{{Reaction: stop}, {Reaction: stop}, {
		Reaction: &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}, Code: 1, Severity: taxonomy.SeverityLow,
	}}, rows, "without a fallback nothing covers the rows without a code")
	assert.Equal(t, taxonomy.Reaction{Name: "continue", Action: taxonomy.Continue}, uncategorized)
	assert.Equal(t, taxonomy.Profile{
		Rows: got.Overlay.Rows, Uncategorized: got.Overlay.Uncategorized,
		Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true}, Recovery: taxonomy.Recovery{Enabled: true},
		Retry: taxonomy.RetryDefaults{Enabled: true}, Reporting: taxonomy.Reporting{Context: true},
	}, *got.Overlay, "as a profile that says nothing else")

	_, err = bare.Override(decoded(t, "{reactions: {stop: {action: escalate}}, policies: {p: {max_attempts: 1}}}"))
	assert.EqualError(t, err, `bare: overrides: policies: no policy "p"; there are none
reactions.stop: there is nobody to escalate to: the taxonomy has no tiers`)
}

// FuzzOverride takes any JSON: it ends, changes no static data, and retries nothing that is permanent.
func FuzzOverride(f *testing.F) {
	for _, seed := range []string{
		`{"codes": {"*": {"reaction": {"retryable": "again", "permanent": "wait"}, "retryable": true}}}`,
		`{"codes": {"S": {"reaction": {"action": "retry", "then": {"action": "retry", "then": "again"}}}}}`,
		`{"reactions": {"abort": {"action": "recover", "strategy": "rest", "then": "abort"}, "again": {"then": "again"}}}`,
		`{"policies": {"slow": {"max_attempts": -1, "jitter": 1e999, "max_delay": "99999999h"}}, "uncategorized": {"action": "retry"}}`,
	} {
		f.Add([]byte(seed))
	}
	base := tableOf(f, overridden)
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
		for i := range base.Taxonomy.Rows {
			row := got.Row(taxonomy.Row(i))
			if base.Row(taxonomy.Row(i)).Retryable {
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
