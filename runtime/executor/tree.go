package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// onTree carries out the effects on the working tree.
func (h *host) onTree(ctx context.Context, e *loop.Effect, out *loop.Outcome) (err error) {
	sp := h.space(e.Run)
	if sp == nil {
		return &taxonomy.Evidence{Source: e.Source, Op: e.Op, Text: "the working tree is not open"}
	}
	switch e.Op {
	case loop.OpPrepare:
		out.Trees.Checked, err = sp.Snapshot(ctx)
	case loop.OpUpdate:
		return update(ctx, sp, e, out)
	case loop.OpDetect:
		return h.detect(ctx, sp, e, out)
	case loop.OpSave:
		if e.Trees.Found == "" {
			return nil
		}
		out.Text, err = sp.Save(ctx, strconv.Itoa(e.Iteration), e.Trees.Checked, e.Trees.Found)
	case loop.OpRevert:
		return revert(ctx, sp, e, out)
	case loop.OpAccept:
		changes, err := sp.Diff(ctx, e.Trees.Checked, e.Trees.Found)
		if err != nil {
			return err
		}
		allowed := without(loop.PathsOf(changes), e.Paths)
		out.Trees.Checked, err = sp.Accept(ctx, e.Trees.Checked, e.Trees.Found, allowed)
		return err
	case loop.OpCommit:
		return h.commit(ctx, sp, e, out)
	case loop.OpDeliver:
		out.Text, err = sp.Deliver(ctx)
	case loop.OpForward:
		out.Why, out.Text, err = sp.Forward(ctx)
	case loop.OpPush:
		return sp.Push(ctx)
	case loop.OpPR:
		out.Text, err = sp.OpenPR(ctx, cmp.Or(e.Title, "Work on a task"), taxonomy.Redact(e.Text))
	default:
		return fmt.Errorf("executor: unknown effect %q", e.Op)
	}
	return err
}

// maxPaths limits the paths in an effect or outcome.
const maxPaths = 1000

func firstPaths(paths []string) Paths { return paths[:min(len(paths), maxPaths)] }

// update merges the person's commits and returns the trees with them. A path belongs to the merge
// if the working tree has the content of the last commit, and the delivered tree does not. So a
// process that resumes after the merge gets the same trees.
func update(ctx context.Context, sp Space, e *loop.Effect, out *loop.Outcome) error {
	out.Trees = e.Trees
	if _, err := sp.Update(ctx); err != nil {
		out.Warnings = append(out.Warnings, "continue without the new commits: "+text.Error(err, maxMessage))
	}
	now, err := sp.Snapshot(ctx)
	if err != nil {
		return err
	}
	head, err := sp.Head(ctx)
	if err != nil {
		return err
	}
	merged, err := sp.Diff(ctx, e.Trees.Delivered, head)
	if err != nil {
		return err
	}
	differ, err := sp.Diff(ctx, head, now)
	if err != nil {
		return err
	}
	merged = slices.DeleteFunc(merged, func(c Change) bool { return c.Ignored })
	paths := without(loop.PathsOf(merged), loop.PathsOf(differ))
	if len(paths) == 0 {
		return nil
	}
	for _, tree := range []*Tree{&out.Trees.Checked, &out.Trees.Delivered, &out.Trees.Committed} {
		if *tree, err = sp.Accept(ctx, *tree, head, paths); err != nil {
			return err
		}
	}
	return nil
}

// detect finds the changes since the checked tree, and the guard judges them. The outcome contains
// the found tree, and the changes that are not allowed. If the effect has the delivered tree, the
// accepted changes since then are judged again, and the outcome has the new checked tree.
func (h *host) detect(ctx context.Context, sp Space, e *loop.Effect, out *loop.Outcome) (err error) {
	if e.Trees.Delivered != "" {
		if out.Trees.Checked, err = h.rejudge(ctx, sp, e, out); err != nil {
			return err
		}
		e.Trees.Checked = out.Trees.Checked
	}
	found, err := sp.Snapshot(ctx)
	if err != nil {
		return err
	}
	var changes []Change
	if found != e.Trees.Checked {
		if changes, err = sp.Diff(ctx, e.Trees.Checked, found); err != nil {
			return err
		}
	}
	out.Trees.Found, out.Count, out.Paths = found, len(changes), firstPaths(loop.PathsOf(changes))
	if e.Trees.Committed != "" { // at the end of a run nothing is judged
		left, err := sp.Diff(ctx, e.Trees.Committed, e.Trees.Checked)
		out.Left = firstPaths(loop.PathsOf(slices.DeleteFunc(left, func(c Change) bool { return c.Ignored })))
		return err
	}
	bad, err := h.judge(ctx, e, changes, out)
	out.Bad, out.More = bad[:min(len(bad), maxPaths)], max(0, len(bad)-maxPaths)
	return err
}

