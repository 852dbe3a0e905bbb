package check_test

import "testing"

func TestDuplicatesRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "codes",
			yaml: `
categories:
  io: {codes: {EOF: {message: end}}}
  net: {codes: {EOF: {message: end}, RESET: {message: reset}}}`,
			want: `
3:17+3 E-duplicate-code code EOF is declared twice
  2:16+3 first declared here`,
		},
		{
			name: "numbers",
			yaml: `
categories:
  io: {codes: {EOF: {message: end, number: 3}}}
  net: {codes: {RESET: {message: reset, number: 3}, LATE: {message: late, number: 0}}}`,
			want: `
3:49 E-duplicate-number number 3 is taken
  2:44 first used here
3:83 E-number a number is at least 1, not 0`,
		},
		{
			name: "values and aliases",
			yaml: `
categories:
  io:
    codes:
      EOF: {message: end, value: io.eof, aliases: [END, LATE]}
      DONE: {message: done, value: io.eof}
      LATE: {message: late, aliases: [END, io.late]}
      SOON: {message: soon, value: LATE}`,
			want: `
4:57+4 E-duplicate-value alias "LATE" is the value of a code
  6:7+4 used here
5:36+6 E-duplicate-value value "io.eof" is taken
  4:34+6 first used here
6:39+3 E-duplicate-value alias "END" is taken
  4:52+3 first used here
7:36+4 E-duplicate-value value "LATE" is taken
  6:7+4 first used here`,
		},
		{
			name: "a code's own value is no alias of it",
			yaml: `
categories:
  io: {codes: {EOF: {message: end, aliases: [EOF]}}}`,
			want: `
2:46+3 E-duplicate-value alias "EOF" is the value of a code
  2:16+3 used here`,
		},
		{
			name: "fields",
			yaml: `
fields: {path: {type: string}}
categories:
  io: {fields: {path: {type: int}}, codes: {EOF: {message: end}}}`,
			want: `
3:17+4 E-duplicate-field every category has a field "path" already
  1:10+4 declared here`,
		},
		{
			name: "reserved names and numbers",
			yaml: `
reserved: {numbers: [7, 9, 7], codes: [OLD, OLDER, OLDEST]}
categories:
  io:
    codes:
      OLD: {message: old, number: 7}
      NEW: {message: new, value: OLDER, aliases: [OLDEST], number: 8}`,
			want: `
1:28 E-listed-twice 7 is listed twice
  1:22 first listed here
5:7+3 E-reserved-name code "OLD" is reserved
  1:40+3 reserved here
5:35 E-reserved-name number 7 is reserved
  1:22 reserved here
6:34+5 E-reserved-name value "OLDER" is reserved
  1:45+5 reserved here
6:51+6 E-reserved-name alias "OLDEST" is reserved
  1:52+6 reserved here`,
		},
		{
			name: "listed twice",
			yaml: `
groups: {a: A.}
strategies: {s: S.}
reactions: {r: {action: recover, strategy: s}}
fields: {mode: {enum: [x, y, x]}, n: {type: int}, p: {type: string, from: [type, op, type]}}
profiles: {strict: {recovery: {allowed: [s, s]}}}
categories:
  io:
    codes:
      EOF: {message: end, groups: [a, a], args: [n, n], reaction: r, when: [{if: {n: [1, 2, 0x1]}, severity: low}, {if: {mode: {not: [y, y]}}, severity: low}]}`,
			want: `
4:30 E-listed-twice "x" is listed twice
  4:24 first listed here
4:86+4 E-listed-twice "type" is listed twice
  4:76+4 first listed here
5:45 E-listed-twice "s" is listed twice
  5:42 first listed here
9:39 E-listed-twice "a" is listed twice
  9:36 first listed here
9:53 E-listed-twice "n" is listed twice
  9:50 first listed here
9:93+3 E-listed-twice 0x1 is listed twice
  9:87 first listed here
9:138 E-listed-twice y is listed twice
  9:135 first listed here`,
		},
		{
			name: "a predeclared reaction",
			yaml: `
reactions: {block: {action: block, log: {level: warn}}}
categories:
  io: {codes: {EOF: {message: end, reaction: block}}}`,
			want: `
1:13+5 E-predeclared reaction "block" is predeclared
  hint: choose another name; a profile may overlay it`,
		},
		{
			name: "replaced by itself",
			yaml: `
categories:
  io:
    codes:
      A: {message: a, deprecated: old, replaced_by: B}
      B: {message: b, deprecated: old, replaced_by: C}
      C: {message: c, deprecated: old, replaced_by: B}
      D: {message: d, deprecated: old, replaced_by: D}`,
			want: `
6:53 E-replaced-by B would be replaced by itself
7:53 E-replaced-by D would be replaced by itself`,
		},
	})
}
