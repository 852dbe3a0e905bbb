package executor

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func blocks(text string, paths ...string) callStep {
	return callStep{Writes: written(paths...), Answer: Answer{Text: text}}
}

// TestReopen continues runs that are over. The changes of the first process are pending then.
func TestReopen(t *testing.T) {
	tests := []struct {
		name   string
		steps  []callStep
		limits func(*Limits)
		first  EndReason
		person func(w *simulation) // between the processes
		reopen Reopening
		end    EndReason
		commit string // content of "a" in the last commit
		prompt string // in the next prompt
		calls  int

		question string
	}{
		{name: "an answer to the question", steps: []callStep{works("a=1"), blocks("BLOCKED: which?"), done("b")},
			first: EndBlockedSignal, reopen: Reopening{Answer: "the blue one"}, end: EndCompleted, commit: "1",
			prompt: "A person wrote:\nYou asked: which?\nThe answer: the blue one\n", calls: 3},
		{name: "an answer to the question of a failed iteration",
			steps:  []callStep{blocks("BLOCKED: which?", "forbidden/x"), done("b")},
			limits: func(l *Limits) { l.Failures = 1 }, first: EndMaxFailures,
			reopen: Reopening{Answer: "the blue one"}, end: EndCompleted,
			prompt: "You asked: which?\nThe answer: the blue one\n", calls: 2},
		{name: "no answer to the question", steps: []callStep{blocks("BLOCKED: which?", "a=1"), done("b")},
			first: EndBlockedSignal, end: EndBlockedSignal, commit: "1", calls: 1, question: "which?"},
		{name: "no answer to the question of a failed iteration",
			steps:  []callStep{blocks("BLOCKED: which?", "forbidden/x"), done("b")},
			limits: func(l *Limits) { l.Failures = 1 }, first: EndMaxFailures, end: EndMaxFailures, calls: 1,
			question: "which?"},
		{name: "the question's work done by hand", steps: []callStep{blocks("BLOCKED: which?", "a=1")},
			first: EndBlockedSignal, reopen: Reopening{ByHand: true}, end: EndCompleted, commit: "1", calls: 1},
		{name: "raised limits", steps: []callStep{breaks("crash", "a=1"), done("b")},
			limits: func(l *Limits) { l.Failures = 1 }, first: EndMaxFailures, end: EndCompleted, commit: "1",
			calls: 2},
		{name: "a cause that was fixed", steps: []callStep{breaks("fatal", "a=1"), done("b")},
			first: EndFatal, end: EndCompleted, commit: "1", calls: 2},
		{name: "the work done by hand", steps: []callStep{breaks("fatal", "a=1")}, first: EndFatal,
			person: func(w *simulation) { w.Disk["a"] = "of a person" }, reopen: Reopening{ByHand: true},
			end: EndCompleted, commit: "of a person", calls: 1},
		{name: "a person's changes are delivered", steps: []callStep{blocks("BLOCKED"), done("b")},
			first: EndBlockedSignal, person: func(w *simulation) { w.Disk["a"] = "of a person" }, end: EndCompleted,
			commit: "of a person", calls: 2},
		{name: "a person's changes are judged", steps: []callStep{blocks("BLOCKED"), done("a=1")},
			first: EndBlockedSignal, person: func(w *simulation) { w.Disk["forbidden/mine"] = "of a person" },
			end: EndCompleted, commit: "1", calls: 2},
		{name: "a person changes a pending file", steps: []callStep{breaks("fatal", "a=1"), done("b")}, first: EndFatal,
			person: func(w *simulation) { w.Disk["a"] = "of both" }, end: EndCompleted, commit: "of both", calls: 2},
		{name: "a person removes a pending file", steps: []callStep{breaks("fatal", "a=1"), done("b")}, first: EndFatal,
			person: func(w *simulation) { delete(w.Disk, "a") }, end: EndCompleted, calls: 2},
		{name: "a completed run is not reopened", steps: []callStep{done("a=1"), done("a=2")},
			first: EndCompleted, reopen: Reopening{Answer: "again"}, end: EndCompleted, commit: "1", calls: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, store := newSimulation(tt.steps...), &memStore{}
			cfg := w.config(tablesOf(reactions()), store)
			first := cfg
			if tt.limits != nil {
				tt.limits(&first.Limits)
			}
			s := runState(t.Context(), first, aTask, nil)
			require.Equal(t, tt.first, s.End)
			if tt.person != nil {
				tt.person(w)
			}
			e, err := New(cfg)
			require.NoError(t, err)
			r := e.Reopen(t.Context(), aTask, tt.reopen)
			assert.Equal(t, tt.end, r.EndReason, "%+v", r.Errors)
			assert.Equal(t, tt.question, r.Question)
			assert.Equal(t, tt.commit, w.LastCommit["a"])
			assert.NotContains(t, w.LastCommit, "forbidden/mine")
			assert.Equal(t, tt.calls, w.Calls)
			assert.Contains(t, w.Prompts[len(w.Prompts)-1], tt.prompt)
			assert.Equal(t, r.EndReason, e.Run(t.Context(), aTask).EndReason, "the result is returned again")
		})
	}
}

