package executor

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// journalVersion is the form of journal that this package writes and reads.
const journalVersion = 1

// maxRunName bounds the name of a run, in bytes.
const maxRunName = 100

func newRunner(e *Executor, task Task, run *Run) *runner {
	now := e.cfg.Clock.Now()
	r := &runner{
		Executor: e, handle: run, task: task, result: run.result, past: &past{},
		approved: map[string]bool{}, denied: map[string]bool{}, asked: map[int]bool{},
	}
	r.task.Run = cmp.Or(task.Run, strings.ToLower(rand.Text()))
	if r.tree = r.task.Run; e.cfg.DryRun {
		r.tree = strings.ToLower(rand.Text()) // what a run of the name has kept is not a dry run's to touch
	}
	r.result.Run, r.result.Task, r.result.StartedAt = r.task.Run, task.ID, now
	r.state.Tier = e.ladder.first()
	r.deadline = e.cfg.Limits.Deadline
	if e.cfg.Limits.Run > 0 {
		if until := now.Add(e.cfg.Limits.Run); r.deadline.IsZero() || until.Before(r.deadline) {
			r.deadline = until
		}
	}
	return r
}

// setUp is what comes before the first iteration: what the host does, the locks, what an earlier
// process has left of the run, and whether the provider is there. A dry run ends with it. A run
// that owes something since it died goes on with that for a while also when it is cancelled.
func (r *runner) setUp(ctx context.Context) {
	if !validRun(r.task.Run) {
		r.refuse("run", r.task.Run, "1 to 100 letters, digits, '-', '_' and '.', beginning with a letter or a digit")
		return
	}
	steps := []func(context.Context){r.host, r.openJournal, r.resume, r.lock, r.mend, r.prepare, r.started, r.closed,
		r.available, r.dryRun}
	for _, step := range steps {
		if r.result.EndReason != "" || !r.owes() && r.cancelled(ctx) {
			return
		}
		step(ctx)
	}
	r.begunWell = r.result.EndReason == ""
}

// owes reports that the run died in an iteration, which must not be left as it is, or with an end
// that it had not told yet.
func (r *runner) owes() bool { return r.past.open != nil || r.past.state.End != "" }

// closed ends a run whose last iteration had said so, before the process died that was about to.
func (r *runner) closed(context.Context) {
	if s := &r.past.state; s.End != "" {
		r.end(s.End, taxonomy.ExtentTask)
		r.result.EndsRun, r.begunWell = s.EndsRun, true
		r.unseen = r.cfg.Validator != nil || r.cfg.Recoverer != nil
	}
}

// validRun reports whether name can name a run.
func validRun(name string) bool {
	if name == "" || len(name) > maxRunName || strings.ContainsRune("-_.", rune(name[0])) {
		return false
	}
	return strings.IndexFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.", c))
	}) < 0
}

// refuse ends a run that cannot be begun, or gone on with.
func (r *runner) refuse(field, value, expected string) {
	op := setupOp(opResume, sourceExecutor)
	f := r.classify(&iteration{}, op, &taxonomy.Evidence{
		Source: op.source, Op: op.name, Type: typeRefused,
		Text: fmt.Sprintf("the run is refused: %s is %q, expected %s", field, text.Beginning(value, 256),
			expected),
		Attributes: map[string]string{"field": field, "value": text.Beginning(value, 256), "expected": expected},
	})
	r.react(&iteration{}, f)
	r.setupFailed(f)
	r.end(EndRefused, taxonomy.ExtentTask)
}

// prepared runs a setup operation, and again in place as the reactions to its failures say. It
// reports whether the setup goes on.
func (r *runner) prepared(ctx context.Context, op operation, f func() error) bool {
	it := &iteration{}
	for tries := 1; ; tries++ {
		err := contained(op, f)
		if err == nil {
			return true
		}
		if r.cancelled(ctx) {
			if !errtree.Is(err, context.Canceled) {
				r.warn("cancelled during "+op.name, err)
			}
			return false
		}
		failed := r.fail(it, op.of(err), err)
		again, on := r.retried(ctx, it, failed, tries)
		r.setupFailed(failed)
		if !again {
			return on
		}
	}
}

// retried carries out the reaction to a setup operation that failed. It reports whether the
// operation is run again, and otherwise whether the setup goes on.
func (r *runner) retried(ctx context.Context, it *iteration, f *failure, tries int) (again, on bool) {
	if f.decision.action == taxonomy.Recover && !r.recovers(ctx, it, f) {
		return r.retried(ctx, it, f, tries)
	}
	action := f.decision.action
	switch {
	case action == taxonomy.Continue:
		r.warn("went on without "+f.op.name, f.err)
		return false, true
	case action == taxonomy.Abort:
		r.end(EndFatal, f.decision.reaction.Extent)
		return false, false
	case f.decision.counts && tries >= r.cfg.Limits.Failures:
		r.end(EndMaxFailures, f.decision.reaction.Extent)
		return false, false
	case action == taxonomy.Block:
		r.end(f.decision.end, f.decision.reaction.Extent)
		return false, false
	case action == taxonomy.Escalate:
		r.escalate(f.decision.tier)
	}
	r.share(ctx, f)
	if f.decision.wait > 0 && r.sleep(ctx, f.decision.wait, cmp.Or(f.record.Code, "retry")) != nil {
		r.cancelled(ctx)
		return false, false
	}
	return true, false
}

