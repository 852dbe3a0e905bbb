package contract_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// runners are the implementations of the run loop that must agree.
func runners() []runner { return []runner{executorRunner{}} }

// executorRunner is [executor.Executor], with a journal if it has one.
type executorRunner struct {
	// journal opens what keeps runs in a directory, as a new process would.
	journal func(ctx context.Context, dir string) (j executor.Journal, closes func() error, err error)
	kind    string
}

func (r executorRunner) name() string { return "executor" + r.kind }

func (r executorRunner) run(l life) (o *outcome, err error) {
	cfg := l.executorConfig()
	if r.journal != nil {
		j, closes, err := r.journal(l.ctx, l.dir)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, closes()) }()
		cfg.Journal = pointedJournal{j, l.world}
	}
	e, err := executor.New(cfg)
	if err != nil {
		return nil, err
	}
	over := make(chan struct{})
	go func() { // which a death ends
		defer close(over)
		o = outcomeOf(e.Run(l.ctx, executor.Task{Run: "run", ID: "task", Title: "A task", Prompt: "Do it."}))
	}()
	<-over
	return o, nil
}

func (l life) executorConfig() executor.Config {
	w, h := worldOf{l.world}, l.host
	rules := l.rules()
	cfg := executor.Config{
		Table: rules.table, Classify: rules.classify, Decode: rules.decode, Provider: w,
		Workspace: w, Guard: w, Validator: w, Recoverer: w, Notifier: w, Budget: w, Clock: w,
		Random: func() float64 { return 0.5 }, Continue: h.continues, DryRun: h.dryRun,
		ApproveUnattended: h.approveUnattended,
		Deliver: map[delivery]executor.Delivery{
			deliverPR:      executor.DeliverPullRequest,
			deliverCommits: executor.DeliverCommits, deliverNothing: executor.DeliverNothing,
		}[h.deliver],
		Limits: executor.Limits{Iterations: h.iterations, Failures: h.failures, Attempts: h.attempts, Run: h.runLimit,
			Iteration: time.Minute, Grace: time.Second},
	}
	if !h.unattended {
		cfg.Asker = w
	}
	if l.reactions != nil {
		cfg.Tiers = map[string]executor.Provider{"high": w}
	}
	if len(l.fails["load_config"]) > 0 {
		cfg.Setup = func(context.Context) error { return w.fail("load_config") }
	}
	return cfg
}

func outcomeOf(r *executor.Result) *outcome {
	o := &outcome{
		End: string(r.EndReason), Status: string(r.Status), Code: r.ErrorCode,
		Iterations: r.Iterations, Failures: r.Failures, Counted: r.Counted,
		EndsRun: r.EndsRun, Pushed: r.Pushed, Resumed: r.Resumed, PullRequest: r.PullRequest, Question: r.Question,
		Uncommitted: r.UncommittedFiles, Unchecked: r.UncheckedFiles,
	}
	for _, e := range r.Errors {
		if !e.Overcome {
			o.Errors = append(o.Errors, fmt.Sprint(e.Iteration, " ", e.Op, " ", e.Code, " ", e.Action))
		}
	}
	return o
}

// pointedJournal is a journal with points around each save.
type pointedJournal struct {
	executor.Journal
	world *world
}

func (j pointedJournal) Append(ctx context.Context, e executor.Entry) error {
	j.world.point("before store")
	err := j.Journal.Append(ctx, e)
	j.world.point("after store")
	return err
}

// iterationHeads precede each part of a report.
var iterationHeads = regexp.MustCompile(`(?m)^Iteration \d+:\n`)

// worldOf is a world as the collaborators of an executor.
type worldOf struct{ *world }

func (w worldOf) Name() string                    { return "anthropic-api" }
func (w worldOf) Available(context.Context) error { return w.effect("available", func() {}) }

