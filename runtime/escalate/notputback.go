package escalate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const opRevert = "revert"

// keeper is a workspace that can say where it keeps what it has found and what counts, as
// workspace.Git.
type keeper interface {
	// Kept returns the refs that have it, those that have most first.
	Kept(ctx context.Context, run string) ([]string, error)
	// Retain has a ref of its own keep what counts, as long as a save, and returns it; empty when
	// nothing is kept of the run.
	Retain(ctx context.Context, run string) (ref string, err error)
}

// notAsItWas is what was found out about a tree that could not be put back, and what a person can
// do about it.
type notAsItWas struct {
	found  error
	advice string
}

func (e *notAsItWas) Error() string { return e.found.Error() + "; " + e.advice }
func (e *notAsItWas) Unwrap() error { return e.found }

// notPutBack is the end of a run whose working tree is not as it was. It says what a person has to
// know before touching anything.
func (r *run) notPutBack(ctx context.Context, ref string, err error) *ending {
	graced, release := withGrace(ctx)
	defer release()
	f := r.findErr(err, sourceGit, opRevert)
	e := &ending{reason: EndRevert}
	e.code, e.category = codeAndCategory(f.err)
	s := "the working tree is NOT as it was: "
	if files := r.stray(graced, err); files != "" {
		s += "what does not count could not be put back in " + files
	} else {
		s += "what does not count could not be put back"
	}
	advice := "remove the cause (space on the disk, a permission, a file that is neither regular nor a link), and " +
		"run the same again, which puts it back first"
	if kept := r.keptIn(graced); kept != "" {
		advice = "what is to be there is kept in " + kept + "; " + advice
	}
	if ref != "" {
		advice = "what is there now is kept in " + text.OneLine(ref, maxWord) + "; " + advice
	}
	e.err = &notAsItWas{found: fmt.Errorf("%s: %w", s, withCause(f.err, err)), advice: advice}
	return e
}

// withCause returns a classified error that says what has happened, whatever the taxonomy's own
// message leaves out.
func withCause(classified, err error) error {
	reason := bounded(reasonOf(err))
	if tellsOf(classified.Error(), reason) {
		return classified
	}
	return fmt.Errorf("%w (%s)", classified, reason)
}

// stray names the first of the files that are not as they were; empty when that cannot be found
// out.
func (r *run) stray(ctx context.Context, err error) string {
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && len(ev.Files) > 0 && ev.Op == opRevert {
		return filesOf(&found{evidence: ev})
	}
	changes, failed := r.left(ctx, r.checked)
	if failed != nil || len(changes) == 0 {
		return ""
	}
	return filesOf(&found{evidence: &taxonomy.Evidence{Files: paths(changes)}})
}

// keptIn names the refs that have what a run has found and what counts; empty when nobody can say.
func (r *run) keptIn(ctx context.Context) string {
	w, ok := r.cfg.Calls.Workspace.(keeper)
	if !ok {
		return ""
	}
	var refs []string
	err := contained(opRevert, func() (err error) {
		refs, err = w.Kept(ctx, r.result.Run)
		return err
	})
	if err != nil {
		return ""
	}
	for i, ref := range refs {
		refs[i] = text.OneLine(ref, maxWord)
	}
	return strings.Join(refs[:min(len(refs), maxNamed)], " and ")
}

// giveUpTree is the end of a run that is given up because what does not count could not be put
// back. That is tried once more; otherwise the tree stays as it is, so that nobody is stuck with
// it.
func (r *run) giveUpTree(ctx context.Context, a *Answer) *ending {
	q := &Question{}
	if i := r.state.Step; i >= 0 && i < len(r.result.Steps) && r.result.Steps[i].State == StepCancelled {
		q.Step = r.result.Steps[i].ID
	}
	why := r.overtaken(ctx)
	r.start(a)
	if why == nil {
		if e := r.tree(ctx); e != nil {
			why = cmp.Or(e.err, errors.New(string(e.reason)))
		}
	}
	if ctx.Err() != nil {
		r.died = true
		return r.cancelledBy(ctx)
	}
	if why != nil {
		r.died, r.treeLeft = false, true
		if left, ok := errors.AsType[*notAsItWas](why); ok {
			why = left.found // the run is not to be run again
		}
		r.warn(r.leftAsItIs(ctx), why)
	}
	return r.answered(ctx, q, a)
}

func (r *run) leftAsItIs(ctx context.Context) string {
	text := "the run is given up, and the working tree stays as it is, which is NOT as it was"
	w, ok := r.cfg.Calls.Workspace.(keeper)
	if !ok {
		return text
	}
	var ref string
	err := contained(opRevert, func() (err error) {
		ref, err = w.Retain(ctx, r.result.Run)
		return err
	})
	switch {
	case err != nil:
		return text + ", and what is missing in it could not be kept (" + bounded(err.Error()) + ")"
	case ref == "":
		return text
	}
	return text + "; what is missing in it is kept in " + ref + `, and "git restore --overlay --source=` + ref +
		` -- :/" brings it back once the cause is removed`
}
