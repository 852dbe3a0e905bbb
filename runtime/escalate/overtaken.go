package escalate

import (
	"context"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// looker is a workspace that can be looked at without anything of it being put back, as workspace.Git.
type looker interface {
	Look(ctx context.Context, checked executor.Checked) ([]executor.Change, error)
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
	for _, c := range changes {
		if c.Git && (c.Path == ".git/HEAD" || strings.HasPrefix(c.Path, ".git/refs/heads/")) {
			return fmt.Errorf("%s has moved since the run died, and going on would take the commits off again: "+
				"if they are to stay, begin a run of another name; if they are the agent's, move it back first", oneLine(strings.TrimPrefix(c.Path, ".git/"), maxWord))
		}
	}
	return nil
}
