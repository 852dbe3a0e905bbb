package executor

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

type story struct {
	name      string
	reactions map[string]taxonomy.Reaction
	steps     []callStep
	set       func(w *simulation, cfg *Config)
}

func policy(n int) *taxonomy.Policy {
	return &taxonomy.Policy{
		Name: "p", MaxAttempts: n, InitialDelay: time.Second, Backoff: taxonomy.Constant,
		JitterKind: taxonomy.JitterFull,
	}
}

func reactions() map[string]taxonomy.Reaction {
	stop := &taxonomy.Reaction{Name: "stop", Action: taxonomy.Abort}
	return map[string]taxonomy.Reaction{
		"interrupted": {Action: taxonomy.Retry, Revert: taxonomy.RevertIteration},
		"crash":       {Action: taxonomy.Retry, CountFailure: true, FeedBack: true},
		"limit": {Action: taxonomy.Retry, Policy: policy(9), HonorRetryAfter: true, Shared: taxonomy.SharedCredential,
			Then: &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}},
		"again": {Action: taxonomy.RetryOperation, Policy: policy(3), Then: stop},
		"undo_again": {Action: taxonomy.RetryOperation, Policy: policy(3), Revert: taxonomy.RevertIteration,
			Then: stop},
		"forbidden": {Action: taxonomy.Retry, CountFailure: true, Revert: taxonomy.RevertFiles, FeedBack: true,
			AcceptCompletion: true},
		"outside_allowed": {Action: taxonomy.Retry, CountFailure: true, Revert: taxonomy.RevertIteration,
			FeedBack: true},
		"denied":     {Action: taxonomy.Abort, Revert: taxonomy.RevertFiles},
		"unattended": {Action: taxonomy.Block, Revert: taxonomy.RevertFiles},
		"exit":       {Action: taxonomy.Retry, CountFailure: true, FeedBack: true},
		"exit_undo": {Action: taxonomy.Retry, CountFailure: true, FeedBack: true,
			Revert: taxonomy.RevertIteration},
		"git": {Action: taxonomy.RetryOperation, Policy: policy(2),
			Then: &taxonomy.Reaction{Name: "go_on", Action: taxonomy.Continue}},
		"up":  {Action: taxonomy.Escalate, CountFailure: true},
		"fix": {Action: taxonomy.Recover, Strategy: "s", Policy: policy(4), Then: stop},
		"fix_here": {Action: taxonomy.Recover, Strategy: "s", Policy: policy(4), Resume: taxonomy.ResumeOperation,
			Then: stop},
		"fatal":  {Action: taxonomy.Abort, Extent: taxonomy.ExtentRun},
		"budget": {Action: taxonomy.Block},
		"fresh":  {Action: taxonomy.RetryOperation, Policy: policy(3), Session: taxonomy.SessionFresh, Then: stop},
	}
}

func evidence(op, typ string) error { return &taxonomy.Evidence{Source: "x", Op: op, Type: typ} }

// failing makes the next effects of an operation fail. An empty type is a success.
func failing(op string, types ...string) func(w *simulation, cfg *Config) {
	return func(w *simulation, cfg *Config) {
		for _, typ := range types {
			var err error
			if typ != "" {
				err = evidence(op, typ)
			}
			w.Fails[op] = append(w.Fails[op], err)
		}
	}
}

