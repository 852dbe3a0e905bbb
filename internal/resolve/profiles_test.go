package resolve_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const profileBase = `
errgen: 1
package: errs
groups: {auth: A., net: N.}
strategies: {reduce: R., rest: R.}
tiers: {low: {}, high: {}}
policies: {slow: {initial_delay: 2s}}
reactions:
  again:   {action: retry, policy: slow, then: up}
  up:      {action: escalate, then: once}
  once:    {action: retry_operation, policy: {max_attempts: 2}, then: stop}
  stop:    {action: abort, log: {level: warn, message: Stopping.}}
  shorter: {action: recover, strategy: reduce, policy: slow, then: again}
  calm:    {action: recover, strategy: rest, then: stop}
fallback: {code: R}
uncategorized: again
categories:
  net:
    severity: low
    fields: {n: {type: int}}
    codes:
      R: {message: r, retryable: true, reaction: again, groups: [net, auth], when: [{if: {n: 1}, retryable: false, reaction: stop}]}
      S: {message: s, reaction: stop, groups: [auth]}
  job:
    codes:
      C: {message: c, reaction: shorter}
      D: {message: d, reaction: calm}
      I: {message: i, retryable: true, reaction: {action: retry, then: {action: retry_operation, then: stop}}}
profiles:
  it: `

// overlaid returns the taxonomy under a profile "it", and what the profile leads to: for each row
// (code, or code and the number of its branch) the chain of reactions with the policies in
// parentheses.
func overlaid(t *testing.T, profile string) (*model.Package, *model.Profile, map[string]string) {
	t.Helper()
	p := build(t, profileBase+profile+"\n")
	it := p.ProfileByName("it")
	require.NotNil(t, it)
	got := map[string]string{}
	for _, row := range p.Rows[2:] {
		name := row.Code.Name
		if row.Branch > 0 {
			name += "." + string(rune('0'+row.Branch))
		}
		got[name] = chain(p, it, p.Under(it, row).Reaction)
	}
	return p, it, got
}

// chain walks as taxonomy.Profile.Next does.
func chain(p *model.Package, it *model.Profile, r *taxonomy.Reaction) string {
	if r == nil {
		return ""
	}
	text := variable(p, r)
	if r.Policy != nil {
		text += "(" + variable(p, r.Policy) + ")"
	}
	if r.Then != nil {
		text += " " + chain(p, it, it.Next(r))
	}
	return text
}

// The chains as the table has them.
const (
	upChain    = "reactionUp reactionOnce(policyOnce) reactionStop"
	againChain = "reactionAgain(policySlow) " + upChain
)

var tableChains = map[string]string{
	"R":   againChain,
	"R.1": "reactionStop",
	"S":   "reactionStop",
	"C":   "reactionShorter(policySlow) " + againChain,
	"D":   "reactionCalm reactionStop",
	"I":   "reactionI reactionIThen reactionStop",
}

// but returns the table's chains with changes.
func but(changes map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range tableChains {
		out[k] = v
	}
	for k, v := range changes {
		out[k] = v
	}
	return out
}