// TestAnswerAfterDeath answers the question of a run whose process was killed, at each point.
func TestAnswerAfterDeath(t *testing.T) {
	for n, alive := 1, true; alive; n++ {
		w, store := newSimulation(blocks("BLOCKED: which?"), done("b")), &memStore{}
		cfg := w.config(tablesOf(reactions()), store)
		k := &killer{n: n}
		alive = dies(func() { runState(t.Context(), cfg, aTask, func(e loop.Env) loop.Env { k.Env = e; return k }) })
		saved, err := store.Open(t.Context(), "run")
		require.NoError(t, err)
		e, err := New(cfg)
		require.NoError(t, err)
		r := e.Reopen(t.Context(), aTask, Reopening{Answer: "the blue one"})
		asked := r.Question != "" // by the call of this process
		assert.False(t, asked && saved != nil && saved.Question != "", "killed at %d: the answer is lost", n)
		if asked {
			r = e.Reopen(t.Context(), aTask, Reopening{Answer: "the blue one"})
		} else if r.EndReason == EndBlockedSignal {
			r = e.Reopen(t.Context(), aTask, Reopening{})
		}
		assert.Equal(t, EndCompleted, r.EndReason, "killed at %d", n)
		prompt := w.Prompts[len(w.Prompts)-1]
		assert.Contains(t, prompt, "the blue one", "killed at %d", n)
	}

	s := &RunState{Step: loop.StepHead, History: History{Question: "which?"}}
	for range 2 { // the process that got the answer died
		loop.Reopen(s, loop.Config{}, Reopening{Answer: "the blue one"})
	}
	assert.Equal(t, []string{"You asked: which?\nThe answer: the blue one"}, s.Answers)
}

// TestOtherScope continues a run, killed at each point or over, under a scope that also forbids
// "a". The file is committed only if that happened before.
func TestOtherScope(t *testing.T) {
	steps := []callStep{breaks("crash", "a=1", "b=2"), done("c=3"), done("d=4")}
	for n, alive := 1, true; alive; n++ {
		w, store := newSimulation(steps...), &memStore{}
		cfg := w.config(tablesOf(reactions()), store)
		k := &killer{n: n}
		alive = dies(func() { runState(t.Context(), cfg, aTask, func(e loop.Env) loop.Env { k.Env = e; return k }) })
		_, before := w.LastCommit["a"]
		cfg.Guard = &forbids{judge{w}, "a"}
		s := runState(t.Context(), cfg, aTask, nil)
		require.Equal(t, EndCompleted, s.End, "killed at %d", n)
		_, after := w.LastCommit["a"]
		assert.Equal(t, before, after, "killed at %d", n)
		assert.Empty(t, w.Lost, "killed at %d", n)
		if !before {
			assert.NotContains(t, w.Disk, "a", "killed at %d", n)
			assert.Empty(t, s.Uncommitted, "killed at %d", n)
		}
	}

	w, store := newSimulation(breaks("fatal", "a=1", "b=2"), done("c=3")), &memStore{}
	cfg := w.config(tablesOf(reactions()), store)
	require.Equal(t, Paths{"a", "b"}, runState(t.Context(), cfg, aTask, nil).Uncommitted)
	cfg.Guard = &forbids{judge{w}, "a"}
	e, err := New(cfg)
	require.NoError(t, err)
	r := e.Reopen(t.Context(), aTask, Reopening{})
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []string{"b", "c"}, r.CommittedFiles)
	assert.NotContains(t, w.Disk, "a")
	assert.NotEmpty(t, r.SavedRefs)
}

// TestChecksAgain continues a run, killed at each point, after a person wrote a file. The checks
// before a commit check the committed tree.
func TestChecksAgain(t *testing.T) {
	for n, alive := 1, true; alive; n++ {
		w, store := newSimulation(done("b=2"), done("c=3")), &memStore{}
		cfg := w.config(tablesOf(reactions()), store)
		cfg.Validator = &remembers{simulation: w}
		k := &killer{n: n}
		alive = dies(func() { runState(t.Context(), cfg, aTask, func(e loop.Env) loop.Env { k.Env = e; return k }) })
		if alive {
			w.Disk["p"] = "of a person"
		}
		checked := &remembers{simulation: w, trees: cfg.Validator.(*remembers).trees}
		cfg.Validator = checked
		s := runState(t.Context(), cfg, aTask, nil)
		require.Equal(t, EndCompleted, s.End, "killed at %d", n)
		for _, c := range w.CommitLog {
			assert.Contains(t, checked.trees, c.Tree, "killed at %d", n)
		}
	}
}

