package contract_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/errgen/errgen/internal/devserver"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/temporal"
	"orchestrator.example.com/runner/errs"
)

var quiet = sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))

// temporalRunner is the executor's loop as a workflow: in the test environment of Temporal's SDK,
// or with a client on a server.
type temporalRunner struct {
	client client.Client
	queue  string
}

func (temporalRunner) name() string { return "temporal" }

func (r temporalRunner) run(l life) (*outcome, error) {
	e, err := executor.New(l.executorConfig())
	if err != nil {
		return nil, err
	}
	play := r.inEnvironment
	if r.client != nil {
		play = r.onServer
	}
	s, err := play(l, e)
	if err != nil {
		return nil, err
	}
	for _, w := range s.Waits {
		l.world.Waits = append(l.world.Waits, time.Duration(w.Took))
	}
	return outcomeOf(executor.NewResult(s, l.rules().decode)), nil
}

func (temporalRunner) inEnvironment(l life, e *executor.Executor) (s *executor.RunState, err error) {
	env := testEnvironment(l.world.Now)
	l.world.cancel = env.CancelWorkflow
	temporal.Register(env, e, temporal.Options{})
	env.ExecuteWorkflow(temporal.WorkflowName, temporal.Input{Task: l.task()})
	return s, env.GetWorkflowResult(&s)
}

func (r temporalRunner) onServer(l life, e *executor.Executor) (*executor.RunState, error) {
	runs := temporal.Runs{Client: r.client, Queue: r.queue}
	task := l.task()
	task.Run = r.queue
	l.world.cancel = func() { _ = runs.Cancel(l.ctx, task.Run) }
	w := temporal.NewWorker(r.client, r.queue, e, temporal.Options{})
	if err := w.Start(); err != nil {
		return nil, err
	}
	defer w.Stop()
	if err := runs.Start(l.ctx, task); err != nil {
		return nil, err
	}
	res, err := runs.Result(l.ctx, task.Run)
	if err != nil {
		return nil, err
	}
	return res.State, nil
}

func testEnvironment(now time.Time) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet)
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Hour)
	env.SetStartTime(now)
	return env
}

func dial(t *testing.T) (c client.Client) {
	t.Helper()
	address := devserver.Address(t)
	require.Eventually(t, func() (ok bool) {
		var err error
		c, err = client.Dial(client.Options{HostPort: address, Logger: quiet})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	t.Cleanup(c.Close)
	return c
}

func queueOf(t *testing.T) string { return strings.NewReplacer("/", ".", ",", "").Replace(t.Name()) }

// TestServer plays a dozen stories on a server, and replays their histories with their own taxonomy
// and with another one.
func TestServer(t *testing.T) {
	const stride = 5
	n := 0
	for _, s := range stories() {
		if s.want.waits != "" || s.host.dryRun || s.name == "B-A13 a call that hangs is a timeout" {
			continue // the others take real time
		}
		if n++; n%stride != 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := temporalRunner{dial(t), queueOf(t)}
			w := newWorld(s)
			o, err := r.run(life{s, t.Context(), w, ""})
			require.NoError(t, err)
			assert.Equal(t, s.want, s.seen(w, o))
			w1, o1 := play(t, executorRunner{}, s)
			assert.Equal(t, observed(w1, o1), observed(w, o))

			events := historyOf(t, r.client, r.queue)
			other := *s
			if other.reactions = reactions; s.reactions != nil {
				other.reactions = nil
			}
			for _, s := range []*story{s, &other} {
				e, err := executor.New(life{s, t.Context(), newWorld(s), ""}.executorConfig())
				require.NoError(t, err)
				replayer := worker.NewWorkflowReplayer()
				temporal.RegisterWorkflows(replayer, e, temporal.Options{})
				require.NoError(t, replayer.ReplayWorkflowHistory(quiet, events))
			}
		})
	}
}

func historyOf(t *testing.T, c client.Client, run string) *history.History {
	t.Helper()
	h := &history.History{}
	it := c.GetWorkflowHistory(t.Context(), "errgen/"+run, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		require.NoError(t, err)
		h.Events = append(h.Events, e)
	}
	return h
}

