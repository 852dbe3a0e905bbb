package contract_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/errgen/errgen/internal/devserver"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/executor/temporal"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/taxonomy"
	"orchestrator.example.com/runner/errs"
)

// planWorkerVariable makes the test program a worker of plans; it holds a [planWorker].
const planWorkerVariable = "CONTRACT_PLAN_WORKER"

// planWorker is a worker whose tiers and checks have points. It kills itself at one of them.
type planWorker struct {
	Address, Queue, Dir string
	// At is the point at which the process kills itself, counted from 1 over all processes.
	At int

	clone string
}

func workOnPlans(text string) error {
	var w planWorker
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return err
	}
	c, err := client.Dial(client.Options{HostPort: w.Address, Logger: quiet})
	if err != nil {
		return err
	}
	plans := func(string) (*plan.Runner, error) { return plan.New(w.config()) }
	return temporal.NewWorker(c, w.Queue, nil, temporal.Options{Plans: plans, Heartbeat: time.Second,
		Worker: worker.Options{StickyScheduleToStartTimeout: time.Second}}).Run(worker.InterruptCh())
}

func (w *planWorker) config() plan.Config {
	tree, err := workspace.New(context.Background(), filepath.Join(w.Dir, "tree"), w.Queue,
		workspace.Options{Home: filepath.Join(w.Dir, "clones")})
	if err != nil {
		panic(err)
	}
	w.clone = tree.Dir()
	return plan.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Workspace: tree, ReviewPlan: true,
		Tiers: map[string]executor.Provider{"haiku": w, "sonnet": w}, Facts: pointedFacts{verify.New(w.clone), w},
	}
}

func (w *planWorker) points() []string {
	b, _ := os.ReadFile(filepath.Join(w.Dir, "points"))
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func (w *planWorker) point(what string) {
	f, err := os.OpenFile(filepath.Join(w.Dir, "points"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(what + "\n")
	}
	if err != nil || f.Close() != nil {
		panic("the point cannot be written")
	}
	if len(w.points()) == w.At {
		killSelf()
	}
}

func (w *planWorker) Name() string                    { return "anthropic-api" }
func (w *planWorker) Available(context.Context) error { return nil }

// Call passes every review, and carries every step out.
func (w *planWorker) Call(_ context.Context, r executor.Request) (executor.Answer, error) {
	if strings.HasPrefix(r.Prompt, "Review ") {
		w.point("before review " + r.Run)
		defer w.point("after review " + r.Run)
		return executor.Answer{Text: "REVIEW PASSED " + r.Mark}, nil
	}
	w.point("before call " + r.Run)
	out := filepath.Join(w.clone, strings.TrimPrefix(r.Run, w.Queue+"."))
	err := os.WriteFile(out, []byte("half"), 0o600)
	w.point("in call " + r.Run)
	if err == nil {
		err = os.WriteFile(out, []byte("done"), 0o600)
	}
	w.point("after call " + r.Run)
	return executor.Answer{Text: "STEP DONE " + r.Mark}, err
}

type pointedFacts struct {
	plan.Verifier
	*planWorker
}

func (f pointedFacts) Criteria(ctx context.Context, all []plan.Criterion) []*taxonomy.Evidence {
	f.point("before criteria")
	defer f.point("after criteria")
	return f.Verifier.Criteria(ctx, all)
}

// TestPlanKilledOnServer kills the worker of a plan at its points. The next worker brings the plan
// to the end of an undisturbed one.
func TestPlanKilledOnServer(t *testing.T) {
	t.Parallel()
	p := &plan.Plan{Title: "Plan", Review: true}
	for _, id := range []string{"1", "2"} {
		p.Steps = append(p.Steps, plan.Step{ID: id, Title: id, Instructions: "Write " + id + ".",
			Criteria: []plan.Criterion{{Path: id, Matches: "^done$"}}})
	}
	whole, want := playKilled(t, p, 0)
	points := whole.points()
	stride := 1
	if testing.Short() {
		stride = 5
	}
	for at := 1; at <= len(points); at += stride {
		t.Run(strconv.Itoa(at), func(t *testing.T) { // the names of runs have no "#"
			t.Parallel()
			_, got := playKilled(t, p, at)
			assert.Equal(t, want, got, points[at-1])
		})
	}
}

// playKilled carries out a plan and returns what must be the same wherever its worker was killed.
func playKilled(t *testing.T, p *plan.Plan, at int) (*planWorker, string) {
	t.Helper()
	c := dial(t)
	w := &planWorker{Address: devserver.Address(t), Queue: queueOf(t), Dir: t.TempDir(), At: at}
	g := &planGame{t: t, dir: filepath.Join(w.Dir, "tree")}
	g.write(map[string]string{"old": "old"})
	g.begin()
	first := childProcess(planWorkerVariable, *w)
	require.NoError(t, first.Start())
	t.Cleanup(func() { _ = first.Process.Kill(); _ = first.Wait() })
	runs := temporal.Runs{Client: c, Queue: w.Queue}
	require.NoError(t, runs.StartPlan(t.Context(), w.Queue, p, nil))
	if at > 0 {
		state, err := first.Process.Wait()
		require.NoError(t, err)
		require.False(t, state.Exited(), "the worker was not killed")
		again := *w
		again.At = 0
		second := childProcess(planWorkerVariable, again)
		require.NoError(t, second.Start())
		t.Cleanup(func() { _ = second.Process.Kill(); _ = second.Wait() })
	}
	res, err := runs.PlanResult(t.Context(), w.Queue)
	require.NoError(t, err)
	steps := res.Status
	for _, s := range res.Steps {
		steps += " " + s.Status
	}
	return w, steps + "\n" + g.git("log", "--reverse", "--format=%T", "--name-status") + g.git("status", "--porcelain")
}
