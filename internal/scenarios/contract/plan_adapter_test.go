package contract_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
	"orchestrator.example.com/runner/errs"
)

func TestPlanStories(t *testing.T) {
	t.Parallel()
	planSuite(t, escalateSubject{})
}

// escalateSubject is package escalate. All around it but for the models is real: git, the verifier,
// the reviewers and the journal.
type escalateSubject struct{}

// planGame is one story that is played.
type planGame struct {
	t      *testing.T
	dir    string
	begun  string // the first commit
	clock  *planClock
	tiers  map[string]*planTier
	cancel context.CancelFunc
	cfg    escalate.Config
}

func (escalateSubject) Run(t *testing.T, s PlanStory) []PlanOutcome {
	g := &planGame{t: t, dir: t.TempDir(), tiers: map[string]*planTier{},
		clock: &planClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	g.git("init", "-q", "-b", "main")
	g.git("config", "user.name", "Test")
	g.git("config", "user.email", "test@example.com")
	g.write(map[string]string{"AGENTS.md": "Tests: go test. Prices: cents.", "go.mod": "module x"})
	g.write(s.Facts.Files)
	g.git("add", ".")
	g.git("commit", "-q", "-m", "begin")
	g.begun = strings.TrimSpace(g.git("rev-parse", "HEAD"))
	p := g.configure(s)

	var all []PlanOutcome
	for i := range len(s.Then) + 1 {
		var round PlanRound
		if i > 0 {
			round = s.Then[i-1]
		}
		g.write(round.Writes)
		all = append(all, g.play(p, round.Answer))
	}
	return all
}

// configure sets up what the run works with, and returns the plan.
func (g *planGame) configure(s PlanStory) plan.Plan {
	table := errs.Table
	if s.Profile != "" {
		var err error
		table, err = table.Profile(taxonomy.ProfileName(s.Profile))
		require.NoError(g.t, err)
	}
	address := g.serve(s.Facts.ServiceAfter)
	v, err := verify.New(verify.Options{Dir: g.dir})
	require.NoError(g.t, err)
	journal, err := escalate.NewFileJournal(filepath.Join(g.dir, ".git", "plans"))
	require.NoError(g.t, err)
	g.cfg = escalate.Config{
		Calls: executor.Config{
			Table: table, Classify: detect.Classifier(errs.Explain, detect.WithTable(table)),
			Decode: func(b []byte) (error, error) { return errs.UnmarshalError(b) },
			Clock:  g.clock, Tiers: map[string]executor.Provider{}, Random: func() float64 { return 0.5 },
		},
		Verifier: v, Journal: journal, Commit: true,
	}
	for _, name := range []string{"haiku", "sonnet", "opus"} {
		g.tiers[name] = &planTier{game: g, name: name, script: s.Tiers[name], classifies: name != "haiku"}
		g.cfg.Calls.Tiers[name] = g.tiers[name]
	}
	if s.Facts.Reviews != nil {
		g.cfg.Reviewer = escalate.NewReviewer(&planCritic{t: g.t, verdicts: s.Facts.Reviews, key: "findings"},
			escalate.ReviewerOptions{})
	}
	if s.Facts.PlanReviews != nil {
		g.cfg.PlanReviewer = escalate.NewPlanReviewer(
			&planCritic{t: g.t, verdicts: s.Facts.PlanReviews, key: "faults"}, escalate.ReviewerOptions{Dir: g.dir})
	}
	if s.Facts.Forbidden != nil {
		g.cfg.Calls.Guard, err = scope.New(scope.Config{Forbidden: s.Facts.Forbidden})
		require.NoError(g.t, err)
	}
	return todaysPlan(s.Plan, address)
}

// serve returns the address of a service that can be reached after so many waits.
func (g *planGame) serve(after int) string {
	service, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(g.t, err)
	g.t.Cleanup(func() { _ = service.Close() })
	address := service.Addr().String()
	if after > 0 {
		require.NoError(g.t, service.Close())
	}
	g.clock.waited = func() {
		if after--; after == 0 {
			back, err := net.Listen("tcp", address)
			require.NoError(g.t, err)
			g.t.Cleanup(func() { _ = back.Close() })
		}
	}
	return address
}

// play runs the plan, or answers, as a process does that begins.
func (g *planGame) play(p plan.Plan, a *PlanAnswer) PlanOutcome {
	tree, err := workspace.Open(g.t.Context(), g.dir, workspace.Options{})
	require.NoError(g.t, err)
	g.cfg.Calls.Workspace = tree
	runner, err := escalate.New(g.cfg)
	require.NoError(g.t, err)
	ctx, cancel := context.WithCancel(g.t.Context())
	defer cancel()
	g.cancel = cancel
	if a == nil {
		return g.outcome(runner.Run(ctx, "run", p))
	}
	answer := escalate.Answer{Text: a.Text}
	switch {
	case a.ByHand:
		answer.Action = escalate.DoneByHand
	case a.GiveUp:
		answer.Action = escalate.GiveUp
	}
	return g.outcome(runner.Answer(ctx, "run", p, answer))
}

func (g *planGame) outcome(r *escalate.Result) PlanOutcome {
	o := PlanOutcome{Status: string(r.Status), Code: r.ErrorCode, Warnings: r.Warnings, Turns: map[string]int{},
		Prompts: map[string][]string{}, Waited: g.clock.slept}
	for _, s := range r.Steps {
		o.Steps = append(o.Steps, strings.TrimSpace(fmt.Sprint(s.ID, " ", s.State, " ", s.By)))
		if s.Correction != nil {
			o.Corrected = append(o.Corrected, s.ID+" "+s.Correction.By+": "+s.Correction.New)
		}
		for _, a := range s.Attempts {
			if a.Code != "" {
				o.Failures = append(o.Failures, fmt.Sprint(s.ID, " ", a.Tier, " ", a.Code))
			}
		}
	}
	for name, tier := range g.tiers {
		if o.Prompts[name] = slices.Clone(tier.prompts); tier.turns > 0 {
			o.Turns[name] = tier.turns
		}
	}
	if r.Question != nil {
		o.Asked, o.Question = cmp.Or(r.Question.Step, "plan"), r.Question.Text()
		o.Needed = r.Question.Needed
	}
	for _, commit := range strings.Split(g.git("log", "--reverse", "--format=%x00", "--name-only"), "\x00")[2:] {
		o.Commits = append(o.Commits, strings.Fields(commit))
	}
	g.git("add", "--all", "--intent-to-add")
	o.Tree = strings.Fields(g.git("diff", "--name-only", "--diff-filter=d", g.begun))
	g.git("reset", "-q")
	return o
}

func (g *planGame) git(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	out, err := cmd.CombinedOutput()
	require.NoError(g.t, err, string(out))
	return string(out)
}

func (g *planGame) write(files map[string]string) {
	g.t.Helper()
	for path, content := range files {
		full := filepath.Join(g.dir, filepath.FromSlash(path))
		err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(content), 0o600))
		if err != nil {
			g.t.Error(err)
		}
	}
}

