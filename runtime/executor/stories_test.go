package executor

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
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
		"interrupted": {Action: taxonomy.Retry, Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertIteration}},
		"crash":       {Action: taxonomy.Retry, CountFailure: true, Agent: taxonomy.AgentReaction{FeedBack: true}},
		"limit": {Action: taxonomy.Retry, Policy: policy(9), HonorRetryAfter: true, Shared: taxonomy.SharedCredential,
			Then: &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}},
		"again": {Action: taxonomy.RetryOperation, Policy: policy(3), Then: stop},
		"undo_again": {Action: taxonomy.RetryOperation, Policy: policy(3),
			Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertIteration},
			Then:  stop},
		"forbidden": {Action: taxonomy.Retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertFiles, FeedBack: true, AcceptCompletion: true}},
		"outside_allowed": {Action: taxonomy.Retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertIteration, FeedBack: true}},
		"denied":     {Action: taxonomy.Abort, Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertFiles}},
		"unattended": {Action: taxonomy.Block, Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertFiles}},
		"exit":       {Action: taxonomy.Retry, CountFailure: true, Agent: taxonomy.AgentReaction{FeedBack: true}},
		"exit_undo": {Action: taxonomy.Retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{FeedBack: true, Revert: taxonomy.RevertIteration}},
		"git": {Action: taxonomy.RetryOperation, Policy: policy(2),
			Then: &taxonomy.Reaction{Name: "go_on", Action: taxonomy.Continue}},
		"up":  {Action: taxonomy.Escalate, CountFailure: true},
		"fix": {Action: taxonomy.Recover, Strategy: "s", Policy: policy(4), Then: stop},
		"fix_here": {Action: taxonomy.Recover, Strategy: "s", Policy: policy(4),
			Agent: taxonomy.AgentReaction{Resume: taxonomy.ResumeOperation},
			Then:  stop},
		"fatal":  {Action: taxonomy.Abort, Agent: taxonomy.AgentReaction{Extent: taxonomy.ExtentRun}},
		"budget": {Action: taxonomy.Block},
		"fresh": {Action: taxonomy.RetryOperation, Policy: policy(3),
			Agent: taxonomy.AgentReaction{Session: taxonomy.SessionFresh}, Then: stop},
	}
}

func evidence(op, typ string) error { return &taxonomy.Evidence{Source: "x", Op: op, Type: typ} }

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

// runState runs a task in an loop.Env that wrap makes, and returns the last state.
func runState(ctx context.Context, cfg Config, task Task, wrap func(loop.Env) loop.Env) *RunState {
	e, err := New(cfg)
	if err != nil {
		panic(err)
	}
	var last *RunState
	e.wrap = func(env loop.Env) loop.Env {
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
