package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Host carries out the effects of runs with a configuration's collaborators. Go errors, deadlines
// and panics end here: their results are plain data. A Host serves several runs at once if its
// collaborators do.
type Host struct {
	cfg       Config
	providers []Provider // by tier; nil where there is none
	admitter  Admitter

	mu     sync.Mutex
	spaces map[string]Space // of the running runs
}

// hooks are how effects reach the run that they belong to. All may be nil.
type hooks struct {
	emit    func(Event)
	started func(Running) error
}

type hooksKey struct{}

func hooksOf(ctx context.Context) hooks {
	h, _ := ctx.Value(hooksKey{}).(hooks)
	return h
}

var errLimit = errors.New("the time limit passed")

// Do carries out an effect. It does not panic. A failure after ctx ended is reported as a
// cancellation.
func (h *Host) Do(ctx context.Context, e Effect) (out Outcome) {
	limited, stop := ctx, func() {}
	if e.Limit > 0 {
		limited, stop = context.WithTimeoutCause(ctx, e.Limit, errLimit)
	}
	defer stop()
	began := h.cfg.Clock.Now()
	err := ctx.Err()
	if err == nil {
		err = contain(e.Source, e.Op, func() error { return h.carryOut(limited, &e, &out) })
	}
	out.Took = h.cfg.Clock.Now().Sub(began)
	if e.Op == OpCall && e.Prompt != nil && !h.cfg.DryRun {
		defer func() {
			_ = contain(e.Source, e.Op, func() error {
				h.admitter.Done(e.Run, out.Failure, out.Cancelled)
				return nil
			})
		}()
	}
	var closed *Closed
	switch {
	case err == nil:
		return out
	case ctx.Err() != nil:
		out.Cancelled = true
		return out
	case errors.As(err, &closed):
		out.Until, out.Why, out.Exhausted = closed.Until, closed.Why, closed.Exhausted
		return out
	case context.Cause(limited) == errLimit && !h.ownError(err):
		err = timeoutEvidence(&e, err, out.Took)
	}
	var check *checkError
	if errors.As(err, &check) { // a check before the call: its failure is one of the call
		err, e.Op, e.Source = check.err, OpCall, e.Call.Provider
	}
	f := h.Fail(aboutPaths(err, e.Paths), e.Source, e.Op)
	if e.Op == OpScope { // a part of an inspection
		f.Op, f.Source = e.Op, e.Source
		if len(f.Files) == 0 {
			f.Files = e.Paths
		}
	}
	if check != nil {
		f.Op, f.Source = OpCall, e.Source
	}
	out.Failure = &f
	return out
}

// contain runs code of a collaborator. It is the only place where a panic is recovered.
func contain(source, op string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &taxonomy.Evidence{
				Source: source, Op: op, Type: "panic", Text: text.Beginning(fmt.Sprint("panic: ", p), maxMessage),
			}
		}
	}()
	return f()
}

// aboutPaths adds paths to evidence that names none.
func aboutPaths(err error, paths Paths) error {
	ev, ok := err.(*taxonomy.Evidence)
	if !ok || ev == nil || len(ev.Files) > 0 || len(paths) == 0 {
		return err
	}
	filled := *ev
	filled.Files = paths
	return &filled
}

func timeoutEvidence(e *Effect, err error, took time.Duration) error {
	ev := &taxonomy.Evidence{Source: e.Source, Op: e.Op, Type: "timeout", Err: err}
	var reported *taxonomy.Evidence
	if errors.As(err, &reported) {
		ev.Text, ev.Output, ev.Credential, ev.Files = reported.Text, reported.Output, reported.Credential, reported.Files
	}
	ev.Attributes = map[string]string{
		"iteration":  strconv.Itoa(e.Iteration),
		"timeout_ms": strconv.FormatInt(e.Limit.Milliseconds(), 10),
		"elapsed_ms": strconv.FormatInt(took.Milliseconds(), 10),
	}
	return ev
}

// credential returns the name of the tier's credential, or the one that a failure named. Without a
// [Credentialed] provider it is empty, because calls of that provider share one lane.
func (h *Host) credential(tier int, named string) string {
	c, ok := h.providers[tier].(Credentialed)
	if ok && named == "" {
		_ = contain("", "", func() error {
			named = c.Credential()
			return nil
		})
	}
	if !ok {
		return ""
	}
	return named
}

