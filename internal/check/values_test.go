package check_test

import "testing"

func TestValuesRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "defaults",
			yaml: `
fields:
  a: {type: int, default: many}
  b: {type: string, default: 5}
  c: {type: duration, default: 5}
  d: {type: time, default: tomorrow}
  e: {type: bool, default: maybe}
  f: {enum: [block, ask], default: blok}
  g: {type: strings, default: x}
  h: {type: float64, default: x}
  i: {type: uint64, default: -1}
  j: {type: int, default: 9223372036854775808}
  k: {type: json, default: {a: [1, true]}}
  l: {type: object, fields: {m: {type: int}}, default: {m: 1}}`,
			want: `
2:27+4 E-value default: a whole number is needed here
3:30 E-value default: a string is needed here; put 5 in quotes
4:32 E-value default: a duration needs a unit, as in 5s
5:28+8 E-value default: a time is needed here, as in 2006-01-02T15:04:05Z
6:28+5 E-value default: true or false is needed here
7:36+4 E-value default: one of block, ask is needed here
  hint: did you mean "block"?
8:31 E-value default: a list of strings is needed here
9:31 E-value default: a number is needed here
10:30+2 E-value default: a number that is not negative is needed here
11:27+19 E-value default: 9223372036854775808 is out of range
13:56+6 E-value default is an object, which cannot be given as a whole`,
		},
		{
			name: "values of codes, rules and fallback",
			yaml: `
sources: {cli: A.}
fallback: {code: EOF, set: {n: x}}
fields: {n: {type: int}, mode: {enum: [fast, slow]}}
categories:
  io:
    codes:
      EOF:
        message: end
        set: {mode: fats}
        detect: [{source: cli, set: {n: "1"}}]
        examples: [{source: cli, want: {context: {n: 1.5}}}]`,
			want: `
2:32 E-value n: a whole number is needed here
9:21+4 E-value mode: one of fast, slow is needed here
  hint: did you mean "fast"?
10:41+3 E-value n: a whole number is needed here
11:54+3 E-value n: a whole number is needed here`,
		},
		{
			name: "conditions",
			yaml: `
fields: {n: {type: int}, s: {type: string}, b: {type: bool}, l: {type: strings}, d: {type: duration}}
categories:
  io:
    codes:
      EOF:
        message: end
        when:
          - {if: {n: {min: x}}, severity: low}
          - {if: {s: {max: z}}, severity: low}
          - {if: {n: {prefix: a}}, severity: low}
          - {if: {l: [a]}, severity: low}
          - {if: {b: maybe, d: 5}, severity: low}
          - {if: {l: {present: true}, d: {min: 5s}}, severity: low}`,
			want: `
8:28 E-value n: a whole number is needed here
9:28 E-value s: a field of type string has no order: min and max do not apply
10:31 E-value n: a field of type int has no prefix
11:23 E-value l: a field of type strings can only be tested with present
12:22+5 E-value b: true or false is needed here
12:32 E-value d: a duration needs a unit, as in 5s`,
		},
		{
			name: "wanted objects",
			yaml: `
sources: {cli: A.}
fields: {run: {type: object, fields: {mode: {type: string, from: attributes.mode}, n: {type: int, from: attributes.n}}}}
categories:
  io:
    codes:
      EOF:
        message: end
        detect: [{source: cli}]
        examples:
          - {source: cli, attributes: {mode: x, n: 1}, want: {context: {run: {mode: x, n: 1}}}}
          - {source: cli, want: {context: {run: {mod: x, n: one}}}}
          - {source: cli, want: {context: {run: all}}}`,
			want: `
11:50+3 E-value run has no field "mod"
  hint: did you mean "mode"?
11:61+3 E-value run.n: a whole number is needed here
12:49+3 E-value run is an object, which cannot be given as a whole`,
		},
		{
			name: "attributes",
			yaml: `
sources: {cli: A.}
categories:
  io:
    codes:
      EOF:
        message: end
        detect:
          - {source: cli, attributes: {left: 0, load: {min: 0.5, max: 1}}}
          - {attributes: {left: {not: "0"}, load: {min: high}}}
          - {attributes: {load: {min: 2, max: 1}}}
        examples: [{source: cli, attributes: {left: 0, load: 0.7}}]`,
			want: `
9:57+4 E-value load: a number is needed here
10:33+16 E-empty-range this condition is never met: min is above max`,
		},
		{
			name: "times of examples",
			yaml: `
sources: {cli: A.}
categories:
  io:
    codes:
      EOF: {message: end, detect: [{source: cli}], examples: [{source: cli, reset_at: "12:00"}, {source: cli, reset_at: "2026-01-01T00:00:00Z"}]}`,
			want: `
5:87+7 E-value "12:00" is no time
  hint: write it as RFC 3339 does: 2006-01-02T15:04:05Z`,
		},
	})
}
