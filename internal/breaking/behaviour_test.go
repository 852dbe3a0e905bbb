package breaking_test

import "testing"

func TestTraits(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"retryable now", codes("A: {message: a}"),
			codes("A: {message: a, retryable: true, reaction: {action: retry}}"),
			`1:54 W-changed-retryable, 1:79 W-changed-reaction`},
		{"effect that was none", codes("A: {message: a, effect: none}"), codes("A: {message: a, effect: unknown}"),
			`1:51 E-break-effect`},
		{"effect that is gone", codes("A: {message: a, effect: none}"), codes("A: {message: a}"),
			`1:27 E-break-effect`},
		{"effect none of a branch",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, effect: none, when: [{if: {n: 1}, " +
				"severity: low}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, effect: none, when: [{if: {n: 1}, " +
				"severity: low, effect: done}]}}}}", `1:126 E-break-effect`},
		{"another effect", codes("A: {message: a}"), codes("A: {message: a, effect: none}"), `1:51 W-changed-effect`},
		{"an effect that was done", codes("A: {message: a, effect: done}"), codes("A: {message: a, effect: none}"),
			`1:51 W-changed-effect`},
		{"an exit status", codes("A: {message: a, exit: 75}"), codes("A: {message: a, exit: 69}"),
			`1:49 E-break-status`},
		{"no exit status", codes("A: {message: a, exit: 75}"), codes("A: {message: a}"), `1:27 E-break-status`},
		{"the default exit status", codes("A: {message: a}"), codes("A: {message: a, exit: 1}"), ``},
		{"recoverable", codes("A: {message: a}"), codes("A: {message: a, recoverability: recoverable}"),
			`1:59 W-changed-retryable`},
		{"severity of a category",
			"categories: {io: {severity: low, codes: {A: {message: a}, B: {message: b}}}}",
			"categories: {io: {severity: high, codes: {A: {message: a}, B: {message: b}}}}",
			`1:29 W-changed-severity, 1:29 W-changed-severity`},
		{"a branch as the code",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: low, when: [{if: {n: " +
				"1}, retryable: false}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: high, when: [{if: {n: " +
				"1}, retryable: false}]}}}}", `1:79 W-changed-severity`},
		{"branches in another order",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 5}}, " +
				"severity: low}, {if: {n: {min: 1}}, severity: high}]}}}}",
			"categories: {io: {fields: {n: {type: int}, m: {type: int}}, codes: {A: {message: a, when: [{if: {m: " +
				"1, n: {min: 1}}, severity: high}, {if: {n: {min: 5}}, severity: low}, {if: {n: {min: 1}}, " +
				"severity: high}]}}}}", `1:98 W-changed-when, 1:128 W-changed-severity`},
		{"a branch with another condition",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 5}}, " +
				"severity: low}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 6}}, " +
				"severity: low}]}}}}", `1:82 W-changed-when, 1:106 W-changed-severity`},
		{"a branch with a status and another condition",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 5}}, http: " +
				"400}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 6}}, http: " +
				"400}]}}}}", `1:82 W-changed-when, 1:102 E-break-status`},
		{"a new branch with the former value of the code",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: low}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: high, when: [{if: {n: " +
				"1}, severity: low}]}}}}", `1:79 W-changed-severity, 1:98 W-changed-when`},
		{"a branch that keeps the former value of the code",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: low, when: [{if: {n: 1}, " +
				"retryable: false}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: high, when: [{if: {n: 1}, " +
				"retryable: false, severity: low}]}}}}", `1:79 W-changed-severity`},
		{"branches the other way round",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 1, max: " +
				"9}}, severity: low}, {if: {n: {min: 5, max: 20}}, severity: high}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 5, max: " +
				"20}}, severity: high}, {if: {n: {min: 1, max: 9}}, severity: low}]}}}}", `1:82 W-changed-when`},
	})
}

func TestReactions(t *testing.T) {
	const use = "\ncategories: {io: {retryable: true, reaction: again, codes: {A: {message: a}, B: {message: b}}}}"
	runRuleTests(t, []ruleTest{
		{"another action", codes("A: {message: a}"), codes("A: {message: a, reaction: block}"),
			`1:53 W-changed-reaction`},
		{"a declared one", "reactions: {again: {action: retry}}" + use,
			"reactions: {again: {action: retry, then: abort, count_failure: false, policy: {max_attempts: 4}}}" + use,
			`1:13 W-changed-reaction`},
		{"another name", "reactions: {again: {action: retry}}" + use,
			"reactions: {again: {action: retry, then: other}, other: {action: block}}" + use, ``},
		{"a policy", "policies: {p: {max_attempts: 3}}\nreactions: {again: {action: retry, policy: p}}" + use,
			"policies: {p: {max_attempts: 5, max_delay: 1m, jitter: 0.1, budget: {retries: 0.2}, adapt: {attempts: " +
				"{max: 9}}}}\nreactions: {again: {action: retry, policy: p}}" + use, `1:12 W-changed-policy`},
		{"a policy in place",
			codes("A: {message: a, retryable: true, reaction: {action: retry, policy: {max_attempts: 2}}}"),
			codes("A: {message: a, retryable: true, reaction: {action: retry, policy: {max_attempts: 3}}}"),
			`1:79 W-changed-reaction`},
		{"of errors without a category", "uncategorized: block", "uncategorized: continue", `1:16 W-changed-reaction`},
	})
}

func TestTexts(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"message", codes("A: {message: it is gone}"), codes("A: {message: it went}"), `1:40 W-changed-message`},
		{"a placeholder with another key",
			"categories: {io: {fields: {note: {type: string}}, codes: {A: {message: 'a[: {note}]'}}}}",
			"categories: {io: {fields: {remark: {type: string}}, codes: {A: {message: 'a[: {remark}]'}}}}",
			`1:28 E-break-field-renamed`},
		{"feedback", codes("A: {message: a}"), codes("A: {message: a, feedback: do not}"), `1:53 W-changed-message`},
	})
}

