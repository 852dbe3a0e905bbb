//go:build unix

package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With -json every outcome is JSON on standard output, whether or not there was anything to carry
// out.
func TestOutcomesInJSON(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		args []string
		code int
		want string
	}{
		{"no file", nil, []string{"none.md", "-json"}, exitUsage, "read plan: open none.md: no such file or directory"},
		{"a faulty plan", nil, []string{"-json", "demo/faulty.md"}, exitUsage, "demo/faulty.md:5:17: "},
		{"a faulty plan that is checked", nil, []string{"-check", "-json", "demo/faulty.md"}, exitUsage,
			"demo/faulty.md:5:17: "},
		{"an unknown flag", nil, []string{"-colour", "--json", "demo/plan.md"}, exitUsage,
			"flag provided but not defined: -colour"},
		{"no plan", nil, []string{"-json"}, exitUsage, "no plan; name the file of one"},
		{"no tree", nil, []string{"-json", "-dir", "none", "demo/plan.md"}, exitUsage, "open the working tree"},
		{"a diagram that cannot be written", nil, []string{"-json", "-diagram", "none/d.mmd", "demo/plan.md"},
			exitFailed, "write none/d.mmd"},
		{"cancelled before it began", cancelled, []string{"-json", "demo/plan.md"}, exitCancelled, "it was cancelled"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := tt.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			got := do(ctx, tt.args...)
			assert.Equal(t, tt.code, got.code)
			var said struct {
				Error    string `json:"error"`
				ExitCode int    `json:"exitCode"`
			}
			require.NoError(t, json.Unmarshal([]byte(got.out), &said), got.out)
			assert.Contains(t, said.Error, tt.want)
			assert.NotContains(t, said.Error, "orchestrator: ")
			assert.Equal(t, tt.code, said.ExitCode)
		})
	}
	assert.Empty(t, do(t.Context(), "none.md", "--", "-json").out, "it is the name of a plan")
}

// -check says which steps were read, and what may have been meant as a part of the plan.
func TestCheckListsSteps(t *testing.T) {
	plan := written(t, "# T\n\n## Step 1: One\n\nDo.\n\n### Success criteria\n\n- exists: a\n- exists: b\n\n"+
		"<!--\n## Step 2: Two\n\nDo.\n-->\n\n## Step 3\n\nDo.\n\n### Success criteria\n\n- exists: c\n")
	got := do(t.Context(), "-check", "-dir", project(t), plan)
	assert.Equal(t, exitDone, got.code, got.hints)
	assert.Equal(t, "    step 1        One                                                 2 criteria\n"+
		"    step 3                                                            1 criterion\n\n"+
		plan+":13: in a comment, and so no part of the plan: \"## Step 2: Two\"\n\n"+
		"0 of 0 prerequisites are met, 2 steps, 0 faults\n", got.out)
	var c checkup
	require.NoError(t, json.Unmarshal([]byte(do(t.Context(), "-check", "-json", "-dir", project(t), plan).out), &c))
	assert.Equal(t, []checkedStep{{"1", "One", 2}, {"3", "", 1}}, c.Steps)
	assert.Len(t, c.Notes, 1)
}
