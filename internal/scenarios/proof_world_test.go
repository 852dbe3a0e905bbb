package scenarios_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// turn is what an actor does in one call.
type turn struct {
	writes []string // paths; each gets a content that names the turn. One that begins with "-" is removed.
	says   executor.Answer
	fails  error
	hangs  bool // until its context ends
	panics bool
	resets time.Duration // the limit that it reports is over in that time
}

// actor is a provider in this process that plays turns, and repeats the last one.
type actor struct {
	name  string
	tree  *memTree
	turns []turn
	next  int
	tell  func(format string, args ...any)
	// missing is what Available returns next.
	missing []error
	// around is called with what a call does.
	around func(call func())
}

func (a *actor) Name() string       { return a.name }
func (a *actor) Credential() string { return "team" }

func (a *actor) Available(context.Context) error {
	if len(a.missing) == 0 {
		return nil
	}
	err := a.missing[0]
	a.missing = a.missing[1:]
	return err
}

func (a *actor) Call(ctx context.Context, req executor.Request) (answer executor.Answer, err error) {
	a.tell("call%s%s%s", labelled("session", req.Session), labelled("reduced", yesIf(req.Reduced)),
		labelled("told", reportIn(req.Prompt)))
	do := func() { answer, err = a.play(ctx) }
	if a.around != nil {
		a.around(do)
	} else {
		do()
	}
	return answer, err
}

func (a *actor) play(ctx context.Context) (executor.Answer, error) {
	n := a.next
	t := a.turns[min(n, len(a.turns)-1)]
	a.next++
	for _, path := range t.writes {
		if gone, ok := strings.CutPrefix(path, "-"); ok {
			delete(a.tree.files, gone)
			continue
		}
		a.tree.files[path] = fmt.Sprintf("%s of turn %d", path, n+1)
	}
	if t.panics {
		panic("the provider is broken")
	}
	if t.hangs {
		<-ctx.Done()
		return executor.Answer{}, context.Cause(ctx)
	}
	if t.resets != 0 {
		limited := *t.fails.(*taxonomy.Evidence)
		limited.ResetAt = time.Now().Add(t.resets)
		return t.says, &limited
	}
	return t.says, t.fails
}

func yesIf(yes bool) string {
	if yes {
		return "yes"
	}
	return ""
}

func labelled(name, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(" %s %q", name, value)
}

// reportIn returns what a prompt reports about the work so far.
func reportIn(prompt string) string {
	_, rest, _ := strings.Cut(prompt, "<<<<<<<< REPORT ")
	_, rest, _ = strings.Cut(rest, "\n")
	report, _, _ := strings.Cut(rest, "\n>>>>>>>> REPORT ")
	return report
}

// memWorld is an executor with a tree in memory, whose outside can be written down.
type memWorld struct {
	cfg    executor.Config
	tree   *memTree
	actor  *actor
	lines  []string
	checks map[executor.Phase][]error
	// answers are those of the person. Afterwards there is no person.
	answers []bool
	task    executor.Task
}

// inMemory returns a world whose provider plays turns under the table. It is used where time is not
// real.
func inMemory(table taxonomy.Table, classify executor.Classifier, turns ...turn) *memWorld {
	w := &memWorld{tree: newMemTree(), checks: map[executor.Phase][]error{},
		task: executor.Task{Run: "run", ID: "task-1", Title: "Write it", Prompt: "Write it."}}
	w.actor = &actor{name: "claude-cli", tree: w.tree, turns: turns, tell: w.tell}
	w.tree.tell = w.tell
	lanes := retry.NewSharedWait(nil, noJitter)
	guard, err := scope.New(
		scope.Config{Allowed: []string{"src/**", "ignored/**"}, Forbidden: []string{"src/secret/**"},
			Ask: []string{"src/ask/**"}})
	if err != nil {
		panic(err) // the patterns stand two lines above
	}
	w.cfg = executor.Config{
		Table: table, Classify: classify,
		Provider: w.actor, Workspace: w.tree, Guard: &memGuard{Scope: guard}, Validator: w, Asker: w,
		Recoverer: w,
		Clock:     &memClock{tell: w.tell},
		Admission: executor.Admission{Lanes: &memLanes{SharedWait: lanes, tell: w.tell}},
		Observer:  executor.Slog(slog.New(&memLog{tell: w.tell}), taxonomy.Table{Taxonomy: table.Taxonomy}),
		Deliver:   executor.DeliverCommits,
		Limits:    executor.Limits{Iterations: 10, Failures: 3, Iteration: time.Hour},
	}
	return w
}

