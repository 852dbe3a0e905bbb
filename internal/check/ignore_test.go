package check_test

import "testing"

func TestIgnoreRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "a warning silenced on its node",
			yaml: `
categories:
  io:
    codes:
      A: {message: a, number: 2}
      B: {message: b, number: 1} # errgen:ignore W-unsorted -- kept from before
      C: {message: c, number: 1}`,
			want: `
6:31 E-duplicate-number number 1 is taken
  5:31 first used here
6:31 W-unsorted number 1 comes after 2
  4:31 2 is here`,
		},
		{
			name: "an error is never silenced",
			yaml: `
categories:
  io:
    codes:
      A: {message: 'no {x}'} # errgen:ignore E-placeholder`,
			want: `
4:25 E-placeholder category "io" has no field "x"
4:46+13 E-ignore an error cannot be ignored: E-placeholder
  hint: only warnings (W-…) can`,
		},
		{
			name: "an ignore of nothing",
			yaml: `
categories:
  io:
    codes:
      A: {message: a} # errgen:ignore W-unsorted, W-unsorte`,
			want: `
4:39+10 W-ignore-unused nothing here gives rise to W-unsorted
  hint: remove the comment
4:51+9 W-ignore-unused there is no warning W-unsorte
  hint: did you mean "W-unsorted"?`,
		},
		{
			name: "the whole of a category",
			yaml: `
categories:
  # errgen:ignore W-unsorted
  io:
    codes:
      A: {message: a, number: 2}
      B: {message: b, number: 1}`,
		},
		{
			name: "faults of form hide what they make unsure",
			yaml: `
sources: {cli: A.}
categories:
  io:
    codes:
      A: {message: a, dtect: [{source: cli}]}`,
			want: `
5:23+5 E-unknown-key unknown key "dtect" in a code
  hint: did you mean "detect"?`,
		},
	})
}
