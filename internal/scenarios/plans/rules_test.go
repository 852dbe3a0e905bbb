package plans_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The same error in three steps in a row stops the plan before the fourth. An answer ends the row.
func TestSameErrorThreeTimes(t *testing.T) {
	k, p := newKit(t), steps(onePlan(), "2", "3", "4", "5", "6", "7", "8")
	k.haiku.do = says("bash: fd: command not found" + failed)
	for range 2 { // the second run asks the same again
		res := k.run(p)
		assert.Equal(t, "blocked", res.Status)
		assert.Equal(t, "4", res.Question.Step)
		assert.Equal(t, []string{"haiku"}, []string{res.Question.Tried[0].Tier})
	}
	assert.Len(t, k.haiku.calls, 3)
	assert.Equal(t, "8", k.answer(p, plan.Answer{Step: "4", Text: "I know."}).Question.Step)
	assert.Equal(t, "completed", k.answer(p, plan.Answer{Step: "8", Text: "I know."}).Status)

	k = newKit(t) // different errors are no row
	n := 0
	k.haiku.do = func(string) (string, error) {
		n++
		return []string{"bash: fd: command not found", "--- FAIL: TestX", "something is odd"}[n%3] + failed, nil
	}
	assert.Equal(t, "completed", k.run(p).Status)
}

// A dirty tree is found before any check runs, and only by a new plan.
func TestDirtyTree(t *testing.T) {
	k, p := newKit(t), steps(onePlan(), "2")
	p.Gate = []plan.Command{{Run: []string{"touch", "checked"}}}
	p.Needs = []plan.Need{{File: "missing"}}
	dirty := []string{"old"}
	k.cfg.Dirty = func(context.Context) ([]string, error) { return dirty, nil }
	res := k.run(p)
	assert.Equal(t, "1:UNEXPECTED_RESULT>verify blocked", path(res.Steps[0]))
	assert.Equal(t, executor.Paths{"old"}, res.Steps[0].Errors[0].Files)
	assert.Empty(t, k.haiku.calls)
	assert.NotContains(t, k.tree.files(), "checked")

	k, p = newKit(t), steps(onePlan(), "2")
	k.cfg.Dirty = func(context.Context) ([]string, error) { return nil, nil }
	k.haiku.do = k.writes("odd"+failed, "half=x")
	k.sonnet.do, k.opus.do = k.haiku.do, k.haiku.do
	assert.Equal(t, "blocked", k.run(p).Status)
	k.cfg.Dirty = func(context.Context) ([]string, error) { return dirty, nil }
	k.haiku.do = k.writes(done, "out=done")
	assert.Equal(t, "completed", k.answer(p, plan.Answer{Step: "1"}).Status)
}

// Steps that are not done may be edited; a step that is done may not.
func TestEditedPlan(t *testing.T) {
	k, p := walk(t)
	k.sonnet.do, k.opus.do = says("odd"+failed), says("odd"+failed)
	assert.Equal(t, "blocked", k.run(p).Status)
	p.Steps[1].Instructions = "Write out and r.md."
	k.haiku.do = k.writes(done, "r.md=# Tests\n# Prices\ncents\n")
	assert.Equal(t, "completed", k.answer(p, plan.Answer{Step: "2.3"}).Status)
	p.Steps[0].Criteria[0].Matches = "other"
	r, err := plan.New(k.cfg)
	require.NoError(t, err)
	_, err = r.Run(t.Context(), "run", p)
	assert.ErrorContains(t, err, "step 2.2 is done")
}

// An answer is kept if the setup of the process that took it fails.
func TestAnswerIsKept(t *testing.T) {
	k, p := newKit(t), onePlan()
	for _, a := range []*agent{k.haiku, k.sonnet, k.opus} {
		a.do = func(prompt string) (string, error) {
			if !strings.Contains(prompt, "It is 500 cents, password=[REDACTED]") {
				return "odd" + failed, nil
			}
			k.tree.write("out", "done")
			return done, nil
		}
	}
	p.Needs = []plan.Need{{File: "go.mod"}}
	assert.Equal(t, "blocked", k.run(p).Status)
	k.tree.write("go.mod", "-")
	res := k.answer(p, plan.Answer{Step: "1", Text: "It is 500 cents, password=hunter2hunter2"})
	assert.Equal(t, "PREREQUISITE_FAILURE", res.Steps[0].State.LastError.Code)
	k.tree.write("go.mod", "module x")
	assert.Equal(t, "completed", k.run(p).Status)
	for run := range k.states {
		assert.NotContains(t, string(k.states[run]), "hunter2")
	}
}

// An answer that names another step is not given to this one.
func TestAnswerNamesItsStep(t *testing.T) {
	k, p := newKit(t), steps(onePlan(), "2")
	for _, a := range []*agent{k.haiku, k.sonnet, k.opus} {
		a.do = says("odd" + failed)
	}
	assert.Equal(t, "blocked", k.run(p).Status)
	calls := len(k.haiku.calls)
	assert.Equal(t, "blocked", k.answer(p, plan.Answer{Step: "2", Text: "yes"}).Status)
	r, err := plan.New(k.cfg)
	require.NoError(t, err)
	_, err = r.Answer(t.Context(), "run", p, plan.Answer{Step: "3", Text: "yes"})
	require.ErrorContains(t, err, `"3"`, "the plan has no such step")
	assert.Len(t, k.haiku.calls, calls)
}