func TestProfileChains(t *testing.T) {
	for _, tt := range []struct {
		name, profile string
		want          map[string]string
		uncategorized string
	}{
		{"nothing", "{doc: D.}", nil, ""},
		{"no retries", "{retry: {enabled: false}}", map[string]string{
			"R": "reactionUp reactionStop", "C": "reactionShorter(policySlow) reactionUp reactionStop",
			"I": "reactionStop",
		}, ""},
		{"no recovery", "{recovery: {enabled: false}}", map[string]string{"C": upChain, "D": "reactionStop"}, ""},
		{"recovery never", "{recovery: {max_attempts: 0}}", map[string]string{"C": upChain, "D": "reactionStop"}, ""},
		{"one strategy", "{recovery: {allowed: [rest]}}", map[string]string{"C": upChain}, ""},
		{"no strategy", "{recovery: {allowed: []}}", map[string]string{"C": upChain, "D": "reactionStop"}, ""},
		{"neither", "{retry: {enabled: false}, recovery: {enabled: false}}", map[string]string{
			"R": "reactionUp reactionStop", "C": "reactionUp reactionStop", "D": "reactionStop",
			"I": "reactionStop",
		}, ""},
		{"a reaction at the end of chains", "{reactions: {stop: {log: {level: error}}}}", map[string]string{
			"R":   "itReactionAgain(policySlow) itReactionUp itReactionOnce(policyOnce) itReactionStop",
			"R.1": "itReactionStop",
			"S":   "itReactionStop",
			"C": "itReactionShorter(policySlow) itReactionAgain(policySlow) itReactionUp " +
				"itReactionOnce(policyOnce) itReactionStop",
			"D": "itReactionCalm itReactionStop",
			"I": "itReactionI itReactionIThen itReactionStop",
		}, "itReactionAgain(policySlow) itReactionUp itReactionOnce(policyOnce) itReactionStop"},
		{"a policy", "{policies: {slow: {max_attempts: 9}}}", map[string]string{
			"R": "itReactionAgain(itPolicySlow) " + upChain,
			"C": "itReactionShorter(itPolicySlow) itReactionAgain(itPolicySlow) " + upChain,
		}, "itReactionAgain(itPolicySlow) " + upChain},
		{"what is as declared", "{reactions: {stop: {action: abort}}, policies: {slow: {initial_delay: 2s}}}", nil, ""},
		{"an action that ends", "{reactions: {again: {action: abort}}}", map[string]string{
			"R": "itReactionAgain", "C": "itReactionShorter(policySlow) itReactionAgain",
		}, "itReactionAgain"},
		{"a predeclared reaction", "{reactions: {block: {log: {level: error}}}, codes: {S: {reaction: block}}}",
			map[string]string{
				"S": "itReactionBlock",
			}, ""},
		{"code before category before group before all",
			`{codes: {'*': {reaction: calm}, '@auth': {reaction: block}, '@net': {reaction: continue}, net: ` +
				`{severity: high}, C: {reaction: stop}}}`, map[string]string{
				"R": "reactionBlock", "R.1": "reactionBlock", "S": "reactionBlock", "C": "reactionStop",
				"I": "reactionCalm reactionStop",
			}, ""},
		{"category before group", `{codes: {'@auth': {reaction: block}, net: {reaction: continue}}}`, map[string]string{
			"R": "reactionContinue", "R.1": "reactionContinue", "S": "reactionContinue",
		}, ""},
		{"by flag", `{codes: {'*': {reaction: {retryable: block, permanent: continue}}}}`, map[string]string{
			"R": "reactionBlock", "R.1": "reactionContinue", "S": "reactionContinue", "C": "reactionContinue",
			"D": "reactionContinue", "I": "reactionBlock",
		}, ""},
		{"by one flag", `{codes: {'*': {reaction: calm}, job: {reaction: {retryable: block}}}}`, map[string]string{
			"R": "reactionCalm reactionStop", "R.1": "reactionCalm reactionStop", "S": "reactionCalm reactionStop",
			"C": "reactionCalm reactionStop", "I": "reactionBlock",
		}, ""},
		{"inline",
			`{codes: {S: {reaction: {action: block, log: {level: error}}}, '@net': {reaction: {action: abort, ` +
				`extent: run}}, '*': {reaction: {action: continue}}}}`, map[string]string{
				"S": "itReactionS", "R": "itReactionNet", "R.1": "itReactionNet", "C": "itReactionAll",
				"D": "itReactionAll", "I": "itReactionAll",
			}, ""},
		{"no retry of what is not retryable",
			`{codes: {'*': {reaction: continue}, '@auth': {reaction: again}, D: {reaction: again}}}`, map[string]string{
				"R.1": "reactionContinue", "S": "reactionContinue", "C": "reactionContinue", "D": "reactionContinue",
				"I": "reactionContinue",
			}, ""},
		{"no retry by a reaction's overlay", `{reactions: {stop: {action: retry, then: block}}}`, map[string]string{
			"R": "itReactionAgain(policySlow) itReactionUp itReactionOnce(policyOnce) itReactionStop reactionBlock",
			"I": "itReactionI itReactionIThen itReactionStop reactionBlock",
			"C": "itReactionShorter(policySlow) itReactionAgain(policySlow) itReactionUp " +
				"itReactionOnce(policyOnce) itReactionStop reactionBlock",
		}, "itReactionAgain(policySlow) itReactionUp itReactionOnce(policyOnce) itReactionStop reactionBlock"},
		{"a flag taken away", `{codes: {I: {retryable: false}}}`, map[string]string{"I": "reactionStop"}, ""},
		{"a new end of a chain", `{reactions: {once: {then: {action: block, log: {level: error}}}}}`, map[string]string{
			"R": "itReactionAgain(policySlow) itReactionUp itReactionOnce(policyOnce) itReactionOnceThen",
			"C": "itReactionShorter(policySlow) itReactionAgain(policySlow) itReactionUp " +
				"itReactionOnce(policyOnce) itReactionOnceThen",
		}, "itReactionAgain(policySlow) itReactionUp itReactionOnce(policyOnce) itReactionOnceThen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, it, got := overlaid(t, tt.profile)
			assert.Equal(t, but(tt.want), got)
			assert.Equal(t, tt.uncategorized, chain(p, it, it.Uncategorized))
		})
	}
}

