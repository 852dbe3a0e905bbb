package breaking_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

func TestHeader(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"another domain", "domain: shop.example.com", "domain: shop.example.org", `1:9 E-break-domain`},
		{"a domain where there was none", "", "domain: shop.example.com", `1:9 E-break-domain`},
		{"no domain any more", "domain: shop.example.com", "", `3:10 E-break-domain`},
		{"another package", "package: errs", "package: fails", `1:10 E-break-package`},
		{"another help", "help_url: https://a.example/{code}", "help_url: https://b.example/{code}",
			`1:11 W-changed-help-url`},
	})
}

func TestCodes(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"gone", codes("A: {message: a}, B: {message: b, number: 7, aliases: [C]}"), codes("A: {message: a}"),
			`1:14 E-break-code-removed`},
		{"gone and reserved", codes("A: {message: a}, B: {message: b, number: 7, aliases: [C]}"),
			"reserved: {codes: [B, C], numbers: [7]}\n" + codes("A: {message: a}"), `2:14 E-break-go-removed`},
		{"deprecated, then gone and reserved", codes("A: {message: a}, B: {message: b, deprecated: no longer made}"),
			"reserved: {codes: [B]}\n" + codes("A: {message: a}"), ``},
		{"gone and reserved, but for number and alias", codes(
			"A: {message: a}, B: {message: b, deprecated: no, number: 7, aliases: [C]}"),
			"reserved: {codes: [B]}\n" + codes("A: {message: a}"), `2:14 E-break-alias, 2:14 E-break-number`},
		{"renamed, with the message kept", codes("A: {message: it is gone, number: 1}"),
			codes("B: {message: it is gone, number: 2}"),
			`1:27 E-break-code-renamed, 1:60 E-break-number`},
		{"split, with the message kept", codes("A: {message: it is gone}, C: {message: c}"),
			codes("B1: {message: it is gone}, B2: {message: it is gone}, C: {message: c}"),
			`1:14 E-break-code-removed`},
		{"moved to another category under another name, with the message kept",
			"categories: {io: {codes: {A: {message: it is gone}, C: {message: c}}}, net: {codes: {D: {message: d}}}}",
			"categories: {io: {codes: {C: {message: c}}}, net: {codes: {D: {message: d}, B: {message: it is gone}}}}",
			`1:14 E-break-code-removed`},
		{"reserved, and another code has the message", codes("A: {message: it is gone, deprecated: no}"),
			"reserved: {codes: [A]}\n" + codes("B: {message: it is gone}"), ``},
		{"another value", codes("A: {message: a, value: io.a}"), codes("A: {message: a, value: io.b}"),
			`1:50 E-break-code-value`},
		{"another value, the old one an alias", codes("A: {message: a}"),
			codes("A: {message: a, value: io.a, aliases: [A]}"), `1:50 W-changed-code-value`},
		{"another key, the old one an alias", codes("A: {message: a}"), codes("B: {message: a, aliases: [A]}"),
			`1:27 E-break-go-name, 1:27 W-changed-code-value`},
		{"another key, the same value and name", codes("OLD_ONE: {message: a}"),
			codes("NEW_ONE: {message: a, value: OLD_ONE, name: OldOne}"), ``},
		{"another key, the same value", codes("OLD_ONE: {message: a}"), codes("NEW_ONE: {message: a, value: OLD_ONE}"),
			`1:27 E-break-go-name`},
		{"another name in Go", codes("A: {message: a}"), codes("A: {message: a, name: Alpha}"), `1:49 E-break-go-name`},
		{"merged into another", codes("A: {message: a, number: 1}, B: {message: b, number: 2}"),
			"reserved: {numbers: [1]}\n" + codes("B: {message: b, number: 2, aliases: [A]}"),
			`2:14 E-break-go-removed`},
	})
}

