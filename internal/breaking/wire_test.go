package breaking_test

import "testing"

func TestHeader(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"another domain", "domain: shop.example.com", "domain: shop.example.org", `
1:9 E-break-domain the domain was shop.example.com, is shop.example.org
  hint: keep it: errors of another domain are unknown to whoever reads them
`},
		{"a domain where there was none", "", "domain: shop.example.com", `
1:9 E-break-domain the domain was none, is shop.example.com
  hint: keep it: errors of another domain are unknown to whoever reads them
`},
		{"no domain any more", "domain: shop.example.com", "", `
-1:9 E-break-domain the domain was shop.example.com, is none
  hint: keep it: errors of another domain are unknown to whoever reads them
`},
		{"another package", "package: errs", "package: fails", `
1:10 E-break-package the package was errs, and is fails
  hint: keep it: every caller imports it
`},
		{"another help", "help_url: https://a.example/{code}", "help_url: https://b.example/{code}", `
1:11 W-changed-help-url help_url was https://a.example/{code}, is https://b.example/{code}
  hint: let the old addresses lead to the new ones
`},
	})
}

func TestCodes(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"gone", codes("A: {message: a}, B: {message: b, number: 7, aliases: [C]}"), codes("A: {message: a}"), `
-1:44 E-break-code-removed code B is gone, and is not reserved
  hint: reserve it, so that nothing else gets its name: reserved: {numbers: [7], codes: [B, C]}; or make it an alias of the code that takes its place
`},
		{"gone and reserved", codes("A: {message: a}, B: {message: b, number: 7, aliases: [C]}"),
			"reserved: {codes: [B, C], numbers: [7]}\n" + codes("A: {message: a}"), `
-1:44 W-changed-code-retired code B is retired without having been deprecated: CodeB and NewB are gone
  hint: deprecate it for a release first, with "replaced_by" where there is something better
`},
		{"deprecated, then gone and reserved", codes("A: {message: a}, B: {message: b, deprecated: no longer made}"),
			"reserved: {codes: [B]}\n" + codes("A: {message: a}"), ``},
		{"gone and reserved, but for number and alias", codes(
			"A: {message: a}, B: {message: b, deprecated: no, number: 7, aliases: [C]}"),
			"reserved: {codes: [B]}\n" + codes("A: {message: a}"), `
-1:44 E-break-alias C, an alias of B, is gone, and is not reserved
  hint: reserved: {codes: [C]}
-1:84 E-break-number number 7 of B is gone, and is not reserved
  hint: reserved: {numbers: [7]}
`},
		{"another value", codes("A: {message: a, value: io.a}"), codes("A: {message: a, value: io.b}"), `
1:50 E-break-code-value code io.a is now io.b on the wire, and io.a does not decode to it
  hint: keep it with "value: io.a", or let it still decode with "aliases: [io.a]"
`},
		{"another value, the old one an alias", codes("A: {message: a}"), codes("A: {message: a, value: io.a, aliases: [A]}"), `
1:50 W-changed-code-value code A is now io.a on the wire: programs generated before do not know that
  hint: to rename it in Go only, keep "value: A"
`},
		{"another key, the old one an alias", codes("A: {message: a}"), codes("B: {message: a, aliases: [A]}"), `
1:27 E-break-go-name CodeA and NewA are now CodeB and NewB
  hint: "name: A" keeps the names in Go
1:27 W-changed-code-value code A is now B on the wire: programs generated before do not know that
  hint: to rename it in Go only, keep "value: A"
`},
		{"another key, the same value and name", codes("OLD_ONE: {message: a}"),
			codes("NEW_ONE: {message: a, value: OLD_ONE, name: OldOne}"), ``},
		{"another key, the same value", codes("OLD_ONE: {message: a}"), codes("NEW_ONE: {message: a, value: OLD_ONE}"), `
1:27 E-break-go-name CodeOldOne and NewOldOne are now CodeNewOne and NewNewOne
  hint: "name: OldOne" keeps the names in Go
`},
		{"another name in Go", codes("A: {message: a}"), codes("A: {message: a, name: Alpha}"), `
1:49 E-break-go-name CodeA and NewA are now CodeAlpha and NewAlpha
  hint: "name: A" keeps the names in Go
`},
		{"merged into another", codes("A: {message: a, number: 1}, B: {message: b, number: 2}"),
			"reserved: {numbers: [1]}\n" + codes("B: {message: b, number: 2, aliases: [A]}"), `
-1:27 W-changed-code-retired code A is retired without having been deprecated: CodeA and NewA are gone
  hint: deprecate it for a release first, with "replaced_by" where there is something better
`},
	})
}