// todaysPlan writes a plan as package plan has it.
func todaysPlan(p Plan, service string) plan.Plan {
	needs := func(all []Need) (out []plan.Prerequisite) {
		kinds := map[string]plan.PrerequisiteKind{"file": plan.File, "directory": plan.Directory,
			"program": plan.Program, "env": plan.Variable, "address": plan.Address}
		for _, n := range all {
			name := strings.ReplaceAll(n.Name, "SERVICE", service)
			out = append(out, plan.Prerequisite{Kind: kinds[n.Kind], Name: name, MadeBy: n.MadeBy})
		}
		return out
	}
	out := plan.Plan{Title: "Plan", Prerequisites: needs(p.Needs)}
	if p.Gate != nil {
		out.Gate = []plan.Command{{Args: p.Gate}}
	}
	for _, s := range p.Steps {
		step := plan.Step{ID: s.ID, Title: s.ID, Instructions: s.Instructions, Prerequisites: needs(s.Needs)}
		for _, c := range s.Criteria {
			step.Criteria = append(step.Criteria, plan.Criterion{Kind: plan.Content, Path: c.Path, Text: c.Matches})
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// planTier plays the turns of a tier. A turn above the lowest tier is two calls of escalate: one
// finds the cause, and one fixes it.
type planTier struct {
	game       *planGame
	name       string
	classifies bool
	script     []Turn
	turns      int
	asked      bool // for the cause, in the turn that is not over
	prompts    []string
}

func (p *planTier) Name() string                    { return p.name }
func (p *planTier) Available(context.Context) error { return nil }

func (p *planTier) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	if !p.asked {
		p.turns++
	}
	p.prompts = append(p.prompts, req.Prompt)
	if p.turns > len(p.script) {
		p.game.t.Errorf("turn %d of %s, and the story has %d", p.turns, p.name, len(p.script))
		return executor.Answer{}, errors.New("no turn is left")
	}
	turn, mark := p.script[p.turns-1], escalate.Mark(req.Prompt)
	if turn.Cancels {
		p.game.cancel()
		return executor.Answer{}, ctx.Err()
	}
	if turn.Away != nil {
		away := *turn.Away
		away.Source, away.Op = "anthropic-api", "call"
		return executor.Answer{}, &away
	}
	p.asked = strings.Contains(req.Prompt, `"verdict":`) && turn.Needed == "" && !turn.Advises
	if strings.Contains(req.Prompt, `"verdict":`) {
		return executor.Answer{Text: jsonBlock(map[string]any{"mark": mark, "cause": cmp.Or(turn.Cause, "It is clear."),
			"verdict": map[bool]string{true: "simple", false: "complex"}[turn.Needed == ""],
			"needed":  turn.Needed, "instructions": turn.Instructions})}, nil
	}
	p.game.write(turn.Writes)
	return executor.Answer{Text: p.report(turn, mark)}, nil
}

func (p *planTier) report(turn Turn, mark string) string {
	fails := turn.Fails || turn.Needed != ""
	switch {
	case turn.Claim != "":
		return turn.Says + "\n" + turn.Claim
	case !p.classifies && turn.Label == "":
		return turn.Says + "\nSTEP " + map[bool]string{true: "FAILED ", false: "DONE "}[fails] + mark
	case !p.classifies: // a label of a tier that may not give one
		return turn.Says + "\n" + jsonBlock(map[string]any{"code": turn.Label}) + "STEP FAILED " + mark
	}
	report := map[string]any{"mark": mark, "status": map[bool]string{true: "failed", false: "done"}[fails]}
	for key, value := range map[string]string{"code": turn.Label, "finding": turn.Finding} {
		if value != "" {
			report[key] = value
		}
	}
	if turn.Exit != 0 {
		report["exit_code"] = turn.Exit
	}
	if turn.Reason != "" {
		report["context"] = map[string]string{"reason": turn.Reason}
	}
	return turn.Says + "\n" + jsonBlock(report)
}

func jsonBlock(keys map[string]any) string {
	b, _ := json.Marshal(keys) // texts and numbers always marshal
	return "```json\n" + string(b) + "\n```\n"
}

// planCritic is the model of a reviewer.
type planCritic struct {
	t        *testing.T
	verdicts []Verdict
	key      string
	calls    int
}

func (*planCritic) Name() string                    { return "anthropic-api" }
func (*planCritic) Available(context.Context) error { return nil }

func (c *planCritic) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	if c.calls++; c.calls > len(c.verdicts) {
		c.t.Errorf("review %d, and the story has %d", c.calls, len(c.verdicts))
		return executor.Answer{}, errors.New("no verdict is left")
	}
	v := c.verdicts[c.calls-1]
	if v.Away != nil {
		away := *v.Away
		away.Source, away.Op = c.Name(), "call"
		return executor.Answer{}, &away
	}
	found := []map[string]string{}
	if v.Finding != "" {
		found = append(found, map[string]string{"finding": v.Finding, "kind": v.Finding, "text": v.Text})
	}
	return executor.Answer{Text: jsonBlock(map[string]any{"mark": escalate.Mark(req.Prompt), c.key: found})}, nil
}

// planClock is a clock on which waits take no time.
type planClock struct {
	now    time.Time
	slept  time.Duration
	waited func()
}

func (c *planClock) Now() time.Time { return c.now }

func (c *planClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d > 0 {
		c.now, c.slept = c.now.Add(d), c.slept+d
		c.waited()
	}
	return nil
}
