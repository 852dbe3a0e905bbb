package check_test

import "testing"

func TestLimitsRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "a category without codes",
			yaml: `
categories:
  io: {codes: {}}`,
			want: `
2:3+2 E-no-codes category "io" has no codes`,
		},
	})
}
