package check_test

import "testing"

func TestProfilesRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "overlays that are left out",
			yaml: `
reactions: {again: {action: retry}}
profiles:
  a: {codes: {'*': {reaction: again}}}
  b: {codes: {A: {retryable: true}}}
  c: {codes: {'*': {reaction: {retryable: again, permanent: abort}}}}
  d: {reactions: {stop: {action: retry}}}
  e: {codes: {B: {reaction: block}}}
categories:
  io:
    codes:
      A: {message: a, reaction: {action: continue}}
      B: {message: b, retryable: true, reaction: again}
      C: {message: c}
      D: {message: d}
      E: {message: e}`,
			want: `
3:31+5 W-overlay-skipped left out for A, C, D and others: not retryable, and a profile cannot change that
4:30+4 W-overlay-skipped left out for A: not retryable, and a profile cannot change that
6:19+4 E-unknown-name reaction "stop" is not declared
  hint: declare it under reactions`,
		},
		{
			name: "a strategy of a profile that is off leads to a retry",
			yaml: `
strategies: {s: S.}
reactions: {again: {action: retry}, shorter: {action: recover, strategy: s, then: again}}
profiles: {p: {recovery: {enabled: false}, codes: {A: {reaction: shorter}}}}
categories:
  io: {codes: {A: {message: a}, B: {message: b, retryable: true, reaction: again}}}`,
			want: `
3:66+7 W-overlay-skipped left out for A: not retryable, and a profile cannot change that`,
		},
		{
			name: "a reaction that an overlay turns into a retry",
			yaml: `
reactions: {again: {action: retry}, stop: {action: block}}
profiles:
  d: {reactions: {stop: {action: retry}}}
categories:
  io:
    codes:
      A: {message: a, reaction: stop}
      B: {message: b, retryable: true, reaction: again}`,
			want: `
3:34+5 W-overlay-skipped left out for A: not retryable, and a profile cannot change that`,
		},
	})
}
