package workspace

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Commit commits the paths as the checked tree has them, on top of the commit that the run knows;
// what else is staged stays staged. Line ends are converted and filters run as the user's
// configuration says, in an environment without the secrets of this process; a filter that is a
// program of the working tree is not found. Author and committer are the user's; commit.gpgSign is
// honoured. No hook runs unless [Options.Hooks] is set. What git ignores is never committed.
//
// The user's index is what it was when the run began, is locked meanwhile, and afterwards has the
// paths as they were committed. A lock of it that a killed git command of a call has left behind is
// removed, on Linux; an older one stays.
//
// A file in whose place there is now something that git cannot have, as a pipe, is removed by the
// commit.
func (g *Git) Commit(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var none executor.CommitDone
	if len(c.Paths) == 0 {
		return none, nil
	}
	if err := checkRun(opCommit, c.Run); err != nil {
		return none, err
	}
	s, err := g.load(ctx, opCommit, c.Checked)
	if err != nil {
		return none, err
	}
	st, err := g.state(opCommit, c.Run)
	if err != nil {
		return none, err
	}
	cm := &committing{Git: g, Commit: c, snap: s, st: st, paths: committable(s, c.Paths)}
	if len(cm.paths) == 0 {
		return none, nil
	}
	id, err := cm.run(ctx)
	if err != nil {
		return none, withFiles(err, cm.paths)
	}
	return g.done(context.WithoutCancel(ctx), id)
}

// done returns what is in a commit.
func (g *Git) done(ctx context.Context, id string) (executor.CommitDone, error) {
	if id == "" {
		return executor.CommitDone{}, nil
	}
	paths, err := g.differing(ctx, "--root", "--end-of-options", id)
	if err != nil {
		return executor.CommitDone{}, err
	}
	return executor.CommitDone{ID: id, Paths: paths}, nil
}

