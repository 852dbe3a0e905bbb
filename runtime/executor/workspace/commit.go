package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// commitRefs name the commits of the run. An agent can write the trailers of a commit, so these
// references decide which attempts are committed.
const commitRefs = "refs/errgen/commits/"

// Commit commits the paths with their content in the tree, on the run's branch. An attempt of a step
// is committed once: its reference names the commit before the branch moves. If the paths do not
// differ from the last commit, the ID is empty.
func (s *Space) Commit(ctx context.Context, c executor.Commit) (string, error) {
	return operate(s, opCommit, func() (string, error) { return s.commit(ctx, c) })
}

func (s *Space) commit(ctx context.Context, c executor.Commit) (string, error) {
	if err := s.requireSamePerson(ctx); err != nil {
		return "", err
	}
	ref := fmt.Sprint(commitRefs, c.Attempt)
	if c.Step != "" {
		sum := sha256.Sum256([]byte(c.Step))
		ref += "-" + hex.EncodeToString(sum[:8])
	}
	id, err := s.line(ctx, command{none: 1, args: []string{"rev-parse", "--verify", "-q", ref}})
	if err != nil {
		return "", err
	}
	if id == "" {
		if id, err = s.build(ctx, c); err != nil || id == "" {
			return "", err
		}
		if _, err := s.own(ctx, "update-ref", ref, id, strings.Repeat("0", len(id))); err != nil {
			return "", err
		}
	}
	if err := s.finishCommits(ctx); err != nil {
		return "", err
	}
	if s.state.Update != [2]string{} {
		s.state.Update = [2]string{}
		if err := s.saveState(); err != nil {
			return "", err
		}
	}
	if s.opts.InPlace {
		return id, s.publish(ctx)
	}
	return id, s.renewAgentGit(ctx, false)
}

// build makes the commit, or returns "" if it would change nothing.
func (s *Space) build(ctx context.Context, c executor.Commit) (string, error) {
	head, was, err := s.headTree(ctx)
	if err != nil {
		return "", err
	}
	all, err := s.diff(ctx, was, string(c.Tree))
	if err != nil {
		return "", err
	}
	changes := only(all, c.Paths)
	ignored, err := s.ignored(ctx, changes)
	if err != nil {
		return "", err
	}
	changes = slices.DeleteFunc(changes, func(c change) bool {
		return ignored[c.path] || c.newMode == modeModule || slices.ContainsFunc(strings.Split(c.path, "/"), isGitName)
	})
	tree, err := s.with(ctx, was, changes)
	if err != nil || tree == was {
		return "", err
	}
	message := fmt.Sprintf("%s\n\nErrgen-Run: %s\nErrgen-Attempt: %d\n",
		cleanMessage(c.Message, s.run), s.run, c.Attempt)
	if s.opts.Hooks {
		if message, err = s.runHooks(ctx, tree, message); err != nil {
			return "", err
		}
	}
	args := []string{"commit-tree", "-F", "-"}
	sign, err := s.line(ctx, command{none: 1, args: []string{"config", "--type=bool", "--get", "commit.gpgSign"}})
	if err != nil {
		return "", err
	}
	if sign == "true" {
		args = append(args, "-S")
	}
	return s.line(ctx, command{stdin: strings.NewReader(message), args: append(args, "-p", head, tree)})
}

// finishCommits moves the branch to a commit that was made and not published.
func (s *Space) finishCommits(ctx context.Context) error {
	head, err := s.headCommit(ctx)
	if err != nil {
		return err
	}
	out, err := s.own(ctx, "for-each-ref", "--format=%(objectname) %(parent)", commitRefs)
	for line := range strings.Lines(out) {
		if id, parent, _ := strings.Cut(strings.TrimSpace(line), " "); err == nil && parent == head {
			_, err = s.own(ctx, "update-ref", "-m", "commit: run "+s.run, "HEAD", id, head)
			head = id
		}
	}
	return err
}

