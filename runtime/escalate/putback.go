package escalate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// grace is how long is given, after a cancellation, to judging and putting back what was changed.
const grace = 30 * time.Second

// putBackRounds bounds how often what is still changing is put back.
const putBackRounds = 3

// withGrace returns a context that outlives ctx by the grace.
func withGrace(ctx context.Context) (graced context.Context, release func()) {
	graced, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(graced, func() { timer.Stop() })
	})
	return graced, func() {
		stop()
		cancel()
	}
}

// putBack puts everything back to a checked tree, for a while also after a cancellation. It returns
// where what was there is saved, and the files; both are empty when nothing differs. With an error
// the tree is not what it was, and nothing may be built on it.
func (r *run) putBack(ctx context.Context, checked executor.Checked, number int) (
	ref string, files []string, err error) {
	if r.cfg.Calls.Workspace == nil {
		return "", nil, nil
	}
	graced, release := withGrace(ctx)
	defer release()
	var failed error
	for range putBackRounds {
		changes, err := r.left(graced, checked)
		if err != nil || len(changes) == 0 {
			return ref, files, err
		}
		saved, err := r.putBackOnce(graced, checked, number, changes)
		if saved == "" || graced.Err() != nil {
			return cmp.Or(ref, saved), files, err
		}
		ref, failed = cmp.Or(ref, saved), err
		files = append(files, paths(changes)...)
		slices.Sort(files)
		files = slices.Compact(files)
	}
	return ref, files, r.stillThere(graced, checked, failed)
}

// putBackOnce saves and reverts changes. Without a ref nothing was saved, and so nothing put back.
func (r *run) putBackOnce(ctx context.Context, checked executor.Checked, number int, changes []executor.Change) (
	ref string, err error) {
	tree := r.cfg.Calls.Workspace
	err = contained("save", func() (err error) {
		ref, err = tree.Save(ctx, r.result.Run, number, checked, changes)
		return err
	})
	if err != nil {
		return "", err
	}
	return ref, contained(opRevert, func() error { return tree.Revert(ctx, checked, changes) })
}

// stillThere returns an error for what could not be put back, with why as far as the last try has
// said that.
func (r *run) stillThere(ctx context.Context, checked executor.Checked, why error) error {
	changes, err := r.left(ctx, checked)
	if err != nil || len(changes) == 0 {
		return err
	}
	text := fmt.Sprintf("%s, although it was put back %d times", notAsTheyWere(len(changes)), putBackRounds)
	if why != nil {
		text += ": " + bounded(why.Error())
	}
	return &taxonomy.Evidence{Source: sourceGit, Op: opRevert, Files: paths(changes), Text: text}
}

func notAsTheyWere(n int) string {
	if n == 1 {
		return "1 file is not as it was"
	}
	return fmt.Sprintf("%d files are not as they were", n)
}

// contained runs what belongs to the workspace. A panic in it is evidence of type "panic".
func contained(op string, f func() error) error { return shielded(sourceGit, op, f) }

// shielded runs what belongs to others. A panic in it is evidence of type "panic".
func shielded(source, op string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &taxonomy.Evidence{Source: source, Op: op, Type: "panic", Text: fmt.Sprintf("panic: %v", p)}
		}
	}()
	return f()
}
