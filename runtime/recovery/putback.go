package recovery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	// putBackLimit is how long putting back may take, also when the context has ended.
	putBackLimit = 2 * time.Minute
	// maxNamed bounds the paths that a message names.
	maxNamed = 3
)

// stuck says that what a command has changed could not be put back.
type stuck struct {
	cause, left error
	paths       string // the first of them; empty when it is not known which
	before      string // a reference; empty for none
	saved       string // what was saved, and what was not; empty for nothing
}

func (s *stuck) Error() string   { return s.says() + ". " + text.Error(s.cause, maxMessage) }
func (s *stuck) Unwrap() []error { return []error{s.cause, s.left} }

// says returns what could not be put back, and how to get it back.
func (s *stuck) says() string {
	content := "Could not put back " + s.paths
	if s.paths == "" {
		content = "Could not put back what was changed"
	}
	if s.before != "" {
		content += ": run \"" + restoring(s.before) + "\""
	}
	content += fmt.Sprintf(" (%s)", text.Error(s.left, maxShown))
	if s.saved != "" {
		content += "; what was changed " + s.saved
	}
	return content
}

// restoring returns the command that has files as a commit has them. It removes nothing, because
// the commit has no files that may hold secrets.
func restoring(ref string) string { return "git restore --overlay --source=" + ref + " -- :/" }

// settle lets go of the tree, after it was put back if there was an error.
func (t *try) settle(tree Tree, err error) error {
	if tree == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), putBackLimit)
	defer cancel()
	p := &putBack{try: t, ctx: ctx, tree: tree}
	var left error
	if err != nil {
		left = safely(p.all)
	}
	released := safely(func() error { return tree.Release(ctx, left != nil) })
	switch {
	case left != nil:
		t.note(DataPutBack, "false")
		t.note(DataLeft, listed(p.left))
		t.note(DataBefore, tree.Before())
		return &stuck{err, left, first(p.left, maxNamed), tree.Before(), t.savedAs()}
	case err != nil:
		return err
	case released != nil:
		t.warn("let go of the working tree: " + text.Error(released, maxMessage))
	}
	return nil
}

// putBack puts back what a try has changed.
type putBack struct {
	*try
	ctx  context.Context
	tree Tree
	left []executor.Change // what is not as it was
	keeping
}

// all saves what has changed and puts it back. What cannot be saved is put back all the same: what
// was there before is kept already, and on a full disk there is room only when something was
// removed. So a second round may do what the first could not.
func (p *putBack) all() error {
	if err := p.look(); err != nil {
		// Permissions can be why.
		if p.tree.Revert(p.ctx, nil) != nil || p.look() != nil {
			return fmt.Errorf("look for what has changed: %w", err)
		}
	}
	if len(p.left) == 0 {
		return p.tree.Revert(p.ctx, nil)
	}
	p.note(DataChanged, listed(p.left))
	defer p.noteKept()
	err := p.round()
	if err != nil && p.ctx.Err() == nil {
		err = p.round()
	}
	switch {
	case err == nil:
	case p.allKept():
		return err
	default:
		return errors.Join(err, p.unsaved)
	}
	p.note(DataPutBack, "true")
	return nil
}

// round saves what is left to put back, as far as that can be, and puts it back.
func (p *putBack) round() error {
	if err := p.save(); err != nil {
		return err
	}
	failed := p.tree.Revert(p.ctx, p.left)
	if err := p.look(); err != nil {
		return errors.Join(failed, fmt.Errorf("look for what has changed: %w", err))
	}
	if len(p.left) > 0 && failed == nil {
		failed = errDiffers
	}
	return failed
}

var errDiffers = errors.New("something still differs")

// look finds what is not as it was.
func (p *putBack) look() error {
	changes, err := p.tree.Changes(p.ctx)
	if err == nil {
		p.left = changes
		p.saw(changes)
	}
	return err
}