func TestAbstractCodes(t *testing.T) {
	abstract := func(keys string) string {
		return codes("A: {abstract: true, " + keys + "codes: {B: {message: b, http: 500, audience: internal}}}")
	}
	runRuleTests(t, []ruleTest{
		{"another value", abstract("value: x, "), abstract("value: y, "), ``},
		{"another number", abstract("number: 1, "), abstract("number: 2, "), ``},
		{"no alias any more", abstract("aliases: [C], "), abstract(""), ``},
		{"another status", abstract("http: 502, "), abstract("http: 503, "), ``},
		{"another status in a profile", abstract("") + "\nprofiles: {ci: {codes: {A: {http: 502}}}}",
			abstract("") + "\nprofiles: {ci: {codes: {A: {http: 503}}}}", ``},
		{"public now", abstract(""), abstract("audience: public, "), ``},
		{"another name in Go", abstract(""), abstract("name: Alpha, "), `1:53 E-break-go-name`},
		{"another key, the number kept", abstract("number: 1, "),
			codes("X: {abstract: true, number: 1, codes: {B: {message: b}}}"), `1:27 E-break-go-name`},
		{"gone", abstract(""), codes("B: {message: b, http: 500}"), `1:14 E-break-go-removed, 1:27 W-changed-parent`},
		{"deprecated, then gone", abstract("deprecated: no, "), codes("B: {message: b, http: 500}"),
			`1:27 W-changed-parent`},
		{"its number used by another", codes("A: {abstract: true, number: 1, codes: {B: {message: b}}}"),
			codes("A: {abstract: true, codes: {B: {message: b, number: 1}}}"), ``},
		{"moved to another category",
			"categories: {a: {codes: {A: {message: a}, " +
				"P: {abstract: true, codes: {B: {message: b, deprecated: no}}}}}, " +
				"c: {codes: {C: {message: c}}}}",
			"reserved: {codes: [B]}\ncategories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c}, " +
				"P: {abstract: true, codes: {D: {message: d}}}}}}", `2:74 E-break-code-moved`},
	})
}

func TestSplits(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"split", codes("A: {message: a}"), codes("A: {message: a, codes: {B: {message: b}, C: {message: c}}}"),
			`1:27 W-changed-split`},
		{"one more", codes("A: {message: a, codes: {B: {message: b}}}"),
			codes("A: {message: a, codes: {B: {message: b}, C: {message: c}}}"), `1:27 W-changed-split`},
		{"one code internal",
			"categories: {io: {audience: public, codes: {A: {message: a}}}}",
			"categories: {io: {audience: public, codes: {A: {message: a, codes: {B: {message: b}, " +
				"C: {message: c, audience: internal}}}}}}", `1:45 W-changed-split, 1:45 W-changed-split`},
		{"below a new code", codes("A: {message: a}"),
			codes("A: {message: a, codes: {P: {abstract: true, codes: {C: {message: c}}}}}"), `1:27 W-changed-split`},
		{"below an abstract code", codes("A: {abstract: true, codes: {B: {message: b}}}"),
			codes("A: {abstract: true, codes: {B: {message: b}, C: {message: c}}}"), ``},
		{"a renamed code", codes("A: {message: a}, B: {message: b}"),
			codes("A: {message: a, codes: {C: {message: b, name: B, aliases: [B]}}}"),
			`1:51 W-changed-code-value, 1:51 W-changed-parent`},
	})
}

// Clients read the code above in place of a public code, and the public code of the taxonomy in place
// of an internal one.
func TestSplitOfPublicCode(t *testing.T) {
	const before = "operations: {Get: {errors: [A]}}\ncategories: {io: {audience: public, codes: {A: {message: a"
	changes := compare(t, before+"}}}}", before+", codes: {B: {message: b}, C: {message: c, audience: internal}}}}}}")
	var got []string
	for _, c := range changes {
		got = append(got, c.Message+": "+c.Hint)
	}
	const asAbove = `: programs that read "is" handle them like the code above, and others do not know them`
	assert.ElementsMatch(t, []string{
		"code A (io) has new codes below it: B" + asAbove,
		"code A (io) has new internal codes below it: C: clients get the taxonomy's public code in their place, " +
			"and lose the code above: make them public",
		"code B is new for Get" + asAbove,
	}, got)
}

