package breaking_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSeededEffects edits the effects and faults of a taxonomy. A lost promise that nothing happened
// breaks the wire, other effects change the behaviour of clients, and a fault that of alerts.
func TestSeededEffects(t *testing.T) {
	code := func(traits string) string { return codes("A: {message: a" + traits + "}") }
	category := func(traits, codes string) string {
		return "categories: {io: {" + traits + "codes: {" + codes + "}}}"
	}
	branch := func(effect string) string {
		return "categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, effect: none, " +
			"when: [{if: {n: 1}, severity: low" + effect + "}]}}}}"
	}
	const breaks, changes = "E-break-effect error wire", "W-changed-effect warning behaviour"
	const fault = "W-changed-fault warning behaviour"
	tests := []struct{ name, old, new, want string }{
		{"none to unknown", code(", effect: none"), code(", effect: unknown"), breaks},
		{"none to done", code(", effect: none"), code(", effect: done"), breaks},
		{"none removed", code(", effect: none"), code(""), breaks},
		{"none of the category to unknown", category("effect: none, ", "A: {message: a}"),
			category("effect: unknown, ", "A: {message: a}"), breaks},
		{"none of the category removed", category("effect: none, ", "A: {message: a}"), category("", "A: {message: a}"),
			breaks},
		{"none of the category overridden", category("effect: none, ", "A: {message: a}"),
			category("effect: none, ", "A: {message: a, effect: unknown}"), breaks},
		{"none of a branch to done", branch(""), branch(", effect: done"), breaks},
		{"none of a branch to unknown", branch(""), branch(", effect: unknown"), breaks},
		{"unknown to none", code(", effect: unknown"), code(", effect: none"), changes},
		{"unknown to done", code(", effect: unknown"), code(", effect: done"), changes},
		{"unknown removed", code(", effect: unknown"), code(""), changes},
		{"unknown added", code(""), code(", effect: unknown"), changes},
		{"none added", code(""), code(", effect: none"), changes},
		{"done added to the category", category("", "A: {message: a}"), category("effect: done, ", "A: {message: a}"),
			changes},
		{"done removed", code(", effect: done"), code(""), changes},
		{"done to unknown", code(", effect: done"), code(", effect: unknown"), changes},
		{"none moved to the category", code(", effect: none"), category("effect: none, ", "A: {message: a}"), ""},
		{"fault added", code(""), code(", fault: client"), fault},
		{"fault changed", code(", fault: client"), code(", fault: dependency"), fault},
		{"fault moved to the category and changed", code(", fault: client"),
			category("fault: dependency, ", "A: {message: a}"), fault},
	}
	require.Len(t, tests, 20)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, c := range compare(t, tt.old, tt.new) {
				if c.ID != "" {
					got += c.ID + " " + c.Severity.String() + " " + c.Levels.String()
				}
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