func (h *Host) space(run string) Space {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.spaces[run]
}

// close releases what the run has; forget removes what the workspace stored for it.
func (h *Host) close(run string, forget bool) error {
	h.mu.Lock()
	sp := h.spaces[run]
	delete(h.spaces, run)
	h.mu.Unlock()
	if sp == nil {
		return nil
	}
	return contain(sourceGit, OpLock, func() error { return sp.Close(forget) })
}

func (h *Host) carryOut(ctx context.Context, e *Effect, out *Outcome) (err error) {
	switch e.Op {
	case OpLoadConfig:
		return h.cfg.Setup(ctx)
	case OpLock:
		return h.lock(ctx, e)
	case OpResume:
		return h.endProcesses(ctx, e)
	case OpAvailable:
		return h.providers[e.Tier].Available(ctx)
	case OpBudget:
		return h.admitter.Admit(ctx, *e.Call)
	case OpPause:
		return h.admitter.Pause(ctx, e.Source, h.credential(e.Tier, e.Lane), e.Until)
	case OpCall:
		return h.call(ctx, e, out)
	case OpAsk:
		q := Question{Run: e.Run, Task: e.Text, Paths: e.Paths}
		if h.cfg.Guard != nil {
			q.Mode = h.cfg.Guard.Mode()
		}
		out.Approved, err = h.cfg.Asker.Ask(ctx, q)
		if errors.Is(err, ErrUnattended) {
			out.Approved, out.NoPerson, err = false, true, nil
		}
		return err
	case OpRecover:
		return h.recover(ctx, e)
	case OpFile:
		return h.aside(ctx, e, h.cfg.Filer.File)
	case OpNotify:
		return h.aside(ctx, e, h.cfg.Notifier.Notify)
	}
	if strings.HasPrefix(e.Op, OpValidate) {
		return h.validate(ctx, e)
	}
	return h.onTree(ctx, e, out)
}

func (h *Host) lock(ctx context.Context, e *Effect) error {
	if h.space(e.Run) != nil {
		return nil
	}
	sp, err := h.cfg.Workspace.Open(ctx, e.Run)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.spaces[e.Run] = sp
	return nil
}

// endProcesses ends what a dead process of the run left running.
func (h *Host) endProcesses(ctx context.Context, e *Effect) error {
	var all []error
	for _, p := range e.Processes {
		var owner any = h.cfg.Validator
		if p.Op == OpCall {
			owner = h.providers[p.Tier]
		}
		if ender, ok := owner.(Ender); ok {
			if err := ender.End(ctx, p.Process); err != nil {
				all = append(all, err)
			}
		}
	}
	return errors.Join(all...)
}

func (h *Host) validate(ctx context.Context, e *Effect) error {
	if sp := h.space(e.Run); sp != nil {
		if err := sp.Seal(ctx); err != nil {
			return err
		}
	}
	c := Check{
		Phase: e.Check, Run: e.Run, Iteration: e.Iteration, Tier: e.Tier, Base: e.Trees.Delivered,
		Tree: e.Trees.Checked, Text: e.Text,
	}
	if started := hooksOf(ctx).started; started != nil {
		c.Started = func(p Process) error { return started(Running{Process: p, Op: e.Op}) }
	}
	return h.cfg.Validator.Validate(ctx, c)
}

func (h *Host) recover(ctx context.Context, e *Effect) error {
	f := e.Failed
	return h.cfg.Recoverer.Recover(ctx, taxonomy.RecoveryRequest{
		Err: h.errorOf(f), Reaction: f.Decision.Reaction.taxonomy(), Evidence: f.evidence,
		NoText: !h.cfg.Table.SearchesText(), Run: e.Run, Attempt: e.Attempt,
	})
}

// aside runs a filer or notifier for at most the grace. If it does not return soon after that, it
// is left behind.
func (h *Host) aside(ctx context.Context, e *Effect, f func(context.Context, *Result) error) error {
	grace := h.cfg.Limits.Grace
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	r := h.result(e.State)
	done := make(chan error, 1)
	go func() { done <- contain(e.Source, e.Op, func() error { return f(ctx, r) }) }()
	left := time.NewTimer(grace + time.Second)
	defer left.Stop()
	select {
	case err := <-done:
		return err
	case <-left.C:
		return &taxonomy.Evidence{Source: e.Source, Op: e.Op, Type: "timeout", Text: "it did not return in time"}
	}
}

