package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Revert puts the changes back. Git's own files come first, so that no git command is run under a
// configuration that a change has brought. A path that has become something else than the change
// says, and is not put back already, is left alone and is a failure, since nobody has saved it; so
// is one of which nothing was kept. All other paths are put back all the same.
func (g *Git) Revert(ctx context.Context, checked executor.Checked, changes []executor.Change) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(changes) == 0 {
		return nil
	}
	s, err := g.load(ctx, opRevert, checked)
	if err != nil {
		return err
	}
	st, err := g.state(opRevert, s.run)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(g.root)
	if err != nil {
		return fault(opRevert, "", nil, err)
	}
	defer root.Close()
	r := &reverting{Git: g, scan: g.scanOf(ctx, opRevert, s, st), snap: s, st: st, root: root}
	r.sort(changes)
	r.scan.opens = true
	r.openWays(changes)
	r.unlock()
	defer func() { _ = os.RemoveAll(r.objects) }()
	r.note(r.fetch(ctx)) // what needs no content is put back all the same
	r.all(ctx)
	r.note(r.scan.restoreDirs(r.opened))
	return r.evidence()
}

// reverting is one revert.
type reverting struct {
	*Git
	scan *scan
	snap *snapshot
	st   *state
	// objects is a directory with contents by their names.
	objects string
	root    *os.Root // no path leads out of it, whatever links there are

	opened map[string]fs.FileMode // directories that were shut

	gitFiles, refs, logs, files []executor.Change

	failed []string
	errs   []error
	byHand []string // what has no content
}

// unlock removes the locks that were left behind.
func (r *reverting) unlock() {
	sc := &scan{Git: r.Git, ctx: r.scan.ctx, op: opRevert, known: r.snap.entries, extras: r.scan.extras,
		found: map[string]*entry{}}
	if now, err := r.readRefs(); err == nil && sc.gitFiles() == nil {
		r.removeLeft(r.st, r.locksOf(now, sc))
	}
}

func (r *reverting) sort(changes []executor.Change) {
	for _, c := range changes {
		switch {
		case !c.Git:
			r.files = append(r.files, c)
		case c.Path == ".git/HEAD" || strings.HasPrefix(c.Path, ".git/refs/"):
			r.refs = append(r.refs, c)
		case c.Path == stashLog:
			r.logs = append(r.logs, c)
		default:
			r.gitFiles = append(r.gitFiles, c)
		}
	}
}

func (r *reverting) all(ctx context.Context) {
	r.each(ctx, r.gitFiles)
	if len(r.refs) > 0 {
		r.note(r.revertRefs(ctx, r.st, r.snap, r.refs), pathsOf(r.refs)...)
	}
	r.each(ctx, r.logs)
	r.each(ctx, r.files)
	if len(r.errs) == 0 {
		r.note(r.tidy(ctx, opRevert, r.st))
	}
}

func pathsOf(changes []executor.Change) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// each puts back what was added, deepest first, and then all the rest, so that directories and
// files that have changed places are out of each other's way.
func (r *reverting) each(ctx context.Context, changes []executor.Change) {
	deepest := slices.Clone(changes)
	slices.SortFunc(deepest, func(a, b executor.Change) int { return strings.Compare(b.Path, a.Path) })
	for _, c := range deepest {
		if r.snap.entries[c.Path] == nil {
			r.one(ctx, c, nil)
		}
	}
	for _, c := range changes {
		if want := r.snap.entries[c.Path]; want != nil {
			r.one(ctx, c, want)
		}
	}
}

func (r *reverting) one(ctx context.Context, c executor.Change, want *entry) {
	if ctx.Err() != nil {
		r.note(ended(ctx), c.Path)
		return
	}
	is, err := r.scan.present(c.Path, want, c.Ignored || c.Git)
	switch {
	case err != nil:
	case want.same(is) && (is == nil || is.perm == want.perm || is.mode == modeLink):
		r.prune(c.Path)
		return
	case is != nil && !want.same(is) && !asFound(c, want, is):
		err = errors.New("it has changed again since it was looked at")
	case want == nil:
		err = r.remove(c, is)
	case want.mode == modeSocket || want.mode == modeDevice:
		r.byHand = append(r.byHand, c.Path)
		return
	default:
		err = r.restore(c.Path, want)
	}
	r.note(err, c.Path)
}

// asFound reports whether what is there is what the change says, so that it was saved. An empty
// directory in the place of a file needs no saving.
func asFound(c executor.Change, want, is *entry) bool {
	if want != nil && is.mode == modeDir || c.Path == stashLog { // which putting the stash back has added to
		return true
	}
	if c.Hash == "" {
		return c.Kind != executor.Removed
	}
	return is.hash() == c.Hash
}

func (r *reverting) note(err error, paths ...string) {
	if err == nil {
		return
	}
	r.errs = append(r.errs, err)
	r.failed = append(r.failed, paths...)
}

func (r *reverting) evidence() error {
	r.noteByHand()
	if len(r.errs) == 0 {
		return nil
	}
	first := r.errs[0]
	if errors.Is(first, context.Canceled) || errors.Is(first, context.DeadlineExceeded) {
		return first
	}
	slices.Sort(r.failed)
	r.failed = slices.Compact(r.failed)
	text := first.Error()
	if len(r.failed) > max(1, len(r.byHand)) {
		text = fmt.Sprintf("%s (and %d more paths)", text, len(r.failed)-1)
	}
	return withFiles(fault(opRevert, text, r.failed, errors.Join(r.errs[:min(len(r.errs), maxFaults)]...)), r.failed)
}

// noteByHand says what only a person can put back.
func (r *reverting) noteByHand() {
	const most = 5
	if len(r.byHand) == 0 {
		return
	}
	slices.Sort(r.byHand)
	var names []string
	for _, p := range r.byHand[:min(len(r.byHand), most)] {
		names = append(names, text.Quote(p, maxQuoted))
	}
	text := "sockets and devices cannot be put back, make them again by hand: " + strings.Join(names, ", ")
	if more := len(r.byHand) - most; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	r.note(errors.New(text), r.byHand...)
}
