package planfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a tier has corrected takes the place of the instructions and of nothing else, whatever it
// says. O21
func TestCorrected(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "Read AGENTS.md.", "Read AGENTS.md."},
		{"lines and code", "Read:\n\n```\n# no heading\n```\n", "Read:\n\n```\n# no heading\n```"},
		{"criteria", "Read.\n### Success criteria\n- exists: a", "> Read.\n> ### Success criteria\n> - exists: a"},
		{"another step", "## Step 7: x\nx", "> ## Step 7: x\n> x"},
		{"a code block that is not closed", "```\nx", "> ```\n> x"},
		{"a comment that is not closed", "<!-- x", "> <!-- x"},
		{"a list that goes on", "- a", "- a"},
		{"an accidental heading", "a\n===", "> a\n> ==="},
		{"line ends", "a\r### Success criteria\r\n- exists: a\x00\xff",
			"> a\n> ### Success criteria\n> \n> - exists: a\uFFFD"},
		{"nothing", " \n", "  * CLAUDE.md says how."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse("plan.md", []byte(whole))
			require.NoError(t, err)
			out, err := d.Corrected(map[string]string{"2.3": tt.text, "no such step": "x"})
			require.NoError(t, err)
			assert.Equal(t, strings.Replace(whole, "  * CLAUDE.md says how.", tt.want, 1), string(out))
			again, err := Parse("plan.md", out)
			require.NoError(t, err)
			assert.Equal(t, tt.want, again.Plan.Steps[1].Instructions)
			assert.Equal(t, d.Plan.Steps[1].Criteria[0].Path, again.Plan.Steps[1].Criteria[0].Path)
			assert.Equal(t, d.Plan.Steps[0], again.Plan.Steps[0])
		})
	}
}
