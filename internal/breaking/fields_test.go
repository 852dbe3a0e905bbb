package breaking_test

import "testing"

func TestFields(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"gone", fields("n: {type: int}"), fields("m: {type: bool}"), `
-1:28 E-break-field-removed field io.n is gone
  hint: keep it, optional: there is no reserving of fields, and another one of that name would be read as this one
`},
		{"another key", fields("decline: {type: string}"), fields("declineCode: {type: string}"), `
1:28 E-break-field-renamed field io.decline seems to be declineCode now: what is stored under the old key is lost
  hint: keep the key decline, and give it "name: DeclineCode"
`},
		{"another key, the same name in Go", fields("a: {type: int}, n: {type: int}"), fields("b: {type: int}, count: {type: int, name: N}"), `
-1:28 E-break-field-removed field io.a is gone
  hint: keep it, optional: there is no reserving of fields, and another one of that name would be read as this one
1:44 E-break-field-renamed field io.n seems to be count now: what is stored under the old key is lost
  hint: keep the key n, and give it "name: N"
`},
		{"another key, filled from the same", fields("a: {type: int}, n: {type: int, from: status}"), fields("b: {type: string}, c: {type: int, from: status}, d: {type: int}"), `
-1:28 E-break-field-removed field io.a is gone
  hint: keep it, optional: there is no reserving of fields, and another one of that name would be read as this one
1:47 E-break-field-renamed field io.n seems to be c now: what is stored under the old key is lost
  hint: keep the key n, and give it "name: C"
`},
		{"another name in Go", fields("n: {type: int}"), fields("n: {type: int, name: Count}"), `
1:49 E-break-go-name field io.n was N in Go, and is Count
  hint: "name: N" keeps it
`},
		{"another type", fields("n: {type: int}"), fields("n: {type: string}"), `
1:38 E-break-field-type field io.n was of type int, and is string
  hint: add a field of another name, and keep this one as it is
`},
		{"a word in place of text", fields("n: {type: string}"), fields("n: {enum: [A, B]}"), `
1:38 E-break-field-type field io.n was of type string, and is enum
  hint: add a field of another name, and keep this one as it is
`},
		{"another type of integer", fields("n: {type: int}"), fields("n: {type: int64}"), `
1:38 E-break-field-type field io.n was of type int, and is int64
  hint: add a field of another name, and keep this one as it is
`},
		{"required now", fields("n: {type: int}"), fields("n: {type: int, required: true}"), `
1:53 E-break-field-required field io.n is required now: what was written without it reads as empty
  hint: name it in "args" of the codes that cannot do without it
`},
		{"not required any more", fields("n: {type: int, required: true}"), fields("n: {type: int}"), `
1:28 E-break-field-required field io.n is not required any more
  hint: keep it required: readers generated before take what is absent for empty
`},
		{"new and required", fields("a: {type: int, required: true}"), fields("a: {type: int, required: true}, n: {type: int, required: true}"), `
1:60 E-break-field-required field io.n is new, and required
  hint: let it be optional: what was written before does not have it
`},
		{"of every category",
			"fields: {n: {type: int}}\ncategories: {a: {codes: {A: {message: a}}}, b: {codes: {B: {message: b}}}}",
			"categories: {a: {codes: {A: {message: a}}}, b: {codes: {B: {message: b}}}}", `
-1:10 E-break-field-removed field n is gone
  hint: keep it, optional: there is no reserving of fields, and another one of that name would be read as this one
`},
		{"in an object", fields("run: {type: object, fields: {mode: {type: string}, step: {type: int}}}"),
			fields("run: {type: object, fields: {mode: {type: int}}}"), `
-1:79 E-break-field-removed field io.run.step is gone
  hint: keep it, optional: there is no reserving of fields, and another one of that name would be read as this one
1:70 E-break-field-type field io.run.mode was of type string, and is int
  hint: add a field of another name, and keep this one as it is
`},
		{"in messages only, and gone", fields("n: {type: int, message_only: true}"), fields("m: {type: bool}"), `
-1:28 E-break-field-removed field io.n is gone
  hint: keep it, optional: there is no reserving of fields, and another one of that name would be read as this one
`},
		{"in messages only now", fields("n: {type: int}"), fields("n: {type: int, message_only: true}"), `
1:57 E-break-field-removed field io.n is in messages only, and not on the wire any more
  hint: keep it on the wire
`},
	})
}

func TestMasking(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"not sensitive any more", fields("s: {type: string, sensitive: true}"), fields("s: {type: string}"), `
1:28 E-break-field-masking field io.s is not sensitive any more: it is written in clear
  hint: what was kept from view once is expected to stay so
`},
		{"sensitive now", fields("s: {type: string}"), fields("s: {type: string, sensitive: true}"), `
1:57 E-break-field-masking field io.s is sensitive now: readers get no value
  hint: add a sensitive field of another name, and stop filling this one
`},
		{"not scrubbed any more", fields("s: {type: string, scrub: true}"), fields("s: {type: string}"), `
1:28 E-break-field-masking field io.s is not scrubbed any more: secrets in it are written in clear
  hint: what was kept from view once is expected to stay so
`},
		{"scrubbed now", fields("s: {type: string}"), fields("s: {type: string, scrub: true}"), ``},
		{"on the wire now", fields("s: {type: string, message_only: true}"), fields("s: {type: string}"), `
1:28 E-break-field-masking field io.s was in messages only, and is on the wire now
  hint: what was kept from view once is expected to stay so
`},
	})
}

func TestEnumWords(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"a new one", fields("currency: {enum: [EUR, USD]}"), fields("currency: {enum: [EUR, CHF, USD]}"), `
1:45 E-break-word-added field io.currency: programs generated before do not know CHF
  hint: update all readers first, then those who send it
`},
		{"one that is gone", fields("currency: {enum: [EUR, USD]}"), fields("currency: {enum: [EUR]}"), `
1:45 E-break-word-removed field io.currency does not know USD any more
  hint: keep the word: what is stored with it would not be read any more
`},
		{"moved to every category", fields("currency: {enum: [EUR, USD]}"), "fields: {currency: {enum: [EUR, USD]}}\n" + codes("EOF: {message: end}"), `
1:10 E-break-go-name the Go type of field currency was IOCurrency, and is Currency
`},
	})
}

func TestFilling(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{"from", fields("n: {type: int, from: status}"), fields("n: {type: int, from: exit_code}"), `
1:28 W-changed-field field io.n: from was status
`},
		{"default", fields("n: {type: int, from: status, default: 1}"), fields("n: {type: int, from: status, default: 2}"), `
1:28 W-changed-field field io.n: default was 1
`},
		{"length", fields("s: {type: string, max_length: 100}"), fields("s: {type: string, max_length: 10, keep: tail}"), `
1:28 W-changed-field field io.s: max_length was 100, keep was head
`},
	})
}