func TestAliases(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"gone", codes("A: {message: a, aliases: [B]}"), codes("A: {message: a}"), `
1:27 E-break-alias B does not decode to A any more
  hint: keep "aliases: [B]", or reserve it
`},
		{"gone and reserved", codes("A: {message: a, aliases: [B]}"),
			"reserved: {codes: [B]}\n" + codes("A: {message: a}"), ``},
		{"another code's", codes("A: {message: a, aliases: [C]}, B: {message: b}"), codes("A: {message: a}, B: {message: b, aliases: [C]}"), `
1:44 E-break-alias C decoded to A, and now decodes to B
  hint: give it back to A
`},
		{"a code of its own", codes("A: {message: a, aliases: [B]}"), codes("A: {message: a}, B: {message: b}"), `
1:44 E-break-alias B decoded to A, and is now a code of its own
  hint: give it back to A
`},
		{"a code of its own, the code reserved", codes("A: {message: a, deprecated: no, aliases: [B]}"), "reserved: {codes: [A]}\n" + codes("B: {message: b}"), `
2:27 E-break-alias B decoded to A, and is now a code of its own
  hint: choose another name
`},
		{"the value, and the value the alias", codes("A: {message: a, value: x, aliases: [y]}"), codes("A: {message: a, value: y, aliases: [x]}"), `
1:50 W-changed-code-value code x is now y on the wire: programs generated before do not know that
  hint: to rename it in Go only, keep "value: x"
`},
	})
}

func TestNumbers(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"swapped", codes("A: {message: a, number: 205}, B: {message: b, number: 206}"), codes("A: {message: a, number: 206}, B: {message: b, number: 205}"), `
1:51 E-break-number the number of A was 205, is 206 now, and 205 is that of B
  hint: numbers are published: keep "number: 205"
1:81 E-break-number the number of B was 206, is 205 now, and 206 is that of A
  hint: numbers are published: keep "number: 206"
`},
		{"another", codes("A: {message: a, number: 1}"), codes("A: {message: a, number: 2}"), `
1:51 E-break-number the number of A was 1, is 2 now
  hint: numbers are published: keep "number: 1"
`},
		{"none any more", codes("A: {message: a, number: 1}"), codes("A: {message: a}"), `
1:27 E-break-number the number of A was 1, has none now
  hint: numbers are published: keep "number: 1"
`},
		{"that of a code that is gone", codes("A: {message: a, number: 1, deprecated: no}, B: {message: b}"),
			"reserved: {codes: [A]}\n" + codes("B: {message: b, number: 1}"), `
2:51 E-break-number number 1 was that of A, and is now that of B
  hint: take the next free number
`},
	})
}

