package check_test

import "testing"

func TestWhenRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "secrets",
			yaml: `
fields: {a: {type: string, scrub: true}, b: {type: string, sensitive: true}, c: {type: string, message_only: true}, d: {type: string}}
categories:
  io:
    codes:
      A:
        message: a
        when:
          - {if: {a: x}, severity: low}
          - {if: {b: {present: true}}, severity: low}
          - {if: {c: x, d: x}, severity: low}`,
			want: `
8:19 E-when-secret a is scrubbed, so the branch would be decided differently after decoding
  1:35+4 said here
9:19 E-when-secret b is sensitive, so the branch would be decided differently after decoding
  1:71+4 said here
10:19 E-when-secret c is not in the context on the wire, so the branch would be decided differently after decoding
  1:110+4 said here`,
		},
		{
			name: "never holds",
			yaml: `
fields: {n: {type: int}, r: {type: int, required: true}, mode: {enum: [fast, slow]}, b: {type: bool}, s: {type: string}}
categories:
  io:
    codes:
      A:
        message: a
        set: {mode: fast}
        when:
          - {if: {n: {min: 5, max: 4}}, severity: low}
          - {if: {r: {present: false}}, severity: low}
          - {if: {mode: slow}, severity: low}
          - {if: {mode: {present: false}}, severity: low}
          - {if: {b: {not: [true, false]}}, severity: low}
          - {if: {n: {min: 5, max: 6, not: [5, 6]}}, severity: low}
          - {if: {n: {present: false, min: 1}}, severity: low}
          - {if: {n: {present: false}}, severity: low}
          - {if: {mode: fast, n: {min: 5, max: 6, not: 5}}, severity: low}`,
			want: `
9:19 E-when-unreachable this branch never holds: min is above max
10:19 E-when-unreachable this branch never holds: r is never absent
11:19+4 E-when-unreachable this branch never holds: A sets mode to fast
12:19+4 E-when-unreachable this branch never holds: mode is never absent
13:19 E-when-unreachable this branch never holds: no value of b is left
14:19 E-when-unreachable this branch never holds: no value of n is left
15:19 E-when-unreachable this branch never holds: n cannot be absent and have a value`,
		},
		{
			name: "covered by an earlier branch",
			yaml: `
fields: {n: {type: int}, mode: {enum: [fast, slow, idle]}, s: {type: string}, d: {type: duration}}
categories:
  io:
    codes:
      A:
        message: a
        when:
          - {if: {n: [408, 429]}, severity: low}
          - {if: {n: {min: 400, max: 499}}, severity: low}
          - {if: {n: 404}, severity: low}
          - {if: {n: {min: 450, max: 460}, s: x}, severity: low}
          - {if: {mode: {not: idle}}, severity: low}
          - {if: {mode: [fast, slow]}, severity: low}
          - {if: {s: {prefix: ab}}, severity: low}
          - {if: {s: {prefix: [abc, abd]}}, severity: low}
          - {if: {s: {prefix: a}}, severity: low}
          - {if: {d: {min: 1s}}, severity: low}
          - {if: {d: {min: 1m, not: 2m}}, severity: low}
          - {if: {d: {min: 500ms}}, severity: low}
          - {if: {d: {present: true}}, severity: low}
          - {if: {d: {max: 1s}}, severity: low}`,
			want: `
10:13+29 E-when-unreachable an earlier branch always holds where this one does
  9:13+46 this branch
11:13+52 E-when-unreachable an earlier branch always holds where this one does
  9:13+46 this branch
13:13+41 E-when-unreachable an earlier branch always holds where this one does
  12:13+40 this branch
15:13+46 E-when-unreachable an earlier branch always holds where this one does
  14:13+38 this branch
18:13+44 E-when-unreachable an earlier branch always holds where this one does
  17:13+35 this branch
21:13+35 E-when-unreachable an earlier branch always holds where this one does
  20:13+41 this branch`,
		},
		{
			name: "bounds of every type with an order",
			yaml: `
fields: {u: {type: uint64}, f: {type: float64}, t: {type: time}, i: {type: int64}, b: {type: bool}}
categories:
  io:
    codes:
      A:
        message: a
        set: {b: true}
        when:
          - {if: {u: {min: 2, max: 1}}, severity: low}
          - {if: {f: {min: 1.5}}, severity: low}
          - {if: {f: {min: 2}}, severity: low}
          - {if: {t: {max: '2026-01-01T00:00:00Z'}}, severity: low}
          - {if: {t: {max: '2025-01-01T00:00:00+02:00'}}, severity: low}
          - {if: {i: {min: 1, max: 9223372036854775807}}, severity: low}
          - {if: {i: {min: 5, max: 9223372036854775807}}, severity: low}
          - {if: {i: [6, 7]}, severity: low}
          - {if: {b: false}, severity: low}
          - {if: {u: {not: 3}}, severity: low}
          - {if: {u: {not: [3, 4]}}, severity: low}
          - {if: {u: {not: 5}}, severity: low}`,
			want: `
9:19 E-when-unreachable this branch never holds: min is above max
11:13+34 E-when-unreachable an earlier branch always holds where this one does
  10:13+36 this branch
13:13+60 E-when-unreachable an earlier branch always holds where this one does
  12:13+55 this branch
15:13+60 E-when-unreachable an earlier branch always holds where this one does
  14:13+60 this branch
16:13+32 E-when-unreachable an earlier branch always holds where this one does
  14:13+60 this branch
17:19 E-when-unreachable this branch never holds: A sets b to true
19:13+39 E-when-unreachable an earlier branch always holds where this one does
  18:13+34 this branch`,
		},
		{
			name: "prefixes and exclusions",
			yaml: `
fields: {s: {type: string}, mode: {enum: [fast, slow, slower]}}
categories:
  io:
    codes:
      A:
        message: a
        when:
          - {if: {s: {prefix: ab, not: abc}}, severity: low}
          - {if: {s: {prefix: ab}}, severity: low}
          - {if: {s: {prefix: abd}}, severity: low}
          - {if: {s: {not: x}}, severity: low}
          - {if: {s: [x, y]}, severity: low}
          - {if: {s: [y, z]}, severity: low}
          - {if: {mode: {prefix: slow}}, severity: low}
          - {if: {mode: slower}, severity: low}
          - {if: {mode: [fast, slow]}, severity: low}
          - {if: {mode: {prefix: x}}, severity: low}`,
			want: `
10:13+39 E-when-unreachable an earlier branch always holds where this one does
  8:13+48 this branch
13:13+32 E-when-unreachable an earlier branch always holds where this one does
  11:13+34 this branch
15:13+35 E-when-unreachable an earlier branch always holds where this one does
  14:13+43 this branch
17:19+4 E-when-unreachable this branch never holds: no value of mode is left`,
		},
		{
			name: "the same condition again",
			yaml: `
fields: {n: {type: int}}
categories:
  io:
    codes:
      A:
        message: a
        when:
          - {if: {n: {present: false}}, severity: low}
          - {if: {n: {present: false}}, severity: high}`,
			want: `
9:13+43 E-when-unreachable an earlier branch always holds where this one does
  8:13+42 this branch`,
		},
		{
			name: "tests nothing",
			yaml: `
fields: {n: {type: int}}
categories:
  io:
    codes:
      A: {message: a, when: [{if: {}, severity: low}]}`,
			want: `
5:30+23 E-when-empty the branch tests nothing, so it always holds
  hint: say what it changes on the code itself`,
		},
	})
}