// runHooks runs the person's pre-commit and commit-msg hooks, and returns the message. The hooks see
// what is committed in a repository that is removed afterwards.
func (s *Space) runHooks(ctx context.Context, tree, message string) (string, error) {
	hooks, err := s.line(ctx, command{at: inUsers, hooks: true,
		args: []string{"rev-parse", "--path-format=absolute", "--git-path", "hooks"}})
	if err != nil {
		return "", err
	}
	files, err := s.agentFiles()
	if err != nil {
		return "", err
	}
	scratch := s.file("hooks.git")
	file := filepath.Join(scratch, "COMMIT_EDITMSG")
	files["COMMIT_EDITMSG"] = message
	if err := s.scratchGit(ctx, scratch, files); err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	run := func(args ...string) (string, error) {
		return s.line(ctx, command{at: anywhere, dir: s.Dir(), hooks: true, args: args, env: []string{
			"GIT_DIR=" + scratch, "GIT_WORK_TREE=" + s.Dir(), "GIT_INDEX_FILE=" + filepath.Join(scratch, "index"),
		}})
	}
	for _, args := range [][]string{{"read-tree", "--reset", tree}, {"pre-commit"}, {"commit-msg", "--", file}} {
		if args[0] != "read-tree" {
			args = append([]string{"-c", "core.hooksPath=" + hooks, "hook", "run", "--ignore-missing"}, args...)
		}
		if _, err := run(args...); err != nil {
			return "", err
		}
	}
	now, err := run("write-tree", "--missing-ok")
	if err == nil && now != tree {
		err = fault("moved", "the pre-commit hook changed what is committed", nil)
	}
	content, rerr := os.ReadFile(file)
	return string(content), errors.Join(err, rerr)
}

// cleanMessage makes a message of untrusted text.
func cleanMessage(s, run string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text.Head(s, 32<<10))
	return cmp.Or(strings.TrimSpace(text.Printable(s, "\n\t")), "errgen: run "+run)
}

// Update merges the person's last commit into the run, so that the run has what the person fixed, and
// can be forwarded. It returns the paths that it changed, also if it is repeated before the next call.
// It fails with type conflict, and changes nothing, if a file would have to be merged by hand or has
// changes that are not committed.
func (s *Space) Update(ctx context.Context) (paths []string, err error) {
	return operate(s, opPrepare, func() ([]string, error) { return s.update(ctx) })
}

func (s *Space) update(ctx context.Context) (paths []string, err error) {
	theirs, err := s.users(ctx, 1, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil || s.opts.InPlace {
		return nil, err
	}
	head, was, err := s.headTree(ctx)
	if err != nil {
		return nil, err
	}
	if s.isAncestor(ctx, theirs, head) {
		if s.state.Update == [2]string{} {
			return nil, nil
		}
		changes, err := s.diff(ctx, s.state.Update[0], s.state.Update[1])
		return pathsOf(changes), err
	}
	if _, err := s.own(ctx, "fetch", "-q", "--no-tags", "--no-write-fetch-head", s.user, theirs); err != nil {
		return nil, err
	}
	next := theirs
	if _, err := s.own(ctx, "merge-base", "--is-ancestor", head, theirs); err != nil {
		if next, err = s.merge(ctx, head, theirs); err != nil {
			return nil, err
		}
	}
	changes, err := s.diff(ctx, was, next)
	if err != nil {
		return nil, err
	}
	now, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	pending, err := s.diff(ctx, was, string(now))
	if err != nil {
		return nil, err
	}
	paths = pathsOf(changes)
	if both := only(pending, paths); len(both) > 0 {
		return nil, fault("conflict", "the run has changes of the files that are not committed", nil, pathsOf(both)...)
	}
	first := cmp.Or(s.state.Update[0], head)
	s.state.Update = [2]string{first, next}
	if err := s.saveState(); err != nil {
		return nil, err
	}
	if err := s.finishUpdate(ctx); err != nil {
		return nil, err
	}
	changes, err = s.diff(ctx, first, next)
	return pathsOf(changes), errors.Join(err, s.renewAgentGit(ctx, false))
}

// merge merges a commit of the person's with the last commit, without files.
func (s *Space) merge(ctx context.Context, head, theirs string) (string, error) {
	tree, err := s.own(ctx, "merge-tree", "--write-tree", "--no-messages", head, theirs)
	if err != nil {
		return "", fault("conflict", fmt.Sprintf("the commits of the run conflict with %.7s: merge %s yourself", theirs,
			s.opts.Branch), nil)
	}
	name := cmp.Or(strings.TrimPrefix(s.state.Ref, "refs/heads/"), theirs)
	return s.own(ctx, "commit-tree", "-m", "Merge "+name, "-p", head, "-p", theirs, tree)
}

// finishUpdate gives the files that an update changes their new content, and moves the branch. If the
// process was killed, some of them have it already.
func (s *Space) finishUpdate(ctx context.Context) error {
	next := s.state.Update[1]
	head, was, err := s.headTree(ctx)
	if err != nil || next == "" || s.isAncestor(ctx, next, head) {
		return err
	}
	changes, err := s.diff(ctx, was, next)
	if err != nil {
		return err
	}
	if _, err := s.restore(ctx, next, pathsOf(changes)); err != nil {
		return err
	}
	_, err = s.own(ctx, "update-ref", "-m", "update: run "+s.run, "HEAD", next, head)
	return err
}
