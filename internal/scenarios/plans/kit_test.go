package plans_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// clock is a clock on which waits take no time.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }
func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.now = c.now.Add(max(0, d))
	return nil
}

// agent is a tier. What it does depends on the prompt and the tree only. In its answers, MARK is
// the mark of the call.
type agent struct {
	name  string
	calls []string
	do    func(prompt string) (string, error)
	point func(what string)
}

func (a *agent) Name() string                    { return a.name }
func (a *agent) Available(context.Context) error { return nil }
func (a *agent) Call(_ context.Context, r executor.Request) (executor.Answer, error) {
	a.point("before a call of " + a.name)
	a.calls = append(a.calls, r.Prompt)
	answer, err := a.do(r.Prompt)
	a.point("after a call of " + a.name)
	return executor.Answer{Text: strings.ReplaceAll(answer, "MARK", r.Mark)}, err
}

// kit is a plan's surroundings: a directory, three tiers that each write done to the file out, real
// facts, and a store.
type kit struct {
	repository          string // of the person, if the kit works in git
	t                   *testing.T
	tree                *tree
	haiku, sonnet, opus *agent
	states              memory
	clock               *clock
	cfg                 plan.Config
	point               func(what string)
	saved               func(*executor.RunState)
	died                func() // releases what a dead process releases
}

const (
	done   = "Well.\nSTEP DONE MARK\n"
	failed = "\nSTEP FAILED MARK\n"
	passed = "It is well.\nREVIEW PASSED MARK"
)

func newKit(t *testing.T) *kit {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"old": "old", "AGENTS.md": "Tests: go test. Prices: cents.", "go.mod": "module x",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	k := &kit{t: t, tree: newTree(dir), states: memory{}, clock: &clock{time.Unix(1e9, 0).UTC()},
		point: func(string) {}, saved: func(*executor.RunState) {},
		died: func() {}}
	k.haiku, k.sonnet, k.opus = k.agent("p-haiku"), k.agent("p-sonnet"), k.agent("p-opus")
	facts := verify.New(dir)
	at := func(what string) { k.point(what) }
	k.tree.point = at
	k.cfg = plan.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Facts: facts, Workspace: k.tree, Clock: k.clock,
		Tiers: map[string]executor.Provider{"haiku": k.haiku, "sonnet": k.sonnet, "opus": k.opus}, Grace: time.Second,
		Store: k.states.open(at, func(s *executor.RunState) { k.saved(s) }),
	}
	return k
}

func (k *kit) agent(name string) *agent {
	return &agent{name: name, do: k.writes(done, "out=done"), point: func(what string) { k.point(what) }}
}

// says answers, writes writes files first.
func says(answer string) func(string) (string, error) {
	return func(string) (string, error) { return answer, nil }
}

func (k *kit) writes(answer string, files ...string) func(string) (string, error) {
	return func(string) (string, error) {
		for _, f := range files {
			path, content, _ := strings.Cut(f, "=")
			k.tree.write(path, content)
		}
		return answer, nil
	}
}

// reviewed makes a tier pass reviews.
func (a *agent) reviewed() {
	work := a.do
	a.do = func(prompt string) (string, error) {
		if strings.HasPrefix(prompt, "Review ") {
			return passed, nil
		}
		return work(prompt)
	}
}

func onePlan() *plan.Plan {
	return &plan.Plan{
		Title: "T", Gate: []plan.Command{{Run: []string{"test", "!", "-e", "broken"}}},
		Steps: []plan.Step{{
			ID: "1", Title: "One", Instructions: "Write out.",
			Criteria: []plan.Criterion{{Path: "out", Matches: "done"}},
		}},
	}
}

// steps adds copies of the first step.
func steps(p *plan.Plan, ids ...string) *plan.Plan {
	for _, id := range ids {
		s := p.Steps[0]
		s.ID = id
		p.Steps = append(p.Steps, s)
	}
	return p
}

func (k *kit) run(p *plan.Plan) *plan.Result {
	k.t.Helper()
	r, err := plan.New(k.cfg)
	require.NoError(k.t, err)
	res, err := r.Run(k.t.Context(), "run", p)
	require.NoError(k.t, err)
	return res
}

func (k *kit) answer(p *plan.Plan, a plan.Answer) *plan.Result {
	k.t.Helper()
	r, err := plan.New(k.cfg)
	require.NoError(k.t, err)
	res, err := r.Answer(k.t.Context(), "run", p, a)
	require.NoError(k.t, err)
	return res
}

// path is the way of a step: "tier:CODE>reaction" of each failure, its status and its tier.
func path(s plan.StepResult) string {
	var b strings.Builder
	for _, e := range s.Errors {
		fmt.Fprintf(&b, "%d:%s>%s ", e.Tier, e.Code, e.Reaction)
	}
	return strings.TrimSpace(b.String() + s.Status + " " + s.Tier)
}

func away(status int) error {
	return &taxonomy.Evidence{Source: "p", Op: "call", Status: status}
}
