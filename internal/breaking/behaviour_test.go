package breaking_test

import "testing"

func TestTraits(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"retryable now", codes("A: {message: a}"), codes("A: {message: a, retryable: true, reaction: {action: retry}}"), `
1:54 W-changed-retryable A: retryable was false, is true
1:70 W-changed-reaction A: the action was abort, is retry
`},
		{"recoverable", codes("A: {message: a}"), codes("A: {message: a, recoverability: recoverable}"), `
1:59 W-changed-retryable A: recoverability was permanent, is recoverable
`},
		{"severity and kind of a category",
			"categories: {io: {severity: low, kind: fault, codes: {A: {message: a}, B: {message: b}}}}",
			"categories: {io: {severity: high, kind: failure, codes: {A: {message: a}, B: {message: b}}}}", `
1:29 W-changed-severity A and B: severity was low, is high
1:41 W-changed-kind A and B: kind was fault, is failure
`},
		{"a branch as the code",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: low, when: [{if: {n: " +
				"1}, kind: fault}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: high, when: [{if: {n: 1}, kind: fault}]}}}}", `
1:79 W-changed-severity A: severity was low, is high
`},
		{"branches in another order",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 5}}, " +
				"severity: low}, {if: {n: {min: 1}}, severity: high}]}}}}",
			"categories: {io: {fields: {n: {type: int}, m: {type: int}}, codes: {A: {message: a, when: [{if: {m: 1, n: {min: 1}}, severity: high}, {if: {n: {min: 5}}, severity: low}, {if: {n: {min: 1}}, severity: high}]}}}}", `
1:128 W-changed-severity A when 1: severity was none, is high
`},
		{"a branch that holds elsewhere",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 5}}, " +
				"severity: low}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 6}}, severity: low}]}}}}", `
1:76 W-changed-when A when 1 held where n min 5, and holds where n min 6
`},
		{"a branch with another status that holds elsewhere",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 5}}, http: " +
				"400}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 6}}, http: 400}]}}}}", `
1:76 E-break-status A when 1 held where n min 5, and holds where n min 6
`},
		{"branches the other way round",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 1, max: " +
				"9}}, severity: low}, {if: {n: {min: 5, max: 20}}, severity: high}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, when: [{if: {n: {min: 5, max: 20}}, severity: high}, {if: {n: {min: 1, max: 9}}, severity: low}]}}}}", `
1:76 W-changed-when the branches of A are in another order
  hint: the first branch that holds is taken
`},
	})
}

func TestReactions(t *testing.T) {
	const use = "\ncategories: {io: {retryable: true, reaction: again, codes: {A: {message: a}, B: {message: b}}}}"
	runRuleTests(t, []ruleTest{
		{"another action", codes("A: {message: a}"), codes("A: {message: a, reaction: block}"), `
1:53 W-changed-reaction A: the action was abort, is block
`},
		{"a declared one", "reactions: {again: {action: retry}}" + use, "reactions: {again: {action: retry, then: abort, count_failure: false, policy: {max_attempts: 4}}}" + use, `
1:13 W-changed-reaction reaction again: count_failure was true, is false; it has a policy now; then was block, is abort
`},
		{"another name", "reactions: {again: {action: retry}}" + use,
			"reactions: {again: {action: retry, then: other}, other: {action: block}}" + use, ``},
		{"a policy", "policies: {p: {max_attempts: 3}}\nreactions: {again: {action: retry, policy: p}}" + use,
			"policies: {p: {max_attempts: 5, max_delay: 1m, jitter: 0.1, budget: {retries: 0.2}, adapt: {attempts: {max: 9}}}}\nreactions: {again: {action: retry, policy: p}}" + use, `
1:12 W-changed-policy policy p: max_attempts was 3, is 5; max_delay was 30s, is 1m0s; jitter was none, is proportional; jitter was 0, is 0.1; max_retry_after was 30s, is 1m0s; adapt changed; budget changed
`},
		{"a policy in place",
			codes("A: {message: a, retryable: true, reaction: {action: retry, policy: {max_attempts: 2}}}"),
			codes("A: {message: a, retryable: true, reaction: {action: retry, policy: {max_attempts: 3}}}"), `
1:70 W-changed-reaction A: the reaction is another one: max_attempts was 2, is 3
`},
		{"of what is not known", "uncategorized: block", "uncategorized: continue", `
1:16 W-changed-reaction uncategorized: the action was block, is continue
`},
	})
}

func TestTexts(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"message", codes("A: {message: it is gone}"), codes("A: {message: it went}"), `
1:40 W-changed-message the message of A was "it is gone"
`},
		{"a placeholder with another key",
			"categories: {io: {fields: {note: {type: string}}, codes: {A: {message: 'a[: {note}]'}}}}",
			"categories: {io: {fields: {remark: {type: string}}, codes: {A: {message: 'a[: {remark}]'}}}}", `
1:28 E-break-field-renamed field io.note seems to be remark now: what is stored under the old key is lost
  hint: keep the key note, and give it "name: Remark"
`},
		{"feedback", codes("A: {message: a}"), codes("A: {message: a, feedback: do not}"), `
1:53 W-changed-message the feedback of A was none
`},
	})
}

