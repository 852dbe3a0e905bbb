package escalate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// looker is a workspace that can be looked at without anything of it being put back, as workspace.Git.
type looker interface {
	Look(ctx context.Context, checked executor.Checked) ([]executor.Change, error)
}

// mover is a workspace that knows how HEAD and branches are put to where they are to be, as workspace.Git.
type mover interface {
	// MoveBack returns the commands for that, for a person.
	MoveBack(ctx context.Context, run string) ([]string, error)
}

// overtaken finds out whether a branch has moved since the run died. To go on puts back whatever was changed since, and commits that
// somebody has made meanwhile are not to be taken off for that.
func (r *run) overtaken(ctx context.Context) error {
	w, ok := r.cfg.Calls.Workspace.(looker)
	if !ok || !r.died || r.state.Checked == "" {
		return nil
	}
	changes, err := w.Look(ctx, r.state.Checked)
	if err != nil {
		return nil // what goes on with the tree says it
	}
	i := slices.IndexFunc(changes, func(c executor.Change) bool {
		return c.Git && (c.Path == ".git/HEAD" || strings.HasPrefix(c.Path, ".git/refs/heads/"))
	})
	if i < 0 {
		return nil
	}
	text := oneLine(strings.TrimPrefix(changes[i].Path, ".git/"), maxWord) + " has moved since the run died, and going on would take the commits off again: " +
		"if they are to stay, begin a run of another name; if they are the agent's, move it back first" + r.movedBackBy(ctx) + ", and run the same again"
	if kept := r.keptIn(ctx); kept != "" {
		text += ", which puts the files back; till then they are in " + kept
	}
	return errors.New(text)
}

// movedBackBy names the commands that move HEAD and the branches back; empty when nobody knows them.
func (r *run) movedBackBy(ctx context.Context) string {
	w, ok := r.cfg.Calls.Workspace.(mover)
	if !ok {
		return ""
	}
	var commands []string
	err := contained(opResume, func() (err error) {
		commands, err = w.MoveBack(ctx, r.result.Run)
		return err
	})
	if err != nil || len(commands) == 0 {
		return ""
	}
	named := commands[:min(len(commands), maxDifferences)]
	for i, command := range named {
		named[i] = oneLine(command, maxValue)
	}
	text := " (" + strings.Join(named, " && ")
	if more := len(commands) - len(named); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text + ")"
}
