package check_test

import "testing"

func TestUnknownRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "names in reactions",
			yaml: `
tiers: {low: {}, high: {}}
policies: {slow: {max_attempts: 2}}
reactions:
  again: {action: retry, policy: slwo, then: agian}
  up: {action: escalate, to: hihg, then: again}
  shorter: {action: recover, strategy: reduce, policy: {max_attempts: 2}, then: {action: retry, policy: fast}}
uncategorized: agin
categories:
  io:
    retryable: true
    codes: {EOF: {message: end, reaction: shorter}, LATE: {message: late, reaction: {action: retry, policy: slow, then: up}}}`,
			want: `
4:34+4 E-unknown-name policy "slwo" is not declared
  hint: did you mean "slow"?
4:46+5 E-unknown-name reaction "agian" is not declared
  hint: did you mean "again"?
5:30+4 E-unknown-name tier "hihg" is not declared
  hint: did you mean "high"?
6:40+6 E-unknown-name strategy "reduce" is not declared
  hint: declare it under strategies
6:105+4 E-unknown-name policy "fast" is not declared
  hint: declare it under policies
7:16+4 E-unknown-name reaction "agin" is not declared
  hint: did you mean "again"?`,
		},
		{
			name: "names in codes",
			yaml: `
groups: {network: Net.}
fallback: {code: EFO}
categories:
  io:
    reaction: stop
    codes:
      EOF: {message: end, groups: [network, netwrok], replaced_by: LATER, when: [{if: {n: 1}, reaction: blok}]}
      LATE: {message: late, reaction: {action: abort}}
    fields: {n: {type: int}}`,
			want: `
2:18+3 E-unknown-name code "EFO" is not declared
  hint: did you mean "EOF"?
5:15+4 E-unknown-name reaction "stop" is not declared
  hint: declare it under reactions
7:45+7 E-unknown-name group "netwrok" is not declared
  hint: did you mean "network"?
7:68+5 E-unknown-name code "LATER" is not declared
  hint: did you mean "LATE"?
7:105+4 E-unknown-name reaction "blok" is not declared
  hint: did you mean "block"?`,
		},
		{
			name: "names in profiles",
			yaml: `
strategies: {shorten: Shorter.}
groups: {network: Net.}
policies: {slow: {max_attempts: 2}}
reactions: {again: {action: recover, strategy: shorten, policy: slow}}
profiles:
  strict:
    reactions: {agian: {policy: slow}, block: {log: {level: warn}}}
    policies: {solw: {max_attempts: 1}}
    codes: {EOF: {severity: low}, io: {severity: low}, '@network': {reaction: blok}, '*': {reaction: {retryable: again, permanent: stop}}, EFO: {severity: low}, '@netwrok': {severity: low}}
    recovery: {allowed: [shorten, shroten]}
categories:
  io: {codes: {EOF: {message: end, groups: [network], reaction: again}}}`,
			want: `
7:17+5 E-unknown-name reaction "agian" is not declared
  hint: did you mean "again"?
8:16+4 E-unknown-name policy "solw" is not declared
  hint: did you mean "slow"?
9:79+4 E-unknown-name reaction "blok" is not declared
  hint: did you mean "block"?
9:132+4 E-unknown-name reaction "stop" is not declared
  hint: declare it under reactions
9:140+3 E-unknown-name "EFO" is no code, category or @group
  hint: did you mean "EOF"?
9:162+10 E-unknown-name "@netwrok" is no code, category or @group
  hint: did you mean "@network"?
10:35+7 E-unknown-name strategy "shroten" is not declared
  hint: did you mean "shorten"?`,
		},
		{
			name: "fields",
			yaml: `
fallback: {code: EOF, set: {statsu: 1}}
fields: {status: {type: int}}
sources: {cli: A.}
categories:
  io:
    codes:
      EOF:
        message: end
        args: [stauts]
        set: {statuss: 1, colour: red}
        when: [{if: {sttus: 1}, severity: low}]
        detect: [{source: cli, set: {stat: 1}}]
        examples: [{source: cli, want: {context: {state: 1}}}]`,
			want: `
1:29+6 E-unknown-field category "io" has no field "statsu"
  hint: did you mean "status"?
9:16+6 E-unknown-field category "io" has no field "stauts"
  hint: did you mean "status"?
10:15+7 E-unknown-field category "io" has no field "statuss"
  hint: did you mean "status"?
10:27+6 E-unknown-field category "io" has no field "colour"
11:22+5 E-unknown-field category "io" has no field "sttus"
  hint: did you mean "status"?
12:38+4 E-unknown-field category "io" has no field "stat"
13:51+5 E-unknown-field category "io" has no field "state"`,
		},
		{
			name: "sources and ops",
			yaml: `
sources: {cli: A., api: B.}
ops: {stage: Staging.}
categories:
  io:
    codes:
      EOF:
        message: end
        detect: [{source: [cli, apo], op: {not: [stage, comit]}}, {source: {not: remote}}, {op: call, source: {prefix: a}}]
        examples: [{source: clj, op: push}]
        not_examples: [{source: api, op: stagee}]`,
			want: `
8:33+3 E-unknown-name source "apo" is not declared
  hint: did you mean "api"?
8:57+5 E-unknown-name op "comit" is not declared
  hint: did you mean "commit"?
8:82+6 E-unknown-name source "remote" is not declared
  hint: declare it under sources
9:29+3 E-unknown-name source "clj" is not declared
  hint: did you mean "cli"?
10:42+6 E-unknown-name op "stagee" is not declared
  hint: did you mean "stage"?`,
		},
		{
			name: "where evidence comes from",
			yaml: `
fields:
  a: {type: string, from: attribute.a}
  b: {type: string, from: [attributes.b, txt]}
  c: {type: string, from: attributes.}
  d: {type: object, fields: {e: {type: int, from: state}}}`,
			want: `
2:27+11 E-unknown-from evidence has no "attribute.a"
  hint: did you mean "attributes.a"?
3:42+3 E-unknown-from evidence has no "txt"
  hint: did you mean "text"?
4:27+11 E-unknown-from evidence has no "attributes."
5:51+5 E-unknown-from evidence has no "state"`,
		},
		{
			name: "names of the standard library and the system",
			yaml: `
categories:
  io:
    codes:
      EOF:
        message: end
        detect:
          - {is: [io.EOF, EOF]}
          - {is: '*io.EOF'}
          - {is: context.Canceled}
          - {as: example.org/../net.OpError}
          - {as: '*encoding/json.syntaxError'}
          - {errno: ECONREFUSED}
          - {signal: {not: SIGKIL}}
          - {is: {prefix: io.}}
        examples: [{is: io.EOF}, {as: '*C.DNSErr'}, {errno: ENOENT, signal: SIGTERM}]`,
			want: `
7:27+3 E-stdlib-name "EOF": a name needs the import path of its package, such as io.EOF
8:18+9 E-stdlib-name "*io.EOF": is takes a variable, so no *
9:18+16 E-stdlib-name "context.Canceled": a cancelled context is never classified
10:18+26 E-stdlib-name "example.org/../net.OpError": the import path is not valid
11:18+28 E-stdlib-name "*encoding/json.syntaxError": the name after the last dot is not exported
12:21+11 E-stdlib-name "ECONREFUSED" is no errno of Linux
  hint: did you mean "ECONNREFUSED"?
13:28+6 E-stdlib-name "SIGKIL" is no signal of Linux
  hint: did you mean "SIGKILL"?
14:27+3 E-stdlib-name "is" tests for one error, and takes no prefix
15:39+11 E-stdlib-name "*C.DNSErr": cgo is not supported`,
		},
	})
}
