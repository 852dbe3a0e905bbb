package escalate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// run is one run of a plan, while this process carries it out. It belongs to one goroutine.
type run struct {
	// cfg has its defaults.
	cfg  *Config
	plan plan.Plan
	// state is what is saved; result is its Result.
	state  *State
	result *Result
	// checked is the tree that every attempt begins from; empty without a workspace.
	checked executor.Checked
	// ladder are the taxonomy's tiers from the lowest up.
	ladder []rung
	// labels are the codes that agents may give; nil until they are asked for.
	labels []claimable
	// died reports that the process that carried out the run before has died, and that what it has
	// left behind is still there. It stays the kept state's then, whatever ends the run.
	died bool
	// unsaved is why the state could not be saved last; nil when it was.
	unsaved error
	// lost is why it could not be found out whether a commit was made; nil when it could.
	lost error
	// treeLeft reports that the working tree stays as it is, although what does not count is in it.
	treeLeft bool
	// upToDate is the number, from 1, of the step that has counted last in this process: what it
	// demands was verified since the tree has changed last.
	upToDate int
	// telling is held while the observer is told: it is the runner's. nil where there is only one
	// run.
	telling *sync.Mutex
	// silent has nobody told.
	silent bool
	// changed says what of the plan is otherwise than when the run was under way last.
	changed []string
}

// rung is a tier of the ladder.
type rung struct {
	tier taxonomy.Tier
	// provider is nil for a person, and for a tier that nobody was configured for.
	provider executor.Provider
}

// ending is why a run ends.
type ending struct {
	reason EndReason
	// err is what ended it, code and category what that is; empty when nothing did.
	err            error
	code, category string
	question       *Question
}

func newRun(cfg *Config, name string, p plan.Plan) *run {
	u := &run{cfg: cfg, plan: p, state: newState(name, p, cfg.Calls.Clock.Now())}
	u.result = &u.state.Result
	for _, t := range cfg.Calls.Table.Taxonomy.Tiers {
		u.ladder = append(u.ladder, rung{tier: t, provider: cfg.Calls.Tiers[t.Name]})
	}
	return u
}

// serve takes what the run works with, carries the plan out, and lets go.
func (r *run) serve(ctx context.Context, a *Answer) *Result {
	if r.cfg.Journal != nil {
		kept, err := r.opened(ctx)
		if err != nil {
			return r.notBegun(ctx, fmt.Errorf("open the journal: %w", err))
		}
		defer func() {
			if err := shielded(sourceEscalate, opResume, r.cfg.Journal.Close); err != nil {
				r.warn("close the journal", err)
			}
		}()
		if err := r.endChecks(ctx, kept); err != nil {
			return r.notBegun(ctx, err)
		}
		if over := r.takeUp(kept, a); over != nil {
			return over
		}
	} else if a != nil {
		return r.refuse(errUnknownRun)
	}
	return r.locked(ctx, a)
}

// locked carries the plan out with the working tree taken.
func (r *run) locked(ctx context.Context, a *Answer) *Result {
	tree := r.cfg.Calls.Workspace
	if tree != nil {
		var unlock func() error
		err := contained("lock", func() (err error) {
			unlock, err = tree.Lock(ctx, r.result.Run)
			return err
		})
		if err != nil {
			return r.notBegun(ctx, fmt.Errorf("take the working tree: %w", err))
		}
		defer func() {
			if unlock == nil {
				return
			}
			if err := contained("lock", unlock); err != nil {
				r.warn("let go of the working tree", err)
			}
		}()
	}
	if err := r.recommitted(ctx); err != nil {
		return r.notBegun(ctx, err)
	}
	if a != nil && r.result.EndReason == EndRevert {
		return r.end(ctx, r.giveUpTree(ctx, a))
	}
	if err := r.overtaken(ctx); err != nil {
		return r.notBegun(ctx, err)
	}
	asked := r.start(a)
	e := r.tree(ctx)
	if e != nil && e.reason == EndRefused {
		r.unmarkTree()
		return r.notBegun(ctx, e.err)
	}
	if e == nil {
		r.lostCommits(ctx)
		e = r.answered(ctx, asked, a)
	}
	if e == nil {
		e = r.all(ctx)
	}
	return r.end(ctx, e)
}

