package escalate_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A run that is over is returned as it ended, if the plan demands the same as then.
func TestRunThatIsOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		first  turn
		end    escalate.EndReason
		change func(p *plan.Plan)
		says   string // empty is that it is returned
	}{
		{"the same", does("report.md", "found"), escalate.EndCompleted, func(*plan.Plan) {}, ""},
		{"another title", does("report.md", "found"), escalate.EndCompleted,
			func(p *plan.Plan) { p.Title, p.Steps[0].Title = "T", "T" }, ""},
		{"a step more", does("report.md", "found"), escalate.EndCompleted,
			func(p *plan.Plan) { *p = steps("2.3", "2") }, "step 2 is new"},
		{"other criteria", does("report.md", "found"), escalate.EndCompleted,
			func(p *plan.Plan) { p.Steps[0].Criteria[0].Text = "x" }, "step 2.3: criteria"},
		{"another gate", does("report.md", "found"), escalate.EndCompleted, func(p *plan.Plan) { p.Gate = nil },
			"its gate"},
		{"a prerequisite", does("report.md", "found"), escalate.EndCompleted, func(p *plan.Plan) {
			p.Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "AGENTS.md"}}
		}, "its prerequisites"},
		{"other instructions of one that failed", saysFailed("fatal: no"), escalate.EndFailed,
			func(p *plan.Plan) { p.Steps[0].Instructions = "x" }, "step 2.3: instructions"},
		{"failed", saysFailed("fatal: no"), escalate.EndFailed, func(*plan.Plan) {}, ""},
		{"one that asks, and other instructions", saysFailed("halt: no"), escalate.EndBlocked,
			func(p *plan.Plan) { p.Steps[0].Instructions = "x" }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script = []turn{tt.first}
			first := w.run(oneStep())
			require.Equal(t, tt.end, first.EndReason)
			before := string(w.journal.kept["run"])
			p := oneStep()
			tt.change(&p)
			res := w.run(p)
			assert.Equal(t, before, string(w.journal.kept["run"]))
			if tt.says == "" {
				require.Equal(t, tt.end, res.EndReason, res.Error)
				assert.Equal(t, first.Error, res.Error)
				if first.Err != nil {
					require.Error(t, res.Err)
					assert.Equal(t, taxonomy.CodeOf(first.Err), taxonomy.CodeOf(res.Err), "it is read back")
				}
				return
			}
			require.Equal(t, escalate.EndRefused, res.EndReason)
			assert.Contains(t, res.Error, tt.says)
			assert.Contains(t, res.Error, "another name")
			if tt.end == escalate.EndCompleted {
				assert.Equal(t, escalate.StepDone, res.Steps[0].State, "it is shown how it stands")
			}
		})
	}
}

// What of the plan has changed is said when a run goes on.
func TestPlanThatHasChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{does("report.md", "found"), saysFailed("halt: no"), does("report-2.md", "found")}
	require.Equal(t, escalate.EndBlocked, w.run(steps("1", "2")).EndReason)
	p := steps("1", "2")
	p.Steps[1].Criteria[0].Text, p.Steps[1].Instructions, p.Gate = "fou", "Write it.", nil
	w.events = nil
	res := w.answer(p, escalate.Answer{})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	require.Equal(t, []string{"the plan has changed since: its gate, step 2: instructions, step 2: criteria"},
		res.Warnings)
	assert.Equal(t, []escalate.EventKind{escalate.RunStarted, escalate.Warned},
		[]escalate.EventKind{w.events[0].Kind, w.events[1].Kind})
}

func TestRunOfAnotherTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{does("report.md", "found")}
	require.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
	other := newWorld(t)
	other.journal, other.cfg.Journal = w.journal, w.journal
	res := other.run(oneStep())
	require.Equal(t, escalate.EndRefused, res.EndReason)
	assert.Contains(t, res.Error, w.cfg.Calls.Workspace.Dir())
	assert.Contains(t, res.Error, other.cfg.Calls.Workspace.Dir())
	other.cfg.Calls.Workspace = nil
	assert.Equal(t, escalate.EndRefused, other.run(oneStep()).EndReason)
	assert.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
}