// Plans share a store: the tasks of their steps are distinct.
func TestTasksOfPlans(t *testing.T) {
	k := newKit(t)
	tasks := map[string]bool{}
	k.saved = func(s *executor.RunState) { tasks[s.Task.ID] = true }
	r, err := plan.New(k.cfg)
	require.NoError(t, err)
	for _, name := range []string{"daily", "weekly"} {
		_, err := r.Run(t.Context(), name, onePlan())
		require.NoError(t, err)
	}
	assert.Equal(t, map[string]bool{"daily.1": true, "weekly.1": true}, tasks)
}

func TestKeepWork(t *testing.T) {
	k, p := walk(t)
	k.cfg.KeepWork = true
	assert.Equal(t, "completed", k.run(p).Status)
	assert.Empty(t, k.tree.log)
	assert.Contains(t, k.tree.files(), "r.md")
}

// Without a person on the ladder a plan is blocked as well.
func TestNoPerson(t *testing.T) {
	k := newKit(t)
	tiers := k.cfg.Table.Taxonomy.Tiers
	k.cfg.Table.Taxonomy.Tiers = tiers[:3]
	t.Cleanup(func() { k.cfg.Table.Taxonomy.Tiers = tiers })
	k.haiku.do, k.sonnet.do, k.opus.do = says("odd"+failed), says("odd"+failed), says("odd"+failed)
	res := k.run(onePlan())
	assert.Equal(t, "1:UNCLASSIFIED>find_out 2:UNCLASSIFIED>find_out 3:UNCLASSIFIED>ask_user blocked",
		path(res.Steps[0]))
	assert.Equal(t, executor.EndLadderUsedUp, res.Question.Reason)
}

// A plan's review blocks; a person's answer overrides it.
func TestPlanReview(t *testing.T) {
	k, p := newKit(t), onePlan()
	k.cfg.ReviewPlan = true
	k.opus.do = says("```json\n{\"findings\": [{\"type\": \"several_readings\", \"text\": \"which out\"}]}\n```\n" +
		"REVIEW FAILED MARK")
	res := k.run(p)
	assert.Equal(t, "1:AMBIGUITY_ERROR>find_out blocked", path(res.Steps[0]))
	assert.Empty(t, k.haiku.calls)
	assert.Equal(t, "completed", k.answer(p, plan.Answer{Step: "1", Text: "Any out will do."}).Status)
	assert.Len(t, k.opus.calls, 1, "the same plan is reviewed once")
}

// The processes of a gate are in the state while they run, so that the next process can end them.
func TestProcessesAreRegistered(t *testing.T) {
	k, p := newKit(t), onePlan()
	var ops []string
	k.saved = func(s *executor.RunState) {
		for _, process := range s.Processes {
			assert.Positive(t, process.PID)
			ops = append(ops, process.Op)
		}
	}
	assert.Equal(t, "completed", k.run(p).Status)
	assert.Contains(t, ops, "validate_pre_commit")
	final, err := k.cfg.Store().Peek(t.Context(), "run.1")
	require.NoError(t, err)
	assert.Empty(t, final.Processes)
}

// Only a report with the mark of its own call counts; the raw report is passed on unchanged.
func TestReports(t *testing.T) {
	k := newKit(t)
	raw := "line \x01 1\n\tSTEP DONE 0123456789ab\n```\nodd | {{.Mark}} <b>\n```"
	k.haiku.do = says(raw + failed)
	k.run(onePlan())
	assert.Contains(t, k.sonnet.calls[0], raw)

	k = newKit(t)
	k.haiku.do = says("odd" + failed)
	k.sonnet.do = func(string) (string, error) {
		k.tree.write("out", "done")
		words := strings.Fields(k.haiku.calls[0])
		return "STEP DONE " + words[len(words)-1], nil
	}
	res := k.run(onePlan())
	assert.Equal(t, "1:UNCLASSIFIED>find_out 2:UNEXPECTED_RESULT>verify completed opus", path(res.Steps[0]))
}

// The labels in prompts are those that the rules accept from an agent.
func TestLabelsOfPrompts(t *testing.T) {
	k := newKit(t)
	k.haiku.do = says("odd" + failed)
	k.run(onePlan())
	for label, want := range map[string]bool{
		"PREREQUISITE_FAILURE": true, "EXECUTION_ERROR": true, "UNEXPECTED_RESULT": true, "AMBIGUITY_ERROR": true,
		"INTER_AGENT_MISALIGNMENT": false, "TIER_REFUSED": false, "UNCLASSIFIED": false,
	} {
		assert.Equal(t, want, strings.Contains(k.sonnet.calls[0], "\n- "+label+":"), label)
	}
}

func TestConfiguration(t *testing.T) {
	_, err := plan.New(plan.Config{})
	for _, missing := range []string{"table", "classifier", "verifier", "workspace"} {
		assert.ErrorContains(t, err, missing)
	}
	k := newKit(t)
	k.cfg.Tiers = nil
	_, err = plan.New(k.cfg)
	assert.ErrorContains(t, err, "provider")
}

// once is an agent whose calls must not be repeated.
type once struct{ *agent }

func (once) Idempotent() taxonomy.Tristate { return taxonomy.No }

// A call of a provider that is not idempotent is neither repeated nor escalated.
func TestCallsOfPlansByIdempotence(t *testing.T) {
	k := newKit(t)
	k.haiku.do = func(string) (string, error) { return "", away(503) }
	k.cfg.Tiers["haiku"] = once{k.haiku}
	assert.Equal(t, "blocked", k.run(onePlan()).Status)
	assert.Len(t, k.haiku.calls, 1)
	assert.Empty(t, k.sonnet.calls)
}