func TestAliases(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"gone", codes("A: {message: a, aliases: [B]}"), codes("A: {message: a}"), `1:27 E-break-alias`},
		{"gone and reserved", codes("A: {message: a, aliases: [B]}"),
			"reserved: {codes: [B]}\n" + codes("A: {message: a}"), ``},
		{"another code's", codes("A: {message: a, aliases: [C]}, B: {message: b}"),
			codes("A: {message: a}, B: {message: b, aliases: [C]}"), `1:70 E-break-alias`},
		{"a code of its own", codes("A: {message: a, aliases: [B]}"), codes("A: {message: a}, B: {message: b}"),
			`1:44 E-break-alias`},
		{"a code of its own, the code reserved", codes("A: {message: a, deprecated: no, aliases: [B]}"),
			"reserved: {codes: [A]}\n" + codes("B: {message: b}"), `2:27 E-break-alias`},
		{"the value, and the value the alias", codes("A: {message: a, value: x, aliases: [y]}"),
			codes("A: {message: a, value: y, aliases: [x]}"), `1:50 W-changed-code-value`},
	})
}

func TestNumbers(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"swapped", codes("A: {message: a, number: 205}, B: {message: b, number: 206}"),
			codes("A: {message: a, number: 206}, B: {message: b, number: 205}"),
			`1:51 E-break-number-reused, 1:81 E-break-number-reused`},
		{"another", codes("A: {message: a, number: 1}"), codes("A: {message: a, number: 2}"), `1:51 E-break-number`},
		{"none any more", codes("A: {message: a, number: 1}"), codes("A: {message: a}"), `1:27 E-break-number`},
		{"of a code that was renamed", codes("A: {message: a, number: 1}"), codes("B: {message: a, number: 1}"),
			`1:27 E-break-code-renamed, 1:51 E-break-number-reused`},
		{"of a code that was renamed, with its category", "categories: {a: {codes: {A: {message: a, number: 1}}}}",
			"categories: {b: {codes: {B: {message: b, number: 1}}}}",
			`1:14 E-break-category, 1:14 E-break-go-name, 1:26 E-break-code-renamed, ` +
				`1:39 W-changed-message, 1:50 E-break-number-reused`},
		{"of a code that was renamed, with an alias", codes("A: {message: a, number: 1}"),
			codes("B: {message: a, number: 1, aliases: [A]}"), `1:27 E-break-go-name, 1:27 W-changed-code-value`},
		{"of a removed code, used by a new one of another category",
			"categories: {a: {codes: {A: {message: a, number: 1}, C: {message: c}}}, b: {codes: {D: {message: d}}}}",
			"categories: {a: {codes: {C: {message: c}}}, b: {codes: {B: {message: b, number: 1}, D: {message: d}}}}",
			`1:14 E-break-code-removed, 1:81 E-break-number-reused`},
		{"reused by another code, so that its code has a new one", codes("A: {message: a, number: 50}"),
			codes("B: {message: b, number: 50}, A: {message: a, number: 262}"),
			`1:51 E-break-number-reused, 1:80 E-break-number`},
		{"gained", codes("A: {message: a}"), codes("A: {message: a, number: 7}"), `1:51 W-changed-identifier`},
		{"gained by a code that is renamed", codes("A: {message: a b}"), codes("B: {message: a b, number: 7}"),
			`1:27 E-break-code-renamed, 1:53 W-changed-identifier`},
		{"unique in a category now, and that of another code before",
			"categories: {c: {codes: {A: {message: a, number: 3}}}, d: {codes: {B: {message: b, number: 4}}}}",
			"numbers: per_category\ncategories: {c: {codes: {A: {message: a, number: 3}}}, " +
				"d: {codes: {B: {message: b, number: 3}}}}",
			`2:92 E-break-number`},
		{"unique in a category now, and gained",
			"categories: {c: {codes: {A: {message: a, number: 3}}}, d: {codes: {B: {message: b}}}}",
			"numbers: per_category\ncategories: {c: {codes: {A: {message: a, number: 3}}}, " +
				"d: {codes: {B: {message: b, number: 3}}}}",
			`2:92 W-changed-identifier`},
		{"unique in a category that is renamed",
			"numbers: per_category\ncategories: {a: {codes: {A: {message: a, number: 1}}}}",
			"numbers: per_category\ncategories: {b: {codes: {A: {message: a, number: 1}}}}",
			`2:14 E-break-category, 2:14 E-break-go-name`},
		{"unique in a category, and reserved in another",
			"numbers: per_category\ncategories: {a: {codes: {A: {message: a, number: 1}, B: {message: b}}}}",
			"numbers: per_category\nreserved: {codes: [A], numbers: [{from: 1, category: c}]}\n" +
				"categories: {a: {codes: {B: {message: b}}}}", `3:14 E-break-go-removed, 3:14 E-break-number`},
		{"of a removed code, used by an old one", codes("A: {message: a, number: 1}, B: {message: b}"),
			codes("B: {message: b, number: 1}"), `1:14 E-break-code-removed, 1:51 E-break-number-reused`},
		{"that of a code that is gone", codes("A: {message: a, number: 1, deprecated: no}, B: {message: b}"),
			"reserved: {codes: [A]}\n" + codes("B: {message: b, number: 1}"), `2:51 E-break-number-reused`},
	})
}