// A run that could not put back goes on when that is possible again.
func TestPutBackAgain(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		w := newWorld(t)
		tree := w.cfg.Calls.Workspace
		w.cfg.Calls.Workspace = &broken{tree}
		w.tiers["low"].script = []turn{saysFailed("missing: x", "half.md", "half"), does("report-2.md", "found")}
		w.tiers["mid"].script = []turn{simply("x", ""), does("report.md", "found")}
		require.Equal(t, escalate.EndRevert, w.run(steps("1", "2")).EndReason)
		require.Equal(t, escalate.EndRevert, w.run(steps("1", "2")).EndReason, "it still cannot be put back")
		assert.True(t, w.exists("half.md"))
		w.cfg.Calls.Workspace = tree
		if answered {
			res := w.answer(steps("1", "2"), escalate.Answer{})
			require.Equal(t, escalate.EndRefused, res.EndReason)
			assert.Contains(t, res.Error, "run it again")
		}
		w.events = nil
		res := w.run(steps("1", "2"))
		require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		assert.False(t, w.exists("half.md"))
		assert.Equal(t, []string{"put_back"}, w.kinds(escalate.PutBack))
		assert.Equal(t, escalate.StepDone, res.Steps[0].State)
		assert.Len(t, res.Steps[0].Attempts, 3, "what was decided on is gone on with")
	}
}

// The state cannot be saved any more: what does not count is put back all the same, and the run can
// be gone on with.
func TestStateThatCannotBeSavedAnyMore(t *testing.T) {
	t.Parallel()
	for _, journaled := range []bool{false, true} {
		for n := 1; n <= 6; n++ {
			if testing.Short() && n%3 != 1 {
				continue
			}
			w := newWorld(t)
			w.cfg.Commit = true
			if journaled {
				w.cfg.Calls.Journal = filejournal.New(t.TempDir())
			}
			w.tiers["low"].script, w.tiers["low"].repeat = []turn{does("report.md", "found")}, true
			w.journal.onSave = func(k int) {
				if k == n {
					w.journal.fail = errors.New("the disk is full")
				}
			}
			res := w.run(oneStep())
			done := w.git("log", "--format=%s") != "begin"
			if done {
				assert.Equal(t, escalate.StepDone, res.Steps[0].State, n)
			} else {
				assert.Equal(t, escalate.EndFailed, res.EndReason)
				assert.Contains(t, res.Error, "the disk is full")
				assert.NotEqual(t, escalate.StepRunning, res.Steps[0].State)
			}
			assert.Empty(t, w.git("status", "--porcelain"), "nothing is left for another run to take for its own")
			w.journal.fail, w.journal.onSave = nil, nil
			w.open()
			res = w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, "%d %s", n, res.Error)
			assert.Equal(t, "Step 2.3: Report 2.3\nbegin", w.git("log", "--format=%s"))
			for _, a := range res.Steps[0].Attempts {
				assert.Empty(t, a.Code, "%d: %s", n, a.Message)
			}
		}
	}
}

// A question whose end could not be saved says so, and is asked again.
func TestQuestionThatCouldNotBeSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("halt: no"), does("report.md", "found")}
	w.cfg.Observer = observing(func(e escalate.Event) {
		if e.Kind == escalate.RunEnded {
			w.journal.fail = errors.New("the disk is full")
		}
	})
	res := w.run(oneStep())
	require.Equal(t, escalate.EndBlocked, res.EndReason)
	require.Len(t, res.Warnings, 1)
	assert.Contains(t, res.Warnings[0], "run again")
	w.journal.fail, w.cfg.Observer = nil, nil
	refused := w.answer(oneStep(), escalate.Answer{})
	require.Equal(t, escalate.EndRefused, refused.EndReason)
	assert.Contains(t, refused.Error, "run it again")
	require.Equal(t, escalate.EndBlocked, w.run(oneStep()).EndReason)
	assert.Len(t, w.tiers["low"].prompts, 1, "it asks the same")
	assert.Equal(t, escalate.EndCompleted, w.answer(oneStep(), escalate.Answer{}).EndReason)
}

type observing func(escalate.Event)

func (o observing) Observe(e escalate.Event) { o(e) }

// faulty is a journal one of whose operations panics, or fails.
type faulty struct {
	*memory
	op   string
	fail func() error
}

func (f *faulty) at(op string) error {
	if f.op == op {
		return f.fail()
	}
	return nil
}

func (f *faulty) Open(ctx context.Context, run string) (*escalate.State, error) {
	if err := f.at("open"); err != nil {
		return nil, err
	}
	return f.memory.Open(ctx, run)
}

func (f *faulty) Save(ctx context.Context, s *escalate.State) error {
	if err := f.at("save"); err != nil {
		return err
	}
	return f.memory.Save(ctx, s)
}

func (f *faulty) Close() error { return f.at("close") }