func stories() []story {
	b := reactions()
	keeps := reactions()
	keeps["interrupted"] = taxonomy.Reaction{Action: taxonomy.Retry}
	blocked := callStep{Answer: Answer{Text: "BLOCKED: why?"}}
	return []story{
		{"done", b, []callStep{done("a")}, nil},
		{"nothing to do", b, []callStep{done()}, nil},
		{"three iterations", b, []callStep{works("a"), works("b", "a=2"), done("c", "old=-")}, nil},
		{"crash", b, []callStep{breaks("crash", "a=half"), works("a=1"), done("b")}, nil},
		{"crashes", b, []callStep{breaks("crash"), breaks("crash"), breaks("crash")}, nil},
		{"limit", b, []callStep{breaks("limit"), breaks("limit"), done("a")}, nil},
		{"in place", b, []callStep{breaks("again", "a=x"), breaks("again"), done("a=1")}, nil},
		{"in place, exhausted", b, []callStep{breaks("again"), breaks("again"), breaks("again")}, nil},
		{"in place, reverted", b, []callStep{breaks("undo_again", "a=x", "forbidden/y"), done("b")}, nil},
		{"forbidden", b, []callStep{works("forbidden/a", "b"), done("c")}, nil},
		{"forbidden and done", b, []callStep{done("forbidden/a", "b")}, nil},
		{"outside", b, []callStep{works("outside/a", "b"), done("c")}, nil},
		{"git hook", b, []callStep{works(".git/hooks/x", "b"), done("c")}, nil},
		{"ask, yes", b, []callStep{works("ask/a"), done("b", "ask/a=2")},
			func(w *simulation, cfg *Config) { w.Yes = true }},
		{"ask, no", b, []callStep{works("ask/a", "b")}, nil},
		{"ask, unattended", b, []callStep{works("ask/a", "b")}, func(w *simulation, cfg *Config) { cfg.Asker = nil }},
		{"check", b, []callStep{done("a=1"), done("a=2")}, failing(OpValidate+"pre_commit", "exit")},
		{"check reverts", b, []callStep{works("z"), done("a=1"), done("b=2")},
			failing(OpValidate+"pre_commit", "", "exit_undo")},
		{"push check", b, []callStep{done("a=1"), done("a=2")}, failing(OpValidate+"pre_push", "exit_undo")},
		{"pr check", b, []callStep{done("a=1"), done("a=2")}, failing(OpValidate+"pre_pr", "exit")},
		{"check writes", b, []callStep{works("a"), done("b")},
			func(w *simulation, cfg *Config) { w.CheckWrites = written("gen=1") }},
		{"check writes forbidden", b, []callStep{works("a"), done("b")},
			func(w *simulation, cfg *Config) { w.CheckWrites = written("forbidden/gen=1") }},
		{"commit twice", b, []callStep{works("a"), done("b")}, failing(OpCommit, "git")},
		{"commit given up", b, []callStep{works("a"), done("b")}, failing(OpCommit, "git", "git")},
		{"commit uncategorized", b, []callStep{works("a"), done("b")}, failing(OpCommit, "x", "x")},
		{"push given up", b, []callStep{done("b")}, failing(OpPush, "git", "git")},
		{"pr twice", b, []callStep{done("b")}, failing(OpPR, "git")},
		{"save fails", b, []callStep{works("forbidden/a")}, failing(OpSave, "git", "fatal")},
		{"revert fails once", b, []callStep{works("forbidden/a"), done("b")}, failing(OpRevert, "git")},
		{"revert fails", b, []callStep{works("forbidden/a"), done("b")}, failing(OpRevert, "fatal")},
		{"detect fails", keeps, []callStep{works("forbidden/a"), done("b")}, failing(OpDetect, "", "crash")},
		{"guard fails", keeps, []callStep{works("a"), done("b")}, failing(OpScope, "crash")},
		{"escalate", b, []callStep{breaks("up"), done("b")}, nil},
		{"ladder", b, []callStep{breaks("up"), breaks("up")}, nil},
		{"strategy", b, []callStep{breaks("fix", "a"), done("b")}, nil},
		{"strategy fails", b, []callStep{breaks("fix"), done("b")}, failing("strategy", "x")},
		{"strategy in place", keeps, []callStep{breaks("fix_here", "a"), done("b")}, nil},
		{"fatal", b, []callStep{works("a"), breaks("fatal", "b")}, nil},
		{"budget", b, []callStep{works("a"), done("b")}, failing(OpBudget, "", "budget")},
		{"closed", b, []callStep{works("a"), done("b")},
			func(w *simulation, cfg *Config) { w.Shut = []time.Duration{time.Minute, time.Second} }},
		{"blocked", b, []callStep{works("a"), blocked}, nil},
		{"failure without evidence", b, []callStep{{Answer: Answer{Failure: "oh"}}, done("a")}, nil},
		{"panic", b, []callStep{{Panics: true}, done("a")}, nil},
		{"available twice", b, []callStep{done("a")}, failing(OpAvailable, "again")},
		{"fresh", b, []callStep{
			{Writes: written("a"), Answer: Answer{Text: "x", Session: "s"}}, breaks("fresh"), done("b"),
		}, func(w *simulation, cfg *Config) { cfg.Continue = true }},
		{"max iterations", b, []callStep{works("a"), works("b"), works("c")},
			func(w *simulation, cfg *Config) { cfg.Limits.Iterations = 3 }},
	}
}

