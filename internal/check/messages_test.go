package check_test

import "testing"

func TestMessagesRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "malformed",
			yaml: `
fields: {path: {type: string, required: true}}
categories:
  io:
    codes:
      A: {message: 'no {path'}
      B: {message: 'no {}'}
      C: {message: 'no [file]'}
      D: {message: "the \"path\" {path} ]"}
      E: {message: '{{path}} [[x]]', feedback: 'no }'}`,
			want: `
5:24 E-placeholder "{" is never closed; write "{{" for a brace
6:24+2 E-placeholder a placeholder without a field; write {{}} for braces
7:24+6 E-placeholder an optional group without a placeholder; write [[ ]] for brackets
8:41 E-placeholder "]" without "["; write "]]" for a bracket
9:52 E-placeholder "}" without "{"; write "}}" for a brace`,
		},
		{
			name: "unknown field",
			yaml: `
fields: {path: {type: string, required: true}}
categories:
  io:
    codes:
      A: {message: 'no {paht}', feedback: 'mend [{paths}]'}
      B: {message: '[{caus}]'}
      C: {message: '{other}'}`,
			want: `
5:25+4 E-placeholder category "io" has no field "paht"
  hint: did you mean "path"?
5:51+5 E-placeholder category "io" has no field "paths"
  hint: did you mean "path"?
6:23+4 E-placeholder category "io" has no field "caus"
  hint: did you mean "cause"?
7:22+5 E-placeholder category "io" has no field "other"`,
		},
		{
			name: "a place behind characters of more bytes",
			yaml: `
fields: {path: {type: string, required: true}}
categories:
  io:
    codes:
      A: {message: 'größe «{paht}»'}`,
			want: `
5:29+4 E-placeholder category "io" has no field "paht"
  hint: did you mean "path"?`,
		},
		{
			name: "formats",
			yaml: `
fields: {path: {type: string, required: true}, n: {type: int, required: true}, l: {type: strings, required: true}, d: {type: duration, required: true}, o: {type: object, required: true, fields: {x: {type: int}}}}
categories:
  io:
    codes:
      A: {message: '{path:first_line} {l:count} {d:seconds} {path:quoted} {l} {n} {d}[ {cause:first_line}]'}
      B: {message: '{n:count}'}
      C: {message: '{path:seconds}'}
      D: {message: '{path:firstline}'}
      E: {message: '{o}'}
      F: {message: '[{cause:count}]'}`,
			want: `
6:24+5 E-placeholder-format format "count" is for strings, and field n is of type int
7:27+7 E-placeholder-format format "seconds" is for duration, and field path is of type string
8:27+9 E-placeholder-format there is no format "firstline"
  hint: did you mean "first_line"?
9:21+3 E-placeholder-format field o is an object, which a message cannot show
10:29+5 E-placeholder-format format "count" is for strings, and the cause is of type string`,
		},
		{
			name: "what may be absent",
			yaml: `
fields: {path: {type: string}, n: {type: int, required: true}}
categories:
  io:
    codes:
      A: {message: 'no {path}'}
      B: {message: 'no[ {path}] {n}'}
      C: {message: 'no {path}', args: [path, n]}
      D: {message: 'no {path}', set: {path: x}}
      E: {message: 'no: {cause}', feedback: 'mend {path}'}`,
			want: `
5:24+6 E-optional-placeholder path may be absent when NewA is made
  hint: put it in brackets, as in [ {path}], or list it in args
  1:10+4 declared optional here
9:25+7 E-optional-placeholder an error may have no cause
  hint: put it in brackets, as in [: {cause}]
9:51+6 E-optional-placeholder path may be absent when NewE is made
  hint: put it in brackets, as in [ {path}], or list it in args
  1:10+4 declared optional here`,
		},
		{
			name: "what is sensitive",
			yaml: `
fields: {token: {type: string, sensitive: true, required: true}}
categories:
  io:
    codes:
      A: {message: 'bad {token}', feedback: 'mend [{token}]'}`,
			want: `
5:25+7 E-sensitive-text token is sensitive and must not be shown
  1:43+4 declared sensitive here
5:52+7 E-sensitive-text token is sensitive and must not be shown
  1:43+4 declared sensitive here`,
		},
		{
			name: "empty",
			yaml: `
categories:
  io:
    codes:
      A: {message: '', feedback: ' '}`,
			want: `
4:20+2 E-empty-text the text is empty
4:34+3 E-empty-text the text is empty`,
		},
		{
			name: "punctuation",
			yaml: `
categories:
  io:
    codes:
      A: {message: It ended., feedback: Start again.}
      B: {message: "it ended\n"}
      C: {message: waiting...}`,
			want: `
4:28 W-message-punctuation the message ends in a full stop
  hint: messages are joined with others; end with a word
5:20+12 W-message-punctuation the message ends in a newline
  hint: messages are joined with others; end with a word`,
		},
	})
}