// call calls the provider of the tier.
func (h *Host) call(ctx context.Context, e *Effect, out *Outcome) error {
	p, hook := h.providers[e.Tier], hooksOf(ctx)
	req := Request{
		Prompt: h.prompt(e.Prompt), Dir: h.dir(), Session: e.Prompt.Session, Reduced: e.Prompt.Reduced, Run: e.Run,
		Iteration: e.Iteration, Tier: h.tierName(e.Tier), Mark: e.Prompt.Mark, Limit: e.Limit,
	}
	if h.cfg.DryRun {
		out.Text = text.Tail(req.Prompt, maxAnswer)
		return nil
	}
	if hook.started != nil {
		req.Started = func(p Process) error { return hook.started(Running{Process: p, Op: OpCall, Tier: e.Tier}) }
	}
	if hook.emit != nil {
		req.Progress = func(s string) { hook.emit(Event{Kind: Progressed, Text: text.Beginning(s, maxMessage)}) }
	}
	if sp := h.space(e.Run); sp != nil {
		if err := sp.Seal(ctx); err != nil {
			return err
		}
	}
	a, err := p.Call(ctx, req)
	if err == nil && a.Failure != "" {
		err = plainFailure(a.Failure)
	}
	signal, question := h.cfg.Markers.signal(a, err, h.ownError(err))
	session := a.Session
	if taxonomy.Redact(session) != session {
		session = ""
	}
	out.Answer = &Answer{
		Text: text.Tail(a.Text, maxAnswer), Signal: signal, Question: text.Beginning(question, maxMessage),
		Session: session, Usage: a.Usage.valid(),
	}
	if out.Answer.Usage != a.Usage {
		out.Warnings = append(out.Warnings, "the provider reported a cost that is no cost; it counts as unknown")
	}
	return err
}

func (h *Host) dir() string {
	if h.cfg.Workspace == nil {
		return ""
	}
	return h.cfg.Workspace.Dir()
}

func (h *Host) tierName(i int) string {
	if i <= 0 { // the first is Config.Provider
		return ""
	}
	return h.cfg.Table.Taxonomy.Tiers[i-1].Name
}

// onTree carries out the effects on the working tree.
func (h *Host) onTree(ctx context.Context, e *Effect, out *Outcome) (err error) {
	sp := h.space(e.Run)
	if sp == nil {
		return &taxonomy.Evidence{Source: e.Source, Op: e.Op, Text: "the working tree is not open"}
	}
	switch e.Op {
	case OpPrepare:
		return h.prepare(ctx, sp, e, out)
	case OpAdopt:
		return adopt(ctx, sp, e, out)
	case OpDetect:
		return h.detect(ctx, sp, e, out)
	case OpSave:
		if e.Trees.Found == "" {
			return nil
		}
		out.Text, err = sp.Save(ctx, strconv.Itoa(e.Iteration), e.Trees.Checked, e.Trees.Found)
	case OpRevert:
		return revert(ctx, sp, e, out)
	case OpAccept:
		changes, err := sp.Diff(ctx, e.Trees.Checked, e.Trees.Found)
		if err != nil {
			return err
		}
		except := setOf(e.Paths)
		keep := slices.DeleteFunc(pathsOf(changes), func(p string) bool { return except[p] })
		out.Trees.Checked, err = sp.Accept(ctx, e.Trees.Checked, e.Trees.Found, keep)
		return err
	case OpCommit:
		return h.commit(ctx, sp, e, out)
	case OpPush:
		return sp.Push(ctx)
	case OpPR:
		out.Text, err = sp.OpenPR(ctx, cmp.Or(e.Title, "Work on a task"), taxonomy.Redact(e.Text))
	default:
		return fmt.Errorf("executor: unknown effect %q", e.Op)
	}
	return err
}

// maxPaths limits the paths in an effect or outcome; of more, only the number is kept.
const maxPaths = 1000

func firstPaths(paths []string) Paths { return paths[:min(len(paths), maxPaths)] }

