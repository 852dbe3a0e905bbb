package executor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Executor runs tasks in this process. With a Store or a Workspace it runs one task at a time.
// Without them it runs any number of tasks concurrently, if its collaborators permit that.
type Executor struct {
	cfg  Config
	host *host
	loop loop.Config
	busy atomic.Bool
	wrap func(loop.Env) loop.Env // set by tests; nil otherwise
}

// New returns an executor. If the configuration is not valid, the error lists all its problems.
func New(cfg Config) (*Executor, error) {
	if err := cfg.problems(); err != nil {
		return nil, fmt.Errorf("configure executor: %w", err)
	}
	cfg = cfg.completed()
	if watcher, ok := cfg.Guard.(Watcher); ok {
		if clone, ok := cfg.Workspace.(Clone); ok {
			clone.Watch(watcher)
		}
	}
	tiers, providers := cfg.ladder()
	h := &host{cfg: cfg, providers: providers, spaces: map[string]Space{}}
	h.admission = newAdmission(&cfg, func(tier int) string { return h.credential(tier, "") })
	return &Executor{cfg: cfg, host: h, loop: cfg.loop(tiers)}, nil
}

// Environment returns the host and the configuration of the loops, for package temporal, which runs
// them in workflows.
func (e *Executor) Environment() (loop.Host, loop.Config) { return e.host, e.loop }

// Run runs a task to its end, or resumes it. When ctx ends, the run is cancelled: the provider is
// stopped, and its changes are judged and reverted within Limits.Grace. The result is never nil. If
// the run is over, Run returns its result again; see [Executor.Reopen].
func (e *Executor) Run(ctx context.Context, task Task) *Result { return e.run(ctx, task, nil) }

// Reopen continues a run that is over and not completed, after a person answered its question,
// raised a limit or fixed the cause. The limits count from zero again. Pending changes stay
// pending. The task may have changed. If the run has a question that r does not answer, Reopen
// returns the run's result again. If the run is not over, Reopen resumes it with the answer; if it
// is new, Reopen begins it.
func (e *Executor) Reopen(ctx context.Context, task Task, r Reopening) *Result {
	return e.run(ctx, task, &r)
}

func (e *Executor) run(ctx context.Context, task Task, reopen *Reopening) *Result {
	if task.Run == "" {
		task.Run = strings.ToLower(rand.Text())
	}
	env := newLocalEnv(ctx, e, loop.Begin(task, e.loop, rand.Text()))
	defer env.close()
	if err := e.open(env, reopen); err != nil {
		env.refuse(err)
	} else {
		var outer loop.Env = env
		if e.wrap != nil {
			outer = e.wrap(env)
		}
		loop.New(e.loop, outer).Run(env.state)
	}
	s := env.state
	if err := e.host.Release(s); err != nil {
		s.AddWarning("close the working tree: " + text.Error(err, maxMessage))
	}
	r := e.host.Result(s)
	if cause := context.Cause(ctx); r.EndReason == EndCancelled && r.Err == nil && cause != nil {
		r.Err, r.Error = cause, text.Error(cause, maxMessage)
	}
	env.Emit(Event{Kind: RunEnded, At: s.Now, Result: r})
	return r
}

// open locks the run and loads its state, which it reopens if reopen is not nil.
func (e *Executor) open(env *localEnv, reopen *Reopening) error {
	s := env.state
	task := s.Task
	if err := filelock.CheckName(task.Run); err != nil {
		return refusal("name of the run: " + err.Error())
	}
	if e.cfg.Store != nil || e.cfg.Workspace != nil {
		if !e.busy.CompareAndSwap(false, true) {
			return &taxonomy.Evidence{
				Source: loop.SourceExecutor, Op: loop.OpLock, Text: "the executor is running another task",
			}
		}
		env.exclusive = true
	}
	if e.cfg.DryRun { // it saves nothing
		return nil
	}
	if e.cfg.Store == nil {
		return e.fits(nil)
	}
	var saved *RunState
	err := contain(loop.SourceExecutor, loop.OpLock, func() (err error) {
		saved, err = e.cfg.Store.Open(env.ctx, task.Run)
		return err
	})
	if err != nil {
		return err
	}
	env.storeOpen = true
	switch {
	case saved == nil:
		if reopen != nil {
			loop.Reopen(s, e.loop, *reopen)
		}
		return e.fits(nil)
	case saved.Version != loop.Version:
		return refusal(fmt.Sprintf("the state has version %d, not %d", saved.Version, loop.Version))
	case saved.Dir != s.Dir:
		return refusal("the run was begun in " + saved.Dir)
	case reopen != nil && saved.Step == loop.StepOver && saved.End != EndCompleted:
		env.state = saved
		if !reopen.Permits(saved) { // the result has the question
			return nil
		}
		if err := e.fits(saved); err != nil {
			env.state = s
			return err
		}
		saved.Task = task
		loop.Reopen(saved, e.loop, *reopen)
		saved.Saves++
		return e.store(env.ctx, saved) // saved first, so that the answer is added only once
	case reopen != nil && saved.Step != loop.StepOver:
		loop.Reopen(saved, e.loop, *reopen)
		saved.Crashes = 0
	}
	if saved.Task.ID != task.ID || taxonomy.Redact(saved.Task.Prompt) != taxonomy.Redact(task.Prompt) {
		return refusal("the run was begun with another task")
	}
	if saved.Step != loop.StepOver {
		if err := e.fits(saved); err != nil {
			return err
		}
	}
	saved.Task = task
	env.state = saved
	return nil
}

