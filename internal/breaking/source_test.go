package breaking_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFactories(t *testing.T) {
	const two = "categories: {io: {fields: {a: {type: string}, b: {type: string}}, codes: {EOF: {message: end, args: "
	runRuleTests(t, []ruleTest{
		{"one more", two + "[a]}}}}", two + "[a, b]}}}}", `1:75 E-break-factory`},
		{"another order", two + "[a, b]}}}}", two + "[b, a]}}}}", `1:75 E-break-factory`},
		{"part of a change of a field", fields("a: {type: string, required: true}"), fields("a: {type: string}"),
			`1:28 E-break-field-required`},
		{"set by the code now",
			"categories: {io: {fields: {a: {type: string, required: true}}, codes: {EOF: {message: end}}}}",
			"categories: {io: {fields: {a: {type: string, required: true}}, codes: {EOF: {message: end, set: {a: " +
				"x}}}}}", `1:72 E-break-factory, 1:98 W-changed-set`},
		{"abstract now", codes("A: {message: a}"), codes("A: {abstract: true, codes: {B: {message: b}}}"),
			`1:27 E-break-code-removed`},
		{"not abstract any more", codes("A: {abstract: true, codes: {B: {message: b}}}"),
			codes("A: {message: a, codes: {B: {message: b}}}"), ``},
		{"the first field of a code", codes("A: {message: a}"), codes("A: {message: a, fields: {n: {type: int}}}"),
			`1:27 E-break-factory`},
		{"the first field of a code, required", codes("A: {message: a}"),
			codes("A: {message: a, fields: {n: {type: int, required: true}}}"), `1:77 E-break-field-required`},
		{"a new optional parameter", fields("a: {type: int}"), strings.Replace(fields("a: {type: int}, b: {type: int}"),
			"message: end", "message: end, args: [b]", 1), `1:69 E-break-factory`},
	})
}

// The finding about a field names the codes whose factories change with it.
func TestAffectedFactories(t *testing.T) {
	const (
		old = "a: {type: string}, b: {type: string, required: true}"
		ab  = "a, b"
	)
	taxonomy := func(fields, args string) string {
		return "categories: {io: {fields: {" + fields + "}, codes: {EOF: {message: end, args: [" + args +
			"]}, FULL: {message: full}}}}"
	}
	for _, tt := range []struct {
		name         string
		fields, args string
		want         map[string][]string // the codes by field
	}{
		{"optional and removed", "b: {type: string, required: true}", "b", map[string][]string{"a": {"EOF"}}},
		{"required and removed", "a: {type: string}", "a", map[string][]string{"b": {"EOF", "FULL"}}},
		{"another type", "a: {type: int}, b: {type: string, required: true}", ab, map[string][]string{"a": {"EOF"}}},
		{"required and new", "c: {type: int, required: true}, " + old, "a, b, c",
			map[string][]string{"c": {"EOF", "FULL"}}},
		{"optional now, and still a parameter of one", "a: {type: string}, b: {type: string}", ab,
			map[string][]string{"b": {"FULL"}}},
	} {
		got := make(map[string][]string)
		for _, c := range compare(t, taxonomy(old, ab), taxonomy(tt.fields, tt.args)) {
			if c.Subject.Code == "" {
				got[c.Subject.Field] = c.Factories
			}
			assert.NotEqual(t, "E-break-factory", c.ID, tt.name)
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

func TestWordsInGo(t *testing.T) {
	const recover = "\ncategories: {io: {codes: {EOF: {message: end, groups: [g], reaction: {action: recover, " +
		"strategy: s}}}}}"
	runRuleTests(t, []ruleTest{
		{"a group that is gone", "groups: {g: G., h: H.}" + "\n" + codes("EOF: {message: end, groups: [g, h]}"),
			"groups: {g: G.}\n" + codes("EOF: {message: end, groups: [g]}"),
			`2:56 W-changed-groups, 4:10 E-break-go-removed`},
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