// A profile lists its versions of declared reactions and policies, so that overrides can name them.
func TestProfileVersions(t *testing.T) {
	for _, tt := range []struct {
		name, profile       string
		reactions, policies string // the variables
	}{
		{"a reaction in place", "{codes: {R: {reaction: {action: retry, policy: {max_attempts: 2}}}}}", "", ""},
		{"an equal value", "{reactions: {calm: {then: stop}}, policies: {slow: {initial_delay: 2s}}}", "", ""},
		{"a reaction without a row", "{reactions: {calm: {then: block}}, codes: {D: {reaction: stop}}}",
			"itReactionCalm", ""},
		{"a reaction and those that lead to it", "{reactions: {once: {then: block}}}",
			"itReactionAgain itReactionUp itReactionOnce itReactionShorter", ""},
		{"a policy and the reactions with it", "{policies: {slow: {max_attempts: 7}}}",
			"itReactionAgain itReactionShorter", "itPolicySlow"},
		{"a predeclared reaction", "{reactions: {continue: {action: block}}}", "itReactionContinue", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, it, _ := overlaid(t, tt.profile)
			variables := map[any]string{}
			for _, r := range p.Reactions {
				variables[r.Value] = r.Var
			}
			for _, policy := range p.Policies {
				variables[policy.Value] = policy.Var
			}
			var reactions, policies []string
			for _, r := range it.Reactions {
				reactions = append(reactions, variables[r])
			}
			for _, policy := range it.Policies {
				policies = append(policies, variables[policy])
			}
			assert.Equal(t, tt.reactions, strings.Join(reactions, " "))
			assert.Equal(t, tt.policies, strings.Join(policies, " "))
		})
	}
}