func TestPlanStoriesOnTemporal(t *testing.T) {
	t.Parallel()
	planSuite(t, planSubject{planInEnvironment})
}

// planInEnvironment carries out a plan in the test environment. The game has the states of its
// runs, because the environment has no server.
func planInEnvironment(ctx context.Context, g *planGame, p *plan.Plan, a *plan.Answer) (res *plan.Result, err error) {
	runner, err := plan.New(g.cfg)
	if err != nil {
		return nil, err
	}
	env := testEnvironment(g.clock.now)
	g.cancel, g.cancelled = env.CancelWorkflow, make(chan struct{})
	env.SetOnActivityCanceledListener(func(*activity.Info) { close(g.cancelled) })
	env.SetOnTimerScheduledListener(func(_ string, d time.Duration) { _ = g.clock.Sleep(ctx, d) })
	env.SetOnChildWorkflowCompletedListener(func(i *workflow.Info, result converter.EncodedValue, err error) {
		var s *executor.RunState
		if err == nil && result.Get(&s) == nil {
			g.states[s.Task.Run] = s
		}
	})
	temporal.Register(env, nil, temporal.Options{Plans: plansOf(runner)})
	env.ExecuteWorkflow(temporal.PlanName, temporal.PlanInput{Name: "run", Plan: p, Answer: a, States: g.states})
	err = env.GetWorkflowResult(&res)
	for i := range res.Steps {
		res.Steps[i].State = g.states["run."+res.Steps[i].ID]
	}
	return res, err
}

// TestPlansOnServer carries out some plans on a server, and replays the histories of the plans and
// their steps with this taxonomy and with another profile of it.
func TestPlansOnServer(t *testing.T) {
	t.Parallel()
	play := func(ctx context.Context, g *planGame, p *plan.Plan, a *plan.Answer) (*plan.Result, error) {
		c, name := dial(g.t), queueOf(g.t)
		if g.name != name {
			g.inClone(name)
		}
		runner, err := plan.New(g.cfg)
		if err != nil {
			return nil, err
		}
		o := temporal.Options{Plans: plansOf(runner), Heartbeat: time.Second, MaxEvents: 40} // of a history
		w := temporal.NewWorker(c, name, nil, o)
		if err := w.Start(); err != nil {
			return nil, err
		}
		defer w.Stop()
		runs := temporal.Runs{Client: c, Queue: name}
		g.cancel = func() { assert.NoError(g.t, runs.Cancel(ctx, name)) }
		if err := runs.StartPlan(ctx, name, p, a); err != nil {
			return nil, err
		}
		res, err := runs.PlanResult(ctx, name)
		if err != nil {
			return nil, err
		}
		histories := []string{name}
		for i := range res.Steps {
			run := name + "." + res.Steps[i].ID
			if r, err := runs.Result(ctx, run); err == nil { // the step was begun
				res.Steps[i].State = r.State
				histories = append(histories, run)
			}
		}
		other := g.cfg
		if other.Table, err = errs.Table.Profile("chains"); err != nil {
			return nil, err
		}
		for _, cfg := range []plan.Config{g.cfg, other} {
			other, err := plan.New(cfg)
			if err != nil {
				return nil, err
			}
			o.Plans = plansOf(other)
			replayer := worker.NewWorkflowReplayer()
			temporal.RegisterWorkflows(replayer, nil, o)
			for _, run := range histories {
				require.NoError(g.t, replayer.ReplayWorkflowHistory(quiet, historyOf(g.t, c, run)), run)
			}
		}
		return res, nil
	}
	planSuite(t, planSubject{play}, "walkthrough", "a person carries the step out", "review finds",
		"the plan is reviewed", "the plan is reviewed once", "cancelled, then run again",
		"the same error in three steps")
}

func plansOf(runner *plan.Runner) func(string) (*plan.Runner, error) {
	return func(string) (*plan.Runner, error) { return runner, nil }
}