// setupFailed notes a failure that no iteration has.
func (r *runner) setupFailed(f *failure) {
	rec := f.recorded()
	r.noteErrors([]ErrorRecord{rec})
	r.state.LastError, r.lastErr = &rec, f.err
}

// host runs the host's own setup.
func (r *runner) host(ctx context.Context) {
	if r.cfg.Setup == nil {
		return
	}
	r.prepared(ctx, setupOp(opLoadConfig, sourceConfig), func() error {
		if err := r.cfg.Setup(ctx); err != nil || r.provider() != nil {
			return err
		}
		return &taxonomy.Evidence{
			Source: sourceConfig, Op: opLoadConfig, Type: typeInvalid, Text: "there is no provider",
			Attributes: map[string]string{"field": "provider", "expected": "one that does the work"},
		}
	})
}

// openJournal takes the run, and reads what is known of it. A dry run leaves no traces.
func (r *runner) openJournal(ctx context.Context) {
	if r.cfg.Journal == nil || r.cfg.DryRun {
		return
	}
	var entries []Entry
	if !r.prepared(ctx, setupOp(opLock, sourceExecutor), func() (err error) {
		entries, err = r.cfg.Journal.Open(ctx, r.task.Run)
		return err
	}) {
		return
	}
	r.log.journal = r.cfg.Journal
	r.unlock = append(r.unlock, r.cfg.Journal.Close)
	r.past = fold(entries)
}

// lock takes the working tree.
func (r *runner) lock(ctx context.Context) {
	if r.cfg.Workspace == nil {
		return
	}
	taking, release := r.gracedIfOwing(ctx)
	defer release()
	r.prepared(ctx, setupOp(opLock, sourceExecutor), func() error {
		unlock, err := r.cfg.Workspace.Lock(taking, r.tree)
		if err == nil && unlock != nil {
			r.unlock = append(r.unlock, unlock)
		}
		return err
	})
}

// gracedIfOwing returns a context that outlives ctx if the run owes something.
func (r *runner) gracedIfOwing(ctx context.Context) (context.Context, func()) {
	if !r.owes() {
		return ctx, func() {}
	}
	return withGrace(ctx, r.cfg.Limits.Grace)
}

// prepare records the tree as it is as the checked tree, and what the run begins with.
func (r *runner) prepare(ctx context.Context) {
	if r.past.begun != nil {
		return
	}
	if r.cfg.Workspace != nil && !r.prepared(ctx, setupOp(opPrepare, sourceExecutor), func() (err error) {
		r.state.Checked, err = r.cfg.Workspace.Begin(ctx, r.tree)
		return err
	}) {
		return
	}
	if r.log.journal == nil {
		return
	}
	begun := r.begun()
	r.prepared(ctx, setupOp(opPrepare, sourceExecutor), func() error {
		e := Entry{Point: PointBegun, At: r.cfg.Clock.Now(), Begun: begun}
		return r.log.journal.Append(context.WithoutCancel(ctx), e)
	})
}

// started tells that the run begins, or goes on.
func (r *runner) started(context.Context) {
	e := Event{Kind: RunStarted}
	if r.result.Resumed {
		e.Text = "resumed"
	}
	r.emit(e)
}

// available asks the provider of the tier whether it is there. What an iteration has left that was
// not ended is dealt with before that, and without it.
func (r *runner) available(ctx context.Context) {
	if r.past.open != nil {
		return
	}
	for !r.asked[r.state.Tier] && r.result.EndReason == "" {
		p, tier := r.provider(), r.state.Tier
		on := r.prepared(ctx, setupOp(opAvailable, nameOf(p)), func() error {
			if r.state.Tier != tier {
				return nil // escalated; the provider of the new tier is asked next
			}
			return p.Available(ctx)
		})
		if !on {
			return
		}
		r.asked[tier] = true
	}
}

// dryRun ends a dry run: with the prompt that would have been sent.
func (r *runner) dryRun(ctx context.Context) {
	if !r.cfg.DryRun {
		return
	}
	r.prepared(ctx, setupOp(opPrepare, sourceExecutor), func() error {
		r.result.Text = r.prompt(&iteration{number: 1})
		return nil
	})
	r.end(EndDryRun, taxonomy.ExtentTask)
}
