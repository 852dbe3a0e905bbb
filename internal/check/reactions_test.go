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
  hint: to goes with escalate, and with a retry that has a purpose
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
  hint: to goes with escalate, and with a retry that has a purpose
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
			name: "adapt",
			yaml: `
policies:
  a: {adapt: {}}
  b: {adapt: {attempts: {}, delay: {}}}
  c: {adapt: {attempts: {min: 0, max: 5}, target: 1, window: 9}}
  d: {adapt: {attempts: {min: 6, max: 5}, delay: {min: 6s, max: 5s}, target: 0}}
  e: {max_attempts: 9, initial_delay: 5s, adapt: {attempts: {max: 5}, delay: {min: 6s}}}
  f: {adapt: {attempts: {min: 5}, delay: {max: 999ms}, window: 1001}}
  g: {adapt: {delay: {max: 40s}}}
  h: {initial_delay: 0s, adapt: {delay: {min: 0s}}}
  i: {max_delay: 10s, adapt: {attempts: {min: 1, max: 3}, delay: {min: 1s, max: 10s}, target: 0.99, window: 1000}}
reactions: {a: {action: retry, policy: a}, b: {action: retry, policy: b}, c: {action: retry, policy: c}, d: {action: retry, policy: d}, e: {action: retry, policy: e}, f: {action: retry, policy: f}, g: {action: retry, policy: g}, h: {action: retry, policy: h}, i: {action: retry, policy: i}}
profiles:
  p: {codes: {'*': {reaction: a}, A: {reaction: b}, c: {reaction: c}}}
  q: {codes: {'*': {reaction: d}, A: {reaction: e}, c: {reaction: f}}}
  r: {codes: {'*': {reaction: g}, A: {reaction: h}, c: {reaction: i}}}
categories:
  c: {retryable: true, codes: {A: {message: a, reaction: a}}}`,
			want: `
2:7+5 E-policy-bounds adapt needs attempts or delay: nothing may move
  hint: say how far, as in attempts: {max: 6}
3:15+8 E-policy-bounds attempts needs min or max
  hint: say how far max_attempts may move, as in attempts: {max: 6}
3:29+5 E-policy-bounds delay needs min or max
  hint: say how far initial_delay may move, as in delay: {max: 30s}
4:31 E-policy-bounds min is at least 1, not 0
  hint: it counts calls in total, the first included
4:51 E-policy-bounds target is from 0.01 to 0.99
  hint: it is the share of first retries that shall succeed, as in target: 0.8
4:62 E-policy-bounds window is from 10 to 1000, not 9
  hint: it is how many outcomes are remembered; 50 unless said
5:31 E-policy-bounds min is above max
  hint: write the lesser one as min: {min: 5, max: 6}
  5:39 the other bound
5:65+2 E-policy-bounds min is above max
  hint: write the lesser one as min: {min: 5s, max: 6s}
  5:56+2 the other bound
5:78 E-policy-bounds target is from 0.01 to 0.99
  hint: it is the share of first retries that shall succeed, as in target: 0.8
6:67 E-policy-bounds max is below max_attempts, which is 9
  hint: the bounds hold max_attempts, with which it begins: raise max, or change max_attempts
  6:21 max_attempts
6:84+2 E-policy-bounds min is above initial_delay, which is 5s
  hint: the bounds hold initial_delay, with which it begins: lower min, or change initial_delay
  6:39+2 initial_delay
7:31 E-policy-bounds min is above max_attempts, which is 3 unless said
  hint: the bounds hold max_attempts, with which it begins: lower min, or change max_attempts
7:48+5 E-policy-bounds max is below initial_delay, which is 1s unless said
  hint: the bounds hold initial_delay, with which it begins: raise max, or change initial_delay
7:64+4 E-policy-bounds window is from 10 to 1000, not 1001
  hint: it is how many outcomes are remembered; 50 unless said
8:28+3 E-policy-bounds max is above max_delay, which is 30s unless said
  hint: no computed wait is longer than max_delay: say max_delay: 40s as well
9:47+2 E-policy-bounds max is more than 0s: nothing could move
  hint: say the longest first wait, as in delay: {max: 30s}`,
		},
		{
			name: "adapt of profiles",
			yaml: `
policies: {p: {max_attempts: 4, adapt: {attempts: {min: 2, max: 6}, delay: {max: 5s}}}, q: {}}
reactions: {r: {action: retry, policy: p}, s: {action: retry, policy: q}}
profiles:
  a: {policies: {p: {max_attempts: 9}}}
  b: {policies: {p: {adapt: {attempts: {max: 3}, target: 0.5}}}}
  c: {policies: {q: {adapt: {target: 0.5}}}}
  d: {policies: {p: {initial_delay: 6s}}, retry: {adapt: {attempts: {min: 4}}}}
  e: {policies: {p: {max_delay: 2s, multiplier: 3}}}
  f: {policies: {p: {doc: As it is., multiplier: 3}}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: r}, B: {message: b, reaction: s}}}`,
			want: `
4:36 E-policy-bounds max_attempts is 9, above adapt.attempts.max, which is 6
  hint: raise the bound as well: adapt: {attempts: {max: 9}}
  1:65 adapt.attempts.max
5:46 E-policy-bounds max is below max_attempts, which is 4
  hint: the bounds hold max_attempts, with which it begins: raise max, or change max_attempts
  1:30 max_attempts
6:22+5 E-policy-bounds adapt needs attempts or delay: nothing may move
  hint: say how far, as in attempts: {max: 6}
7:37+2 E-policy-bounds initial_delay is 6s, above adapt.delay.max, which is 5s
  hint: raise the bound as well: adapt: {delay: {max: 6s}}
  1:82+2 adapt.delay.max
7:75 E-policy-bounds min is above max_attempts, which is 3 unless said
  hint: the bounds hold max_attempts, with which it begins: lower min, or change max_attempts
8:33+2 E-policy-bounds max is above max_delay, which is 2s
  hint: no computed wait is longer than max_delay: say max_delay: 5s as well
  1:82+2 what it does not fit`,
		},
		{
			name: "adapt that moves nothing",
			yaml: `
policies:
  a: {adapt: {attempts: {min: 3}, delay: {min: 1s}}}
  b: {max_attempts: 4, adapt: {attempts: {min: 4, max: 4}, delay: {min: 1s, max: 1s}}}
  c: {max_attempts: 1, adapt: {delay: {max: 10s}}}
  d: {max_attempts: 1, adapt: {attempts: {max: 2}, delay: {max: 10s}}}
reactions: {a: {action: retry, policy: a}, b: {action: retry, policy: b}, c: {action: retry, policy: c}, d: {action: retry, policy: d}}
profiles:
  p: {codes: {'*': {reaction: a}, A: {reaction: b}, c: {reaction: c}}}
  q: {policies: {d: {adapt: {attempts: {min: 1, max: 1}}}}}
categories:
  c: {retryable: true, codes: {A: {message: a, reaction: d}}}`,
			want: `
2:15+8 W-adapt-idle attempts can move nothing: its bounds are both 3, as max_attempts is
  hint: say the other bound, as in attempts: {max: 6}
2:35+5 W-adapt-idle delay can move nothing: its bounds are both 1s, as initial_delay is
  hint: say the other bound, as in delay: {max: 30s}
3:32+8 W-adapt-idle attempts can move nothing: its bounds are both 4, as max_attempts is
  hint: say the other bound, as in attempts: {max: 8}
3:60+5 W-adapt-idle delay can move nothing: its bounds are both 1s, as initial_delay is
  hint: say the other bound, as in delay: {max: 30s}
4:32+5 W-adapt-idle delay can move nothing: with max_attempts 1 there is no second call to wait for
  hint: remove it, or allow more calls`,
		},
		{
			name: "numbers that are too great",
			yaml: `
policies:
  a: {max_attempts: 1000001, budget: {retries: 1, reserve: 99999999999999}, adapt: {attempts: {min: 2}}}
  b: {adapt: {attempts: {max: 101}}}
  c: {max_attempts: 1000000, budget: {retries: 1, reserve: 1000000}}
  d: {adapt: {attempts: {max: 100}}}
reactions: {a: {action: retry, policy: a}, b: {action: retry, policy: b}, c: {action: retry, policy: c}, d: {action: retry, policy: d}}
profiles:
  p: {codes: {'*': {reaction: a}, A: {reaction: b}, c: {reaction: c}}}
categories:
  c: {retryable: true, codes: {A: {message: a, reaction: d, prevent: {concurrency: 1000001}}, B: {message: a, prevent: {concurrency: 1000000}}}}`,
			want: `
2:21+7 E-policy-bounds max_attempts is at most 1000000, not 1000001
  hint: it counts calls in total, the first included
2:60+14 E-policy-bounds reserve is at most 1000000, not 99999999999999
  hint: it is how many retries there may be in a window however few calls there are; 3 unless said
2:101 E-policy-bounds max is at most 100, not 1000001
  hint: it counts calls in total; without a max it is max_attempts
3:31+3 E-policy-bounds max is at most 100, not 101
  hint: it counts calls in total; without a max it is max_attempts
10:84+7 E-prevent concurrency is at most 1000000, not 1000001
  hint: it is how many calls may run at once
10:95 W-retryable-stops B is retryable, but its reaction is abort
  hint: choose a reaction that retries, or say retryable: false`,
		},
		{
			name: "budgets",
			yaml: `
policies:
  a: {budget: {}}
  b: {budget: {reserve: 2, breaker: {failures: 1}}}
  c: {budget: {window: 2s}}
  d: {budget: {retries: -1, reserve: -1, window: 0s, breaker: {}}}
  e: {budget: {breaker: {failures: 0, probe: 0s, successes: 0}}}
  f: {budget: {breaker: {failures: 5, of: 4}}}
  g: {budget: {breaker: {failures: 5, of: 1001}}}
  h: {budget: {retries: 0, reserve: 0, window: 1ms, breaker: {failures: 5, of: 5, probe: 1ms, successes: 1000}}}
reactions: {a: {action: retry, policy: a}, b: {action: retry, policy: b}, c: {action: retry, policy: c}, d: {action: retry, policy: d}, e: {action: retry, policy: e}, f: {action: retry, policy: f}, g: {action: retry, policy: g}, h: {action: retry, policy: h}}
profiles:
  p: {codes: {'*': {reaction: a}, A: {reaction: b}, c: {reaction: c}}, policies: {h: {budget: {breaker: {failures: 6}}}, b: {budget: {retries: 1}}}}
  q: {codes: {'*': {reaction: d}, A: {reaction: e}, c: {reaction: f}}}
  r: {codes: {'*': {reaction: g}, A: {reaction: h}}}
categories:
  c: {retryable: true, codes: {A: {message: a, reaction: {action: retry, policy: {budget: {}}}}}}`,
			want: `
2:7+6 E-policy-bounds budget needs retries or breaker: nothing is bounded
  hint: say what is, as in retries: 0.2 or breaker: {failures: 5}
3:25 E-policy-bounds reserve and window need retries: nothing else is counted
  hint: say how many retries there may be for each call, as in retries: 0.2
4:24+2 E-policy-bounds reserve and window need retries: nothing else is counted
  hint: say how many retries there may be for each call, as in retries: 0.2
5:25+2 E-policy-bounds retries is at least 0
  hint: it is a share of the calls; without it there is no bound
5:38+2 E-policy-bounds reserve is at least 0, not -1
  hint: it is how many retries there may be in a window however few calls there are; 3 unless said
5:50+2 E-policy-bounds window is more than 0s
  hint: it is over what time retries are counted; 10s unless said
5:54+7 E-policy-bounds breaker needs failures: how many open it
  hint: say how many of how many calls, as in breaker: {failures: 5, of: 10}
6:36 E-policy-bounds failures is at least 1, not 0
  hint: it is how many failures open the breaker
6:46+2 E-policy-bounds probe is more than 0s
  hint: it is the time between two probes of an open breaker; 5s unless said
6:61 E-policy-bounds successes is from 1 to 1000, not 0
  hint: it is how many probes must succeed in a row; 1 unless said
7:43 E-policy-bounds 5 failures of 4 calls cannot be
  hint: failures are counted among the last calls, whose number is of: write of: 5 or more
  7:36 the other number
8:43+4 E-policy-bounds a breaker counts at most the last 1000 calls, not 1001
  hint: write of: 1000 or less
12:116 E-policy-bounds 6 failures of 5 calls cannot be
  hint: failures are counted among the last calls, whose number is of: write of: 6 or more
  9:80 the other number
16:83+6 E-policy-bounds budget needs retries or breaker: nothing is bounded
  hint: say what is, as in retries: 0.2 or breaker: {failures: 5}`,
		},
		{
			name: "prevention",
			yaml: `
checks: {up: Whether it is up., idle: Never asked for., '9': No name.}
categories:
  c:
    codes:
      A: {message: a, prevent: {}}
      B: {message: a, prevent: {likely: 1.0}}
      C: {message: a, prevent: {check: upp, throttle: 0s, concurrency: 0, likely: -0.1}}
      D: {message: a, prevent: {check: up, throttle: 1ms, concurrency: 1, likely: 0.99}}
      E: {message: a, prevent: {check: '9', likely: 0}}`,
			want: `
1:33+4 W-unused check "idle" is never used
1:57+3 E-go-name check "9" gives no Go name
  hint: begin with a letter, and go on with letters and digits
5:23+7 E-prevent prevent needs check, throttle or concurrency: nothing is done
  hint: say what is done before a call that is likely to fail so
6:23+7 E-prevent prevent needs check, throttle or concurrency: nothing is done
  hint: say what is done before a call that is likely to fail so
6:41+3 E-prevent likely is from 0 to 0.99
  hint: it is a probability; no forecast is surer than that
7:40+3 E-unknown-name check "upp" is not declared
  hint: did you mean "up"?
7:55+2 E-prevent throttle is more than 0s
  hint: it is the least time between the beginnings of two calls
7:72 E-prevent concurrency is at least 1, not 0
  hint: it is how many calls may run at once
7:83+4 E-prevent likely is from 0 to 0.99
  hint: it is a probability; no forecast is surer than that`,
		},
		{
			name: "names of checks",
			yaml: `
checks: {disk_space: Room., disk-space: Room., check: Is a check.}
categories:
  check: {type: Checks, codes: {A: {message: a, prevent: {check: disk_space}}, B: {message: b, prevent: {check: disk-space}}, C: {message: c, prevent: {check: check}}}}`,
			want: `
1:29+10 E-duplicate-go-name the Go name CheckDiskSpace is taken
  hint: rename the check
  1:10+10 first made here
3:17+6 E-duplicate-go-name the Go name Checks belongs to the generated package itself
  hint: give the category another type`,
		},
		{
			name: "policies of profiles",
			yaml: `
policies: {p: {initial_delay: 5s}}
reactions: {r: {action: retry, policy: p}}
profiles:
  a: {policies: {p: {max_delay: 2s}}}
  b: {policies: {p: {jitter: 2}}, retry: {max_attempts: 0}, recovery: {max_attempts: -1}}
  c: {recovery: {max_attempts: 0}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: r}}}`,
			want: `
4:33+2 E-policy-bounds max_delay is below initial_delay
  1:31+2 initial_delay
5:30 E-policy-bounds jitter is between 0 and 1
  hint: it is a share of the delay; or say none, full or decorrelated
5:57 E-policy-bounds max_attempts is at least 1, not 0
  hint: it counts calls in total, the first included
5:86+2 E-policy-bounds max_attempts is at least 0, not -1
  hint: 0 runs no strategy`,
		},
	})
}
