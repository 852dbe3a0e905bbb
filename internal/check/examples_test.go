package check_test

import "testing"

func TestExampleRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "an example that another code wins",
			yaml: `
sources: {api: An API.}
categories:
  io:
    codes:
      FAILED: {message: a, detect: [{source: api, contains: abc}, {source: api, status: {min: 400}}]}
      BUSY:
        message: b
        detect: [{source: api, status: 429, priority: -1}, {source: api, contains: slow down}]
        examples: [{source: api, status: 429}, {source: api, status: 500, text: Slow down}, {source: api, text: slow down}]`,
			want: `
9:20+26 E-example the example is won by rule 2 of FAILED
  hint: give rule 1 of BUSY a priority above 0
  5:67+33 this rule
9:48+43 E-example the example is won by rule 2 of FAILED
  hint: give rule 2 of BUSY a priority above 0
  5:67+33 this rule`,
		},
		{
			name: "an example that nothing wins",
			yaml: `
sources: {api: An API., cli: A program.}
fallback: {code: LOST}
categories:
  io:
    codes:
      A: {message: a, detect: [{source: api}], examples: [{source: api}, {source: cli}, {}]}
      B: {message: b, examples: [{status: 400}]}
      LOST: {message: lost, detect: [{source: cli, type: ab1}], examples: [{source: cli}, {source: cli, type: ab1}, {source: api}]}`,
			want: `
6:74+13 E-example the example is won by no rule
  hint: add a rule for it to A, or say in the example what its rules ask for
6:89+2 E-example the example is won by no rule
  hint: add a rule for it to A, or say in the example what its rules ask for
7:34+13 E-example the example is won by no rule
  hint: add a rule for it to B, or say in the example what its rules ask for
8:117+13 E-example the example is won by rule 1 of A
  hint: no rule of LOST matches it: add one, with a priority above 0 if need be
  6:32+13 this rule`,
		},
		{
			name: "a status that is read out of the text",
			yaml: `
sources: {api: An API.}
categories:
  io:
    codes:
      GONE: {message: a, detect: [{source: api, status: 404}], examples: [{source: api, text: 404 Not Found}]}
      LOST: {message: b, detect: [{source: api, type: lost}], examples: [{source: api, type: lost, text: 404 Not Found}]}
      ODD: {message: c, detect: [{source: api}], examples: [{source: api, text: line 404}]}`,
		},
		{
			name: "counter-examples",
			yaml: `
sources: {api: An API.}
categories:
  io:
    codes:
      A: {message: a, detect: [{source: api, contains: limit}], not_examples: [{source: api, text: no limit}, {source: api, text: limitless}, {source: api}, {text: limit}]}
      B: {message: b, detect: [{source: api, contains: less, priority: 1}], not_examples: [{source: api, text: limit}]}`,
			want: `
5:80+29 E-counter-example the counter-example is won by rule 1 of A
  hint: have the rule ask for more
  5:32+30 this rule`,
		},
		{
			name: "faults elsewhere are told once",
			yaml: `
sources: {api: An API.}
categories:
  io:
    codes:
      A: {message: a, detect: [{source: api, text: 'ab('}], examples: [{source: api, text: ab}]}
      B: {message: b, detect: [{source: apl}], examples: [{source: api}]}
      C: {message: c, detect: [{is: eot}, {type: ab3}], examples: [{is: io.EOF}, {type: ab4}]}
      D: {message: d, detect: [{errno: EPIPE}], examples: [{errno: EPIPES}, {errno: EPIPE}]}`,
			want: `
5:53+3 E-regexp the regular expression does not compile: missing closing ) in "ab("
6:41+3 E-unknown-name source "apl" is not declared
  hint: did you mean "api"?
7:37+3 E-stdlib-name "eot": a name needs the import path of its package, such as io.EOF
8:68+6 E-stdlib-name "EPIPES" is no errno of Linux
  hint: did you mean "EPIPE"?`,
		},
		{
			name: "a part that cannot be read",
			yaml: `
sources: {api: An API.}
categories:
  io:
    codes:
      A: {message: a, detect: [{source: api, status: many}, {source: api, type: ab1}], examples: [{source: api, type: ab2}]}`,
			want: `
5:54+4 E-wrong-type status: expected a whole number, found text`,
		},
		{
			name: "an example with two errors",
			yaml: `
categories:
  io:
    codes:
      A: {message: a, detect: [{is: io.EOF, as: '*net.OpError'}], examples: [{is: io.EOF, as: '*net.OpError'}], not_examples: [{is: io.EOF}, {as: '*net.OpError'}]}`,
		},
		{
			name: "rules of a code whose examples are at fault",
			yaml: `
sources: {api: An API.}
categories:
  io:
    codes:
      A: {message: a, detect: [{source: api, type: ab1}, {source: api, type: ab2}], examples: [{source: api}]}
      B: {message: b, detect: [{source: api, type: ab3}, {source: api, type: ab4}], examples: [{source: api, type: ab3, want: {severity: low}}]}
      C: {message: c, detect: [{source: api, type: ab5}, {source: api, type: ab6}], examples: [{signal: KILL}]}
      D: {message: d, detect: [{source: api, type: ab7}, {source: apy, type: ab8}], examples: [{source: api, type: ab7}]}
      E: {message: e, detect: [{source: api, type: ab9}]}`,
			want: `
5:96+13 E-example the example is won by no rule
  hint: add a rule for it to A, or say in the example what its rules ask for
6:138+3 E-want severity comes out as none, not low
7:105+4 E-stdlib-name "KILL" is no signal of Linux
  hint: did you mean "SIGKILL"?
8:67+3 E-unknown-name source "apy" is not declared
  hint: did you mean "api"?
9:32+24 W-untested-rule no example is won by rule 1 of E
  hint: add one to the examples of E`,
		},
		{
			name: "rules without an example",
			yaml: `
sources: {api: An API.}
categories:
  io:
    codes:
      A: {message: a, detect: [{source: api, type: ab1}, {source: api, type: ab2}], examples: [{source: api, type: ab1}], not_examples: [{source: api, type: ab3}]}
      B: {message: b, detect: [{source: api, type: ab3}]}
      # errgen:ignore W-untested-rule
      C: {message: c, detect: [{source: api, type: ab4}]}
      D: {message: d}`,
			want: `
5:58+24 W-untested-rule no example is won by rule 2 of A
  hint: add one to the examples of A
6:32+24 W-untested-rule no example is won by rule 1 of B
  hint: add one to the examples of B`,
		},
	})
}

func TestWantRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "what comes out otherwise",
			yaml: `
sources: {api: An API.}
reactions: {again: {action: retry}}
categories:
  io:
    fields:
      status: {type: int, from: status}
      wait: {type: duration, from: retry_after}
      word: {enum: [a, b], from: type, default: a}
      key: {type: string, sensitive: true, from: credential}
      tree: {type: json, from: attributes.tree}
      run: {type: object, fields: {mode: {type: string, from: attributes.mode}, n: {type: int, from: attributes.n}}}
    codes:
      A:
        message: a
        retryable: true
        reaction: again
        when: [{if: {status: {min: 500}}, retryable: false, severity: high, reaction: block}]
        detect: [{source: api}]
        examples:
          - {source: api, want: {retryable: true, recoverability: retryable, reaction: again, context: {word: a}}}
          - {source: api, status: 500, want: {retryable: false, recoverability: permanent, severity: high, reaction: block, context: {status: 500}}}
          - {source: api, attributes: {mode: x, n: 1, tree: '{"b": [1.0], "a": null}'}, want: {context: {run: {mode: x}, tree: {a: null, b: [1]}}}}
          - {source: api, status: 500, want: {retryable: true, recoverability: unknown, severity: low, reaction: again}}
          - {source: api, want: {severity: low, context: {status: 404, wait: 1s, word: b}}}
          - {source: api, retry_after: 2s, credential: k, want: {context: {wait: 1s, key: other}}}
          - {source: api, attributes: {mode: x}, want: {context: {run: {n: 1}}}}`,
			want: `
23:58+4 E-want retryable comes out as false, not true
23:80+7 E-want recoverability comes out as permanent, not unknown
23:99+3 E-want severity comes out as high, not low
23:114+5 E-want reaction comes out as block, not again
24:44+3 E-want severity comes out as none, not low
24:67+3 E-want status comes out absent
24:78+2 E-want wait comes out absent
24:88 E-want word comes out as a, not b
25:82+2 E-want wait comes out as 2s, not 1s
25:91+5 E-want key comes out otherwise
26:72+6 E-want run comes out otherwise`,
		},
		{
			name: "of the fallback",
			yaml: `
fallback: {code: LOST, set: {lost: true}}
categories:
  io:
    fields: {lost: {type: bool}, why: {type: string, from: text}}
    codes:
      LOST:
        message: lost
        when: [{if: {lost: true}, severity: low}]
        severity: high
        examples: [{text: x, want: {severity: low, context: {lost: true, why: x}}}, {text: x, want: {severity: high}}]`,
			want: `
10:112+4 E-want severity comes out as low, not high`,
		},
		{
			name: "set before from",
			yaml: `
sources: {api: An API.}
categories:
  io:
    fields: {a: {type: string, from: type}, b: {type: string, from: type, default: d}}
    codes:
      A:
        message: a
        set: {a: code}
        detect: [{source: api, exit_code: 1, set: {a: rule, b: rule}}, {source: api}]
        examples:
          - {source: api, exit_code: 1, type: t, want: {context: {a: code, b: rule}}}
          - {source: api, type: t, want: {context: {a: code, b: t}}}
          - {source: api, want: {context: {a: code, b: d}}}`,
		},
	})
}
