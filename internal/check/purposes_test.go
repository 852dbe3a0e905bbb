package check_test

import "testing"

func TestPurposeRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "purposes",
			yaml: `
tiers: {low: {purpose: analysis}, high: {}, boss: {person: true}}
reactions:
  a: {action: retry, to: low, purpose: diagnosis}
  b: {action: retry_operation, to: high, purpose: analysis, policy: {max_attempts: 2}, then: c}
  c: {action: escalate, purpose: verification}
  d: {action: escalate, to: boss}
profiles:
  person: {reactions: {c: {to: boss}}}
  strict: {reactions: {a: {action: escalate}, b: {to: low}, c: {action: retry}}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: a}, B: {message: b, reaction: b}, D: {message: d, reaction: d}}}`,
		},
		{
			name: "purposes that ask nobody, or a person",
			yaml: `
tiers: {low: {}, boss: {person: true, purpose: diagnosis}}
reactions:
  a: {action: retry, purpose: diagnosis}
  b: {action: retry, to: boss, purpose: analysis}
  c: {action: continue, purpose: analysis}
  d: {action: retry}
  e: {action: escalate}
profiles:
  p: {reactions: {d: {purpose: analysis}, e: {action: retry, purpose: diagnosis}}}
  q: {reactions: {d: {to: low}, e: {action: retry, to: boss, purpose: diagnosis}}}
categories:
  io: {retryable: true, codes: {A: {message: a, reaction: a}, B: {message: b, reaction: b}, C: {message: c, reaction: c}, D: {message: d, reaction: d}, E: {message: e, reaction: e}}}`,
			want: `
1:48+9 E-person-tier a person takes no purpose: a person decides
  1:33+4 the person
3:31+9 E-action-needs retry with a purpose needs to: the tier that is asked
4:26+4 E-person-tier retry with a purpose asks a tier that is no person, and "boss" is one
  hint: name another tier, or escalate
  1:18+4 the person
5:34+8 E-action-key continue does not take purpose
  hint: purpose goes with retry, retry_operation, escalate
  5:15+8 the action
9:32+8 E-action-needs retry with a purpose needs to: the tier that is asked
9:71+9 E-action-needs retry with a purpose needs to: the tier that is asked
10:27+3 E-action-key retry does not take to
  hint: to goes with escalate, and with a retry that has a purpose
  6:15+5 the action
10:56+4 E-person-tier retry with a purpose asks a tier that is no person, and "boss" is one
  hint: name another tier, or escalate
  1:18+4 the person`,
		},
		{
			name: "a purpose for a person who is escalated to",
			yaml: `
tiers: {low: {}, boss: {person: true}}
reactions:
  a: {action: escalate, to: boss, purpose: verification}
  b: {action: escalate, to: boss}
profiles:
  p: {reactions: {b: {purpose: analysis}}}
categories:
  io: {codes: {A: {message: a, reaction: a}, B: {message: b, reaction: b}}}`,
			want: `
3:44+12 E-person-tier "boss" is a person, and takes no purpose: a person decides
  hint: remove the purpose, or name another tier
  1:18+4 the person
6:32+8 E-person-tier "boss" is a person, and takes no purpose: a person decides
  hint: remove the purpose, or name another tier
  1:18+4 the person`,
		},
		{
			name: "to, and a purpose that cannot be there",
			yaml: `
tiers: {low: {}}
reactions: {a: {action: continue, to: low}}
categories:
  io: {codes: {A: {message: a, reaction: a}}}`,
			want: `
2:39+3 E-action-key continue does not take to
  hint: to goes with escalate, and with a retry that has a purpose
  2:25+8 the action`,
		},
		{
			name: "purposes without tiers",
			yaml: `
reactions: {ask: {action: retry, to: high, purpose: analysis}}
categories:
  io: {codes: {A: {message: a, retryable: true, reaction: ask}}}`,
			want: `
1:53+8 E-escalation-tiers there is nobody to ask
  hint: declare the ladder under tiers`,
		},
	})
}