func TestOfCodes(t *testing.T) {
	const set = "categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, set: "
	runRuleTests(t, []ruleTest{
		{"set", set + "{n: 1}}}}}", set + "{n: 2}}}}}", `
1:53 W-changed-set A set {n: 1}, and sets {n: 2}
`},
		{"groups", "groups: {g: G., h: H.}\n" + codes("A: {message: a, groups: [g]}, B: {message: b, groups: [g, h]}"),
			"groups: {g: G., h: H.}\n" + codes("A: {message: a, groups: [h]}, B: {message: b, groups: [g, h]}"), `
2:27 W-changed-groups A is in h now
2:27 W-changed-groups A is not in g any more
`},
		{"prevent", codes("A: {message: a}"), codes("A: {message: a, prevent: {throttle: 1s}}"), `
1:43 W-changed-prevent what is done before A: throttle was 0s, is 1s; likely was 0, is 0.5
`},
	})
}

func TestOthers(t *testing.T) {
	const unknown = "reactions: {stop: {action: block}}\nuncategorized: stop\n"
	runRuleTests(t, []ruleTest{
		{"tiers", "tiers: {a: {}, b: {}}", "tiers: {a: {}, m: {}, b: {}}", `
1:16 W-changed-tiers the ladder was a and b, is a, m and b
`},
		{"fallback", "fallback: {code: A}\n" + codes("A: {message: a}, B: {message: b}"), "fallback: {code: B}\n" + codes("A: {message: a}, B: {message: b}"), `
1:18 W-changed-fallback the fallback was A, is B
`},
		{"no fallback any more", "fallback: {code: A}\n" + codes("A: {message: a, detect: [{exit_code: 1}]}"), codes("A: {message: a, detect: [{exit_code: 1}]}"), `
-1:18 W-changed-fallback the fallback was A, is none
`},
		{"what a tier is", "tiers: {a: {}, b: {}}", "tiers: {a: {}, b: {classifies: false}}", `
1:16 W-changed-tiers the ladder was a and b, is a and b (does not classify)
`},
		{"settings of a profile", "profiles: {ci: {retry: {enabled: false}}}", "profiles: {ci: {reporting: {stack: true}, recovery: {enabled: false}, detection: {text: false}}}", `
1:12 W-changed-profile profile ci: detection text was true, is false; recovery was true, is false; retry was false, is true; reporting stack was false, is true
`},
		{"an overlay", codes("A: {message: a}, B: {message: b}") + "\nprofiles: {ci: {codes: {A: {severity: low}}}}",
			codes("A: {message: a}, B: {message: b}") + "\nprofiles: {ci: {codes: {A: {severity: high}, B: {reaction: block}}}}", `
2:12 W-changed-profile A: in profile ci severity was low, is high
2:12 W-changed-profile B: another reaction in profile ci: action was abort, is block
`},
		{"a profile for whoever chooses none", codes("A: {message: a}, B: {message: b}"),
			codes("A: {message: a}, B: {message: b}") + "\nprofiles: {default: {retry: {enabled: false}, codes: {A: {severity: high}}}}", `
2:12 W-changed-profile A: in profile default severity was none, is high
2:12 W-changed-profile profile default is new, and holds where none is chosen
2:12 W-changed-profile profile default: retry was true, is false
`},
		{"no profile any more for whoever chooses none", codes("A: {message: a}") + "\nprofiles: {default: {codes: {A: {reaction: block}}}}", codes("A: {message: a}"), `
-2:12 E-break-go-removed profile default and ProfileDefault are gone
  hint: keep it declared for as long as somebody may name it
-2:12 W-changed-profile A: another reaction in profile default: action was block, is abort
-2:12 W-changed-profile profile default is gone: where none is chosen, the table holds
`},
		{"another profile for whoever chooses none", codes("A: {message: a}") + "\nprofiles: {default: {codes: {A: {severity: low}}}}", codes("A: {message: a}") + "\nprofiles: {default: {codes: {A: {severity: high}}}}", `
2:12 W-changed-profile A: in profile default severity was low, is high
`},
		{"a profile that says nothing, for whoever chooses none", "", "profiles: {default: {doc: As the table.}}", ``},
		{"numbers of a profile", "profiles: {ci: {retry: {max_attempts: 9}, recovery: {max_attempts: 2}}}", "profiles: {ci: {retry: {max_attempts: 8}, recovery: {max_attempts: 0, allowed: []}}}", `
1:12 W-changed-profile profile ci: recovery max_attempts was 2, is 0; recovery allowed was every strategy, is no strategy; retry: max_attempts was 9, is 8
`},
		{"what a profile does about errors of no category", unknown + "profiles: {ci: {reactions: {stop: {action: continue}}}}", unknown + "profiles: {ci: {reactions: {stop: {action: abort}}}}", `
3:12 W-changed-profile profile ci: uncategorized: action was continue, is abort
`},
	})
}