func TestReserved(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"reserved no more", "reserved: {codes: [X], numbers: [9]}", "", `
-1:20 E-break-reserved X is not reserved any more
  hint: what is reserved stays so
-1:34 E-break-reserved number 9 is not reserved any more
  hint: what is reserved stays so
`},
		{"used again", "reserved: {codes: [X], numbers: [9]}\n" + codes("A: {message: a}"),
			codes("A: {message: a, number: 9}, X: {message: x}"), `
1:51 E-break-reserved number 9 was reserved, and is now that of A
  hint: take the next free number
1:55 E-break-reserved X was reserved, and is a code now
  hint: choose another name: old logs and clients still hold this one
`},
		{"an alias now", "reserved: {codes: [X]}\n" + codes("A: {message: a}"), codes("A: {message: a, aliases: [X]}"), `
1:27 E-break-reserved X was reserved, and decodes to A now
  hint: right only if it meant that before, which no comparison can tell: then say -except E-break-reserved
`},
	})
}

func TestCategories(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"another name", "categories: {llm: {codes: {A: {message: a}, B: {message: b}}}}",
			"categories: {provider: {codes: {A: {message: a}, B: {message: b}}}}", `
1:14 E-break-category category llm is now provider, and LLMError is now ProviderError
  hint: the name is on the wire: keep it; "type:" changes the names in Go
`},
		{"codes that move",
			"categories: {a: {codes: {A: {message: a}, B: {message: b}}}, c: {codes: {C: {message: c}}}}",
			"categories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c}, B: {message: b}}}}", `
1:74 E-break-category B moved from category a to c, and from AError to CError
  hint: give the other category a code of its own, and let this one be deprecated
`},
		{"another name, the type kept", "categories: {llm: {codes: {A: {message: a}}}}", "categories: {provider: {type: LLMError, codes: {A: {message: a}}}}", `
1:14 E-break-category category llm is now provider
  hint: the name is on the wire: keep it; "type:" changes the names in Go
`},
		{"the only code moves to another that has a required field",
			"categories: {a: {fields: {id: {type: string}}, codes: {A: {message: a}, M: {message: m}}}, c: " +
				"{fields: {n: {type: int, required: true}}, codes: {C: {message: c}}}}",
			"categories: {a: {fields: {id: {type: string}}, codes: {A: {message: a}}}, c: {fields: {n: {type: int, required: true}}, codes: {C: {message: c}, M: {message: m}}}}", `
1:146 E-break-category M moved from category a to c, and from AError to CError
  hint: give the other category a code of its own, and let this one be deprecated
1:146 E-break-factory NewM had the parameters (), and has (n int)
  hint: say "args" as they were, or give what is new to a code of its own
`},
		{"a code that moves with a field",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}, M: {message: " +
				"m}}}, c: {fields: {id: {type: string, required: true}}, codes: {C: {message: c}}}}",
			"categories: {a: {fields: {id: {type: string}}, codes: {A: {message: a}}}, c: {fields: {id: {type: string, required: true}}, codes: {C: {message: c}, M: {message: m}}}}", `
1:27 E-break-field-required field a.id is not required any more
  hint: keep it required: readers generated before take what is absent for empty
1:150 E-break-category M moved from category a to c, and from AError to CError
  hint: give the other category a code of its own, and let this one be deprecated
`},
		{"an alias in another",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}, M: {message: " +
				"m, deprecated: no}}}, c: {fields: {n: {type: int, required: true}}, codes: {C: {message: c}}}}",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}}}, c: {fields: {n: {type: int, required: true}}, codes: {C: {message: c, aliases: [M]}}}}", `
1:145 E-break-category M of category a decodes to C of category c now
  hint: make it an alias of a code of its own category, or reserve it
`},
		{"two become one",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}}}, b: {codes: " +
				"{B: {message: b}}}}",
			"categories: {c: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}, B: {message: b}}}}", `
1:14 E-break-category category a is now c, and AError is now CError
  hint: the name is on the wire: keep it; "type:" changes the names in Go
1:89 E-break-category B moved from category b to c, and from BError to CError
  hint: give the other category a code of its own, and let this one be deprecated
1:89 E-break-factory NewB had the parameters (), and has (id string)
  hint: say "args" as they were, or give what is new to a code of its own
