package check_test

import "testing"

func TestDetectRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "expressions that do not compile",
			yaml: `
sources: {cli: A.}
categories:
  io:
    codes:
      A:
        message: a
        detect:
          - {source: cli, text: 'rate (limit'}
          - {source: cli, text: ['fine', 'a{2,1}bcd']}
          - {source: cli, text: '\bword\y'}
          - {source: cli, text: '(?=look)ahead'}`,
			want: `
8:34+11 E-regexp the regular expression does not compile: missing closing ) in "rate (limit"
9:44+5 E-regexp the regular expression does not compile: invalid repeat count in "{2,1}"
10:40+2 E-regexp the regular expression does not compile: invalid escape sequence in "\y"
11:34+3 E-regexp the regular expression does not compile: invalid or unsupported Perl syntax in "(?="`,
		},
		{
			name: "rules without a condition",
			yaml: `
sources: {cli: A.}
categories:
  io:
    codes:
      A: {message: a, detect: [{priority: -10}, {source: cli, text: ''}, {contains: ['']}, {}]}`,
			want: `
5:32+15 E-empty-rule the rule has no condition, so it would match everything
  hint: evidence that no rule matches becomes the fallback's code
5:69+2 E-empty-rule an empty text is found in everything
5:86+2 E-empty-rule an empty text is found in everything
5:92+2 E-empty-rule the rule has no condition, so it would match everything
  hint: evidence that no rule matches becomes the fallback's code`,
		},
		{
			name: "conditions that are never met",
			yaml: `
categories:
  io:
    codes:
      A: {message: a, detect: [{status: {min: 500, max: 499}}, {exit_code: {present: false, not: 0}}, {signal: {present: false}}, {exit_code: {min: 5, max: 6, not: [5, 6]}}]}`,
			want: `
4:41+20 E-empty-range this condition is never met: min is above max
4:76+24 E-empty-range this condition is never met: exit_code cannot be absent and have a value
4:143+29 E-empty-range this condition is never met: no value of exit_code is left`,
		},
	})
}