func TestOfCodes(t *testing.T) {
	const set = "categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, set: "
	runRuleTests(t, []ruleTest{
		{"set", set + "{n: 1}}}}}", set + "{n: 2}}}}}", `1:75 W-changed-set`},
		{"groups", "groups: {g: G., h: H.}\n" + codes("A: {message: a, groups: [g]}, B: {message: b, groups: [g, h]}"),
			"groups: {g: G., h: H.}\n" + codes("A: {message: a, groups: [h]}, B: {message: b, groups: [g, h]}"),
			`2:52 W-changed-groups`},
		{"prevent", codes("A: {message: a}"), codes("A: {message: a, prevent: {throttle: 1s}}"),
			`1:63 W-changed-prevent`},
	})
}

func TestOthers(t *testing.T) {
	const unknown = "reactions: {stop: {action: block}}\nuncategorized: stop\n"
	runRuleTests(t, []ruleTest{
		{"tiers", "tiers: {a: {}, b: {}}", "tiers: {a: {}, m: {}, b: {}}", `1:9 W-changed-tiers`},
		{"fallback", "fallback: {code: A}\n" + codes("A: {message: a}, B: {message: b}"),
			"fallback: {code: B}\n" + codes("A: {message: a}, B: {message: b}"), `1:18 W-changed-fallback`},
		{"no fallback any more", "fallback: {code: A}\n" + codes("A: {message: a, detect: [{exit_code: 1}]}"),
			codes("A: {message: a, detect: [{exit_code: 1}]}"), `3:10 W-changed-fallback`},
		{"settings of a tier", "tiers: {a: {}, b: {}}", "tiers: {a: {}, b: {classifies: false}}",
			`1:16 W-changed-tiers`},
		{"settings of a profile", "profiles: {ci: {retry: {enabled: false}}}",
			"profiles: {ci: {reporting: {stack: true}, recovery: {enabled: false}, detection: {text: false}}}",
			`1:12 W-changed-profile`},
		{"an overlay", codes("A: {message: a}, B: {message: b}") + "\nprofiles: {ci: {codes: {A: {severity: low}}}}",
			codes("A: {message: a}, B: {message: b}") +
				"\nprofiles: {ci: {codes: {A: {severity: high}, B: {reaction: block}}}}",
			`2:12 W-changed-profile`},
		{"a new default profile", codes("A: {message: a}, B: {message: b}"),
			codes("A: {message: a}, B: {message: b}") +
				"\nprofiles: {default: {retry: {enabled: false}, codes: {A: {severity: high}}}}",
			`2:12 W-changed-profile`},
		{"the default profile removed", codes("A: {message: a}") +
			"\nprofiles: {default: {codes: {A: {reaction: block}}}}", codes("A: {message: a}"),
			`3:10 E-break-go-removed, 3:10 W-changed-profile`},
		{"another default profile", codes("A: {message: a}") +
			"\nprofiles: {default: {codes: {A: {severity: low}}}}",
			codes("A: {message: a}") + "\nprofiles: {default: {codes: {A: {severity: high}}}}",
			`2:12 W-changed-profile`},
		{"an empty default profile", "", "profiles: {default: {doc: As the table.}}", ``},
		{"a policy of a profile", "policies: {p: {max_attempts: 3}}\nreactions: {again: {action: retry, policy: p}}\n" +
			"categories: {io: {retryable: true, reaction: again, codes: {A: {message: a}}}}\n" +
			"profiles: {ci: {policies: {p: {max_attempts: 9}}}}",
			"policies: {p: {max_attempts: 3}}\nreactions: {again: {action: retry, policy: p}}\n" +
				"categories: {io: {retryable: true, reaction: again, codes: {A: {message: a}}}}\n" +
				"profiles: {ci: {policies: {p: {max_attempts: 8}}}}", `4:12 W-changed-profile`},
		{"numbers of a profile", "profiles: {ci: {retry: {max_attempts: 9}, recovery: {max_attempts: 2}}}",
			"profiles: {ci: {retry: {max_attempts: 8}, recovery: {max_attempts: 0, allowed: []}}}",
			`1:12 W-changed-profile`},
		{"a reaction of a profile", unknown +
			"profiles: {ci: {reactions: {stop: {action: continue}}}}",
			unknown + "profiles: {ci: {reactions: {stop: {action: abort}}}}", `3:12 W-changed-profile`},
	})
}
