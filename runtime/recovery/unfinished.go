package recovery

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/proc"
)

// finishOther brings the mend of a process that died to an end: its command is ended, and what it
// has changed is put back if nobody else can have changed it, because it is what the mend itself
// found when it looked last. Otherwise a person decides. It returns what there is to say about it.
func (t *localTree) finishOther(ctx context.Context) (told string, err error) {
	j, err := readJournal(journalIn(t.tree))
	if err != nil {
		return "", fmt.Errorf("read what another mend has left: %w", err)
	}
	if j == nil || !t.lock && j.alive() {
		return "", nil
	}
	if p := j.Process; p != nil {
		if err := proc.End(ctx, proc.ID{PID: p.PID, Start: p.Start}, t.grace); err != nil {
			return "", fmt.Errorf("end what another mend has left running: %w", err)
		}
	}
	if !t.lock { // the run that has the tree decides what of it is wanted
		j.remove()
		return "", nil
	}
	dead := &localTree{local: t.local, run: j.Run, checked: j.Checked}
	changes, err := t.tree.Look(ctx, j.Checked) // what somebody has staged since stays so
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", dead.unfinished(j, "what it has changed cannot be found out ("+text.Error(err, maxShown)+")")
	case len(changes) == 0:
		j.remove() // the rest goes with what was saved long ago
		return "", nil
	case !j.Looked || !slices.Equal(changes, j.Changes):
		return "", dead.unfinished(j, "others may have changed "+first(changes, maxNamed)+" as well")
	}
	ref, err := dead.undo(ctx, changes)
	if err != nil {
		return "",
			dead.unfinished(j, first(changes, maxNamed)+" could not be put back ("+text.Error(err, maxShown)+")")
	}
	told = "what process " + strconv.Itoa(j.PID) + " had changed when it died was put back, and is saved as " + ref
	if err := t.forget(ctx, j.Run); err != nil {
		return "", err
	}
	j.remove()
	return told, nil
}

// undo saves changes and puts them back.
func (t *localTree) undo(ctx context.Context, changes []executor.Change) (ref string, err error) {
	if ref, err = t.Save(ctx, changes); err != nil {
		return "", err
	}
	if err := t.Revert(ctx, changes); err != nil {
		return "", err
	}
	left, err := t.tree.Detect(ctx, t.checked)
	if err == nil && len(left) > 0 {
		err = errDiffers
	}
	return ref, err
}

// unfinished says what a person can do.
func (t *localTree) unfinished(j *journal, why string) error {
	return refusal(
		ErrUnfinished,
		"Not run, because process %d died while it mended the working tree: to have the tree as it was, run \"%s\"; "+
			"then, or to go on with it as it is, remove %s. It is not put back, since %s", j.PID, restoring(t.Before()),
		j.file, why)
}