`},
		{"a field of one becomes that of all",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}}}, b: {codes: " +
				"{B: {message: b}}}}",
			"fields: {id: {type: string, required: true}}\ncategories: {a: {codes: {A: {message: a}}}, b: {codes: {B: {message: b}}}}", `
1:10 E-break-field-required field id is new, and required
  hint: let it be optional: what was written before does not have it
`},
		{"the last code is retired",
			"categories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c, deprecated: no}}}}",
			"reserved: {codes: [C]}\ncategories: {a: {codes: {A: {message: a}}}}", `
-1:45 E-break-go-removed category c is gone, and with it CError, CCode, CategoryC and IsC
  hint: keep one code of it, deprecated, for as long as callers name its type
`},
		{"the last code is an alias now",
			"categories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c, deprecated: no}}}}",
			"categories: {a: {codes: {A: {message: a, aliases: [C]}}}}", `
-1:45 E-break-go-removed category c is gone, and with it CError, CCode, CategoryC and IsC
  hint: keep one code of it, deprecated, for as long as callers name its type
1:26 E-break-category C of category c decodes to A of category a now
  hint: make it an alias of a code of its own category, or reserve it
`},
		{"the last code is gone", "categories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c}}}}",
			"categories: {a: {codes: {A: {message: a}}}}", `
-1:45 E-break-go-removed category c is gone, and with it CError, CCode, CategoryC and IsC
  hint: keep one code of it, deprecated, for as long as callers name its type
-1:57 E-break-code-removed code C is gone, and is not reserved
  hint: reserve it, so that nothing else gets its name: reserved: {codes: [C]}; or make it an alias of the code that takes its place
`},
		{"another type", "categories: {llm: {codes: {A: {message: a}}}}",
			"categories: {llm: {type: LLMError, codes: {A: {message: a}}}}", ``},
	})
}

func TestStatus(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"of a category", "categories: {io: {http: 502, codes: {A: {message: a}, B: {message: b}}}}",
			"categories: {io: {http: 503, codes: {A: {message: a}, B: {message: b}}}}", `
1:25 E-break-status A and B: http was 502, is 503
  hint: clients see it: give what is different a code of its own
`},
		{"of a code", codes("A: {message: a, grpc: UNAVAILABLE}"), codes("A: {message: a, grpc: INTERNAL}"), `
1:49 E-break-status A: grpc was UNAVAILABLE, is INTERNAL
  hint: clients see it: give what is different a code of its own
`},
		{"what it came to already", codes("A: {message: a}, B: {message: b, http: 500, grpc: UNKNOWN}"),
			codes("A: {message: a, http: 500, grpc: UNKNOWN}, B: {message: b}"), ``},
		{"gone", codes("A: {message: a, http: 404}"), codes("A: {message: a}"), `
1:27 E-break-status A: http was 404, is none
  hint: clients see it: give what is different a code of its own
`},
		{"of a new branch", "categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500, when: [{if: {n: 1}, http: 400}]}}}}", `
1:106 E-break-status A when 1: http was 500, is 400
  hint: clients see it: give what is different a code of its own
`},
		{"of a branch that is gone",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500, when: [{if: {n: 1}, " +
				"http: 400}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500}}}}", `
1:75 E-break-status A where n is 1: http was 400, is 500
  hint: clients see it: give what is different a code of its own
`},
		{"of a branch",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500, when: [{if: {n: 1}, " +
				"http: 400}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500, when: [{if: {n: 1}, http: 404}]}}}}", `
1:106 E-break-status A when 1: http was 400, is 404
  hint: clients see it: give what is different a code of its own
`},
		{"in a profile", codes("A: {message: a}") + "\nprofiles: {ci: {codes: {A: {http: 500}}}}", codes("A: {message: a}") + "\nprofiles: {ci: {codes: {A: {http: 503}}}}", `
2:12 E-break-status A: in profile ci http was 500, is 503
  hint: clients see it: give what is different a code of its own
`},
	})
}