// The hint about the number of a code that seems to be renamed agrees with the one about the code.
func TestHintOfGuessedNumber(t *testing.T) {
	changes := compare(t, codes("A: {message: a, number: 1}"), codes("B: {message: a, number: 1}"))
	require.Len(t, changes, 2)
	assert.Equal(t, "add the alias first: the number then belongs to the same code", changes[1].Hint)
}

func TestReserved(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"reserved no more", "reserved: {codes: [X], numbers: [9]}", "",
			`3:10 E-break-reserved, 3:10 E-break-reserved`},
		{"used again", "reserved: {codes: [X], numbers: [9]}\n" + codes("A: {message: a}"),
			codes("A: {message: a, number: 9}, X: {message: x}"), `1:51 E-break-reserved, 1:55 E-break-reserved`},
		{"an alias now", "reserved: {codes: [X]}\n" + codes("A: {message: a}"), codes("A: {message: a, aliases: [X]}"),
			`1:27 E-break-reserved`},
	})
}

func TestCategories(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"another name", "categories: {llm: {codes: {A: {message: a}, B: {message: b}}}}",
			"categories: {provider: {codes: {A: {message: a}, B: {message: b}}}}",
			`1:14 E-break-category, 1:14 E-break-go-name`},
		{"codes that move",
			"categories: {a: {codes: {A: {message: a}, B: {message: b}}}, c: {codes: {C: {message: c}}}}",
			"categories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c}, B: {message: b}}}}",
			`1:74 E-break-code-moved`},
		{"another name, the type kept", "categories: {llm: {codes: {A: {message: a}}}}",
			"categories: {provider: {type: LLMError, codes: {A: {message: a}}}}", `1:14 E-break-category`},
		{"the only code moves to another that has a required field",
			"categories: {a: {fields: {id: {type: string}}, codes: {A: {message: a}, M: {message: m}}}, c: " +
				"{fields: {n: {type: int, required: true}}, codes: {C: {message: c}}}}",
			"categories: {a: {fields: {id: {type: string}}, codes: {A: {message: a}}}, c: {fields: {n: {type: int, " +
				"required: true}}, codes: {C: {message: c}, M: {message: m}}}}",
			`1:146 E-break-code-moved`},
		{"a code that moves with a field",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}, M: {message: " +
				"m}}}, c: {fields: {id: {type: string, required: true}}, codes: {C: {message: c}}}}",
			"categories: {a: {fields: {id: {type: string}}, codes: {A: {message: a}}}, c: {fields: {id: {type: " +
				"string, required: true}}, codes: {C: {message: c}, M: {message: m}}}}",
			`1:27 E-break-field-required, 1:150 E-break-code-moved`},
		{"an alias in another",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}, M: {message: " +
				"m, deprecated: no}}}, c: {fields: {n: {type: int, required: true}}, codes: {C: {message: c}}}}",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}}}, c: {fields: " +
				"{n: {type: int, required: true}}, " +
				"codes: {C: {message: c, aliases: [M]}}}}", `1:145 E-break-code-moved`},
		{"two become one",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}}}, b: {codes: " +
				"{B: {message: b}}}}",
			"categories: {c: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}, B: {message: " +
				"b}}}}",
			`1:14 E-break-category, 1:14 E-break-go-name, 1:89 E-break-code-moved, 3:10 E-break-go-removed`},
		{"a field of one becomes that of all",
			"categories: {a: {fields: {id: {type: string, required: true}}, codes: {A: {message: a}}}, b: {codes: " +
				"{B: {message: b}}}}",
			"fields: {id: {type: string, required: true}}\ncategories: {a: {codes: {A: {message: a}}}, b: {codes: " +
				"{B: {message: b}}}}", `1:39 E-break-field-required`},
		{"the last code is retired",
			"categories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c, deprecated: no}}}}",
			"reserved: {codes: [C]}\ncategories: {a: {codes: {A: {message: a}}}}", `4:10 E-break-go-removed`},
		{"the last code is an alias now",
			"categories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c, deprecated: no}}}}",
			"categories: {a: {codes: {A: {message: a, aliases: [C]}}}}",
			`1:26 E-break-code-moved, 3:10 E-break-go-removed`},
		{"the last code is gone", "categories: {a: {codes: {A: {message: a}}}, c: {codes: {C: {message: c}}}}",
			"categories: {a: {codes: {A: {message: a}}}}", `3:10 E-break-code-removed, 3:10 E-break-go-removed`},
		{"another type", "categories: {llm: {codes: {A: {message: a}}}}",
			"categories: {llm: {type: LLMError, codes: {A: {message: a}}}}", ``},
	})
}