// Nothing that a journal does is anybody's but the runner's.
func TestJournalThatFails(t *testing.T) {
	t.Parallel()
	for _, fail := range []func() error{func() error { panic("no") }, func() error { return errors.New("no") }} {
		for op, end := range map[string]escalate.EndReason{"open": escalate.EndRefused, "save": escalate.EndFailed,
			"close": escalate.EndCompleted} {
			w := newWorld(t)
			w.cfg.Journal = &faulty{w.journal, op, fail}
			var sources []string
			classify := w.cfg.Calls.Classify
			//lint:ignore ST1008 it is a Classifier
			w.cfg.Calls.Classify = func(err error, source, op string) (error, string) {
				sources = append(sources, source+" "+op)
				return classify(err, source, op)
			}
			w.tiers["low"].script = []turn{does("report.md", "found")}
			res := w.run(oneStep())
			assert.Equal(t, end, res.EndReason, op)
			if end == escalate.EndCompleted {
				assert.NotEmpty(t, res.Warnings)
				continue
			}
			assert.Contains(t, res.Error, "no")
			assert.Equal(t, []string{"executor prepare"}, sources, op)
		}
	}
}

// The call is in the state before it is made: a process that is killed in it leaves that behind.
func TestCallIsNotedBeforeItIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{func(ctx context.Context, s *scripted, prompt string) (string, error) {
		var kept escalate.State
		if err := json.Unmarshal(w.journal.kept["run"], &kept); assert.NoError(t, err) && assert.NotNil(t, kept.Open) {
			assert.Equal(t, 1, kept.Open.Number)
			assert.Equal(t, 1, kept.Turns)
		}
		return does("report.md", "found")(ctx, s, prompt)
	}}
	assert.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
}

// dyingBack is a workspace whose process dies when it has put back a part.
type dyingBack struct{ executor.Workspace }

func (d *dyingBack) Revert(ctx context.Context, c executor.Checked, changes []executor.Change) error {
	if err := d.Workspace.Revert(ctx, c, changes[:1]); err != nil {
		return err
	}
	runtime.Goexit()
	return nil
}

// A process that dies while it puts back has said before that the work does not count: half of it
// is never judged.
func TestDeathWhileItIsPutBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Calls.Workspace = &dyingBack{w.cfg.Calls.Workspace}
	w.tiers["low"].script = []turn{does("bad.md", "bad", "report.md", "found")}
	w.gate = func() {
		w.gateFails = nil
		if w.exists("bad.md") {
			w.gateFails = []*taxonomy.Evidence{{Source: "check", Op: "gate", ExitCode: taxonomy.Some(1)}}
		}
	}
	w.tiers["mid"].script = []turn{simply("it is bad", ""), does("report.md", "found by mid")}
	require.True(t, w.dies(oneStep()))
	require.False(t, w.exists("bad.md"))
	require.True(t, w.exists("report.md"))
	w.open()
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "mid", res.Steps[0].By)
	assert.Equal(t, "check gate", res.Steps[0].Attempts[0].Code, "it was judged as a whole, and once")
	assert.Len(t, w.tiers["low"].prompts, 1)
}

// What is put back when a run goes on in a call is told, with the files.
func TestPutBackInACallThatIsGoneOnWith(t *testing.T) {
	t.Parallel()
	for _, journaled := range []bool{false, true} {
		w := newWorld(t)
		if journaled {
			w.cfg.Calls.Journal = filejournal.New(t.TempDir())
		}
		w.tiers["low"].script = []turn{func(_ context.Context, s *scripted, _ string) (string, error) {
			s.writing([]string{"half.md", "half"})
			runtime.Goexit()
			return "", nil
		}, does("report.md", "found")}
		require.True(t, w.dies(oneStep()))
		w.write("AGENTS.md", "a person's edit")
		w.open()
		w.events = nil
		res := w.run(oneStep())
		require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		var put []escalate.Event
		for _, e := range w.events {
			if e.Kind == escalate.PutBack {
				put = append(put, e)
			}
		}
		require.Len(t, put, 1, journaled)
		assert.Equal(t, []string{"AGENTS.md", "half.md"}, put[0].Files)
		assert.Equal(t, "a person's edit", w.git("show", put[0].Text+":AGENTS.md"))
	}
}

// Calls of a run whose state is gone are no calls of another run of its name.
func TestStaleCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Calls.Journal = filejournal.New(t.TempDir())
	w.tiers["low"].script = []turn{func(context.Context, *scripted, string) (string, error) {
		runtime.Goexit()
		return "", nil
	}, does("report.md", "found")}
	require.True(t, w.dies(oneStep()))
	clear(w.journal.kept)
	w.clock.now = w.clock.now.Add(1e9)
	w.open()
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Len(t, res.Steps[0].Attempts, 1, "nothing is burnt")
}

func TestAnswerThatThereIsNone(t *testing.T) {
	t.Parallel()
	w := blocked(t)
	before := string(w.journal.kept["run"])
	res := w.answer(oneStep(), escalate.Answer{Action: "Done"})
	require.Equal(t, escalate.EndRefused, res.EndReason)
	assert.Contains(t, res.Error, `"Done"`)
	assert.Equal(t, before, string(w.journal.kept["run"]))
	assert.Empty(t, w.events)
}