// remembers is a validator that remembers the trees of its checks before commits.
type remembers struct {
	*simulation
	trees []Tree
}

func (r *remembers) Validate(ctx context.Context, c Check) error {
	if c.Phase == PreCommit {
		r.trees = append(r.trees, r.keep(r.Disk))
	}
	return r.simulation.Validate(ctx, c)
}

// forbids is a guard that also forbids a path.
type forbids struct {
	judge
	path string
}

func (f *forbids) Judge(ctx context.Context, changes []Change) ([]Verdict, error) {
	verdicts, err := f.judge.Judge(ctx, changes)
	for i, c := range changes {
		if err == nil && c.Path == f.path {
			verdicts[i] = Forbidden
		}
	}
	return verdicts, err
}

// TestDeliver delivers the commits of a run to a branch, and forwards the person's branch to them.
func TestDeliver(t *testing.T) {
	const conflict = "the result is errgen/run, because main has other commits: git merge errgen/run"
	broken := evidence(loop.OpDeliver, "missing") // without a reaction
	for _, tt := range []struct {
		name      string
		change    func(w *simulation, c *Config)
		end       EndReason
		branch    string
		delivered int
		forwarded int
		warning   string
	}{
		{name: "forwarded", end: EndCompleted, delivered: 1, forwarded: 1},
		{name: "diverged", change: func(w *simulation, _ *Config) { w.Diverged = true },
			end: EndCompleted, branch: "errgen/run", delivered: 1, warning: conflict},
		{name: "branch kept", change: func(_ *simulation, c *Config) { c.KeepBranch = true },
			end: EndCompleted, branch: "errgen/run", delivered: 1},
		{name: "pull request", change: func(_ *simulation, c *Config) { c.Deliver = DeliverPullRequest },
			end: EndCompleted, branch: "errgen/run", delivered: 1},
		{name: "forward fails", change: func(w *simulation, _ *Config) { w.Fails[loop.OpForward] = []error{broken} },
			end: EndCompleted, branch: "errgen/run", delivered: 1, warning: "forward: "},
		{name: "delivery fails once", change: func(w *simulation, _ *Config) {
			w.Fails[loop.OpDeliver] = []error{broken}
		},
			end: EndCompleted, delivered: 1, forwarded: 1},
		{name: "delivery fails", change: func(w *simulation, _ *Config) {
			w.Fails[loop.OpDeliver] = []error{broken, broken, broken}
		}, end: EndBlocked, warning: "deliver: "},
		{name: "blocked with a commit", change: func(w *simulation, c *Config) {
			w.Steps = []callStep{works("a"), breaks("crash")}
			c.Limits.Failures = 1
		}, end: EndMaxFailures, branch: "errgen/run", delivered: 1},
		{name: "no commit", change: func(w *simulation, _ *Config) { w.Steps = []callStep{done()} }, end: EndCompleted},
		{name: "repository changed", change: func(w *simulation, _ *Config) { w.Meanwhile = []string{"HEAD moved"} },
			end: EndCompleted, delivered: 1, forwarded: 1, warning: "HEAD moved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newSimulation(done("a"))
			cfg := w.config(tablesOf(reactions()), &memStore{})
			cfg.Deliver = DeliverCommits
			if tt.change != nil {
				tt.change(w, &cfg)
			}
			s := runState(t.Context(), cfg, aTask, nil)
			assert.Equal(t, tt.end, s.End)
			assert.Equal(t, tt.branch, s.Branch)
			assert.Equal(t, tt.delivered, w.Delivered)
			assert.Equal(t, tt.forwarded, w.Forwarded)
			if tt.warning == "" {
				assert.Empty(t, s.Warnings)
			} else {
				assert.Contains(t, strings.Join(s.Warnings, "\n"), tt.warning)
			}
		})
	}
}

