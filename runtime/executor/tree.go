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
		return &taxonomy.Evidence{Source: e.Source, Op: e.Op(), Text: "the working tree is not open"}
	}
	switch do := e.Do.(type) {
	case loop.Prepare:
		out.Result, err = sp.Snapshot(ctx)
	case loop.Update:
		out.Result, err = update(ctx, sp, do.Trees, out)
	case loop.Detect:
		out.Result, err = h.detect(ctx, sp, e, do, out)
	case loop.Revert:
		if out.Saved, err = save(ctx, sp, e, do.Checked, do.Found); err != nil {
			return &partError{loop.SourceGit, loop.OpSave, do.Paths, err}
		}
		out.Result, err = revert(ctx, sp, do)
	case loop.Commit:
		out.Result, err = h.commit(ctx, sp, e, do)
	case loop.Deliver:
		out.Result, err = sp.Deliver(ctx)
	case loop.Forward:
		var f loop.Forwarding
		f.Why, f.Command, err = sp.Forward(ctx)
		out.Result = f
	case loop.Push:
		return sp.Push(ctx)
	case loop.OpenPR:
		out.Result, err = sp.OpenPR(ctx, cmp.Or(do.Title, "Work on a task"), taxonomy.Redact(do.Body))
	default:
		return fmt.Errorf("executor: unknown effect %q", e.Op())
	}
	return err
}

// maxPaths limits the paths in an effect or outcome.
const maxPaths = 1000

func firstPaths(paths []string) Paths { return paths[:min(len(paths), maxPaths)] }

// update merges the person's commits and returns the trees with them. A path belongs to the merge
// if the working tree has the content of the last commit, and the delivered tree does not. So a
// process that resumes after the merge gets the same trees.
func update(ctx context.Context, sp Space, trees loop.Trees, out *loop.Outcome) (loop.Trees, error) {
	if err := sp.Update(ctx); err != nil {
		out.Warnings = append(out.Warnings, "continue without the new commits: "+text.Error(err, maxMessage))
	}
	now, err := sp.Snapshot(ctx)
	if err != nil {
		return trees, err
	}
	head, err := sp.Head(ctx)
	if err != nil {
		return trees, err
	}
	merged, err := sp.Diff(ctx, trees.Delivered, head)
	if err != nil {
		return trees, err
	}
	differ, err := sp.Diff(ctx, head, now)
	if err != nil {
		return trees, err
	}
	paths := without(loop.PathsOf(unignored(merged)), loop.PathsOf(differ))
	if len(paths) == 0 {
		return trees, nil
	}
	for _, tree := range []*Tree{&trees.Checked, &trees.Delivered, &trees.Committed} {
		if *tree, err = sp.Accept(ctx, *tree, head, paths); err != nil {
			return trees, err
		}
	}
	return trees, nil
}

// save saves the found changes of an iteration.
func save(ctx context.Context, sp Space, e *loop.Effect, checked, found Tree) (ref string, err error) {
	return sp.Save(ctx, strconv.Itoa(e.Iteration), checked, found)
}

// detect finds the changes since the checked tree, and the guard judges them; see [loop.Detect].
func (h *host) detect(ctx context.Context, sp Space, e *loop.Effect, do loop.Detect, out *loop.Outcome) (
	found loop.Changes, err error) {
	checked := do.Checked
	if do.Delivered != "" {
		if checked, err = h.rejudge(ctx, sp, do); err != nil {
			return found, err
		}
		found.Checked = checked
	}
	if found.Found, err = sp.Snapshot(ctx); err != nil {
		return found, err
	}
	var changes []Change
	if found.Found != checked {
		if changes, err = sp.Diff(ctx, checked, found.Found); err != nil {
			return found, err
		}
	}
	found.Count, found.Paths = len(changes), firstPaths(loop.PathsOf(changes))
	if do.Committed != "" { // at the end of a run nothing is judged
		if len(changes) > 0 {
			if out.Saved, err = save(ctx, sp, e, checked, found.Found); err != nil {
				out.Warnings = append(out.Warnings, loop.OpSave+": "+text.Error(err, maxMessage))
			}
		}
		left, err := sp.Diff(ctx, do.Committed, checked)
		found.Left = firstPaths(loop.PathsOf(unignored(left)))
		return found, err
	}
	bad, err := h.judge(ctx, changes, do.Approved)
	if err != nil {
		return found, err
	}
	found.Bad, found.More = bad[:min(len(bad), maxPaths)], max(0, len(bad)-maxPaths)
	if h.cfg.Guard != nil && len(changes) > 0 {
		found.Mode = h.cfg.Guard.Mode()
	}
	if found.Accepted = found.Found; len(bad) > 0 {
		allowed := without(loop.PathsOf(changes), loop.BadPaths(bad))
		found.Accepted, err = sp.Accept(ctx, checked, found.Found, allowed)
	}
	return found, err
}