func TestStatus(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"of a category", "categories: {io: {http: 502, codes: {A: {message: a}, B: {message: b}}}}",
			"categories: {io: {http: 503, codes: {A: {message: a}, B: {message: b}}}}",
			`1:25 E-break-status, 1:25 E-break-status`},
		{"of a code", codes("A: {message: a, grpc: UNAVAILABLE}"), codes("A: {message: a, grpc: INTERNAL}"),
			`1:49 E-break-status`},
		{"defaults written out", codes("A: {message: a}, B: {message: b, http: 500, grpc: UNKNOWN}"),
			codes("A: {message: a, http: 500, grpc: UNKNOWN}, B: {message: b}"), ``},
		{"gone", codes("A: {message: a, http: 404}"), codes("A: {message: a}"), `1:27 E-break-status`},
		{"gained", codes("A: {message: a}"), codes("A: {message: a, http: 404}"), `1:49 E-break-status`},
		{"gained from the category", codes("A: {message: a}, B: {message: b}"),
			"categories: {io: {grpc: UNAVAILABLE, codes: {A: {message: a}, B: {message: b}}}}",
			`1:25 E-break-status, 1:25 E-break-status`},
		{"of a new branch", "categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500, when: [{if: {n: 1}, " +
				"http: 400}]}}}}", `1:93 W-changed-when, 1:106 E-break-status`},
		{"of a branch that is gone",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500, when: [{if: {n: 1}, " +
				"http: 400}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500}}}}",
			`1:53 W-changed-when, 1:75 E-break-status`},
		{"of a branch",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500, when: [{if: {n: 1}, " +
				"http: 400}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, http: 500, when: [{if: {n: 1}, " +
				"http: 404}]}}}}", `1:106 E-break-status`},
		{"in a profile", codes("A: {message: a}") + "\nprofiles: {ci: {codes: {A: {http: 500}}}}",
			codes("A: {message: a}") + "\nprofiles: {ci: {codes: {A: {http: 503}}}}", `2:12 E-break-status`},
	})
}

// TestGainedIdentifiers compares codes that gain a status or a constant, which had neither: breaking
// and diff have each.
func TestGainedIdentifiers(t *testing.T) {
	const constants = "constants: {sqlstate: {type: string}, retries: {type: int}}\n"
	side := func(flow string) *breaking.Taxonomy {
		tree, findings := spec.Parse("t.yaml", whole(constants+codes(flow)))
		require.Empty(t, findings)
		return breaking.New(tree)
	}
	was := side("A: {message: a}, B: {message: b}, C: {message: c}")
	is := side("A: {message: a, http: 404}, B: {message: b, grpc: NOT_FOUND}, " +
		"C: {message: c, constants: {sqlstate: '40001', retries: 3}}")
	want := []string{"A http 404", "B grpc NOT_FOUND", `C constants constant sqlstate: "40001", constant retries: 3`}
	for name, changes := range map[string][]breaking.Change{
		"breaking": breaking.Compare(was, is), "diff": breaking.Differences(was, is),
	} {
		var got []string
		for _, c := range changes {
			got = append(got, c.Subject.Code+" "+c.Key+" "+c.New)
		}
		assert.ElementsMatch(t, want, got, name)
	}
}

// TestReservationToPaste adds the reservation of a report to the file, which has no finding then.
func TestReservationToPaste(t *testing.T) {
	const header = "errgen: 1\npackage: errs\nnumbers: per_category\n"
	const reserved = "reserved: {numbers: [{from: 7, to: 9, reason: \"Old: all.\"}], " +
		"codes: [{name: X, reason: Never.}, 'y:z']}\n"
	old := header + reserved + "categories:\n" +
		"  a: {codes: {A: {message: a, number: 5}, B: {message: b}}}\n" +
		"  'b-c': {codes: {C: {message: c, number: 5}, D: {message: d, number: 6, aliases: ['on']}}}\n"
	rest := "categories:\n  a: {codes: {B: {message: b, number: 6}}}\n  'b-c': {codes: {E: {message: e}}}\n"
	tree, _ := spec.Parse("t.yaml", []byte(header+reserved+rest))
	was, _ := spec.Parse("t.yaml", []byte(old))
	report := breaking.Report{Source: diag.NewSource("t.yaml", nil), Reserved: tree.Reserved,
		Changes: breaking.Compare(breaking.New(was), breaking.New(tree))}
	var b strings.Builder
	require.NoError(t, report.Text(&b))
	_, block, found := strings.Cut(b.String(), "replace the key `reserved` by:\n")
	require.True(t, found, b.String())
	_, findings := check.Load("t.yaml", []byte(header+block+rest))
	assert.Empty(t, findings, block)
	tree, _ = spec.Parse("t.yaml", []byte(header+block+rest))
	for _, c := range breaking.Compare(breaking.New(was), breaking.New(tree)) {
		assert.NotEqual(t, "E-break-code-removed", c.ID)
		assert.NotEqual(t, "E-break-reserved", c.ID)
	}
}

// TestOldMessages compares messages: the old text is the one that was released.
func TestOldMessages(t *testing.T) {
	for _, tt := range []struct{ name, was, is, old, new string }{
		{"a renamed field", "A: {fields: {id: {type: string}}, message: 'no[ {id}]'}",
			"A: {fields: {user: {type: string}}, message: 'none[ {user}]'}", "no[ {id}]", "none[ {user}]"},
		{"a space", `A: {message: "a b"}`, `A: {message: "a\nb"}`, "a b", "a\nb"},
	} {
		for _, c := range compare(t, codes(tt.was), codes(tt.is)) {
			if c.ID == "W-changed-message" {
				assert.Equal(t, []string{tt.old, tt.new}, []string{c.Old, c.New}, tt.name)
				assert.NotContains(t, c.Message, "\n")
				if tt.name == "a space" {
					assert.Contains(t, c.Message, `was "a b", is "a\nb"`)
				}
			}
		}
	}
}
