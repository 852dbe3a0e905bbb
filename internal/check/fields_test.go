package check_test

import "testing"

func TestFieldsRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "options that only text has",
			yaml: `
fields:
  a: {type: int, scrub: true}
  b: {type: strings, max_length: 100, scrub: true}
  c: {type: string, max_length: 3}
  f: {type: string, max_length: 2000000000}
  g: {type: json, max_length: 100}
  d: {type: string, keep: tail}
  e: {type: string, max_length: 100, keep: tail, scrub: true}`,
			want: `
2:25+4 E-field-option scrub is for texts, and "a" is of type int
4:33 E-field-option max_length is at least 4, which leaves room for the mark of the cut
5:33+10 E-field-option max_length is at most 1073741823
6:31+3 E-field-option max_length is for texts, and "g" is of type json
7:27+4 E-field-option keep says which end stays when a text is cut, but nothing cuts this one
  hint: say max_length as well`,
		},
		{
			name: "objects",
			yaml: `
fields:
  a: {type: object}
  b: {type: int, fields: {c: {type: int}}}
  d: {enum: []}`,
			want: `
2:13+6 E-field-option object "a" has no fields
  hint: list them under fields
3:27 E-field-option only an object has fields, and "b" is of type int
4:13+2 E-field-option enum "d" has no words`,
		},
		{
			name: "types that evidence fills",
			yaml: `
fields:
  a: {type: int, from: text}
  b: {type: string, from: files}
  c: {type: int, from: [status, attributes.c]}
  d: {type: time, from: retry_after}
  e: {type: strings, from: attributes.e}
  f: {type: duration, from: [attributes.f, retry_after]}
  g: {enum: [x], from: [attributes.g, type]}`,
			want: `
2:24+4 E-from-type text fills fields of type string and enum, and "a" is of type int
3:27+5 E-from-type files fills fields of type strings, and "b" is of type string
5:25+11 E-from-type retry_after fills fields of type duration, and "d" is of type time
6:28+12 E-from-type attributes.e is one value, and cannot fill "e" of type strings
7:44+11 E-role-twice category "io" has a field for retry_after already
  5:25+11 this one`,
		},
		{
			name: "two fields with one role",
			yaml: `
fields: {wait: {type: duration, from: retry_after}}
categories:
  io:
    fields: {delay: {type: duration, from: [attributes.delay, retry_after]}}
    codes: {EOF: {message: end}}
  net:
    fields: {a: {type: string, from: text}, b: {type: string, from: text}}
    codes: {RESET: {message: reset}}`,
			want: `
4:63+11 E-role-twice category "io" has a field for retry_after already
  1:39+11 this one`,
		},
		{
			name: "args that leave out what is required",
			yaml: `
categories:
  io:
    fields: {path: {type: string, required: true}, n: {type: int, required: true}, m: {type: int, required: true}}
    codes:
      A: {message: a, args: [n], set: {m: 1}}
      B: {message: b, args: []}
      C: {message: c}
      D: {message: d, args: [n, path, m], set: {m: 1}}`,
			want: `
5:30 E-missing-arg NewA neither takes nor sets the required field "path"
  hint: add it to args, or give it a value under set
  3:45+4 required here
6:7 E-missing-arg NewB neither takes nor sets the required field "m"
  hint: add it to args, or give it a value under set
  3:109+4 required here
6:7 E-missing-arg NewB neither takes nor sets the required field "n"
  hint: add it to args, or give it a value under set
  3:77+4 required here
6:7 E-missing-arg NewB neither takes nor sets the required field "path"
  hint: add it to args, or give it a value under set
  3:45+4 required here
8:39 E-fixed-arg "m" is fixed by set, and cannot be a parameter as well
  8:49 fixed here`,
		},
		{
			name: "what nothing fills",
			yaml: `
sources: {cli: A.}
fallback: {code: LOST}
categories:
  io:
    fields: {path: {type: string, required: true}, n: {type: int}}
    codes:
      A: {message: a, detect: [{source: cli, set: {path: x}}, {source: cli, text: abcd}]}
      B: {message: b, args: [n, path], detect: [{type: ab7, set: {path: x}}]}
      C: {message: c, set: {path: y}, detect: [{type: ab8}]}
      LOST: {message: lost}
      RARE: {message: never detected}`,
			want: `
2:18+4 E-unfillable nothing gives LOST its "path" when it is the fallback
  hint: give the field a from or a default, or set it here
  5:14+4 declared here
7:63+25 E-unfillable nothing gives A its "path" when it is detected
  hint: give the field a from or a default, or set it in this rule
  5:14+4 declared here
8:49+27 E-unfillable nothing gives B its "n" when it is detected
  hint: give the field a from or a default, or set it in this rule
  5:52 declared here`,
		},
		{
			name: "what is filled",
			yaml: `
sources: {cli: A.}
fallback: {code: LOST, set: {b: 1}}
categories:
  io:
    fields: {a: {type: string, required: true, default: x}, b: {type: int, required: true}, c: {type: string, required: true, from: text}}
    codes:
      LOST: {message: lost}`,
			want: `
1:11+3 W-unused source "cli" is never used`,
		},
		{
			name: "objects that are filled by what is in them, and one that is not",
			yaml: `
fallback: {code: LOST}
categories:
  io:
    fields:
      a: {type: object, required: true, fields: {b: {type: object, fields: {c: {type: int, required: true, from: status}}}}}
      d: {type: object, required: true, fields: {e: {type: string, default: x}}}
      f: {type: object, required: true, fields: {g: {type: string}}}
    codes:
      LOST: {message: lost}`,
			want: `
1:18+4 E-unfillable nothing gives LOST its "f" when it is the fallback
  hint: give the field a from or a default, or set it here
  7:7 declared here`,
		},
		{
			name: "an object filled in part",
			yaml: `
fields: {run: {type: object, fields: {mode: {type: string, from: type}, step: {type: string, required: true}, n: {type: int}}}}`,
			want: `
1:73+4 E-unfillable evidence fills run, but nothing gives it its "step"
  hint: give the field a from or a default`,
		},
	})
}