// tablesOf returns a taxonomy with a code for each reaction, and the tier "high".
func tablesOf(reactions map[string]taxonomy.Reaction) *tables {
	t := &taxonomy.Taxonomy{
		Package: "test", Domain: "test", Tiers: []taxonomy.Tier{{Name: "high"}},
		Uncategorized: &taxonomy.Reaction{Name: "uncategorized", Action: taxonomy.Retry, CountFailure: true},
	}
	m := &tables{taxonomy: t, rows: map[string]taxonomy.Row{}}
	category := &taxonomy.Category{Name: "test", Codes: make([]taxonomy.Code, 1)}
	for _, name := range slices.Sorted(maps.Keys(reactions)) {
		r := reactions[name]
		if r.Name == "" {
			r.Name = name
		}
		category.Codes = append(category.Codes,
			taxonomy.Code{Value: name, Traits: taxonomy.Traits{Reaction: &r, Retryable: true}})
		m.rows[name] = taxonomy.At(0, uint16(len(category.Codes)-1))
	}
	t.Categories = []*taxonomy.Category{category}
	return m
}

// play prepares a story.
func play(st story) (*simulation, Config, *memStore) {
	w, store := newSimulation(st.steps...), &memStore{}
	cfg := w.config(tablesOf(st.reactions), store)
	if st.set != nil {
		st.set(w, &cfg)
	}
	return w, cfg, store
}

// runState runs a task in an Env that wrap makes, and returns the last state.
func runState(ctx context.Context, cfg Config, task Task, wrap func(Env) Env) *RunState {
	e, err := New(cfg)
	if err != nil {
		panic(err)
	}
	var last *RunState
	e.wrap = func(env Env) Env {
		last = env.(*localEnv).state
		if wrap != nil {
			return wrap(env)
		}
		return env
	}
	r := e.Run(ctx, task)
	if last == nil {
		return &RunState{End: r.EndReason, History: r.History}
	}
	return last
}

// outcome returns everything that a kill must not change. After a kill during a call it is only the
// end.
func outcome(w *simulation, s *RunState, endOnly bool) string {
	c := *s
	c.Saves, c.Now, c.Began, c.Ended, c.Resumed, c.Waits = 0, time.Time{}, time.Time{}, time.Time{}, false, nil
	c.Waited, c.Warnings, c.Crashes, c.Spent, c.Deadline, c.Word = 0, nil, 0, Spending{}, time.Time{}, ""
	if endOnly {
		c = RunState{
			End: s.End, Tier: s.Tier, History: History{
				EndsRun: s.EndsRun, Pushed: s.Pushed, PullRequest: s.PullRequest, Question: s.Question,
			},
		}
		if s.End == EndCompleted {
			c.Uncommitted, c.Unchecked, c.Checked = s.Uncommitted, s.Unchecked, s.Checked
		}
	}
	disk := w.Disk
	if endOnly && s.End != EndCompleted {
		disk = nil
	}
	b, err := json.MarshalIndent(struct {
		S                RunState
		Disk, LastCommit map[string]string
		Pushed           bool
		PRs              int
	}{c, disk, w.LastCommit, w.Pushed > 0, w.PRs}, "", " ")
	if err != nil {
		panic(err)
	}
	return string(b)
}
