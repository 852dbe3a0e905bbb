package workspace

import (
	"bytes"
	"context"
	"errors"
	"strconv"
)

// Retain has a reference of its own keep the tree as it is to be for a run as long as a save, also
// when the run lets go of it, and returns the reference: refs/errgen/RUN/retained, with -2, -3 and
// so on if that is taken. It is empty when nothing is kept of the run.
func (g *Git) Retain(ctx context.Context, run string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := checkRun(opSave, run); err != nil {
		return "", err
	}
	out, err := g.git(
		ctx, call{op: opSave, args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", checkedRef(run)},
			none: 1})
	if err != nil {
		return "", err
	}
	id := string(bytes.TrimSpace(out))
	if id == "" {
		return "", nil
	}
	for n := 1; ; n++ {
		ref := refPrefix + refPart(run) + "/retained"
		if n > 1 {
			ref += "-" + strconv.Itoa(n)
		}
		err := g.writeRef(ref, id, true)
		switch {
		case err == nil:
			return ref, nil
		case n == maxSaves || !errors.Is(err, errRefExists):
			return "", fault(opSave, "", nil, err)
		}
	}
}
