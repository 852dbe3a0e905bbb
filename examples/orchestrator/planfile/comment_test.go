package planfile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"orchestrator.example.com/runner/planfile"
)

// firstStep and secondStep are what a comment stands between.
const (
	firstStep  = "# A plan\n\n## Step 1: F\n\nDo.\n\n### Success criteria\n\n- exists: ok.txt\n\n"
	secondStep = "## Step 2: S\n\nDo.\n\n### Success criteria\n\n- exists: never.txt\n"
)

// A comment that is never closed hides the steps below it.
func TestUnclosedComments(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"below criteria", firstStep + "<!-- todo\n\n" + secondStep,
			`p.md:11:1: this is never closed, so that all below belongs to it: write --> where it ends, or remove it`},
		{"right below an item", "# A plan\n\n## Step 1: F\n\nDo.\n\n### Success criteria\n\n- exists: a\n<!--\n\n" +
			secondStep, `p.md:10:1: this is never closed`},
		{"at the end", firstStep + secondStep + "\n<!-- todo\n", `p.md:19:1: this is never closed`},
		{"in instructions", "# A plan\n\n## Step 1: F\n\nDo.\n\n<!-- todo\n\n### Success criteria\n\n- exists: a\n",
			`p.md:7:1: this is never closed`},
		{"before the first section", "# A plan\n\n  <!-- todo\n\n" + firstStep[10:], `p.md:3:3: this is never closed`},
		{"of another kind", "# A plan\n\n## Step 1: F\n\nDo.\n\n<pre>\n\n### Success criteria\n\n- exists: a\n",
			`write </pre> where it ends`},
		{"an instruction to a processor", firstStep + "<?php\n\n" + secondStep, `write ?> where it ends`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := planfile.Parse("p.md", []byte(tt.source))
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// A comment that is closed is left out, and what it has of a plan is noted.
func TestComments(t *testing.T) {
	tests := []struct {
		name, source string
		steps        int
		notes        []planfile.Problem
	}{
		{"on one line", firstStep + "<!-- todo -->\n\n" + secondStep, 2, nil},
		{"over several", firstStep + "<!-- todo\n\nmore\n-->\n\n" + secondStep, 2, nil},
		{"around a step", firstStep + "<!--\n\n" + secondStep + "-->\n", 1, []planfile.Problem{
			{Line: 13, Column: 1, Text: `in a comment, and so no part of the plan: "## Step 2: S"`},
			{Line: 17, Column: 1, Text: `in a comment, and so no part of the plan: "### Success criteria"`},
		}},
		{"around deeper headings", firstStep + "<!--\n#### Notes\n#no heading\n-->\n\n" + secondStep, 2, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := planfile.Parse("p.md", []byte(tt.source))
			require.NoError(t, err)
			assert.Len(t, doc.Plan.Steps, tt.steps)
			assert.Equal(t, tt.notes, doc.Notes)
		})
	}
}
