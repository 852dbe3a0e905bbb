package planfile

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzParse: whatever a file says, it is a plan, or every problem has a place in it.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("# T\n## Step 1\none\n---\n"))
	f.Add([]byte("## Gate\n- `go 'a' (within 3s)`\n-\n- > x\n"))
	f.Add([]byte("# T\n## Step 1: x\n\n### Success criteria\n- count: ` has 3 to 1 KiB\n- content: a matches `/(/`"))
	f.Fuzz(func(t *testing.T, source []byte) {
		d, err := Parse("f.md", source)
		if err != nil {
			var e *Error
			require.True(t, errors.As(err, &e))
			require.NotEmpty(t, e.Problems)
			lines := 1
			for _, b := range source {
				if b == '\n' {
					lines++
				}
			}
			for _, p := range e.Problems {
				assert.LessOrEqual(t, p.Line, lines)
				assert.NotEmpty(t, p.Text)
			}
			return
		}
		again, err := d.Corrected(nil)
		require.NoError(t, err)
		same, err := Parse("f.md", again)
		require.NoError(t, err)
		assert.Equal(t, d.Plan, same.Plan)
	})
}

// FuzzCorrected: no instructions change anything but the instructions.
func FuzzCorrected(f *testing.F) {
	f.Add("Read AGENTS.md.")
	f.Add("### Success criteria\n- exists: a")
	f.Add("> ```\n<pre>\n")
	d, err := Parse("plan.md", []byte(whole))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		out, err := d.Corrected(map[string]string{"1.2": text})
		if err != nil {
			return // that is said, and nothing is written
		}
		again, err := Parse("plan.md", out)
		require.NoError(t, err)
		require.Len(t, again.Plan.Steps, 2)
		assert.Equal(t, len(d.Plan.Gate), len(again.Plan.Gate))
		assert.Equal(t, d.Plan.Steps[1].Instructions, again.Plan.Steps[1].Instructions)
		assert.Equal(t, d.Plan.Steps[1].Title, again.Plan.Steps[1].Title)
		assert.Len(t, again.Plan.Steps[1].Criteria, len(d.Plan.Steps[1].Criteria))
		assert.Len(t, again.Plan.Steps[0].Criteria, len(d.Plan.Steps[0].Criteria))
	})
}
