package escalate_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
)

// What a step takes for granted is verified again after a fix, which may have taken it away.
func TestPrerequisitesAreVerifiedAfterAFix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := oneStep()
	p.Steps[0].Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "AGENTS.md"}}
	w.tiers["low"].script = []turn{saysFailed("broken: it does not build")}
	w.tiers["mid"].script = []turn{simply("a file too many", ""),
		func(ctx context.Context, s *scripted, prompt string) (string, error) {
			assert.NoError(t, os.Remove(filepath.Join(w.dir, "AGENTS.md")))
			return does("report.md", "found")(ctx, s, prompt)
		}}
	w.tiers["top"].script = []turn{complexly("AGENTS.md is gone", "say whether it is needed")}
	res := w.run(p)
	require.Equal(t, escalate.EndQuestion, res.EndReason, res.Error)
	assert.Equal(t, escalate.StepBlocked, res.Steps[0].State)
	fixed := res.Steps[0].Attempts[2]
	assert.Equal(t, escalate.Fix, fixed.Role)
	assert.False(t, fixed.Counts)
	assert.Equal(t, "missing", fixed.Code)
	assert.True(t, w.exists("AGENTS.md"), "it is put back")
}

// Of several things that are not there yet, one look is one try.
func TestOneLookAtThePlanIsOneTry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	looks := 0
	w.prerequisites = func() {
		if looks++; looks > 2 {
			w.write("a", "up")
			w.write("b", "up")
			w.write("c", "up")
		}
	}
	p := oneStep()
	p.Prerequisites = []plan.Prerequisite{
		{Kind: plan.Address, Name: "a:80"}, {Kind: plan.Address, Name: "b:80"}, {Kind: plan.Address, Name: "c:80"},
	}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	res := w.run(p)
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, 3, looks)
	assert.Equal(t, "6s", w.clock.slept.String(), "two waits of the policy")
}

// A tier that has answered was there, also when its answer came to nothing: its own failures before
// are no streak.
func TestWhateverATierDoesEndsItsStreak(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.TierFailures = 2
	w.cfg.Calls.Guard = forbidding("secret.txt")
	w.tiers["low"].script = []turn{
		fails("down"), does("report-2.md", "found", "secret.txt", "x"), fails("down"), does("report-4.md", "found"),
	}
	w.tiers["mid"].script = []turn{
		does("report.md", "found"), simply("it wrote what it must not", ""), does("report-2.md", "found"),
		does("report-3.md", "found"),
	}
	res := w.run(steps("1", "2", "3", "4"))
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "low", res.Steps[3].By)
	assert.Empty(t, w.kinds(escalate.PassedOver))
}

// dyingTree is a working tree in which nothing can be put back any more, from what its field says
// on: as if the process died there.
type dyingTree struct {
	executor.Workspace
	// dies is asked before something is put back.
	dies func() bool
}

func (d *dyingTree) Revert(ctx context.Context, checked executor.Checked, changes []executor.Change) error {
	if d.dies() {
		return errors.New("killed")
	}
	return d.Workspace.Revert(ctx, checked, changes)
}

// What follows is kept before anything is put back: a process that dies meanwhile does not judge
// again what is half put back.
func TestWhatFollowsIsKeptBeforePuttingBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		nth   int // which putting back it dies in
		heard escalate.Role
		next  escalate.Role
		low   []turn
		mid   []turn
		later []turn // of mid, in the process that goes on
		calls int
	}{
		{
			"after a failure", 1, escalate.Execute, escalate.Diagnose,
			[]turn{saysFailed("missing: no file", "half.md", "half")}, nil,
			[]turn{simply("it is AGENTS.md", ""), does("report.md", "found")}, 3,
		},
		{
			"after a diagnosis", 2, escalate.Diagnose, escalate.Fix,
			[]turn{saysFailed("missing: no file", "half.md", "half")},
			[]turn{simply("it is AGENTS.md", "Read AGENTS.md.", "look.txt", "noise")},
			[]turn{does("report.md", "found")}, 3,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script, w.tiers["mid"].script = tt.low, tt.mid
			var kept map[string][]byte
			n := 0
			w.cfg.Calls.Workspace = &dyingTree{w.cfg.Calls.Workspace, func() bool {
				n++
				if n == tt.nth {
					kept = maps.Clone(w.journal.kept)
				}
				return n >= tt.nth
			}}
			require.Equal(t, escalate.EndRevert, w.run(oneStep()).EndReason)

			var s escalate.State
			require.NoError(t, json.Unmarshal(kept["run"], &s))
			require.NotNil(t, s.Work)
			assert.Nil(t, s.Work.Heard, "it is judged")
			assert.Equal(t, tt.next, s.Work.Role)
			assert.Empty(t, s.Result.EndReason)
			if tt.next == escalate.Fix {
				require.NotNil(t, s.Work.Diagnosis)
				assert.Equal(t, "Read AGENTS.md.", s.Work.Correction.New)
			}

			// The next process goes on from there.
			w.journal.kept = kept
			w.open()
			w.tiers["low"].script, w.tiers["low"].prompts = nil, nil
			w.tiers["mid"].script, w.tiers["mid"].prompts = tt.later, nil
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.Equal(t, tt.calls, res.Calls)
			assert.False(t, w.exists("half.md"))
			assert.False(t, w.exists("look.txt"))
		})
	}
}

// A classifier that panics makes nothing count, and takes nobody's program down: what it does not
// say is uncategorized.
func TestClassifierThatPanics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	//lint:ignore ST1008 it is a Classifier
	w.cfg.Calls.Classify = func(error, string, string) (error, string) { panic("no rules") }
	w.tiers["low"].script = []turn{saysFailed("flaky: 1")}
	w.tiers["mid"].script = []turn{fails("down")}
	w.tiers["top"].script = []turn{complexly("no idea", "a hint")}
	res := w.run(oneStep())
	assert.Equal(t, executor.StatusBlocked, res.Status, res.Error)
	assert.Empty(t, res.Steps[0].Attempts[0].Code)
	assert.Contains(
		t, res.Path[slices.IndexFunc(
			res.Path, func(e escalate.Event) bool { return e.Kind == escalate.Classified })].Text,
		"the classifier failed: panic: no rules")
}

// A caller is told why a run is refused, also when the taxonomy's message leaves that out.
func TestReasonOfARefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	classify := w.cfg.Calls.Classify
	//lint:ignore ST1008 it is a Classifier
	w.cfg.Calls.Classify = func(err error, source, op string) (error, string) {
		if op == "prepare" || op == "resume" {
			return &coded{t: w.tables.taxonomy, row: w.tables.rows["halt"], text: "local", cause: err}, "rule"
		}
		return classify(err, source, op)
	}
	assert.Equal(t, "local: there is no run of this name, so that there is nothing to answer",
		w.answer(oneStep(), escalate.Answer{}).Error)
	assert.Contains(t, w.runner().Run(t.Context(), "../x", oneStep()).Error, `local: `)
	w.journal.fail = errors.New("no space is left")
	assert.Contains(t, w.run(oneStep()).Error, "no space is left")
	assert.Equal(t, 1, strings.Count(w.run(oneStep()).Error, "no space is left"))
}
