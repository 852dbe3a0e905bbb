package contract_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// runners are the implementations of the run loop that must agree.
func runners() []runner { return []runner{executorRunner{}, temporalRunner{}} }

// executorRunner is [executor.Executor], with a store if it has one.
type executorRunner struct {
	// store opens the store in a directory, as a new process would.
	store func(ctx context.Context, dir string) (s executor.Store, closes func() error, err error)
	kind  string
}

func (r executorRunner) name() string { return "executor" + r.kind }

func (r executorRunner) run(l life) (o *outcome, err error) {
	cfg := l.executorConfig()
	if r.store != nil {
		store, closes, err := r.store(l.ctx, l.dir)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, closes()) }()
		cfg.Store = pointedStore{store, l.world}
	}
	e, err := executor.New(cfg)
	if err != nil {
		return nil, err
	}
	over := make(chan struct{})
	go func() { // which a death ends
		defer close(over)
		o = outcomeOf(e.Run(l.ctx, l.task()))
	}()
	<-over
	return o, nil
}

func (l life) task() executor.Task {
	return executor.Task{Run: "run", ID: "task", Title: "A task", Prompt: "Do it."}
}

func (l life) executorConfig() executor.Config {
	w, h := worldOf{l.world}, l.host
	rules := l.rules()
	cfg := executor.Config{
		Table: rules.table, Classify: rules.classify, Decode: rules.decode, Provider: w,
		Workspace: treeOf{l.world}, Guard: w, Validator: w, Recoverer: w, Notifier: w, Clock: w,
		Admission: executor.Admission{Budget: w}, Continue: h.continues, DryRun: h.dryRun,
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
		if !e.Retried {
			o.Errors = append(o.Errors, fmt.Sprint(e.Iteration, " ", e.Op, " ", e.Code, " ", e.Action))
		}
	}
	return o
}

// pointedStore is a store with points around each save.
type pointedStore struct {
	executor.Store
	world *world
}

func (p pointedStore) Save(ctx context.Context, s *executor.RunState) error {
	p.world.point("before store")
	err := p.Store.Save(ctx, s)
	p.world.point("after store")
	return err
}

// iterationHeads precede each part of a report.
var iterationHeads = regexp.MustCompile(`(?m)^Iteration \d+:\n`)

// worldOf is a world as the collaborators of an executor.
type worldOf struct{ *world }

func (w worldOf) Name() string                    { return "anthropic-api" }
func (w worldOf) Available(context.Context) error { return w.effect("available", func() {}) }

func (w worldOf) Call(ctx context.Context, r executor.Request) (executor.Answer, error) {
	_, report, _ := strings.Cut(r.Prompt, "<<<<<<<< REPORT "+r.Mark+"\n")
	report, _, _ = strings.Cut(report, "\n>>>>>>>> REPORT "+r.Mark)
	s, err := w.call(ctx, strings.ReplaceAll(iterationHeads.ReplaceAllString(report, ""), "\n", " "))
	return executor.Answer{Text: s.text, Session: s.session, Failure: s.failure}, err
}

// treeOf is a world as a working tree. A change of git itself counts as one that leads out of it.
type treeOf struct{ *world }

func (t treeOf) Dir() string { return "/tree" }

func (t treeOf) Open(context.Context, string) (executor.Space, error)  { return t, t.lock() }
func (t treeOf) Close(bool) error                                      { return nil }
func (t treeOf) Discard() error                                        { return nil }
func (t treeOf) BeforeCall(context.Context) error                      { return nil }
func (t treeOf) AfterCall(context.Context) ([]string, error)           { return nil, nil }
func (t treeOf) Deliver(context.Context) (string, error)               { return "", nil }
func (t treeOf) Forward(context.Context) (why, next string, err error) { return "", "", nil }
func (t treeOf) Update(context.Context) error                          { return nil }

func (t treeOf) Snapshot(context.Context) (tree executor.Tree, err error) {
	op := "detect_changes"
	if t.Calls == 0 {
		op = "prepare"
	}
	err = t.effect(op, func() { tree = executor.Tree(t.keep(t.Disk)) })
	return tree, err
}

func (t treeOf) Head(context.Context) (executor.Tree, error) {
	return executor.Tree(t.keep(t.world.Head)), nil
}

func (t treeOf) differences(old, now map[string]string) (all []change) {
	for path, content := range now {
		t.Blobs[digest(content)] = content
		was, had := old[path]
		switch {
		case !had:
			all = append(all, change{path, "added", digest(content)})
		case was != content:
			all = append(all, change{path, "modified", digest(content)})
		}
	}
	for path := range old {
		if _, has := now[path]; !has {
			all = append(all, change{path, "removed", ""})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return strings.Compare(a.Path, b.Path) })
	return all
}

func (t treeOf) Diff(_ context.Context, from, to executor.Tree) (all []executor.Change, err error) {
	for _, c := range t.differences(t.Trees[string(from)], t.Trees[string(to)]) {
		all = append(all, executor.Change{
			Path: c.Path, Kind: executor.ChangeKind(c.Kind), Hash: c.Hash, Ignored: c.ignored(), Escapes: c.git(),
		})
	}
	return all, nil
}

func ownChanges(changes []executor.Change) (out []change) {
	for _, c := range changes {
		out = append(out, change{c.Path, string(c.Kind), c.Hash})
	}
	return out
}

func only(all []change, paths []string) []change {
	return slices.DeleteFunc(all, func(c change) bool { return !slices.Contains(paths, c.Path) })
}

func (t treeOf) Save(ctx context.Context, name string, base, tree executor.Tree) (string, error) {
	changes, _ := t.Diff(ctx, base, tree)
	attempt, err := strconv.Atoi(name)
	if err != nil {
		return "", err
	}
	return t.save("run", attempt, ownChanges(changes))
}

func (t treeOf) Restore(_ context.Context, to executor.Tree, paths []string) (executor.Tree, error) {
	err := t.revert(string(to), only(t.differences(t.Trees[string(to)], t.Disk), paths))
	return executor.Tree(t.keep(t.Disk)), err
}

func (t treeOf) Accept(_ context.Context, base, from executor.Tree, paths []string) (executor.Tree, error) {
	changes := only(t.differences(t.Trees[string(base)], t.Trees[string(from)]), paths)
	tree, err := t.accept(string(base), changes)
	return executor.Tree(tree), err
}

func (t treeOf) Commit(_ context.Context, c executor.Commit) (string, error) {
	made, err := t.commitPaths("run", c.Attempt, string(c.Tree), c.Paths)
	return made.ID, err
}

func (t treeOf) Push(context.Context) error                             { return t.push() }
func (t treeOf) OpenPR(context.Context, string, string) (string, error) { return t.openPR() }

func (w worldOf) Mode() string { return "strict" }

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

func (w worldOf) Validate(_ context.Context, c executor.Check) error { return w.check(string(c.Phase)) }

func (w worldOf) Allow(context.Context, executor.Call) error { return w.effect("budget", func() {}) }

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