// rejudge judges the accepted changes that are not delivered. It returns the checked tree with the
// delivered content of those that are not allowed, so that the inspection finds them as changes.
// Ignored files are never delivered.
func (h *host) rejudge(ctx context.Context, sp Space, e *loop.Effect, out *loop.Outcome) (Tree, error) {
	changes, err := sp.Diff(ctx, e.Trees.Delivered, e.Trees.Checked)
	if err != nil {
		return "", err
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool { return c.Ignored })
	bad, err := h.judge(ctx, e, changes, out)
	if err != nil {
		return "", err
	}
	e.Op, e.Source, e.Paths = loop.OpDetect, loop.SourceGit, nil // of all later failures
	if len(bad) == 0 {
		return e.Trees.Checked, nil
	}
	var paths []string
	for _, j := range bad {
		paths = append(paths, j.Change.Path)
	}
	return sp.Accept(ctx, e.Trees.Checked, e.Trees.Delivered, paths)
}

// judge returns the changes that are not allowed.
func (h *host) judge(ctx context.Context, e *loop.Effect, changes []Change, out *loop.Outcome) (
	bad []loop.Judged, err error) {
	if len(changes) == 0 {
		return nil, nil
	}
	var verdicts []Verdict
	if h.cfg.Guard != nil {
		// of all later failures
		e.Op, e.Source, e.Paths = loop.OpScope, loop.SourceScope, firstPaths(loop.PathsOf(changes))
		out.Mode = h.cfg.Guard.Mode()
		if verdicts, err = h.cfg.Guard.Judge(ctx, changes); err != nil {
			return nil, err
		}
		if len(verdicts) != len(changes) {
			return nil, &taxonomy.Evidence{
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
		case c.Escapes, c.Copies != "", v == 0, v > Forbidden:
			v = Forbidden
		case v == NeedsAsk && approved[c.Path]:
			v = Allowed
		}
		if v != Allowed {
			bad = append(bad, loop.Judged{Change: c, Verdict: v})
		}
	}
	return bad, nil
}

// revert restores the checked content of the paths. If any path has neither the found nor the
// checked content any more, revert restores nothing and returns evidence.
func revert(ctx context.Context, sp Space, e *loop.Effect, out *loop.Outcome) error {
	differ, err := sp.Diff(ctx, e.Trees.Checked, e.Trees.Found)
	if err != nil {
		return err
	}
	paths := loop.PathsOf(differ)
	if e.Paths != nil {
		paths = within(paths, e.Paths)
	}
	out.Paths = firstPaths(paths)
	if len(paths) == 0 {
		return nil
	}
	expected, err := sp.Accept(ctx, e.Trees.Found, e.Trees.Checked, paths)
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
				Source: loop.SourceGit, Op: loop.OpRevert, Type: "moved", Files: moved,
				Text: "changed since the inspection",
			}
		}
	}
	_, err = sp.Restore(ctx, e.Trees.Checked, paths)
	return err
}

// movedPaths returns the paths that have neither the found nor the checked content.
func movedPaths(ctx context.Context, sp Space, e *loop.Effect, now Tree, paths []string) ([]string, error) {
	sinceFound, err := sp.Diff(ctx, e.Trees.Found, now)
	if err != nil {
		return nil, err
	}
	sinceChecked, err := sp.Diff(ctx, e.Trees.Checked, now)
	if err != nil {
		return nil, err
	}
	return within(within(paths, loop.PathsOf(sinceFound)), loop.PathsOf(sinceChecked)), nil
}

// commit commits the checked changes since the last delivery, except ignored files.
func (h *host) commit(ctx context.Context, sp Space, e *loop.Effect, out *loop.Outcome) error {
	changes, err := sp.Diff(ctx, e.Trees.Delivered, e.Trees.Checked)
	if err != nil {
		return err
	}
	paths := loop.PathsOf(slices.DeleteFunc(changes, func(c Change) bool { return c.Ignored }))
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
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && len(ev.Files) == 0 {
		ev.Files = firstPaths(paths) // that are not committed
	}
	return err
}

// within returns the paths that are also in others.
func within(paths, others []string) []string {
	set := setOf(others)
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !set[p] })
}

// without returns the paths that are not in others.
func without(paths, others []string) []string {
	set := setOf(others)
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return set[p] })
}

func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}