func TestProfileSkips(t *testing.T) {
	for _, tt := range []struct {
		name, profile string
		want          map[string][]string // by the text before the change
	}{
		{"nothing", "{codes: {'*': {reaction: block}}}", nil},
		{"codes", "{codes: {S: {reaction: again}, '@net': {reaction: again}}}",
			map[string][]string{"'@net': {reaction:": {"", "R.1"}, "{S: {reaction:": {"S"}}},
		{"flag", "{codes: {S: {retryable: true}, I: {retryable: true}}}",
			map[string][]string{"{S: {retryable:": {"S"}}},
		{"reactions", "{reactions: {calm: {action: retry}}}", map[string][]string{"{calm: {action:": {"D"}}},
		{"reactions that follow", "{reactions: {stop: {action: retry}}}",
			map[string][]string{"{stop: {action:": {"R.1", "S", "D"}}},
		{"switches", "{recovery: {enabled: false}}", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _, _ := overlaid(t, tt.profile)
			var got map[string][]string
			lines := strings.Split(profileBase+tt.profile, "\n")
			for _, skipped := range p.Skipped {
				var rows []string
				for _, row := range skipped.Rows {
					name := ""
					if row.Code != nil {
						name = row.Code.Name
					}
					if row.Branch > 0 {
						name += "." + strconv.Itoa(row.Branch)
					}
					rows = append(rows, name)
				}
				if got == nil {
					got = map[string][]string{}
				}
				before := lines[skipped.At.Line-1][:skipped.At.Col-1]
				fields := strings.Fields(before)
				got[strings.Join(fields[max(0, len(fields)-2):], " ")] = rows
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestProfileTraits(t *testing.T) {
	p, it, _ := overlaid(
		t, `{codes: {'*': {severity: critical, http: 503}, net: {http: 500, grpc: ABORTED}, R: `+
			`{retryable: false}}}`)
	r, s := p.CodeByKey("R"), p.CodeByKey("S")
	assert.Equal(t, taxonomy.Traits{
		Recoverability: taxonomy.Permanent, Severity: taxonomy.SeverityCritical, HTTP: 500,
		GRPC:     10,
		Reaction: p.ReactionByName("up"),
	}, p.Under(it, r.Row), "the flag taken away, recoverability follows, the retry is passed over")
	assert.Equal(t, taxonomy.Traits{
		Severity: taxonomy.SeverityCritical, HTTP: 500, GRPC: 10,
		Reaction: p.ReactionByName("stop"),
	}, p.Under(it, s.Row))
	assert.Equal(t, p.Under(it, r.Row), p.Under(it, p.Rows[0]), "rows without a code are covered as the fallback")
}

func TestProfileFallbackRows(t *testing.T) {
	p, it, _ := overlaid(t, `{codes: {'*': {reaction: {retryable: block, permanent: continue}}}}`)
	assert.Equal(t, "block", p.Under(it, p.Rows[0]).Reaction.Name)
	assert.Equal(t, "continue", p.Under(it, p.Rows[1]).Reaction.Name)
	assert.False(t, p.Under(it, p.Rows[1]).Retryable)
}

func TestProfileSections(t *testing.T) {
	everything := taxonomy.Detection{Text: true, Severity: true, Recoverability: true}
	retries := taxonomy.RetryDefaults{Enabled: true}
	for _, tt := range []struct {
		name, profile string
		want          taxonomy.Profile
	}{
		{"defaults", "{}", taxonomy.Profile{
			Detection: everything, Recovery: taxonomy.Recovery{Enabled: true}, Retry: retries,
			Reporting: taxonomy.Reporting{Context: true},
		}},
		{"everything", `{doc: D., detection: {text: false, severity: false}, recovery: {max_attempts: 3, allowed: [rest, reduce]},
    retry: {max_attempts: 7, max_delay: 5s}, reporting: {log_level: warn, stack: true, context: false}}`, taxonomy.Profile{
			Doc: "D.", Detection: taxonomy.Detection{Recoverability: true},
			Recovery: taxonomy.Recovery{Enabled: true, MaxAttempts: 3, Allowed: []string{"rest", "reduce"}},
			Retry: taxonomy.RetryDefaults{Enabled: true, Policy: &taxonomy.Policy{
				Name: "it.retry", MaxAttempts: 7, InitialDelay: time.Second, MaxDelay: 5 * time.Second, Multiplier: 2,
				MaxRetryAfter: 5 * time.Second,
			}},
			Reporting: taxonomy.Reporting{LogLevel: taxonomy.LogWarn, Stack: true},
		}},
		{"no strategy at all", "{recovery: {max_attempts: 0, allowed: [rest]}}", taxonomy.Profile{
			Detection: everything, Retry: retries,
			Recovery:  taxonomy.Recovery{Enabled: true, MaxAttempts: -1, Allowed: []string{"rest"}},
			Reporting: taxonomy.Reporting{Context: true},
		}},
		{"nothing allowed", "{recovery: {allowed: []}, retry: {enabled: false}}", taxonomy.Profile{
			Detection: everything, Recovery: taxonomy.Recovery{Enabled: true, Allowed: []string{}},
			Reporting: taxonomy.Reporting{Context: true},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, got, _ := overlaid(t, tt.profile)
			tt.want.Name, tt.want.Rows, tt.want.Uncategorized = "it", got.Rows, got.Uncategorized
			assert.Equal(t, &tt.want, got.Profile)
			assert.Equal(t, "ProfileIt", got.Const)
			if got.Retry.Policy != nil {
				assert.Equal(t, "itPolicyRetry", variable(p, got.Retry.Policy))
			}
		})
	}
}

// A profile's change of max_delay moves the bound on hints that follows it.
func TestProfilePolicyFollowsItsDefaults(t *testing.T) {
	p, it, _ := overlaid(t, "{policies: {slow: {max_delay: 1h}}}")
	got := p.Under(it, p.CodeByKey("R").Row).Reaction.Policy
	assert.Equal(t, time.Hour, got.MaxRetryAfter)
	assert.Equal(t, 2*time.Second, got.InitialDelay)
	assert.Equal(t, "slow", got.Name)
}

func TestProfileLogKeepsMessage(t *testing.T) {
	p, it, _ := overlaid(t, "{reactions: {stop: {log: {level: error}}}}")
	got := p.Under(it, p.CodeByKey("S").Row).Reaction
	assert.Equal(t, []any{taxonomy.LogError, "Stopping."}, []any{got.LogLevel, got.LogMessage})
}

// Whom to ask belongs to the action: it stays where the action stays of its kind, and goes where it
// does not.
func TestProfileOfPurposes(t *testing.T) {
	type says struct {
		action  taxonomy.Action
		to      string
		purpose taxonomy.Purpose
	}
	base := says{taxonomy.Retry, "low", taxonomy.PurposeAnalysis}
	up := says{taxonomy.Escalate, "high", taxonomy.PurposeDiagnosis}
	for _, tt := range []struct {
		name, profile string
		ask, up       says
	}{
		{"nothing", "{doc: D.}", base, up},
		{"another purpose", "{reactions: {ask: {purpose: verification}, up: {purpose: analysis}}}",
			says{taxonomy.Retry, "low", taxonomy.PurposeVerification},
			says{taxonomy.Escalate, "high", taxonomy.PurposeAnalysis}},
		{"another tier", "{reactions: {ask: {to: high}, up: {to: low}}}",
			says{taxonomy.Retry, "high", taxonomy.PurposeAnalysis},
			says{taxonomy.Escalate, "low", taxonomy.PurposeDiagnosis}},
		{"an action of its kind", "{reactions: {ask: {action: retry_operation}}}",
			says{taxonomy.RetryOperation, "low", taxonomy.PurposeAnalysis}, up},
		{"the same action", "{reactions: {ask: {action: retry}, up: {action: escalate}}}", base, up},
		{"each the other's action",
			"{reactions: {ask: {action: escalate, then: stop}, up: {action: retry, then: block}}}",
			says{action: taxonomy.Escalate, to: "low"}, says{action: taxonomy.Retry}},
		{"with a purpose of its own",
			"{reactions: {ask: {action: escalate, purpose: diagnosis, then: stop}, up: {action: retry, to: low, " +
				"purpose: verification, then: block}}}",
			says{taxonomy.Escalate, "low", taxonomy.PurposeDiagnosis},
			says{taxonomy.Retry, "low", taxonomy.PurposeVerification}},
		{"actions that ask nobody", "{reactions: {ask: {action: recover, strategy: rest}, up: {action: continue}}}",
			says{action: taxonomy.Recover}, says{action: taxonomy.Continue}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := build(t, `
errgen: 1
package: errs
strategies: {rest: R.}
tiers: {low: {}, high: {}}
reactions:
  ask:  {action: retry, to: low, purpose: analysis, then: up}
  up:   {action: escalate, to: high, purpose: diagnosis, then: stop}
  stop: {action: abort}
categories: {net: {codes: {R: {message: r, retryable: true, reaction: ask}, U: {message: u, retryable: true, reaction: up}}}}
profiles:
  it: `+tt.profile+"\n")
			it := p.ProfileByName("it")
			of := func(code string) says {
				r := p.Under(it, p.CodeByKey(code).Row).Reaction
				return says{r.Action, r.Agent.To, r.Agent.Purpose}
			}
			assert.Equal(t, tt.ask, of("R"))
			assert.Equal(t, tt.up, of("U"))
		})
	}
}