// rejudge judges the accepted changes that are not delivered. It returns the checked tree with the
// delivered content of those that are not allowed, so that the inspection finds them as changes.
// Ignored files are never delivered.
func (h *host) rejudge(ctx context.Context, sp Space, do loop.Detect) (Tree, error) {
	changes, err := sp.Diff(ctx, do.Delivered, do.Checked)
	if err != nil {
		return "", err
	}
	bad, err := h.judge(ctx, unignored(changes), do.Approved)
	if err != nil {
		return "", err
	}
	if len(bad) == 0 {
		return do.Checked, nil
	}
	return sp.Accept(ctx, do.Checked, do.Delivered, loop.BadPaths(bad))
}

// judge returns the changes that are not allowed.
func (h *host) judge(ctx context.Context, changes []Change, approved []string) (bad []loop.Judged, err error) {
	if len(changes) == 0 {
		return nil, nil
	}
	var verdicts []Verdict
	if h.cfg.Guard != nil {
		part := partError{source: loop.SourceScope, op: loop.OpScope, paths: firstPaths(loop.PathsOf(changes))}
		part.err = contain(part.source, part.op, func() (err error) {
			verdicts, err = h.cfg.Guard.Judge(ctx, changes)
			return err
		})
		if part.err == nil && len(verdicts) != len(changes) {
			part.err = &taxonomy.Evidence{
				Source: part.source, Op: part.op, Type: "invalid",
				Text: fmt.Sprintf("%d verdicts for %d changes", len(verdicts), len(changes)),
			}
		}
		if part.err != nil {
			return nil, &part
		}
	}
	asked := setOf(approved)
	for i, c := range changes {
		v := Allowed
		if verdicts != nil {
			v = verdicts[i]
		}
		switch {
		case c.Escapes, c.Copies != "", v == 0, v > Forbidden:
			v = Forbidden
		case v == NeedsAsk && asked[c.Path]:
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
func revert(ctx context.Context, sp Space, f loop.Revert) (reverted loop.Paths, err error) {
	differ, err := sp.Diff(ctx, f.Checked, f.Found)
	if err != nil {
		return nil, err
	}
	paths := loop.PathsOf(differ)
	if f.Paths != nil {
		paths = within(paths, f.Paths)
	}
	reverted = firstPaths(paths)
	if len(paths) == 0 {
		return reverted, nil
	}
	expected, err := sp.Accept(ctx, f.Found, f.Checked, paths)
	if err != nil {
		return nil, err
	}
	now, err := sp.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if now != f.Found && now != expected {
		moved, err := movedPaths(ctx, sp, f, now, paths)
		if err != nil {
			return nil, err
		}
		if len(moved) > 0 {
			return nil, &taxonomy.Evidence{
				Source: loop.SourceGit, Op: loop.OpRevert, Type: "moved", Files: moved,
				Text: "changed since the inspection",
			}
		}
	}
	_, err = sp.Restore(ctx, f.Checked, paths)
	return reverted, err
}

// movedPaths returns the paths that have neither the found nor the checked content.
func movedPaths(ctx context.Context, sp Space, f loop.Revert, now Tree, paths []string) ([]string, error) {
	sinceFound, err := sp.Diff(ctx, f.Found, now)
	if err != nil {
		return nil, err
	}
	sinceChecked, err := sp.Diff(ctx, f.Checked, now)
	if err != nil {
		return nil, err
	}
	return within(within(paths, loop.PathsOf(sinceFound)), loop.PathsOf(sinceChecked)), nil
}

// commit commits the checked changes since the last delivery, except ignored files.
func (h *host) commit(ctx context.Context, sp Space, e *loop.Effect, do loop.Commit) (
	done loop.CommitResult, err error) {
	changes, err := sp.Diff(ctx, do.Delivered, do.Checked)
	if err != nil {
		return done, err
	}
	paths := loop.PathsOf(unignored(changes))
	if done.Committed, err = sp.Accept(ctx, do.Committed, do.Checked, paths); err != nil {
		return done, err
	}
	if done.Paths = firstPaths(paths); len(paths) == 0 {
		return done, nil
	}
	message := h.cfg.CommitMessage(Task{Run: e.Run, ID: do.Task, Title: do.Title}, e.Iteration, paths)
	done.ID, err = sp.Commit(ctx, Commit{
		Attempt: e.Iteration, Tree: do.Checked, Paths: paths, Message: taxonomy.Redact(message),
	})
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && len(ev.Files) == 0 {
		ev.Files = firstPaths(paths) // that are not committed
	}
	return done, err
}

// unignored returns the changes that can be committed.
func unignored(changes []Change) []Change {
	return slices.DeleteFunc(changes, func(c Change) bool { return c.Ignored })
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