// prepare records the tree of a new run. Changes that other runs left in it are named, and taken
// over if the configuration asks for that: then they are judged and delivered with this run.
func (h *Host) prepare(ctx context.Context, sp Space, e *Effect, out *Outcome) error {
	tree, err := sp.Snapshot(ctx)
	if err != nil {
		return err
	}
	out.Trees = Trees{Checked: tree, Delivered: tree, Committed: tree}
	left := h.leftovers(ctx, e.Run)
	if len(left) == 0 {
		return nil
	}
	head, err := sp.Head(ctx)
	if err != nil {
		return err
	}
	changes, err := sp.Diff(ctx, head, tree)
	if err != nil {
		return err
	}
	dirty := setOf(pathsOf(changes))
	var taken []string
	for _, run := range left {
		var pending []string
		for _, p := range run.Uncommitted {
			if dirty[p] {
				pending = append(pending, p)
			}
		}
		if len(pending) == 0 {
			continue
		}
		taken = union(taken, pending)
		names := strings.Join(maskedPaths(pending[:min(len(pending), 10)]), ", ")
		if len(pending) > 10 {
			names += ", …"
		}
		verb := "it does not deliver them: reopen that run, or take them over"
		if h.cfg.TakeOver {
			verb = "it takes them over"
		}
		out.Warnings = append(out.Warnings, fmt.Sprintf("run %s left %s uncommitted (%s); %s", run.Run,
			text.Count(len(pending), "change"), names, verb))
	}
	if len(taken) == 0 || !h.cfg.TakeOver {
		return nil
	}
	base, err := sp.Accept(ctx, tree, head, taken)
	out.Trees = Trees{Checked: base, Delivered: base, Committed: base}
	return err
}

// leftovers returns the other runs that ended with uncommitted changes in the working tree.
func (h *Host) leftovers(ctx context.Context, run string) []RunInfo {
	if h.cfg.Store == nil {
		return nil
	}
	all, err := h.cfg.Store.Runs(ctx)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(r RunInfo) bool {
		return r.Run == run || r.Dir != h.dir() || len(r.Uncommitted) == 0
	})
}

// adopt accepts what a person changed while the run was over: it is neither judged nor delivered.
// Changes that were unchecked at the end stay unchecked.
func adopt(ctx context.Context, sp Space, e *Effect, out *Outcome) error {
	if err := sp.Adopt(ctx); err != nil {
		return err
	}
	now, err := sp.Snapshot(ctx)
	if err != nil {
		return err
	}
	changes, err := sp.Diff(ctx, e.Trees.Checked, now)
	if err != nil {
		return err
	}
	unchecked := setOf(e.Paths)
	changes = slices.DeleteFunc(changes, func(c Change) bool { return unchecked[c.Path] || c.Escapes })
	paths := pathsOf(changes)
	for _, t := range []struct {
		base Tree
		to   *Tree
	}{
		{e.Trees.Checked, &out.Trees.Checked}, {e.Trees.Delivered, &out.Trees.Delivered},
		{e.Trees.Committed, &out.Trees.Committed},
	} {
		if *t.to, err = sp.Accept(ctx, t.base, now, paths); err != nil {
			return err
		}
	}
	return nil
}