// tree makes the working tree fit to begin or to go on with. What was changed while no run was
// under way is somebody's own: only after a death the tree goes on from what was checked.
func (r *run) tree(ctx context.Context) *ending {
	w := r.cfg.Calls.Workspace
	if w == nil {
		return nil
	}
	if r.died && r.state.Checked != "" {
		r.checked = r.state.Checked
		if r.state.Open != nil && r.cfg.Calls.Journal != nil {
			r.died = false
			return nil // the call does it, once it has ended what is left running of it
		}
		err := contained(opResume, func() error { return w.Resume(ctx, r.result.Run, r.checked) })
		if err != nil {
			return r.broken(ctx, "go on with the working tree", sourceGit, opResume, err)
		}
		e := r.leftovers(ctx)
		r.died = r.died && e != nil && e.reason != EndRevert
		return e
	}
	r.died = false
	var checked executor.Checked
	err := contained(opPrepare, func() (err error) {
		checked, err = w.Begin(ctx, r.result.Run)
		return err
	})
	if err != nil {
		// Nothing was done, so that what is kept stays as it is, and the run can be begun once
		// more.
		return &ending{reason: EndRefused, err: fmt.Errorf("begin the working tree: %w", err)}
	}
	r.keepChecked(checked)
	return r.save(ctx)
}

// leftovers puts back what a process that died has left behind, unless that is still to be judged.
func (r *run) leftovers(ctx context.Context) *ending {
	if w := r.state.Work; w != nil && w.Heard != nil {
		if !r.gone(ctx, w.Heard) {
			return nil
		}
		w.Heard = nil
	}
	ref, files, e := r.restore(ctx)
	if ref != "" {
		r.emit(Event{Kind: PutBack, Text: ref, Files: files})
	}
	return e
}

// gone reports that what was to be judged is not there any more: it was put back when the state
// could not be saved.
func (r *run) gone(ctx context.Context, h *Heard) bool {
	changes, err := r.left(ctx, r.checked)
	return err == nil && len(changes) == 0 && len(h.Changes) > 0
}

// restore puts back what does not count. When that fails nothing may go on.
func (r *run) restore(ctx context.Context) (ref string, files []string, e *ending) {
	ref, files, err := r.putBack(ctx, r.checked, r.state.Number)
	if err == nil {
		return ref, files, nil
	}
	return ref, files, r.notPutBack(ctx, ref, err)
}

func (r *run) keepChecked(c executor.Checked) { r.checked, r.state.Checked = c, c }

// all checks the plan, carries out its steps, and checks it again.
func (r *run) all(ctx context.Context) *ending {
	if e := r.prepare(ctx); e != nil {
		return e
	}
	for i := range r.plan.Steps {
		if e := r.carryOut(ctx, i); e != nil {
			return e
		}
	}
	if e := r.finish(ctx); e != nil {
		return e
	}
	for i := range r.result.Steps {
		if r.result.Steps[i].State != StepDone {
			return r.skippedOver(&r.result.Steps[i])
		}
	}
	return &ending{reason: EndCompleted}
}

// skippedOver is the end of a run that went on without a step.
func (r *run) skippedOver(s *StepResult) *ending {
	e := &ending{reason: EndFailed, err: fmt.Errorf("step %s failed, and the run went on without it", s.ID)}
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		if a := s.Attempts[i]; a.Code != "" || a.Message != "" {
			e.code, e.category = a.Code, a.Category
			break
		}
	}
	return e
}

// save saves the state. A state that cannot be saved ends the run: gone on with, it would not be
// known what counts.
func (r *run) save(ctx context.Context) *ending {
	if r.write(ctx) == nil {
		return nil
	}
	return r.unsavable(ctx)
}

func (r *run) unsavable(ctx context.Context) *ending {
	return r.broken(ctx, "save the state of the run", sourceEscalate, r.opOfJournal(), r.unsaved)
}

// write hands the state to the journal, if there is one.
func (r *run) write(ctx context.Context) error {
	if r.cfg.Journal == nil {
		return nil
	}
	r.unsaved = shielded(
		sourceEscalate, r.opOfJournal(),
		func() error { return r.cfg.Journal.Save(context.WithoutCancel(ctx), r.state) })
	return r.unsaved
}

// opened takes the run, and returns what was kept of it.
func (r *run) opened(ctx context.Context) (kept *State, err error) {
	err = shielded(sourceEscalate, opPrepare, func() (err error) {
		kept, err = r.cfg.Journal.Open(ctx, r.result.Run)
		return err
	})
	return kept, err
}