// fits returns an error if the working tree does not belong to the saved state, which is nil for a
// new run.
func (e *Executor) fits(saved *RunState) error {
	clone, ok := e.cfg.Workspace.(Clone)
	if !ok {
		return nil
	}
	switch made, used := clone.Exists(); {
	case saved == nil && used:
		return refusal("the store has no state of the run, but its working tree exists: use the store with which " +
			"the run began, or remove " + e.host.dir() + " or begin a run with another name")
	case saved != nil && saved.Checked != "" && !made:
		return e.host.missingTree()
	}
	return nil
}

// store saves the state with the secrets of the task masked. A process that resumes the run gets
// them from its caller's task.
func (e *Executor) store(ctx context.Context, s *RunState) error {
	masked := *s
	masked.Task.Title, masked.Task.Prompt = taxonomy.Redact(s.Task.Title), taxonomy.Redact(s.Task.Prompt)
	return e.cfg.Store.Save(ctx, &masked)
}

func refusal(reason string) error {
	return &taxonomy.Evidence{Source: loop.SourceExecutor, Op: loop.OpResume, Type: "refused", Text: reason}
}

// localEnv is the [Env] of a run in this process.
type localEnv struct {
	*Executor
	ctx     context.Context
	graced  context.Context    // ends Limits.Grace after ctx
	stop    context.CancelFunc // of graced
	release func() bool        // stops waiting for the end of ctx

	exclusive  bool // this run marked the executor as busy
	storeOpen  bool // the store has the run open
	saveFailed bool // the last save failed

	observing sync.Mutex
	mu        sync.Mutex // guards state while an effect runs
	state     *RunState
}

func newLocalEnv(ctx context.Context, e *Executor, s *RunState) *localEnv {
	env := &localEnv{Executor: e, state: s}
	env.ctx = loop.WithHooks(ctx, env.Emit, env.started)
	env.graced, env.stop = context.WithCancel(context.WithoutCancel(env.ctx))
	env.release = context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(e.cfg.Limits.Grace, env.stop)
		context.AfterFunc(env.graced, func() { timer.Stop() })
	})
	return env
}

func (e *localEnv) close() {
	e.release()
	e.stop()
	if e.storeOpen {
		_ = contain(loop.SourceExecutor, loop.OpLock, e.cfg.Store.Close)
	}
	if e.exclusive {
		e.busy.Store(false)
	}
}

// refuse ends a run that cannot begin, and leaves its saved state unchanged.
func (e *localEnv) refuse(err error) {
	op := loop.OpLock
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && ev.Op != "" {
		op = ev.Op
	}
	s := loop.Begin(e.state.Task, e.loop, "")
	s.Now = e.cfg.Clock.Now()
	s.Began, e.state = s.Now, s
	loop.New(e.loop, e).Refuse(s, e.host.Fail(err, loop.SourceExecutor, op))
}

func (e *localEnv) Do(f loop.Effect) loop.Outcome {
	if f.Graced {
		return e.host.Do(e.graced, f)
	}
	return e.host.Do(e.ctx, f)
}

// started registers a process in the saved state, so that a later process can end it when it
// resumes the run. An error of the save never changes an outcome. In a step that is not saved, such
// as one of the setup, it does nothing.
func (e *localEnv) started(p loop.Running) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cfg.Store == nil || !e.state.Step.Durable() {
		return nil
	}
	e.state.Processes = append(e.state.Processes, p)
	e.state.Saves++
	e.Save(e.state)
	return nil
}

func (e *localEnv) Classify(ev taxonomy.Evidence) loop.Failure {
	return e.host.Fail(&ev, ev.Source, ev.Op)
}

func (e *localEnv) Now() time.Time  { return e.cfg.Clock.Now() }
func (e *localEnv) Cancelled() bool { return e.ctx.Err() != nil }

func (e *localEnv) Sleep(d time.Duration) bool {
	return e.cfg.Clock.Sleep(e.ctx, d) != nil && e.ctx.Err() != nil
}

// Save saves the state. If that fails, the run continues with one warning.
func (e *localEnv) Save(s *RunState) {
	if e.cfg.Store == nil || e.cfg.DryRun {
		return
	}
	err := contain("state", "state_write", func() error { return e.store(context.WithoutCancel(e.ctx), s) })
	if err != nil && !e.saveFailed {
		warning := "save the state: " + text.Error(err, maxMessage)
		s.AddWarning(warning)
		e.Emit(Event{Kind: Warned, Text: warning, Err: err})
	}
	e.saveFailed = err != nil
}

func (e *localEnv) Emit(ev Event) {
	e.observing.Lock()
	defer e.observing.Unlock()
	e.host.Observe(e.state, ev)
}
