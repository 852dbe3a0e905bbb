package escalate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// What the loop knows is in the prompts that it makes, and not only in those that prompt_test.go
// makes by hand.
func TestPromptsOfTheLoop(t *testing.T) { // O28
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("missing: CLAUDE.md", "half.md", "half"), does("report-2.md", "found")}
	w.tiers["mid"].script = []turn{simply("the file is AGENTS.md", "Read AGENTS.md and write report.md."),
		does("report.md", "found")}
	p := steps("1", "2")
	res := w.run(p)
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	low, mid := w.tiers["low"].prompts, w.tiers["mid"].prompts
	diagnose, fix := mid[0], mid[1]
	ref := res.Steps[0].Attempts[0].SavedRef
	require.NotEmpty(t, ref)

	t.Run("who has corrected the instructions", func(t *testing.T) {
		assert.Contains(t, fix, "These are the step's instructions, as `mid` has corrected them.")
		assert.Contains(t, fix, "| Read AGENTS.md and write report.md.")
		assert.NotContains(t, diagnose, "has corrected them")
		assert.NotContains(t, strings.Join(low, ""), "has corrected them")
	})
	t.Run("the labels of tiers that classify", func(t *testing.T) {
		for _, label := range []string{"missing", "broken", "flaky"} {
			assert.Contains(t, fix, "\n- "+label)
			assert.NotContains(t, low[0], "\n- "+label)
		}
		assert.NotContains(t, fix, "\n- halt", "no rule takes it from an agent")
		assert.NotContains(t, low[0], "These are the failures:")
	})
	t.Run("where what was put back is kept", func(t *testing.T) {
		for _, prompt := range mid {
			assert.Contains(t, prompt, "What it had changed is kept in the git ref `"+ref+"`.")
		}
		assert.NotContains(t, low[0], "git ref")
		assert.NotContains(t, low[1], "git ref", "another step has failed")
	})
	t.Run("what was tried", func(t *testing.T) {
		assert.Contains(t, diagnose, "\nlow, execute: missing: ")
		assert.Contains(t, fix, "\nmid, diagnose: simple: the file is AGENTS.md")
		assert.NotContains(t, low[1], "This was tried so far.")
	})
	t.Run("the plan", func(t *testing.T) {
		for _, prompt := range append(low, mid...) {
			assert.Contains(t, prompt, " of the plan `Reports`, ")
			assert.Contains(t, prompt, "- the command `true` ")
		}
	})
}

// O36: prevention is asked for where a cause is known, tolerance where something was observed.
func TestPromptsAskForTheResponse(t *testing.T) {
	t.Parallel()
	const fault, failure = "This is a fault, a cause:", "This is a failure, something that was observed:"
	for _, tt := range []struct{ reported, has, hasNot string }{
		{"missing: no file", fault, failure}, {"broken: no build", failure, fault},
	} {
		t.Run(tt.reported, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script = []turn{saysFailed(tt.reported)}
			w.tiers["mid"].script = []turn{simply("I see", ""), does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			for _, prompt := range w.tiers["mid"].prompts {
				assert.Contains(t, prompt, tt.has)
				assert.NotContains(t, prompt, tt.hasNot)
			}
			assert.NotContains(t, w.tiers["low"].prompts[0], tt.has)
		})
	}
}

// What a person has answered stands in every prompt of the step that follows, each line behind a
// bar, and in none of another step.
func TestAnswersAreInEveryPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("missing: no file")}
	w.tiers["mid"].script = []turn{complexly("no idea", "a hint")}
	w.tiers["top"].script = []turn{complexly("no idea", "a hint")}
	p := steps("1", "2")
	require.Equal(t, escalate.EndQuestion, w.run(p).EndReason)

	for _, s := range w.tiers {
		s.prompts = nil
	}
	w.tiers["low"].script = []turn{saysFailed("broken: no build"), saysFailed("broken: no build")}
	w.tiers["mid"].script = []turn{simply("I see", ""), does("report.md", "found"), simply("I see", ""),
		does("report-2.md", "found")}
	res := w.answer(p, escalate.Answer{Text: "Take AGENTS.md.\nLeave CLAUDE.md alone."})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)

	const said = "\n| Take AGENTS.md.\n| Leave CLAUDE.md alone.\n"
	first := append(w.tiers["low"].prompts[:1:1], w.tiers["mid"].prompts[:2]...)
	second := append(w.tiers["low"].prompts[1:2:2], w.tiers["mid"].prompts[2:4]...)
	for i, role := range []string{"execute", "diagnose", "fix"} {
		assert.Contains(t, first[i], said, role)
		assert.NotContains(t, second[i], "Take AGENTS.md", fmt.Sprintf("%s of another step", role))
	}
}
