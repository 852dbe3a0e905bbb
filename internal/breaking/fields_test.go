package breaking_test

import (
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"gone", fields("n: {type: int}"), fields("m: {type: bool}"), `1:14 E-break-field-removed`},
		{"another key", fields("decline: {type: string}"), fields("declineCode: {type: string}"),
			`1:28 E-break-field-renamed`},
		{"another key, the same name in Go", fields("a: {type: int}, n: {type: int}"),
			fields("b: {type: int}, count: {type: int, name: N}"),
			`1:14 E-break-field-removed, 1:44 E-break-field-renamed`},
		{"two of a type gone", fields("a: {type: int}, b: {type: int}"), fields("c: {type: int}, d: {type: bool}"),
			`1:14 E-break-field-removed, 1:14 E-break-field-removed`},
		{"another name in Go", fields("n: {type: int}"), fields("n: {type: int, name: Count}"), `1:49 E-break-go-name`},
		{"another type", fields("n: {type: int}"), fields("n: {type: string}"), `1:38 E-break-field-type`},
		{"a word in place of text", fields("n: {type: string}"), fields("n: {enum: [A, B]}"),
			`1:28 E-break-field-type`},
		{"another type of integer", fields("n: {type: int}"), fields("n: {type: int64}"), `1:38 E-break-field-type`},
		{"required now", fields("n: {type: int}"), fields("n: {type: int, required: true}"),
			`1:53 E-break-field-required`},
		{"not required any more", fields("n: {type: int, required: true}"), fields("n: {type: int}"),
			`1:28 E-break-field-required`},
		{"new and required", fields("a: {type: int, required: true}"),
			fields("a: {type: int, required: true}, n: {type: int, required: true}"), `1:85 E-break-field-required`},
		{"of every category",
			"fields: {n: {type: int}}\ncategories: {a: {codes: {A: {message: a}}}, b: {codes: {B: {message: b}}}}",
			"categories: {a: {codes: {A: {message: a}}}, b: {codes: {B: {message: b}}}}",
			`1:14 E-break-field-removed`},
		{"in an object", fields("run: {type: object, fields: {mode: {type: string}, step: {type: int}}}"),
			fields("run: {type: object, fields: {mode: {type: int}}}"),
			`1:28 E-break-field-removed, 1:70 E-break-field-type`},
		{"in messages only, and gone", fields("n: {type: int, message_only: true}"), fields("m: {type: bool}"),
			`1:14 E-break-field-removed`},
		{"in messages only now", fields("n: {type: int}"), fields("n: {type: int, message_only: true}"),
			`1:57 E-break-field-removed`},
	})
}

func TestMasking(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"not sensitive any more", fields("s: {type: string, sensitive: true}"), fields("s: {type: string}"),
			`1:28 E-break-field-masking`},
		{"sensitive now", fields("s: {type: string}"), fields("s: {type: string, sensitive: true}"),
			`1:57 E-break-field-masking`},
		{"not scrubbed any more", fields("s: {type: string, scrub: true}"), fields("s: {type: string}"),
			`1:28 E-break-field-masking`},
		{"scrubbed now", fields("s: {type: string}"), fields("s: {type: string, scrub: true}"), ``},
		{"on the wire now", fields("s: {type: string, message_only: true}"), fields("s: {type: string}"),
			`1:28 E-break-field-masking`},
	})
}

func TestAudience(t *testing.T) {
	const public = "public: {code: OUT}\n" +
		"categories: {io: {audience: public, codes: {OUT: {message: out}, OFF: {message: off}}}}"
	runRuleTests(t, []ruleTest{
		{"a field internal now", fields("s: {type: string, audience: public}"), fields("s: {type: string}"),
			`1:28 E-break-audience`},
		{"a field public now", fields("s: {type: string}"), fields("s: {type: string, audience: public}"),
			`1:56 W-changed-audience`},
		{"codes internal now", codes("A: {message: a, audience: public}"), codes("A: {message: a}"),
			`1:27 E-break-audience`},
		{"a code public now", codes("A: {message: a}"), codes("A: {message: a, audience: public}"),
			`1:53 W-changed-audience`},
		{"a category public now", fields("s: {type: string}"),
			strings.Replace(fields("s: {type: string}"), "fields:", "audience: public, fields:", 1),
			`1:29 W-changed-audience, 1:46 W-changed-audience`},
		{"a new public code", codes("A: {message: a}"),
			codes("A: {message: a}, B: {message: b, audience: public}"), ``},
		{"a field named public", fields("s: {type: string}"), fields("s: {type: string}, public: {type: int}"), ``},
		{"no public code in place of internal ones", public, strings.Replace(public, "public: {code: OUT}", "", 1),
			`3:10 E-break-audience`},
		{"a public code in place of internal ones", strings.Replace(public, "public: {code: OUT}", "", 1), public,
			`1:16 W-changed-audience`},
		{"another public code", public, strings.Replace(public, "code: OUT", "code: OFF", 1), `1:16 E-break-audience`},
	})
}

func TestStack(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"the default", "stack: fallback", "", ``},
		{"another", "stack: never", "stack: always", `1:8 W-changed-stack`},
	})
}

func TestEnumWords(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"a new one", fields("currency: {enum: [EUR, USD]}"), fields("currency: {enum: [EUR, CHF, USD]}"),
			`1:46 E-break-word-added`},
		{"one that is gone", fields("currency: {enum: [EUR, USD]}"), fields("currency: {enum: [EUR]}"),
			`1:46 E-break-word-removed`},
		{"moved to every category", fields("currency: {enum: [EUR, USD]}"),
			"fields: {currency: {enum: [EUR, USD]}}\n" + codes("EOF: {message: end}"), `1:10 E-break-go-name`},
	})
}

func TestFilling(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"from", fields("n: {type: int, from: status}"), fields("n: {type: int, from: exit_code}"),
			`1:49 W-changed-field`},
		{"default", fields("n: {type: int, from: status, default: 1}"),
			fields("n: {type: int, from: status, default: 2}"), `1:66 W-changed-field`},
		{"length", fields("s: {type: string, max_length: 100}"),
			fields("s: {type: string, max_length: 10, keep: tail}"), `1:68 W-changed-field`},
	})
}

func TestFieldsOfACode(t *testing.T) {
	own := func(fields string) string {
		return codes("EOF: {message: end, fields: {" + fields + "}}, LATE: {message: late}")
	}
	runRuleTests(t, []ruleTest{
		{"removed", own("a: {type: string}, b: {type: int}"), own("a: {type: string}"), `1:27 E-break-field-removed`},
		{"another type", own("a: {type: string}"), own("a: {type: int}"), `1:66 E-break-field-type`},
		{"another one", own("a: {type: string}"), own("a: {type: string}, b: {type: int}"), ``},
		{"moved to the category, and another one", own("a: {type: string}"),
			"categories: {io: {fields: {a: {type: string}}, " +
				"codes: {EOF: {message: end, fields: {b: {type: string}}}, " +
				"LATE: {message: late}}}}", `1:28 E-break-field-removed`},
		{"moved to the category, and internal now", own("a: {type: string, audience: public}, b: {type: int}"),
			"categories: {io: {fields: {a: {type: string}}, codes: {EOF: {message: end, fields: {b: {type: int}}}, " +
				"LATE: {message: late}}}}", `1:28 E-break-audience, 1:28 E-break-field-removed`},
		{"a new code with a required one", own("a: {type: string}"), strings.Replace(own("a: {type: string}"),
			"LATE:", "NEW: {message: new, fields: {c: {type: int, required: true}}}, LATE:", 1), ``},
	})
}
