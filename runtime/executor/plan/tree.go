package plan

import (
	"context"
	"errors"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// stepTree is the working tree of a plan, as the workspace of a step. All steps of a plan share it,
// and [Runner.End] delivers their commits.
type stepTree struct {
	executor.Workspace
	plan, step string
	begun      bool           // the step or an earlier one has a state
	space      executor.Space // while it is open
	warnings   []string       // of Open, which the preparation of the plan calls first
}

// Open implements executor.Workspace.
func (w *stepTree) Open(ctx context.Context, _ string) (executor.Space, error) {
	if w.space != nil {
		return &stepSpace{w.space, w}, nil
	}
	space, err := w.Workspace.Open(ctx, w.plan)
	if err != nil {
		return nil, err
	}
	if found, ok := space.(interface{ Warnings() []string }); ok {
		w.warnings = append(w.warnings, found.Warnings()...)
	}
	w.space = space
	return &stepSpace{space, w}, nil
}

// stepClone is a stepTree whose workspace is a clone.
type stepClone struct {
	executor.Clone
	tree *stepTree
}

// Open implements executor.Workspace.
func (w stepClone) Open(ctx context.Context, run string) (executor.Space, error) {
	return w.tree.Open(ctx, run)
}

// Exists implements executor.Clone. After the plan began, a step without state may find a used clone.
func (w stepClone) Exists() (made, used bool) {
	made, used = w.Clone.Exists()
	return made, used && !w.tree.begun
}

// stepSpace is the open working tree of a step.
type stepSpace struct {
	executor.Space
	tree *stepTree
}

// Warnings returns those of the plan, because the tree was opened once; see executor.Space.
func (s *stepSpace) Warnings() []string { return s.tree.warnings }

func (s *stepSpace) Commit(ctx context.Context, c executor.Commit) (string, error) {
	c.Step = s.tree.step
	return s.Space.Commit(ctx, c)
}

// Deliver does nothing, because the commits are delivered at the end of the plan.
func (s *stepSpace) Deliver(context.Context) (string, error) { return "", nil }

// Close keeps the working tree for the next step.
func (s *stepSpace) Close(bool) error {
	s.tree.space = nil
	return s.Space.Close(false)
}

// Discard is like that of the space.
func (s *stepSpace) Discard() error {
	s.tree.space = nil
	return s.Space.Discard()
}

// Ending describes a plan whose steps had their turn.
type Ending struct {
	Name string `json:"name"`
	Plan *Plan  `json:"plan"`
	// Completed reports that all steps are done.
	Completed bool `json:"completed,omitempty"`
}

// Ended is the result of [Runner.End].
type Ended struct {
	// Branch is the branch of the person's repository that has the commits. It is empty if there are
	// none, or the branch that the person has checked out has them.
	Branch   string   `json:"branch,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Failed reports that the commits could not be delivered.
	Failed bool `json:"failed,omitempty"`
}

// End verifies the criteria of all steps of a completed plan, because a later step may have broken an
// earlier one. Then it delivers the commits of the plan. If the working tree does not exist any more,
// the plan was delivered before.
func (r *Runner) End(ctx context.Context, e Ending) (out Ended) {
	if tree, ok := r.cfg.Workspace.(executor.Clone); ok {
		if made, _ := tree.Exists(); !made {
			return out
		}
	}
	if e.Completed {
		for i := range e.Plan.Steps {
			for _, ev := range r.cfg.Facts.Criteria(ctx, e.Plan.Steps[i].Criteria) {
				broken := "step " + e.Plan.Steps[i].ID + " does not hold any more: " + ev.Masked().Text
				out.Warnings = append(out.Warnings, broken)
			}
		}
	}
	if r.cfg.KeepWork {
		out.Warnings = append(out.Warnings, "the work is in "+r.cfg.Workspace.Dir())
		return out
	}
	if err := r.deliver(context.WithoutCancel(ctx), e, &out); err != nil {
		out.Failed = true
		out.Warnings = append(out.Warnings, "the commits are not delivered: "+text.Error(err, 1000))
	}
	return out
}

func (r *Runner) deliver(ctx context.Context, e Ending, out *Ended) error {
	space, err := r.cfg.Workspace.Open(ctx, e.Name)
	if err != nil {
		return err
	}
	out.Branch, err = space.Deliver(ctx)
	if err == nil && e.Completed && out.Branch != "" && !r.cfg.KeepBranch {
		why, next, failed := space.Forward(ctx)
		switch {
		case failed != nil:
			out.Warnings = append(out.Warnings, "forward: "+text.Error(failed, 1000))
		case why != "":
			out.Warnings = append(out.Warnings, "the result is "+out.Branch+", because "+why+": "+next)
		default:
			out.Branch = ""
		}
	}
	return errors.Join(err, space.Close(err == nil && e.Completed))
}
