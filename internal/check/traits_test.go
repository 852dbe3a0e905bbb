package check_test

import "testing"

func TestTraitsRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "retried though not retryable",
			yaml: `
reactions: {again: {action: retry}, go: {action: retry_operation, policy: {max_attempts: 2}, then: block}, later: {action: escalate, then: again}}
tiers: {low: {}}
fields: {n: {type: int}}
categories:
  io:
    retryable: true
    reaction: again
    codes:
      A: {message: a}
      B: {message: b, retryable: false}
      C: {message: c, retryable: false, reaction: go}
      D: {message: d, when: [{if: {n: 1}, retryable: false}, {if: {n: 2}, retryable: false, reaction: block}]}
      E: {message: e, retryable: false, reaction: block, when: [{if: {n: 1}, reaction: again}]}
      F: {message: f, retryable: false, reaction: later}
  net:
    reaction: again
    codes:
      G: {message: g}
      H: {message: h, reaction: {action: retry}}`,
			want: `
10:34+5 E-retryable-reaction B is not retryable, but reaction "again" retries it
  hint: say retryable: true, or choose another reaction
  7:15+5 the reaction
11:51+2 E-retryable-reaction C is not retryable, but reaction "go" retries the operation
  hint: say retryable: true, or choose another reaction
  11:34+5 retryable
12:54+5 E-retryable-reaction D in this branch is not retryable, but reaction "again" retries it
  hint: say retryable: true, or choose another reaction
  7:15+5 the reaction
13:88+5 E-retryable-reaction E in this branch is not retryable, but reaction "again" retries it
  hint: say retryable: true, or choose another reaction
  13:34+5 retryable
14:51+5 E-retryable-reaction F is not retryable, but reaction "later" leads to reaction "again", which retries it
  hint: say retryable: true, or choose another reaction
  14:34+5 retryable
18:7 E-retryable-reaction G is not retryable, but reaction "again" retries it
  hint: say retryable: true, or choose another reaction
  16:15+5 the reaction
19:33+15 E-retryable-reaction H is not retryable, but the reaction retries it
  hint: say retryable: true, or choose another reaction`,
		},
		{
			name: "recoverability that contradicts",
			yaml: `
fields: {n: {type: int}}
categories:
  io:
    reaction: abort
    codes:
      A: {message: a, retryable: true, recoverability: permanent, reaction: {action: retry}}
      B: {message: b, recoverability: retryable}
      C: {message: c, retryable: false, recoverability: recoverable}
      D: {message: d, recoverability: permanent, when: [{if: {n: 1}, retryable: true, reaction: {action: retry}}]}
profiles:
  strict: {codes: {A: {retryable: false, recoverability: retryable}}}`,
			want: `
6:56+9 E-recoverability A is retryable, and its recoverability is permanent
  6:34+4 said here
7:39+9 E-recoverability B is not retryable, and its recoverability is retryable
9:81+4 E-recoverability D in this branch is retryable, and its recoverability is permanent
  9:39+9 said here
11:58+9 E-recoverability A is not retryable, and its recoverability is retryable
  11:35+5 said here`,
		},
		{
			name: "a hint that no field holds",
			yaml: `
policies: {p: {max_attempts: 2}}
reactions: {wait: {action: retry, policy: p, honor_retry_after: true}, first: {action: retry, policy: p, then: wait}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: wait}, B: {message: b, reaction: first}}}
  net:
    retryable: true
    reaction: wait
    fields: {at: {type: time, from: reset_at}}
    codes: {C: {message: c}}
  web: {retryable: true, reaction: wait, codes: {D: {message: d}}}`,
			want: `
4:59+4 E-hint-field reaction "wait" honors a retry-after hint, but A has no field that holds one
  hint: give category io a field with from: retry_after
  2:65+4 honored here
4:92+5 E-hint-field reaction "wait" honors a retry-after hint, but B has no field that holds one
  hint: give category io a field with from: retry_after
  2:65+4 honored here
10:50 E-hint-field reaction "wait" honors a retry-after hint, but D has no field that holds one
  hint: give category web a field with from: retry_after
  2:65+4 honored here`,
		},
		{
			name: "one place for many codes",
			yaml: `
reactions: {wait: {action: retry, honor_retry_after: true}}
profiles: {p: {codes: {io: {reaction: wait}, '@g': {reaction: {retryable: wait}}}}}
groups: {g: G.}
categories:
  io: {retryable: true, reaction: {action: retry}, codes: {A: {message: a}, B: {message: b, groups: [g]}}}
  net: {reaction: {action: retry}, codes: {C: {message: c}, D: {message: d, when: [{if: {n: 1}, severity: low}]}}, fields: {n: {type: int}}}`,
			want: `
2:39+4 E-hint-field reaction "wait" honors a retry-after hint, but A has no field that holds one
  hint: give category io a field with from: retry_after
  1:54+4 honored here
6:44 E-retryable-reaction C is not retryable, but the reaction retries it
  hint: say retryable: true, or choose another reaction
  6:19+15 the reaction
6:61 E-retryable-reaction D is not retryable, but the reaction retries it
  hint: say retryable: true, or choose another reaction
  6:19+15 the reaction`,
		},
		{
			name: "files that no field holds",
			yaml: `
reactions: {undo: {action: abort, revert: files}, all: {action: abort, revert: iteration}}
categories:
  io: {codes: {A: {message: a, reaction: undo}, B: {message: b, reaction: all}}}
  work:
    fields: {files: {type: strings, from: files}}
    codes: {C: {message: c, reaction: undo}}`,
			want: `
3:42+4 E-files-field reaction "undo" reverts the error's files, but A has no field that holds them
  hint: give category io a field with from: files, or revert: iteration
  1:43+5 reverted here`,
		},
		{
			name: "reactions that a profile chooses",
			yaml: `
reactions: {undo: {action: abort, revert: files}}
profiles:
  one: {codes: {A: {reaction: undo}}}
  all: {codes: {'*': {reaction: undo}}}
  flag: {codes: {io: {reaction: {permanent: undo}}}}
categories:
  io: {codes: {A: {message: a}}}
  work: {fields: {files: {type: strings, from: files}}, codes: {B: {message: b, reaction: undo}}}`,
			want: `
3:31+4 E-files-field reaction "undo" reverts the error's files, but A has no field that holds them
  hint: give category io a field with from: files, or revert: iteration
  1:43+5 reverted here
5:45+4 E-files-field reaction "undo" reverts the error's files, but A has no field that holds them
  hint: give category io a field with from: files, or revert: iteration
  1:43+5 reverted here`,
		},
		{
			name: "http status",
			yaml: `
profiles: {strict: {codes: {A: {http: 600}}}}
categories:
  io: {http: 99, codes: {A: {message: a, http: 404, when: [{if: {n: 1}, http: 1000}]}}, fields: {n: {type: int}}}`,
			want: `
1:39+3 E-http-status 600 is no HTTP status: they go from 100 to 599
3:14+2 E-http-status 99 is no HTTP status: they go from 100 to 599
3:79+4 E-http-status 1000 is no HTTP status: they go from 100 to 599`,
		},
		{
			name: "retryable and yet stopped",
			yaml: `
reactions: {stop: {action: block}}
fields: {n: {type: int}}
categories:
  io:
    retryable: true
    codes:
      A: {message: a}
      B: {message: b, reaction: stop}
      C: {message: c, reaction: {action: retry}, when: [{if: {n: 1}, reaction: abort}]}
      D: {message: d, reaction: continue}`,
			want: `
7:7 W-retryable-stops A is retryable, but its reaction is abort
  hint: choose a reaction that retries, or say retryable: false
8:33+4 W-retryable-stops B is retryable, but its reaction is block
  hint: choose a reaction that retries, or say retryable: false
9:80+5 W-retryable-stops C in this branch is retryable, but its reaction is abort
  hint: choose a reaction that retries, or say retryable: false`,
		},
	})
}