// TestUpdate reopens a run after a person committed, and kills the process at each point. The
// person's files are neither judged nor committed, and the run's pending change stays pending.
func TestUpdate(t *testing.T) {
	for n, alive := 1, true; alive; n++ {
		w, store := newSimulation(breaks("fatal", "a=1"), done("c=3")), &memStore{}
		cfg := w.config(tablesOf(reactions()), store)
		require.Equal(t, Paths{"a"}, runState(t.Context(), cfg, aTask, nil).Uncommitted)
		w.Person = written("outside/p=1", "old=new")
		k := &killer{n: n}
		alive = dies(func() {
			e, err := New(cfg)
			require.NoError(t, err)
			e.wrap = func(env loop.Env) loop.Env { k.Env = env; return k }
			e.Reopen(t.Context(), aTask, Reopening{})
		})
		e, err := New(cfg)
		require.NoError(t, err)
		r := e.Reopen(t.Context(), aTask, Reopening{})
		require.Equal(t, EndCompleted, r.EndReason, "killed at %d", n)
		assert.Equal(t, []string{"a", "c"}, r.CommittedFiles, "killed at %d", n)
		assert.Equal(t, "1", w.Disk["outside/p"], "killed at %d", n)
	}

	w := newSimulation(breaks("fatal", "a=1"), done("c=3"))
	cfg := w.config(tablesOf(reactions()), &memStore{})
	require.Equal(t, EndFatal, runState(t.Context(), cfg, aTask, nil).End)
	w.Fails["update"] = []error{evidence(loop.OpPrepare, "fatal")}
	e, err := New(cfg)
	require.NoError(t, err)
	r := e.Reopen(t.Context(), aTask, Reopening{})
	assert.Equal(t, EndCompleted, r.EndReason)
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0], "continue without the new commits: ")
}

// TestRefused refuses runs that cannot be resumed, and changes nothing.
func TestRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(s *RunState, task *Task)
		end    EndReason

		reopened bool
	}{
		{"another prompt", func(s *RunState, task *Task) { task.Prompt = "Do something else." }, EndRefused, false},
		{"another task", func(s *RunState, task *Task) { task.ID = "other" }, EndRefused, false},
		{"another directory", func(s *RunState, task *Task) { s.Dir = "/elsewhere" }, EndRefused, false},
		{"another version", func(s *RunState, task *Task) { s.Version = 99 }, EndRefused, false},
		{"an invalid name", func(s *RunState, task *Task) { task.Run = "../x" }, EndRefused, false},
		{"too many crashes", func(s *RunState, task *Task) { s.Crashes = 2 }, EndRefused, true},
		{"the same task", func(s *RunState, task *Task) {}, EndCompleted, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, store := newSimulation(works("a"), done("b")), &memStore{}
			cfg := w.config(tablesOf(reactions()), store)
			k := &killer{n: 20}
			require.True(t, dies(func() {
				runState(t.Context(), cfg, aTask, func(e loop.Env) loop.Env { k.Env = e; return k })
			}))
			s, err := store.Open(t.Context(), "run")
			require.NoError(t, err)
			task := aTask
			tt.change(s, &task)
			require.NoError(t, store.Save(t.Context(), s))
			before, calls := string(store.b), w.Calls
			e, err := New(cfg)
			require.NoError(t, err)
			r := e.Run(context.Background(), task)
			assert.Equal(t, tt.end, r.EndReason)
			if tt.end == EndRefused {
				assert.Equal(t, calls, w.Calls)
				assert.Equal(t, loop.OpResume, r.Errors[0].Op)
				if s.Crashes == 0 {
					assert.Equal(t, before, string(store.b))
				}
				r = e.Reopen(t.Context(), task, Reopening{})
				assert.Equal(t, tt.reopened, r.EndReason == EndCompleted)
			}
		})
	}
}

// TestProcesses ends the processes that a dead process left running before anything else happens.
func TestProcesses(t *testing.T) {
	w, store := newSimulation(done("a")), &memStore{}
	cfg := w.config(tablesOf(reactions()), store)
	p := &forking{agent: agent{w}, process: Process{PID: 7, Start: "then"}}
	cfg.Provider = p
	k := &killer{after: loop.OpCall}
	require.True(t, dies(func() {
		runState(t.Context(), cfg, aTask, func(e loop.Env) loop.Env { k.Env = e; return k })
	}))
	require.Equal(t, 1, p.started)
	s, err := store.Open(t.Context(), "run")
	require.NoError(t, err)
	require.Equal(t, []loop.Running{{Process: p.process, Op: loop.OpCall}}, s.Processes)
	last := runState(t.Context(), cfg, aTask, nil)
	assert.Equal(t, EndCompleted, last.End)
	assert.Equal(t, []Process{p.process}, p.ended)
	assert.Empty(t, last.Processes)
}

// forking is a provider whose work is done by a process.
type forking struct {
	agent
	process Process
	started int
	ended   []Process
}