func (w worldOf) Call(ctx context.Context, r executor.Request) (executor.Answer, error) {
	_, report, _ := strings.Cut(r.Prompt, "<<<<<<<< REPORT\n")
	report, _, _ = strings.Cut(report, "\n>>>>>>>> REPORT")
	s, err := w.call(ctx, strings.ReplaceAll(iterationHeads.ReplaceAllString(report, ""), "\n", " "))
	return executor.Answer{Text: s.text, Session: s.session, Failure: s.failure}, err
}

func (w worldOf) Dir() string { return "/tree" }

func (w worldOf) Lock(context.Context, string) (func() error, error) {
	return func() error { return nil }, w.lock()
}

func (w worldOf) Begin(context.Context, string) (executor.Checked, error) {
	tree, err := w.snapshot()
	return executor.Checked(tree), err
}

func (w worldOf) Resume(context.Context, string, executor.Checked) error { return w.fail("resume") }

func (w worldOf) Detect(_ context.Context, c executor.Checked) (out []executor.Change, err error) {
	all, err := w.diff(string(c))
	for _, c := range all {
		out = append(out, executor.Change{Path: c.Path, Kind: executor.ChangeKind(c.Kind), Hash: c.Hash,
			Git: c.git(), Ignored: c.ignored()})
	}
	return out, err
}

func ownChanges(changes []executor.Change) (out []change) {
	for _, c := range changes {
		out = append(out, change{c.Path, string(c.Kind), c.Hash})
	}
	return out
}

func (w worldOf) Save(_ context.Context, run string, n int, _ executor.Checked, changes []executor.Change) (
	string, error) {
	return w.save(run, n, ownChanges(changes))
}

func (w worldOf) Revert(_ context.Context, c executor.Checked, changes []executor.Change) error {
	return w.revert(string(c), ownChanges(changes))
}

func (w worldOf) Advance(_ context.Context, _ string, c executor.Checked, changes []executor.Change) (
	executor.Checked, error) {
	tree, err := w.accept(string(c), ownChanges(changes))
	return executor.Checked(tree), err
}

func (w worldOf) Commit(_ context.Context, c executor.Commit) (executor.CommitDone, error) {
	paths := slices.DeleteFunc(slices.Clone(c.Paths), func(p string) bool { return change{Path: p}.ignored() })
	made, err := w.commitPaths(c.Run, c.Attempt, string(c.Checked), paths)
	return executor.CommitDone{ID: made.ID, Paths: made.Paths}, err
}

func (w worldOf) Committed(_ context.Context, c executor.Commit) (executor.CommitDone, error) {
	made, _ := w.committed(c.Run, c.Attempt)
	return executor.CommitDone{ID: made.ID, Paths: made.Paths}, nil
}

func (w worldOf) Push(context.Context) error                             { return w.push() }
func (w worldOf) OpenPR(context.Context, string, string) (string, error) { return w.openPR() }
func (w worldOf) Release(context.Context, string) error                  { return nil }
func (w worldOf) Mode() string                                           { return "strict" }

func (w worldOf) Judge(_ context.Context, changes []executor.Change) (out []executor.Verdict, err error) {
	verdicts := map[string]executor.Verdict{"forbidden": executor.Forbidden, "outside": executor.Outside,
		"ask": executor.NeedsAsk}
	err = w.effect("scope", func() {
		for _, c := range ownChanges(changes) {
			out = append(out, max(executor.Allowed, verdicts[w.verdict(c)]))
		}
	})
	return out, err
}

func (w worldOf) Ask(context.Context, executor.Question) (bool, error) { return w.ask(), nil }

func (w worldOf) Validate(_ context.Context, phase executor.Phase) error {
	return w.check(string(phase))
}

func (w worldOf) Allow(context.Context, executor.Bill) error { return w.effect("budget", func() {}) }

func (w worldOf) Recover(context.Context, taxonomy.RecoveryRequest) error {
	w.Strategies++
	return w.effect("strategy", func() {})
}

func (w worldOf) Notify(context.Context, *executor.Result) error {
	w.Notified++
	return nil
}

func (w worldOf) Now() time.Time { return w.world.Now }

func (w worldOf) Sleep(ctx context.Context, d time.Duration) error { return w.sleep(ctx, d) }