// detect finds the changes since the checked tree and has them judged. Only those that are not
// allowed leave the host; the allowed ones are named by the found tree.
func (h *Host) detect(ctx context.Context, sp Space, e *Effect, out *Outcome) error {
	found, err := sp.Snapshot(ctx)
	if err != nil {
		return err
	}
	changes, err := sp.Guard(ctx)
	if err != nil {
		return err
	}
	if found != e.Trees.Checked {
		differ, err := sp.Diff(ctx, e.Trees.Checked, found)
		if err != nil {
			return err
		}
		changes = append(changes, differ...)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	out.Trees.Found, out.Count, out.Paths = found, len(changes), firstPaths(pathsOf(changes))
	if e.Trees.Committed != "" { // at the end of a run
		left, err := sp.Diff(ctx, e.Trees.Committed, e.Trees.Checked)
		out.Left = firstPaths(pathsOf(slices.DeleteFunc(left, func(c Change) bool { return c.Ignored })))
		return err
	}
	if len(changes) == 0 {
		return nil
	}
	var verdicts []Verdict
	if h.cfg.Guard != nil {
		e.Op, e.Source, e.Paths = OpScope, sourceScope, out.Paths // which fails from here on
		out.Mode = h.cfg.Guard.Mode()
		if verdicts, err = h.cfg.Guard.Judge(ctx, changes); err != nil {
			return err
		}
		if len(verdicts) != len(changes) {
			return &taxonomy.Evidence{
				Source: e.Source, Op: e.Op, Type: "invalid",
				Text: fmt.Sprintf("%d verdicts for %d changes", len(verdicts), len(changes)),
			}
		}
	}
	approved := setOf(e.Approved)
	for i, c := range changes {
		v := Allowed
		if verdicts != nil {
			v = verdicts[i]
		}
		switch {
		case c.Git, c.Escapes, v == 0, v > Forbidden:
			v = Forbidden
		case v == NeedsAsk && approved[c.Path]:
			v = Allowed
		}
		if v != Allowed && len(out.Bad) < maxPaths {
			out.Bad = append(out.Bad, Judged{c, v})
		} else if v != Allowed {
			out.More++
		}
	}
	return nil
}

// revert restores the checked content of the paths. A path is restored only if it still is as it
// was found; if it has the checked content already, there is nothing to do. Anything else is
// evidence, and left alone.
func revert(ctx context.Context, sp Space, e *Effect, out *Outcome) error {
	git, err := sp.Guard(ctx)
	if err != nil {
		return err
	}
	differ, err := sp.Diff(ctx, e.Trees.Checked, e.Trees.Found)
	if err != nil {
		return err
	}
	paths := pathsOf(append(git, differ...))
	if e.Paths != nil {
		named := setOf(e.Paths)
		paths = slices.DeleteFunc(paths, func(p string) bool { return !named[p] })
	}
	out.Paths = firstPaths(paths)
	if len(paths) == 0 {
		return nil
	}
	expected, err := sp.Accept(ctx, e.Trees.Found, e.Trees.Checked, slices.DeleteFunc(slices.Clone(paths), isGitPath))
	if err != nil {
		return err
	}
	now, err := sp.Snapshot(ctx)
	if err != nil {
		return err
	}
	if now != e.Trees.Found && now != expected {
		moved, err := movedPaths(ctx, sp, e, now, paths)
		if err != nil {
			return err
		}
		if len(moved) > 0 {
			return &taxonomy.Evidence{
				Source: sourceGit, Op: OpRevert, Type: "moved", Files: moved, Text: "changed since the inspection",
			}
		}
	}
	after, err := sp.Restore(ctx, e.Trees.Checked, paths)
	out.Surfaced = after != expected
	return err
}

// movedPaths returns the paths that are neither as they were found nor as they were checked.
func movedPaths(ctx context.Context, sp Space, e *Effect, now Tree, paths []string) ([]string, error) {
	sinceFound, err := sp.Diff(ctx, e.Trees.Found, now)
	if err != nil {
		return nil, err
	}
	sinceChecked, err := sp.Diff(ctx, e.Trees.Checked, now)
	if err != nil {
		return nil, err
	}
	found, checked := setOf(pathsOf(sinceFound)), setOf(pathsOf(sinceChecked))
	var moved []string
	for _, p := range paths {
		if found[p] && checked[p] {
			moved = append(moved, p)
		}
	}
	return moved, nil
}

func isGitPath(p string) bool { return strings.HasPrefix(p, ".git/") }

func (h *Host) commit(ctx context.Context, sp Space, e *Effect, out *Outcome) error {
	changes, err := sp.Diff(ctx, e.Trees.Delivered, e.Trees.Checked)
	if err != nil {
		return err
	}
	paths := pathsOf(slices.DeleteFunc(changes, func(c Change) bool { return c.Ignored }))
	if out.Trees.Committed, err = sp.Accept(ctx, e.Trees.Committed, e.Trees.Checked, paths); err != nil {
		return err
	}
	out.Commit = &CommitDone{Paths: firstPaths(paths)}
	if len(paths) == 0 {
		return nil
	}
	message := h.cfg.CommitMessage(Task{Run: e.Run, ID: e.Text, Title: e.Title}, e.Attempt, paths)
	out.Commit.ID, err = sp.Commit(ctx, Commit{
		Attempt: e.Attempt, Tree: e.Trees.Checked, Paths: paths, Message: taxonomy.Redact(message),
	})
	return err
}
