package escalate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// looker is a workspace that can be looked at without anything of it being put back, as
// workspace.Git.
type looker interface {
	Look(ctx context.Context, checked executor.Checked) ([]executor.Change, error)
}

// mover is a workspace that knows how HEAD and branches are put to where they are to be, as
// workspace.Git.
type mover interface {
	// MoveBack returns the commands for that, for a person, in their order. The first ones keep
	// what nothing would have any more.
	MoveBack(ctx context.Context, run string) ([]string, error)
}

// knower is a workspace that knows which commits were there before, as workspace.Git.
type knower interface {
	// New returns those of the commits that a run does not know of.
	New(ctx context.Context, run string, commits []string) ([]string, error)
}

// overtaken finds out whether HEAD or a branch has moved since the run died. To go on puts back
// whatever was changed since, and what somebody has done meanwhile is not to be taken off for that.
func (r *run) overtaken(ctx context.Context) error {
	w, ok := r.cfg.Calls.Workspace.(looker)
	if !ok || !r.died || r.state.Checked == "" {
		return nil
	}
	changes, err := w.Look(ctx, r.state.Checked)
	if err != nil {
		return nil // what goes on with the tree says it
	}
	moved, names, commits := r.movedSince(ctx, changes)
	if len(moved) == 0 {
		r.takeOff(ctx, names)
		return nil
	}
	text := named(moved) + " moved since the run died, and going on would "
	if commits {
		text += "take the commits off again"
	} else {
		text += "move back what was moved"
	}
	by, more := r.movedBackBy(ctx)
	text += ": if that is to stay, begin a run of another name; if it is the agent's, move it back first" + by +
		", and run the same again"
	if kept := r.keptIn(ctx); kept != "" {
		text += ", which puts the files back; till then they are in " + kept
	}
	if more > 0 {
		text += fmt.Sprintf("; there are %d more commands, which it names after these", more)
	}
	return errors.New(text)
}

// movedSince returns HEAD and the branches that have moved, and whether that brought commits. A
// branch that is nothing but a new name for a commit which was there already has not moved, and is
// among the names.
func (r *run) movedSince(ctx context.Context, changes []executor.Change) (
	moved []string, names []executor.Change, commits bool) {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c executor.Change) bool {
		return !c.Git || c.Path != ".git/HEAD" && !strings.HasPrefix(c.Path, ".git/refs/heads/")
	})
	var ids []string
	for _, c := range changes {
		ids = append(ids, c.Hash)
	}
	fresh := r.newOf(ctx, ids)
	for _, c := range changes {
		isNew := slices.Contains(fresh, c.Hash)
		commits = commits || isNew
		if isNew || c.Kind != executor.Added {
			moved = append(moved, strings.TrimPrefix(c.Path, ".git/"))
		} else {
			names = append(names, c)
		}
	}
	return moved, names, commits
}

// takeOff puts back new names of commits before anything is judged: they are not to be taken for
// what a call has done that was heard without them, or was cut.
func (r *run) takeOff(ctx context.Context, names []executor.Change) {
	var heard []executor.Change
	if w := r.state.Work; w != nil && w.Heard != nil {
		heard = w.Heard.Changes
	}
	names = slices.DeleteFunc(names, func(c executor.Change) bool {
		return slices.ContainsFunc(heard, func(h executor.Change) bool { return h.Path == c.Path })
	})
	if len(names) == 0 {
		return
	}
	ref, err := r.putBackOnce(ctx, r.state.Checked, r.state.Number, names)
	if err == nil { // otherwise what goes on with the tree says it
		r.emit(Event{Kind: PutBack, Text: ref, Files: paths(names)})
	}
}

// newOf returns those of the commits that were not there before; all, when nobody knows.
func (r *run) newOf(ctx context.Context, commits []string) []string {
	w, ok := r.cfg.Calls.Workspace.(knower)
	if !ok {
		return commits
	}
	var fresh []string
	err := contained(opResume, func() (err error) {
		fresh, err = w.New(ctx, r.result.Run, commits)
		return err
	})
	if err != nil {
		return commits
	}
	return fresh
}

// named says which references have; more than a few are counted.
func named(refs []string) string {
	var all []string
	for _, ref := range refs[:min(len(refs), maxNamed)] {
		all = append(all, text.OneLine(ref, maxWord))
	}
	if more := len(refs) - maxNamed; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	if len(all) == 1 {
		return all[0] + " has"
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1] + " have"
}

// maxCommands bounds the commands that a message has, in bytes.
const maxCommands = 2 << 10

// movedBackBy names the commands that move HEAD and the branches back; empty when nobody knows
// them. They are shown as they are or not at all: those of the commands that follow, which are
// counted, are shown when the first ones have been carried out.
func (r *run) movedBackBy(ctx context.Context) (s string, more int) {
	w, ok := r.cfg.Calls.Workspace.(mover)
	if !ok {
		return "", 0
	}
	var commands []string
	err := contained(opResume, func() (err error) {
		commands, err = w.MoveBack(ctx, r.result.Run)
		return err
	})
	if err != nil || len(commands) == 0 {
		return "", 0
	}
	n, size := 0, 0
	for _, command := range commands[:min(len(commands), maxDifferences)] {
		if size += len(command) + len(" && "); size > maxCommands ||
			text.Printable(text.Masked(command), "") != command {
			break
		}
		n++
	}
	if n == 0 {
		return "", 0
	}
	s = " (" + strings.Join(commands[:n], " && ") + ")"
	if kept := keptBy(commands); kept != "" {
		s += ", which keeps what is new in " + kept
	}
	return s, len(commands) - n
}

// keptBy returns below which reference commands keep something; empty when they do not.
func keptBy(commands []string) string {
	for _, command := range commands {
		if ref, ok := strings.CutPrefix(command, "git update-ref refs/errgen/"); ok {
			ref, _, _ = strings.Cut(ref, " ")
			return "refs/errgen/" + path.Dir(ref)
		}
	}
	return ""
}