func (r *run) opOfJournal() string {
	if r.result.Resumed {
		return opResume
	}
	return opPrepare
}

// broken is the end of a run that cannot go on, because of what it works with and not of a step.
func (r *run) broken(ctx context.Context, what, source, op string, err error) *ending {
	if ctx.Err() != nil && r.unsaved == nil {
		return r.cancelledBy(ctx)
	}
	reason := reasonOf(err)
	err, _ = r.classify(err, source, op)
	if !tellsOf(err.Error(), reason) {
		what += " (" + bounded(reason) + ")"
	}
	return &ending{reason: EndFailed, err: fmt.Errorf("%s: %w", what, err), code: taxonomy.CodeOf(err),
		category: taxonomy.CategoryOf(err)}
}

func (r *run) cancelledBy(ctx context.Context) *ending {
	return &ending{reason: EndCancelled, err: context.Cause(ctx)}
}

// end completes the result, and saves it.
func (r *run) end(ctx context.Context, e *ending) *Result {
	if r.unsaved != nil && !r.died {
		e = r.abandon(ctx, e)
	}
	res := r.result
	for i := range res.Steps {
		if res.Steps[i].State == StepRunning {
			res.Steps[i].State = StepCancelled
		}
	}
	res.EndReason, res.Status, res.Question = e.reason, e.reason.Status(), e.question
	res.Error, res.ErrorCode, res.ErrorCategory, res.Err = "", e.code, e.category, e.err
	if e.err != nil {
		res.Error = bounded(e.err.Error())
	}
	r.state.Wire = r.wireOf(e.err)
	res.EndedAt = r.now()
	r.emit(Event{Kind: RunEnded, Text: string(e.reason)})
	if r.unsaved == nil && !r.died {
		r.release(ctx, e.reason)
		if err := r.write(ctx); err != nil {
			// The steps that count are in the journal. Nobody could be told later how the run
			// ended, or answer it.
			r.warn("the run has to be run again before it is gone on with or answered, since its end could not be "+
				"saved", err)
		} else if e.reason != EndRevert {
			r.unmarkTree()
		}
	}
	return res
}

// abandon puts back what does not count when the state cannot be saved: nobody would know of it. A
// run whose tree is not as it was ends for that; it is put back by the next start, to which this
// one has died.
func (r *run) abandon(ctx context.Context, e *ending) *ending {
	if r.checked == "" {
		return e
	}
	ref, files, failed := r.restore(ctx)
	if ref != "" {
		r.emit(Event{Kind: PutBack, Text: ref, Files: files})
	}
	if failed == nil || e.reason == EndRevert {
		return e
	}
	failed.err = fmt.Errorf("%w; before that: %w", failed.err, e.err)
	return failed
}

// release lets go of what the working tree keeps for the run. What could not be put back may be
// nowhere else.
func (r *run) release(ctx context.Context, reason EndReason) {
	if r.cfg.Calls.Workspace == nil || r.checked == "" || reason == EndRevert || r.treeLeft {
		return
	}
	err := contained(
		"release", func() error { return r.cfg.Calls.Workspace.Release(context.WithoutCancel(ctx), r.result.Run) })
	if err != nil {
		r.warn("let go of the checked tree", err)
	}
}

func (r *run) now() time.Time { return r.cfg.Calls.Clock.Now() }

// random returns where chance comes from.
func (r *run) random() retry.Random {
	if r.cfg.Calls.Random != nil {
		return r.cfg.Calls.Random
	}
	return rand.Float64
}

// profile returns the profile that the table has, or nil.
func (r *run) profile() *taxonomy.Profile { return r.cfg.Calls.Table.Overlay }

// standings are the rungs as a decision sees them.
func (r *run) standings() []standing {
	all := make([]standing, len(r.ladder))
	for i, g := range r.ladder {
		all[i] = standing{name: g.tier.Name, person: g.tier.Person, purpose: g.tier.Purpose, able: r.able(i)}
	}
	return all
}

// able reports that a tier can be called, and is not passed over.
func (r *run) able(i int) bool {
	g := r.ladder[i]
	return g.provider != nil && !g.tier.Person && r.state.TierStreaks[g.tier.Name] < r.cfg.Guards.TierFailures
}

// person returns the name of the tier that is a person; "person" when there is none.
func (r *run) person() string {
	for _, g := range r.ladder {
		if g.tier.Person {
			return g.tier.Name
		}
	}
	return "person"
}
