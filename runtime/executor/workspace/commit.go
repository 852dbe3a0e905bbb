package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
)

// commitRefs name the commits of the run. An agent can write the trailers of a commit, so these
// references decide which attempts are committed.
const commitRefs = "refs/errgen/commits/"

// Commit commits the paths with their content in the tree, on the run's branch. An attempt of a
// step is committed once: its reference names the commit before the branch moves. If the paths do
// not differ from the last commit, the ID is empty.
func (s *Space) Commit(ctx context.Context, c executor.Commit) (string, error) {
	return operate(s, loop.OpCommit, func() string {
		s.requireSamePerson(ctx)
		ref := fmt.Sprint(commitRefs, c.Attempt)
		if c.Step != "" {
			sum := sha256.Sum256([]byte(c.Step))
			ref += "-" + hex.EncodeToString(sum[:8])
		}
		id := s.find(ctx, inRun, ref)
		if id == "" {
			if id = s.build(ctx, c); id == "" {
				return ""
			}
			s.own(ctx, "update-ref", ref, id, strings.Repeat("0", len(id)))
		}
		s.finishCommits(ctx)
		s.publish(ctx)
		s.renewAgentGit(ctx)
		return id
	})
}

// build makes the commit, or returns "" if it would change nothing.
func (s *Space) build(ctx context.Context, c executor.Commit) string {
	head, was := s.head(ctx)
	tree := s.with(ctx, was, s.unignored(ctx, only(s.diff(ctx, was, string(c.Tree)), c.Paths)))
	if s.err != nil || tree == was {
		return ""
	}
	message := fmt.Sprintf("%s\n\nErrgen-Run: %s\nErrgen-Attempt: %d\n", cleanMessage(c.Message, s.run), s.run,
		c.Attempt)
	if s.opts.Hooks {
		message = s.runHooks(ctx, tree, message)
	}
	args := []string{"commit-tree", "-F", "-", "-p", head}
	sign, _ := s.try(ctx, command{args: []string{"config", "--type=bool", "--get", "commit.gpgSign"}})
	if sign == "true" {
		args = append(args, "-S")
	}
	return s.git(ctx, command{stdin: message, args: append(args, tree)})
}

// finishCommits moves the branch to a commit that was made and not published.
func (s *Space) finishCommits(ctx context.Context) {
	head, _ := s.head(ctx)
	for line := range strings.Lines(s.own(ctx, "for-each-ref", "--format=%(objectname) %(parent)", commitRefs)) {
		if id, parent, _ := strings.Cut(strings.TrimSpace(line), " "); parent == head {
			s.own(ctx, "update-ref", "-m", "commit: run "+s.run, "HEAD", id, head)
			head = id
		}
	}
}

// runHooks runs the person's pre-commit and commit-msg hooks, and returns the message. The hooks
// see the new tree in a repository that is removed afterwards.
func (s *Space) runHooks(ctx context.Context, tree, message string) string {
	hooks := s.git(ctx, command{at: inUsers, hooks: true,
		args: []string{"rev-parse", "--path-format=absolute", "--git-path", "hooks"}})
	scratch := s.file("hooks.git")
	defer os.RemoveAll(scratch)
	s.scratchGit(scratch)
	s.scratchIndex(ctx, scratch, tree)
	file := filepath.Join(scratch, "COMMIT_EDITMSG")
	s.do(func() error { return writeFile(file, []byte(message)) })
	c := command{at: anywhere, dir: s.Dir(), hooks: true, env: []string{"GIT_DIR=" + scratch,
		"GIT_WORK_TREE=" + s.Dir(), "GIT_INDEX_FILE=" + filepath.Join(scratch, "index")}}
	for _, hook := range [][]string{{"pre-commit"}, {"commit-msg", "--", file}} {
		c.args = append([]string{"-c", "core.hooksPath=" + hooks, "hook", "run", "--ignore-missing"}, hook...)
		s.git(ctx, c)
	}
	if c.args = []string{"write-tree", "--missing-ok"}; s.git(ctx, c) != tree {
		s.fail("moved", "the pre-commit hook changed what is committed")
	}
	s.do(func() error {
		content, err := os.ReadFile(file)
		message = string(content)
		return err
	})
	return message
}

// cleanMessage makes a message of untrusted text.
func cleanMessage(s, run string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text.Head(s, 32<<10))
	return cmp.Or(strings.TrimSpace(text.Printable(s, "\n\t")), "errgen: run "+run)
}

// Update merges the person's last commit into the run, so that the run has what the person fixed,
// and can be forwarded. It fails with type conflict, and changes nothing, if a file would have to be
// merged by hand or has changes that are not committed.
func (s *Space) Update(ctx context.Context) error {
	return s.operate(loop.OpPrepare, func() {
		theirs := s.users(ctx, "rev-parse", "HEAD")
		head, was := s.head(ctx)
		if s.err == nil && !s.opts.InPlace && !s.isAncestor(ctx, inRun, theirs, head) {
			s.merge(ctx, head, was, theirs)
		}
	})
}

// merge merges a commit of the person's with the last commit. It records the result before it
// changes files.
func (s *Space) merge(ctx context.Context, head, was, theirs string) {
	s.own(ctx, "fetch", "-q", "--no-tags", "--no-write-fetch-head", s.user, theirs)
	next := theirs
	if !s.isAncestor(ctx, inRun, head, theirs) {
		tree, ok := s.try(ctx, command{args: []string{"merge-tree", "--write-tree", "--no-messages", head, theirs}})
		if !ok {
			s.fail("conflict", fmt.Sprintf("the commits of the run conflict with %.7s", theirs))
		}
		message := "Merge " + cmp.Or(short(s.state.Ref), theirs)
		next = s.own(ctx, "commit-tree", "-m", message, "-p", head, "-p", theirs, tree)
	}
	paths := pathsOf(s.diff(ctx, was, next))
	if both := only(s.diff(ctx, was, string(s.snapshot(ctx))), paths); len(both) > 0 {
		s.fail("conflict", "the run has changes of the files that are not committed", pathsOf(both)...)
	}
	if s.err == nil {
		s.state.Update = next
		s.saveState()
		s.finishUpdate(ctx)
		s.renewAgentGit(ctx)
	}
}

// finishUpdate gives the files that an update changes their new content, and moves the branch. If
// the process was killed, some of them have it already.
func (s *Space) finishUpdate(ctx context.Context) {
	if next := s.state.Update; next != "" {
		_, was := s.head(ctx)
		s.restore(ctx, next, pathsOf(s.diff(ctx, was, next)))
		s.own(ctx, "update-ref", "-m", "update: run "+s.run, "HEAD", next)
		s.state.Update = ""
		s.saveState()
	}
}
