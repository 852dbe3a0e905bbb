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
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/taxonomy"
	"orchestrator.example.com/runner/errs"
)

func TestPlanStories(t *testing.T) {
	t.Parallel()
	planSuite(t, planSubject{planInProcess})
}

// planSubject is package plan. All around it but for the models is real: git, the facts and the
// store.
type planSubject struct {
	carryOut func(ctx context.Context, g *planGame, p *plan.Plan, a *plan.Answer) (*plan.Result, error)
}

// planGame is one story that is played.
type planGame struct {
	t       *testing.T
	dir     string // the person's repository
	name    string // of the plan
	clone   string // its working tree
	begun   string // the first commit
	clock   *planClock
	tiers   map[string]*planTier
	reviews []Verdict // those that are left
	cancel  context.CancelFunc
	cfg     plan.Config
	// In the test environment of Temporal, cancelled is closed in place of the end of a context,
	// and states are those of the plan's runs.
	cancelled chan struct{}
	states    map[string]*executor.RunState
}

func (subject planSubject) Run(t *testing.T, s PlanStory) []PlanOutcome {
	g := &planGame{t: t, dir: t.TempDir(), tiers: map[string]*planTier{}, states: map[string]*executor.RunState{},
		clock: &planClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	g.write(map[string]string{"AGENTS.md": "Tests: go test. Prices: cents.", "go.mod": "module x"})
	g.write(s.Facts.Files)
	g.begin()
	p := g.configure(s)

	var all []PlanOutcome
	for i := range len(s.Then) + 1 {
		var round PlanRound
		if i > 0 {
			round = s.Then[i-1]
		}
		g.write(round.Writes)
		var answer *plan.Answer
		if a := round.Answer; a != nil {
			answer = &plan.Answer{Step: cmp.Or(a.Step, p.Steps[0].ID), Text: a.Text, ByHand: a.ByHand}
		}
		ctx, cancel := context.WithCancel(t.Context())
		g.cancel = cancel
		res, err := subject.carryOut(ctx, g, p, answer)
		cancel()
		require.NoError(t, err)
		all = append(all, g.outcome(res))
	}
	if len(g.reviews) > 0 {
		t.Errorf("%d reviews were not made", len(g.reviews))
	}
	return all
}

// configure sets up what the run works with, and returns the plan.
func (g *planGame) configure(s PlanStory) *plan.Plan {
	table := errs.Table
	if s.Profile != "" {
		var err error
		table, err = table.Profile(taxonomy.ProfileName(s.Profile))
		require.NoError(g.t, err)
	}
	address := g.serve(s.Facts.ServiceAfter)
	states := g.t.TempDir()
	g.cfg = plan.Config{
		Table: table, Classify: detect.Classifier(errs.Explain, detect.WithTable(table)),
		Tiers: map[string]executor.Provider{}, Clock: g.clock,
		Store: func() executor.Store { return filestore.New(states) },
	}
	g.inClone("run")
	for _, name := range []string{"haiku", "sonnet", "opus"} {
		g.tiers[name] = &planTier{game: g, name: name, script: s.Tiers[name], classifies: name != "haiku"}
		g.cfg.Tiers[name] = g.tiers[name]
	}
	g.reviews = slices.Concat(s.Facts.PlanReviews, s.Facts.Reviews)
	g.cfg.ReviewPlan = s.Facts.PlanReviews != nil
	if s.Facts.Forbidden != nil {
		guard, err := scope.New(scope.Config{Forbidden: s.Facts.Forbidden})
		require.NoError(g.t, err)
		g.cfg.Guard = func([]string) (executor.Guard, error) { return guard, nil }
	}
	return planOf(s.Plan, address, s.Facts.Reviews != nil)
}

// inClone makes the plan of this name work in its clone.
func (g *planGame) inClone(name string) {
	g.t.Helper()
	tree, err := workspace.New(g.t.Context(), g.dir, name, workspace.Options{Home: g.t.TempDir()})
	require.NoError(g.t, err)
	g.name, g.clone, g.cfg.Workspace, g.cfg.Facts = name, tree.Dir(), tree, verify.New(tree.Dir())
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

// planInProcess runs the plan, or answers, as a process does that begins.
func planInProcess(ctx context.Context, g *planGame, p *plan.Plan, a *plan.Answer) (*plan.Result, error) {
	runner, err := plan.New(g.cfg)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return runner.Run(ctx, "run", p)
	}
	return runner.Answer(ctx, "run", p, *a)
}

func (g *planGame) outcome(r *plan.Result) PlanOutcome {
	o := PlanOutcome{Status: r.Status, Warnings: r.Warnings, Turns: map[string]int{}, Prompts: map[string][]string{},
		Waited: g.clock.slept.Round(time.Second)} // without the jitter
	for _, s := range r.Steps {
		o.Steps = append(o.Steps, strings.TrimSpace(s.ID+" "+s.Status+" "+s.Tier))
		if s.Instructions != "" {
			o.Corrected = append(o.Corrected, s.ID+" "+s.Tier+": "+s.Instructions)
		}
		for _, e := range s.Errors {
			tier := errs.Table.Taxonomy.Tiers[e.Tier-1].Name
			o.Failures = append(o.Failures, fmt.Sprint(s.ID, " ", tier, " ", e.Code))
		}
		if s.State != nil && s.State.LastError != nil && s.Status != "completed" && s.Status != "cancelled" {
			o.Code = s.State.LastError.Code
		} else if s.State == nil && len(s.Errors) > 0 { // the step was not begun
			o.Code = s.Errors[0].Code
		}
	}
	for name, tier := range g.tiers {
		if o.Prompts[name] = slices.Clone(tier.prompts); len(tier.prompts) > 0 {
			o.Turns[name] = len(tier.prompts)
		}
	}
	if q := r.Question; q != nil {
		o.Asked, o.Question = q.Step, q.Asks
		for _, t := range q.Tried {
			o.Question += fmt.Sprint("\n", t.Tier, " ", t.Code, " ", t.Report)
		}
	}
	result := "HEAD"
	if branch := "errgen/" + g.name; g.git("branch", "--list", branch) != "" {
		result = branch
	}
	log := g.git("log", "--reverse", "--format=%x00", "--name-only", result)
	for _, commit := range strings.Split(log, "\x00")[2:] {
		o.Commits = append(o.Commits, strings.Fields(commit))
	}
	place := g.dir
	if _, err := os.Stat(g.clone); err == nil {
		g.dir = g.clone
	}
	g.git("add", "--all", "--intent-to-add")
	o.Tree = strings.Fields(g.git("diff", "--name-only", "--diff-filter=d", g.begun))
	g.git("reset", "-q")
	g.dir = place
	return o
}

// begin makes a repository with one commit.
func (g *planGame) begin() {
	g.git("init", "-q", "-b", "main")
	g.git("config", "user.name", "Test")
	g.git("config", "user.email", "test@example.com")
	g.git("add", ".")
	g.git("commit", "-q", "-m", "begin")
	g.begun = strings.TrimSpace(g.git("rev-parse", "HEAD"))
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
	dir := g.dir
	if _, err := os.Stat(g.clone); err == nil {
		dir = g.clone
	}
	for path, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(content), 0o600))
		if err != nil {
			g.t.Error(err)
		}
	}
}

