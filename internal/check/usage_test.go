package check_test

import "testing"

func TestUsageRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "unused declarations",
			yaml: `
sources: {cli: A., api: B.}
groups: {g: G., h: H.}
strategies: {s: S., t: T.}
policies: {p: {max_attempts: 2}, q: {max_attempts: 2}}
reactions: {a: {action: retry, policy: p, then: b}, b: {action: recover, strategy: s}, c: {action: block}}
categories:
  io: {retryable: true, codes: {A: {message: a, groups: [g], reaction: a, detect: [{source: cli}]}}}`,
			want: `
1:20+3 W-unused source "api" is never used
2:17 W-unused group "h" is never used
3:21 W-unused strategy "t" is never used
4:34 W-unused policy "q" is never used
5:88 W-unused reaction "c" is never used`,
		},
		{
			name: "used by profiles",
			yaml: `
reactions: {a: {action: block}, b: {action: abort}}
policies: {p: {max_attempts: 2}}
profiles: {x: {codes: {'*': {reaction: {retryable: a, permanent: b}}}, reactions: {a: {action: retry, policy: p}}}}`,
		},
		{
			name: "docs",
			yaml: `
categories:
  io: {codes: {A: {message: a, doc: Something.}, B: {message: b}}}`,
			want: `
2:3+2 W-no-doc category "io" has no doc
2:50 W-no-doc code B has no doc
  hint: say what happened, in a sentence`,
		},
		{
			name: "no docs at all",
			yaml: `
categories:
  io: {codes: {A: {message: a}, B: {message: b}}}`,
		},
		{
			name: "unsorted numbers",
			yaml: `
categories:
  io: {codes: {A: {message: a, number: 2}, B: {message: b, number: 5}, C: {message: c, number: 3}, D: {message: d, number: 4}, E: {message: e}}}
  net: {codes: {F: {message: f, number: 1}}}`,
			want: `
2:96 W-unsorted number 3 comes after 5
  2:68 5 is here
2:124 W-unsorted number 4 comes after 5
  2:68 5 is here`,
		},
	})
}
