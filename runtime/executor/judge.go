package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// detect finds what differs from the checked tree. That it cannot be found out is an error, and
// never no changes.
func (r *runner) detect(ctx context.Context, it *iteration) {
	if r.cfg.Workspace == nil || r.rejudge(it) {
		return
	}
	op := guardOp(opDetect, sourceGit, nil)
	_, on := r.attempt(ctx, it, op, func() (err error) {
		it.changes, err = r.cfg.Workspace.Detect(ctx, r.state.Checked)
		return err
	})
	r.unseen = !on
	if it.undetected = !on; it.undetected {
		it.changes = nil
	}
	if len(it.changes) > 0 {
		r.emit(Event{Kind: ChangesDetected, Files: pathsOf(it.changes)})
	}
}

// judge has each change judged, and asks a person where the guard wants one. A cancelled run asks
// nobody.
func (r *runner) judge(ctx, graced context.Context, it *iteration) {
	if len(it.changes) == 0 || it.judged {
		return
	}
	it.verdicts = r.verdicts(graced, it)
	r.violations(it)
	r.ask(ctx, it)
}

// verdicts returns what is to be thought of each change. Without a judgement none of them has been
// checked.
func (r *runner) verdicts(ctx context.Context, it *iteration) []Verdict {
	all := make([]Verdict, len(it.changes))
	if r.cfg.Guard != nil {
		op := guardOp(opScope, sourceScope, pathsOf(it.changes))
		if _, on := r.attempt(ctx, it, op, func() error { return r.verdictsOf(ctx, it, all) }); !on {
			return make([]Verdict, len(it.changes))
		}
	}
	for i, c := range it.changes {
		switch {
		case c.Git || c.Escapes:
			all[i] = Forbidden
		case r.cfg.Guard == nil:
			all[i] = Allowed
		case all[i] == 0 || all[i] > Forbidden:
			all[i] = Forbidden
		case all[i] == NeedsAsk && r.approved[c.Path]:
			all[i] = Allowed
		}
	}
	return all
}

// verdictsOf asks the guard.
func (r *runner) verdictsOf(ctx context.Context, it *iteration, all []Verdict) error {
	got, err := r.cfg.Guard.Judge(ctx, slices.Clone(it.changes))
	if err != nil {
		return err
	}
	if len(got) != len(all) {
		return &taxonomy.Evidence{
			Source: sourceScope, Op: opScope, Type: typeInvalid, Files: pathsOf(it.changes),
			Text: fmt.Sprintf("the guard gave %d verdicts on %d changes", len(got), len(all)),
		}
	}
	copy(all, got)
	return nil
}

// violations reports what is forbidden or outside: as forbidden when there are both.
func (r *runner) violations(it *iteration) {
	forbidden, outside := it.paths(Forbidden), it.paths(Outside)
	files := append(slices.Clone(forbidden), outside...)
	if len(files) == 0 {
		return
	}
	slices.Sort(files)
	ev := &taxonomy.Evidence{
		Source: sourceScope, Op: opScope, Type: typeOutsideAllowed, Files: files,
		Attributes: map[string]string{"scope_mode": r.mode()},
	}
	if len(forbidden) > 0 {
		ev.Type = typeForbidden
		if len(outside) > 0 {
			ev.Attributes["outside_files"] = listed(outside)
		}
	}
	op := guardOp(opScope, sourceScope, files)
	op.single = true
	it.failures = append(it.failures, r.fail(it, op, ev))
}

// ask asks about what a person is to decide, once for each new set of changes. Nobody there is a
// denial.
func (r *runner) ask(ctx context.Context, it *iteration) {
	var in []Change
	for i, c := range it.changes {
		if it.verdicts[i] == NeedsAsk {
			in = append(in, c)
		}
	}
	if len(in) == 0 {
		return
	}
	approved, ev := r.consent(ctx, in)
	if !approved {
		op := guardOp(opAsk, sourceScope, pathsOf(in))
		op.single = true
		it.failures = append(it.failures, r.fail(it, op, ev))
		return
	}
	// Approvals are stored before they are used.
	r.record(ctx, Entry{Point: PointApproved, Approved: in})
	for i, c := range it.changes {
		if it.verdicts[i] == NeedsAsk {
			it.verdicts[i] = Allowed
			r.approved[c.Path] = true
		}
	}
}

// consent returns whether a person approves, and otherwise the evidence of the denial.
func (r *runner) consent(ctx context.Context, changes []Change) (approved bool, denial *taxonomy.Evidence) {
	files, key := pathsOf(changes), setOf(changes)
	denial = &taxonomy.Evidence{
		Source: sourceScope, Op: opAsk, Type: typeDenied, Files: files,
		Attributes: map[string]string{"scope_mode": r.mode()},
	}
	if r.denied[key] {
		return false, denial
	}
	err := ErrUnattended
	if r.cfg.Asker != nil && ctx.Err() == nil {
		err = contained(operation{name: opAsk, source: sourceScope, files: files}, func() (err error) {
			approved, err = r.cfg.Asker.Ask(
				ctx, Question{Run: r.task.Run, Task: r.task.ID, Paths: slices.Clone(files), Mode: r.mode()})
			return err
		})
	}
	switch {
	case err == nil && approved:
	case err == nil:
		r.denied[key] = true
	case !errtree.Is(err, ErrUnattended) && ctx.Err() == nil:
		approved = false
		denial.Text, denial.Err = "the question could not be put: "+text.Error(err, maxMessage), err
		r.warn("ask a person", err)
	default:
		approved = r.cfg.ApproveUnattended && ctx.Err() == nil
		denial.Type = typeUnattended
	}
	r.emit(Event{Kind: Asked, Files: files, Text: answerText(approved)})
	return approved, denial
}

func answerText(approved bool) string {
	if approved {
		return "approved"
	}
	return "denied"
}

// mode names how strictly the guard judges.
func (r *runner) mode() (mode string) {
	if r.cfg.Guard == nil {
		return ""
	}
	_ = contained(operation{}, func() error {
		mode = r.cfg.Guard.Mode()
		return nil
	})
	return mode
}

// paths returns the paths with the verdict.
func (it *iteration) paths(v Verdict) []string {
	var out []string
	for i, c := range it.changes {
		if it.verdicts[i] == v {
			out = append(out, c.Path)
		}
	}
	return out
}

func pathsOf(changes []Change) []string {
	if len(changes) == 0 {
		return nil
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// setOf names a set of changes by what they are.
func setOf(changes []Change) string {
	var parts []string
	for _, c := range changes {
		parts = append(parts, c.Path, string(c.Kind), c.Hash)
	}
	return listed(parts)
}

// listed returns texts as a JSON array, which keeps apart whatever is in them.
func listed(texts []string) string {
	b, err := json.Marshal(texts)
	if err != nil {
		return ""
	}
	return string(b)
}
