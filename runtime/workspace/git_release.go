package workspace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Release forgets the checked trees of a run and what was kept for putting files back. What Save has kept stays; see
// [Git.Prune].
func (g *Git) Release(ctx context.Context, run string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := checkRun(opPrepare, run); err != nil {
		return err
	}
	err := g.deleteRefs(ctx, []string{checkedRef(run), previousRef(run)})
	delete(g.states, run)
	clear(g.snaps)
	g.last, g.made = nil, false
	for _, dir := range []string{g.runDir(run), filepath.Join(g.home, "tmp"), g.shadow()} {
		if rerr := os.RemoveAll(dir); err == nil && rerr != nil {
			err = fault(opPrepare, "", []string{dir}, rerr)
		}
	}
	_ = os.Remove(filepath.Join(g.home, "runs")) // if it is empty
	return err
}

// deleteRefs deletes references, whether they are there or not.
func (g *Git) deleteRefs(ctx context.Context, refs []string) error {
	var in bytes.Buffer
	for _, ref := range refs {
		fmt.Fprintf(&in, "delete %s\x00\x00", ref)
	}
	_, err := g.git(ctx, call{op: opPrepare, stdin: &in, args: []string{"update-ref", "--no-deref", "--stdin", "-z"}})
	return err
}

// Prune removes what Save has kept longer than that ago, of all runs, and returns how many saves that were.
func (g *Git) Prune(ctx context.Context, olderThan time.Duration) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	out, err := g.git(ctx, call{op: opPrepare, args: []string{
		"for-each-ref", "--format=%(refname) %(committerdate:unix)", "refs/errgen",
	}})
	if err != nil {
		return 0, err
	}
	before := time.Now().Add(-olderThan)
	var old []string
	for line := range strings.Lines(string(out)) {
		ref, date, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseInt(date, 10, 64)
		if err != nil || ref == "" || strings.HasSuffix(ref, "/checked") || strings.HasSuffix(ref, "/previous") {
			continue
		}
		if !time.Unix(seconds, 0).After(before) {
			old = append(old, ref)
		}
	}
	if len(old) == 0 {
		return 0, nil
	}
	if err := g.deleteRefs(ctx, old); err != nil {
		return 0, err
	}
	for _, ref := range old {
		dir := filepath.Join(g.home, "saved", filepath.FromSlash(strings.TrimPrefix(ref, "refs/errgen/")))
		if err := os.RemoveAll(dir); err != nil {
			return 0, fault(opPrepare, "", []string{dir}, err)
		}
		_ = os.Remove(filepath.Dir(dir)) // if it is empty
	}
	return len(old), nil
}
