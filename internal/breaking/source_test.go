package breaking_test

import "testing"

func TestFactories(t *testing.T) {
	const two = "categories: {io: {fields: {a: {type: string}, b: {type: string}}, codes: {EOF: {message: end, args: "
	runRuleTests(t, []ruleTest{
		{"one more", two + "[a]}}}}", two + "[a, b]}}}}", `1:75 E-break-factory, 1:75 W-changed-field-use`},
		{"another order", two + "[a, b]}}}}", two + "[b, a]}}}}", `1:75 E-break-factory`},
		{"what a field's change says already", fields("a: {type: string, required: true}"), fields("a: {type: string}"),
			`1:28 E-break-field-required`},
		{"set by the code now",
			"categories: {io: {fields: {a: {type: string, required: true}}, codes: {EOF: {message: end}}}}",
			"categories: {io: {fields: {a: {type: string, required: true}}, codes: {EOF: {message: end, set: {a: " +
				"x}}}}}", `1:72 E-break-factory, 1:72 W-changed-set`},
	})
}

func TestWordsInGo(t *testing.T) {
	const recover = "\ncategories: {io: {codes: {EOF: {message: end, groups: [g], reaction: {action: recover, " +
		"strategy: s}}}}}"
	runRuleTests(t, []ruleTest{
		{"a group that is gone", "groups: {g: G., h: H.}" + "\n" + codes("EOF: {message: end, groups: [g, h]}"),
			"groups: {g: G.}\n" + codes("EOF: {message: end, groups: [g]}"),
			`2:27 W-changed-groups, 4:10 E-break-go-removed`},
		{"a strategy that is new", "groups: {g: G.}\nstrategies: {s: S.}" + recover,
			"groups: {g: G.}\nstrategies: {s: S., t: T.}" + recover, `2:21 E-break-interface`},
		{"the first strategy", "groups: {g: G.}\n" + codes("EOF: {message: end, groups: [g]}"),
			"groups: {g: G.}\nstrategies: {s: S.}\n" + codes("EOF: {message: end, groups: [g]}"), ``},
		{"a check that is new", "checks: {a: A.}", "checks: {a: A., b: B.}", `1:17 E-break-interface`},
		{"a source that is gone", "sources: {a: A., b: B.}", "sources: {a: A.}", `3:10 E-break-go-removed`},
		{"a policy with another name", "policies: {a: {max_attempts: 2}}", "policies: {b: {max_attempts: 2}}",
			`3:10 E-break-go-removed`},
		{"a reaction that is gone", "reactions: {a: {action: block}}", "reactions: {}", `3:10 E-break-go-removed`},
		{"an op that is gone", "ops: {a: A.}", "ops: {}", `3:10 E-break-go-removed`},
		{"a tier that is gone", "tiers: {a: {}, b: {}, c: {}}", "tiers: {a: {}, c: {}}", `3:10 E-break-go-removed`},
		{"a profile that is gone", "profiles: {ci: {doc: CI.}, night: {doc: N.}}", "profiles: {ci: {doc: CI.}}",
			`3:10 E-break-go-removed`},
		{"no rules any more", codes("A: {message: a, detect: [{exit_code: 1}]}"), codes("A: {message: a}"),
			`3:10 E-break-go-removed`},
	})
}
