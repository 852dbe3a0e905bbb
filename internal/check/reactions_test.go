package check_test

import "testing"

func TestReactionsRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "keys that the action does not take",
			yaml: `
policies: {p: {max_attempts: 2}}
strategies: {s: S.}
reactions:
  a: {action: abort, policy: p, then: block, session: fresh, feed_back: true}
  b: {action: retry, strategy: s, extent: run, to: high, resume: operation}
  c: {action: continue, honor_retry_after: true, shared: credential}
  d: {action: block, extent: run, count_failure: true, session: fresh, revert: iteration}
tiers: {high: {}}
categories:
  io: {codes: {A: {message: a, reaction: a}, B: {message: b, retryable: true, reaction: b}, C: {message: c, reaction: c}, D: {message: d, reaction: d}}}`,
			want: `
4:30 E-action-key abort does not take policy
  hint: policy goes with retry, retry_operation, recover
  4:15+5 the action
4:39+5 E-action-key abort does not take then
  hint: then goes with retry, retry_operation, recover, escalate
  4:15+5 the action
4:55+5 E-action-key abort does not take session
  hint: session goes with retry, retry_operation, recover, escalate
  4:15+5 the action
4:73+4 E-action-key abort does not take feed_back
  hint: feed_back goes with retry, retry_operation, recover, escalate, continue, block
  4:15+5 the action
5:32 E-action-key retry does not take strategy
  hint: strategy goes with recover
  5:15+5 the action
5:43+3 E-action-key retry does not take extent
  hint: extent goes with abort, block
  5:15+5 the action
5:52+4 E-action-key retry does not take to
  hint: to goes with escalate
  5:15+5 the action
5:66+9 E-action-key retry does not take resume
  hint: resume goes with recover
  5:15+5 the action
6:44+4 E-action-key continue does not take honor_retry_after
  hint: honor_retry_after goes with retry, retry_operation, recover
  6:15+8 the action
6:58+10 E-action-key continue does not take shared
  hint: shared goes with retry, retry_operation, recover
  6:15+8 the action
7:65+5 E-action-key block does not take session
  hint: session goes with retry, retry_operation, recover, escalate
  7:15+5 the action`,
		},
		{
			name: "keys of a reaction in place and of an overlay",
			yaml: `
policies: {p: {max_attempts: 2}}
reactions: {a: {action: retry, policy: p}}
profiles:
  strict: {reactions: {a: {action: abort}}}
  odd: {reactions: {a: {action: abort, session: fresh}}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: a}, B: {message: b, reaction: {action: retry, extent: run, then: {action: abort, to: x}}}}}`,
			want: `
5:49+5 E-action-key abort does not take session
  hint: session goes with retry, retry_operation, recover, escalate
  5:33+5 the action
7:113+3 E-action-key retry does not take extent
  hint: extent goes with abort, block
  7:98+5 the action
7:144 E-action-key abort does not take to
  hint: to goes with escalate
  7:133+5 the action`,
		},
		{
			name: "what an action needs",
			yaml: `
strategies: {s: S.}
reactions:
  a: {action: recover}
  b: {action: retry_operation, policy: {max_attempts: 2}}
  c: {action: retry, accept_completion: true}
  d: {action: retry, accept_completion: true, revert: iteration}
  e: {action: recover, strategy: s}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: a}, B: {message: b, reaction: b}, C: {message: c, reaction: c}, D: {message: d, reaction: d}, E: {message: e, reaction: e}}}`,
			want: `
3:15+7 E-action-needs recover needs a strategy
4:15+15 E-action-needs retry_operation needs then: what follows when its tries are used up
5:41+4 E-action-needs accept_completion needs revert: it accepts what is left after one`,
		},
		{
			name: "then in a circle",
			yaml: `
reactions:
  a: {action: retry, then: b}
  b: {action: retry, then: c}
  c: {action: retry, then: b}
  d: {action: retry, then: d}
  e: {action: retry, then: {action: retry, then: e}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: a}, D: {message: d, reaction: d}, E: {message: e, reaction: e}}}`,
			want: `
4:28 E-then-cycle then leads in a circle: b, c, b
5:28 E-then-cycle then leads in a circle: d, d
6:50 E-then-cycle then leads in a circle: e, (in place), e`,
		},
		{
			name: "a circle that a profile makes",
			yaml: `
reactions:
  a: {action: retry, then: b}
  b: {action: retry}
profiles: {strict: {reactions: {b: {then: a}}}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: a}}}`,
			want: `
4:43 E-then-cycle then leads in a circle: a, b, a`,
		},
		{
			name: "nothing bounds it",
			yaml: `
policies: {p: {max_elapsed: 1h}}
strategies: {s: S.}
reactions:
  a: {action: retry, count_failure: false}
  b: {action: retry_operation, then: block}
  c: {action: recover, strategy: s, count_failure: false}
  d: {action: retry, count_failure: false, policy: p}
  e: {action: continue}
  f: {action: retry_operation, then: block, count_failure: true}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: a}, B: {message: b, reaction: b}, C: {message: c, reaction: c}, D: {message: d, reaction: d}, E: {message: e, reaction: e}, F: {message: f, reaction: f}}}`,
			want: `
4:37+5 E-unbounded-retry nothing bounds this: it does not count as a failure and has no policy
  hint: give it a policy, or let it count
5:15+15 E-unbounded-retry nothing bounds this: it does not count as a failure and has no policy
  hint: give it a policy, or let it count
6:52+5 E-unbounded-retry nothing bounds this: it does not count as a failure and has no policy
  hint: give it a policy, or let it count`,
		},
		{
			name: "escalation without tiers",
			yaml: `
reactions: {up: {action: escalate, to: high}}
categories:
  io: {codes: {A: {message: a, reaction: up}}}`,
			want: `
1:40+4 E-escalation-tiers there is nobody to escalate to
  hint: declare the ladder under tiers`,
		},
		{
			name: "a person in the middle",
			yaml: `
tiers: {low: {}, boss: {person: true}, high: {}}`,
			want: `
1:33+4 E-person-tier a person is the last tier, and "high" comes after "boss"
  1:40+4 the next tier`,
		},
		{
			name: "a person at the end",
			yaml: `
tiers: {low: {}, boss: {person: true}}`,
		},
		{
			name: "policies",
			yaml: `
policies:
  a: {max_attempts: 0, multiplier: 0.5, jitter: 1.5}
  b: {initial_delay: 10s, max_delay: 5s}
  c: {initial_delay: 1m}
  d: {max_delay: 500ms}
  e: {initial_delay: 0s, max_delay: 0s, jitter: full}
reactions:
  ra: {action: retry, policy: a}
  rb: {action: retry, policy: b}
  rc: {action: retry, policy: c}
  rd: {action: retry, policy: d}
  re: {action: retry, policy: e}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: ra}, B: {message: b, reaction: rb}, C: {message: c, reaction: rc}, D: {message: d, reaction: rd}, E: {message: e, reaction: re}, F: {message: f, reaction: {action: retry, policy: {jitter: -1}}}}}`,
			want: `
2:21 E-policy-bounds max_attempts is at least 1, not 0
  hint: it counts calls in total, the first included
2:36+3 E-policy-bounds multiplier is at least 1
2:49+3 E-policy-bounds jitter is between 0 and 1
  hint: it is a share of the delay; or say none, full or decorrelated
3:38+2 E-policy-bounds max_delay is below initial_delay
  3:22+3 initial_delay
4:22+2 E-policy-bounds initial_delay is above max_delay, which is 30s unless said
  hint: say max_delay as well
5:18+5 E-policy-bounds max_delay is below initial_delay, which is 1s unless said
  hint: say initial_delay as well
14:247+2 E-policy-bounds jitter is between 0 and 1
  hint: it is a share of the delay; or say none, full or decorrelated`,
		},
		{
			name: "policies of profiles",
			yaml: `
policies: {p: {initial_delay: 5s}}
reactions: {r: {action: retry, policy: p}}
profiles:
  a: {policies: {p: {max_delay: 2s}}}
  b: {policies: {p: {jitter: 2}}, retry: {max_attempts: 0}, recovery: {max_attempts: 0}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: r}}}`,
			want: `
4:33+2 E-policy-bounds max_delay is below initial_delay
  1:31+2 initial_delay
5:30 E-policy-bounds jitter is between 0 and 1
  hint: it is a share of the delay; or say none, full or decorrelated
5:57 E-policy-bounds max_attempts is at least 1, not 0
  hint: it counts calls in total, the first included
5:86 E-policy-bounds max_attempts is at least 1, not 0`,
		},
	})
}