// differing returns the paths that differ between two trees, or that a commit changes.
func (g *Git) differing(ctx context.Context, what ...string) ([]string, error) {
	args := append([]string{"diff-tree", "-r", "-z", "--no-commit-id", "--name-only", "--no-renames"}, what...)
	out, err := g.git(ctx, call{op: opCommit, shadow: true, args: args})
	if err != nil {
		return nil, err
	}
	var paths []string
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p != "" {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// committable returns those of the paths that a commit can have, or can be without.
func committable(s *snapshot, paths []string) []string {
	var out []string
	for _, p := range paths {
		e := s.entries[p]
		if ofGit(p) || !filepath.IsLocal(filepath.FromSlash(p)) || has(s.ignored, p) {
			continue
		}
		if e == nil || !e.ignored && !e.git {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// committing is one commit.
type committing struct {
	*Git
	executor.Commit
	snap  *snapshot
	st    *state
	paths []string

	temp string             // a directory for the time being
	head string             // the commit that is built on; empty for the first
	old  string             // its tree
	set  map[string]*staged // what the commit has for the paths that it changes
}

func (c *committing) run(ctx context.Context) (string, error) {
	if err := c.trusted(ctx, opCommit, c.snap, c.st); err != nil {
		return "", err
	}
	now, err := c.readRefs()
	if err != nil {
		return "", fault(opCommit, "", nil, err)
	}
	if err := c.finish(ctx, opCommit, c.snap, c.st, now); err != nil {
		return "", err
	}
	if err := c.putIndexBack(ctx, opCommit, c.st); err != nil {
		return "", err
	}
	c.head = c.st.Git.commit()
	lock, err := c.lockIndex(opCommit, c.st)
	if err != nil {
		return "", err
	}
	id, next, err := c.underLock(ctx)
	if c.temp != "" {
		defer func() { _ = os.RemoveAll(c.temp) }()
	}
	uerr := c.unlockIndex(lock, next)
	if err != nil {
		return "", err
	}
	if uerr != nil {
		return "", fault(opCommit, "write the index", nil, uerr)
	}
	if id == "" {
		return c.find(ctx, c.Run, c.Attempt) // made already, by a try of which the end was not seen
	}
	if err := c.rememberIndex(context.WithoutCancel(ctx), opCommit, c.st, c.set); err != nil {
		return "", err // which is mended by the next try
	}
	c.st.Pending = nil
	return id, c.setState(opCommit, c.st)
}

// underLock makes the commit and returns it, with the index that the user gets.
func (c *committing) underLock(ctx context.Context) (id, next string, err error) {
	if c.temp, err = c.tempDir(opCommit); err != nil {
		return "", "", err
	}
	tree, err := c.tree(ctx)
	if err != nil || tree == "" {
		return "", "", err
	}
	if err := c.hook(ctx, c.st, hookPreCommit, c.index()); err != nil {
		return "", "", err
	}
	if err := c.unchangedBy(ctx, hookPreCommit, tree); err != nil {
		return "", "", err
	}
	text, err := c.text(ctx)
	if err != nil {
		return "", "", err
	}
	if c.set, err = c.committed(ctx, tree); err != nil {
		return "", "", err
	}
	next = filepath.Join(c.temp, "next")
	if err := c.copyStaged(ctx, opCommit, next, c.indexFile(), c.set); err != nil {
		return "", "", err
	}
	if id, err = c.object(ctx, tree, text); err != nil {
		return "", "", err
	}
	if ctx.Err() != nil {
		return "", "", ended(ctx)
	}
	// From here on it is brought to its end also when ctx ends: a branch that has moved while the
	// index has not would have the user's next commit take the files away again.
	if err := c.publish(context.WithoutCancel(ctx), id, text); err != nil {
		return "", "", err
	}
	return id, next, nil
}

func (c *committing) index() string { return filepath.Join(c.temp, "index") }

func (c *committing) with() []string { return []string{"GIT_INDEX_FILE=" + c.index()} }

// tree returns the tree of the commit; "" when it would be that of the last one.
func (c *committing) tree(ctx context.Context) (string, error) {
	args := []string{"read-tree", "--empty"}
	if c.head != "" {
		args = []string{"read-tree", c.head}
	}
	if _, err := c.git(ctx, call{op: opCommit, args: args, env: c.with()}); err != nil {
		return "", err
	}
	dir, err := c.export(ctx)
	if err != nil {
		return "", err
	}
	_, err = c.git(ctx, call{
		op: opCommit, tree: dir, dir: dir, env: c.with(), stdin: strings.NewReader(
			strings.Join(c.removedFirst(), "\x00") + "\x00"),
		args: []string{"update-index", "--add", "--remove", "-z", "--stdin"},
	})
	if err != nil {
		return "", err
	}
	tree, err := c.writeTree(ctx)
	if err != nil {
		return "", err
	}
	c.old, err = c.oldTree(ctx)
	if err != nil || tree == c.old {
		return "", err
	}
	return tree, nil
}

// removedFirst returns the paths in an order in which files and directories can change places.
// Nothing else may give way to a path: it could be a submodule.
func (c *committing) removedFirst() []string {
	var removed, left []string
	for _, p := range c.paths {
		if !c.has(p) {
			removed = append(removed, p)
		} else {
			left = append(left, p)
		}
	}
	return append(removed, left...)
}

func (c *committing) writeTree(ctx context.Context) (string, error) {
	out, err := c.git(ctx, call{op: opCommit, args: []string{"write-tree"}, env: c.with()})
	return strings.TrimSpace(string(out)), err
}

func (c *committing) oldTree(ctx context.Context) (string, error) {
	if c.head == "" {
		out, err := c.git(
			ctx, call{op: opCommit, args: []string{"hash-object", "-t", "tree", "--stdin"},
				stdin: bytes.NewReader(nil)})
		return strings.TrimSpace(string(out)), err
	}
	out, err := c.git(
		ctx, call{op: opCommit, args: []string{"rev-parse", "--verify", "--end-of-options", c.head + "^{tree}"}})
	return strings.TrimSpace(string(out)), err
}

// has reports whether the commit has a file at a path.
func (c *committing) has(p string) bool {
	e := c.snap.entries[p]
	return e != nil && e.content()
}

// export writes the paths, as the checked tree has them, to a directory of their own, in place of
// the working tree: what was changed there since it was judged is not committed.
func (c *committing) export(ctx context.Context) (string, error) {
	var ids []string
	for _, p := range c.paths {
		if e := c.snap.entries[p]; e != nil && e.inTree() {
			ids = append(ids, e.id)
		}
	}
	objects, err := c.extract(ctx, opCommit, ids)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(objects) }()
	dir := filepath.Join(c.temp, "tree")
	if err := os.Mkdir(dir, privateDir); err != nil {
		return "", fault(opCommit, "", nil, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fault(opCommit, "", nil, err)
	}
	defer root.Close()
	w := &reverting{Git: c.Git, snap: c.snap, root: root, objects: objects}
	for _, p := range c.paths {
		if !c.has(p) {
			continue
		}
		if err := w.restore(p, c.snap.entries[p]); err != nil {
			return "", fault(opCommit, "", []string{p}, err)
		}
	}
	return dir, nil
}

// committed returns what the commit has for the paths that it changes. What the user has staged of
// others stays staged.
func (c *committing) committed(ctx context.Context, tree string) (map[string]*staged, error) {
	entries, err := c.readIndex(ctx, opCommit, c.index())
	if err != nil {
		return nil, err
	}
	paths, err := c.differing(ctx, "--end-of-options", c.old, tree)
	if err != nil {
		return nil, err
	}
	set := map[string]*staged{}
	for _, p := range paths {
		set[p] = nil
		if s, ok := entries[p]; ok {
			set[p] = &s
		}
	}
	return set, nil
}

// object makes the commit's object.
func (c *committing) object(ctx context.Context, tree, text string) (string, error) {
	sign, err := c.git(
		ctx, call{op: opCommit, args: []string{"config", "--type=bool", "--get", "commit.gpgSign"}, none: 1})
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree"}
	if strings.TrimSpace(string(sign)) == "true" {
		args = append(args, "-S")
	}
	if c.head != "" {
		args = append(args, "-p", c.head)
	}
	args = append(args, "-F", "-", tree)
	out, err := c.git(ctx, call{op: opCommit, args: args, stdin: strings.NewReader(text), env: []string{"GPG_TTY="}})
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !isID(id) {
		return "", fault(opCommit, "git did not say what it has committed", nil, nil)
	}
	return id, nil
}

// publish moves the branch to the commit, if it is where the run knows it to be. That it is about
// to do so is remembered first.
func (c *committing) publish(ctx context.Context, id, s string) error {
	now, err := c.readRefs()
	if err != nil {
		return fault(opCommit, "", nil, err)
	}
	ref := c.st.Git.branch()
	if now.branch() != ref {
		return fault(opCommit, fmt.Sprintf("HEAD has moved: it is %s now", text.Quote(string(now.Head), maxQuoted)),
			nil, nil)
	}
	c.st.Pending = &pending{Ref: raw(ref), Old: c.head, New: id}
	for _, p := range slices.Sorted(maps.Keys(c.set)) {
		c.st.Pending.Paths = append(c.st.Pending.Paths, raw(p))
	}
	if err := c.setState(opCommit, c.st); err != nil {
		return err
	}
	var in bytes.Buffer
	refCommand(&in, ref, id, c.head)
	subject, _, _ := strings.Cut(s, "\n")
	_, err = c.git(ctx, call{op: opCommit, stdin: &in, args: []string{
		"update-ref", "--no-deref", "-m", "commit: " + subject, "--stdin", "-z",
	}})
	if err != nil {
		return err
	}
	c.st.Git.move(ref, id)
	return nil
}