// planOf completes the plan of a story.
func planOf(p Plan, service string, review bool) *plan.Plan {
	needs := func(all []Need) []Need {
		all = slices.Clone(all)
		for i := range all {
			all[i].Address = strings.ReplaceAll(all[i].Address, "SERVICE", service)
		}
		return all
	}
	p.Title, p.Needs, p.Review, p.Steps = "Plan", needs(p.Needs), review, slices.Clone(p.Steps)
	for i := range p.Steps {
		p.Steps[i].Title, p.Steps[i].Needs = p.Steps[i].ID, needs(p.Steps[i].Needs)
	}
	return &p
}

// planTier plays the turns of a tier, and the reviews that it is asked for.
type planTier struct {
	game       *planGame
	name       string
	classifies bool
	script     []Turn
	prompts    []string
}

func (p *planTier) Name() string                    { return p.name }
func (p *planTier) Available(context.Context) error { return nil }

func (p *planTier) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	if strings.HasPrefix(req.Prompt, "Review ") {
		return p.review(req.Mark)
	}
	p.prompts = append(p.prompts, req.Prompt)
	if len(p.prompts) > len(p.script) {
		p.game.t.Errorf("turn %d of %s, and the story has %d", len(p.prompts), p.name, len(p.script))
		return executor.Answer{}, errors.New("no turn is left")
	}
	turn := p.script[len(p.prompts)-1]
	p.game.write(turn.Writes)
	if turn.Cancels {
		p.game.cancel()
		select {
		case <-ctx.Done():
		case <-p.game.cancelled:
		}
		return executor.Answer{}, ctx.Err()
	}
	if turn.Away != nil {
		return executor.Answer{}, callFailure(turn.Away)
	}
	return executor.Answer{Text: p.report(turn, req.Mark)}, nil
}

// callFailure is evidence of a call that failed.
func callFailure(of *taxonomy.Evidence) error {
	ev := *of
	ev.Source, ev.Op = "anthropic-api", "call"
	return &ev
}

func (p *planTier) report(turn Turn, mark string) string {
	claim := "STEP DONE MARK"
	if turn.Fails || turn.Needed != "" || turn.Label != "" {
		claim = "STEP FAILED MARK"
	}
	block := ""
	if p.classifies || turn.Label != "" {
		keys := map[string]any{}
		for key, value := range map[string]string{"label": turn.Label, "finding": turn.Finding, "reason": turn.Reason,
			"signal": turn.Signal, "cause": turn.Cause, "needed": turn.Needed, "instructions": turn.Instructions} {
			if value != "" {
				keys[key] = value
			}
		}
		if turn.Exit != 0 {
			keys["exit_code"] = turn.Exit
		}
		block = jsonBlock(keys)
	}
	return turn.Says + "\n" + block + strings.ReplaceAll(cmp.Or(turn.Claim, claim), "MARK", mark)
}

// review gives the next verdict.
func (p *planTier) review(mark string) (executor.Answer, error) {
	if len(p.game.reviews) == 0 {
		p.game.t.Error("the story has no review left")
		return executor.Answer{}, errors.New("no verdict is left")
	}
	v := p.game.reviews[0]
	p.game.reviews = p.game.reviews[1:]
	switch {
	case v.Away != nil:
		return executor.Answer{}, callFailure(v.Away)
	case v.Finding == "":
		return executor.Answer{Text: "REVIEW PASSED " + mark}, nil
	}
	found := []map[string]string{{"type": v.Finding, "text": v.Text}}
	return executor.Answer{Text: jsonBlock(map[string]any{"findings": found}) + "REVIEW FAILED " + mark}, nil
}

func jsonBlock(keys map[string]any) string {
	b, _ := json.Marshal(keys) // texts and numbers always marshal
	return "```json\n" + string(b) + "\n```\n"
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