func (f *forking) Call(ctx context.Context, r Request) (Answer, error) {
	f.started++
	if err := r.Started(f.process); err != nil {
		return Answer{}, err
	}
	return f.agent.Call(ctx, r)
}

func (f *forking) End(_ context.Context, p Process) error {
	f.ended = append(f.ended, p)
	return nil
}

// TestProcessesOfSetup runs a strategy in the setup of a process that resumes a run. The saved step
// and the processes that the dead process left are kept, also if that process dies, too.
func TestProcessesOfSetup(t *testing.T) {
	for _, dead := range []bool{false, true} {
		w, store := newSimulation(done("a"), done("a")), &memStore{}
		cfg := w.config(tablesOf(reactions()), store)
		p := &forking{agent: agent{w}, process: Process{PID: 7, Start: "then"}}
		cfg.Provider, cfg.Recoverer = p, fixer{}
		k := &killer{after: loop.OpCall}
		kill := func(e loop.Env) loop.Env { k.Env = e; return k }
		require.True(t, dies(func() { runState(t.Context(), cfg, aTask, kill) }))
		broken := 1
		cfg.Setup = func(context.Context) error {
			if broken--; broken >= 0 {
				return evidence("load_config", "fix")
			}
			return nil
		}
		if dead {
			k = &killer{after: loop.OpRecover}
			require.True(t, dies(func() { runState(t.Context(), cfg, aTask, kill) }))
			s, err := store.Open(t.Context(), "run")
			require.NoError(t, err)
			assert.Equal(t, loop.StepCall, s.Step)
		}
		last := runState(t.Context(), cfg, aTask, nil)
		assert.Equal(t, EndCompleted, last.End)
		assert.Equal(t, []Process{p.process}, p.ended)
	}
}

// fixer is a recoverer whose work is done by a process.
type fixer struct{}

func (fixer) Recover(ctx context.Context, _ taxonomy.RecoveryRequest) error {
	return Started(ctx)(Process{PID: 8, Start: "now"})
}

// TestSetupProblems reports each of several problems of a setup with its own context.
func TestSetupProblems(t *testing.T) {
	w := newSimulation(done("a"))
	cfg := w.config(tablesOf(reactions()), nil)
	cfg.Setup = func(context.Context) error {
		return joined{evidence("load_config", "crash"), evidence("load_config", "fatal"), evidence("load_config", "x")}
	}
	r := func() *Result {
		e, err := New(cfg)
		require.NoError(t, err)
		return e.Run(t.Context(), aTask)
	}()
	assert.Equal(t, EndFatal, r.EndReason)
	assert.Equal(t, "fatal", r.ErrorCode)
	var codes []string
	for _, e := range r.Errors {
		codes = append(codes, e.Code)
	}
	assert.ElementsMatch(t, []string{"crash", "fatal", ""}, codes)
	assert.Equal(t, 1, w.Notified)
	var coded *codedError
	assert.ErrorAs(t, r.Err, &coded)
}

type joined []error

func (joined) Error() string     { return "several problems" }
func (j joined) Unwrap() []error { return j }

// failingAsker fails once, so that the run waits and asks again.
type failingAsker struct{ failed bool }

func (a *failingAsker) Ask(context.Context, Question) (bool, error) {
	if a.failed {
		return true, nil
	}
	a.failed = true
	return false, evidence(loop.OpAsk, "again")
}

// TestAskerRemoved resumes a run that waits to ask a person again in a process without an asker.
func TestAskerRemoved(t *testing.T) {
	w, store := newSimulation(done("ask/x")), &memStore{}
	cfg := w.config(tablesOf(reactions()), store)
	cfg.Asker = &failingAsker{}
	var k sleepKiller
	require.True(t, dies(func() {
		runState(t.Context(), cfg, aTask, func(e loop.Env) loop.Env { k.Env = e; return &k })
	}))
	s, err := store.Open(t.Context(), "run")
	require.NoError(t, err)
	require.Equal(t, loop.Pending{Until: s.Wait.Until, For: s.Wait.For, Next: loop.StepAsk}, s.Wait)
	cfg.Asker = nil
	e, err := New(cfg)
	require.NoError(t, err)
	r := e.Run(t.Context(), aTask)
	assert.Equal(t, EndBlocked, r.EndReason, "%+v", r.Errors)
	assert.Equal(t, "unattended", r.ErrorCode)
	assert.NotContains(t, w.Disk, "ask/x")
}

// sleepKiller ends the process in its first wait.
type sleepKiller struct{ loop.Env }

func (sleepKiller) Sleep(time.Duration) bool { panic(killed{}) }
