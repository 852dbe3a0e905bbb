package check_test

import "testing"

func TestTextsRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "text that turns the direction of writing",
			yaml: `
doc: "end \u202E fo"`,
			want: `
1:11+6 E-text the text holds a character that turns the direction of writing (U+202E)
  hint: remove it`,
		},
		{
			name: "control character in a message",
			yaml: `
categories:
  io:
    codes:
      EOF: {message: "the\u0007 end"}`,
			want: `
4:26+6 E-text the text holds a control character (U+0007)
  hint: remove it`,
		},
		{
			name: "NUL in a name",
			yaml: `
sources: {"a\0b": A.}
categories:
  io:
    codes:
      EOF: {message: end, detect: [{source: "a\0b"}]}`,
			want: `
1:13+2 E-text the text holds a NUL character (U+0000)
  hint: remove it`,
		},
		{
			name: "what rules search for may hold anything",
			yaml: `
sources: {cli: A.}
categories:
  io:
    codes:
      EOF: {message: end, detect: [{source: cli, contains: ["\e[31merror"]}]}`,
		},
		{
			name: "text that looks like a directive stays text",
			yaml: `
doc: |
  go:build ignore
  */ } func init() { ` + "`" + ``,
		},
		{
			name: "space in a source",
			yaml: `
sources: {the cli: A.}
categories:
  io:
    codes:
      EOF: {message: end, detect: [{source: the cli}]}`,
			want: `
1:14 E-name a source cannot hold " "`,
		},
		{
			name: "names that would need escaping on the wire",
			yaml: `
fields: {'a"b': {type: string, name: AB}, 'c\d': {type: string, name: CD}, 'e<f': {type: string, name: EF}}
categories:
  io:
    codes:
      EOF: {message: end}`,
			want: `
1:12 E-name a field cannot hold "\""
1:45 E-name a field cannot hold "\\"
1:78 E-name a field cannot hold "<"`,
		},
		{
			name: "names that no placeholder could hold",
			yaml: `
fields: {"a:b": {type: string, name: AB}, "c.d": {type: string, name: CD}}
categories:
  io:
    codes:
      EOF: {message: end, value: "the end", aliases: ["x y"]}`,
			want: `
1:12 E-name a field cannot hold ":"
1:45 E-name a field cannot hold "."
5:38 E-name a value cannot hold " "
5:57 E-name an alias cannot hold " "`,
		},
		{
			name: "empty value",
			yaml: `
categories:
  io:
    codes:
      EOF: {message: end, value: ""}`,
			want: `
4:34+2 E-name a value is empty`,
		},
	})
}