func (w *memWorld) tell(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *memWorld) run(ctx context.Context) *executor.Result {
	e, err := executor.New(w.cfg)
	if err != nil {
		panic(err)
	}
	return e.Run(ctx, w.task)
}

// trace runs the world and returns all that can be seen of it from outside. Names of reactions are
// not part of it: what they do is.
func (w *memWorld) trace() string {
	r := w.run(context.Background())
	w.tell("end %s (%s)%s%s", r.Status, r.EndReason, labelled("error", r.ErrorCode),
		labelled("ends the run", yesIf(r.EndsRun)))
	w.tell("count %d iterations, %d calls, %d failures in a row, %d in all", r.Iterations, r.Calls, r.Failures,
		r.Counted)
	w.tell("left%s%s", labelled("uncommitted", strings.Join(r.UncommittedFiles, " ")),
		labelled("unchecked", strings.Join(r.UncheckedFiles, " ")))
	w.state("committed", w.tree.head, newMemTree().head)
	w.state("in the tree", w.tree.files, newMemTree().files)
	return strings.Join(w.lines, "\n") + "\n"
}

// state writes the differences of files from their first contents.
func (w *memWorld) state(what string, files, first map[string]string) {
	for _, path := range slices.Sorted(maps.Keys(unionOf(first, files))) {
		is, there := files[path]
		was, before := first[path]
		switch {
		case !there:
			w.tell("%s: no %s", what, path)
		case !before || is != was:
			w.tell("%s: %s", what, is)
		}
	}
}

// Validate fails with the next error of the phase.
func (w *memWorld) Validate(_ context.Context, c executor.Check) error {
	phase := c.Phase
	if len(w.checks[phase]) == 0 {
		return nil
	}
	err := w.checks[phase][0]
	w.checks[phase] = w.checks[phase][1:]
	return err
}

// Ask gives the next answer of a person.
func (w *memWorld) Ask(_ context.Context, q executor.Question) (bool, error) {
	if len(w.answers) == 0 {
		return false, executor.ErrUnattended
	}
	yes := w.answers[0]
	w.answers = w.answers[1:]
	w.tell("ask about %s: %t", strings.Join(q.Paths, " "), yes)
	return yes, nil
}

// Recover runs a strategy.
func (w *memWorld) Recover(_ context.Context, f taxonomy.RecoveryRequest) error {
	w.tell("run strategy %s", f.Reaction.Strategy)
	return nil
}

// memGuard fails first.
type memGuard struct {
	*scope.Scope
	fails []error
}

func (g *memGuard) Judge(ctx context.Context, changes []executor.Change) ([]executor.Verdict, error) {
	if len(g.fails) > 0 {
		err := g.fails[0]
		g.fails = g.fails[1:]
		return nil, err
	}
	return g.Scope.Judge(ctx, changes)
}

// memClock tells of waits.
type memClock struct {
	tell func(format string, args ...any)
}

func (c *memClock) Now() time.Time { return time.Now() }

func (c *memClock) Sleep(ctx context.Context, d time.Duration) error {
	c.tell("wait %s", d)
	return retry.System.Sleep(ctx, d)
}

// noJitter makes waits exact.
func noJitter() float64 { return 0 }

// memLanes tells when a lane is closed.
type memLanes struct {
	retry.SharedWait
	tell func(format string, args ...any)
}

func (l *memLanes) Pause(ctx context.Context, lane string, t time.Time) error {
	l.tell("everybody in %s waits %s", lane, time.Until(t))
	return l.SharedWait.Pause(ctx, lane, t)
}

// memLog tells what a reaction has logged.
type memLog struct {
	tell func(format string, args ...any)
}

func (*memLog) Enabled(context.Context, slog.Level) bool { return true }
func (l *memLog) WithAttrs([]slog.Attr) slog.Handler     { return l }
func (l *memLog) WithGroup(string) slog.Handler          { return l }
func (l *memLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "event" && a.Value.String() == string(executor.ReactionTaken) {
			l.tell("log %s %s", r.Level, r.Message)
		}
		return a.Key != "event"
	})
	return nil
}
