package workspace

import (
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"time"
)

// commonFiles returns the names of the files that the agent's repository copies from the run's.
func (s *Space) commonFiles() []string {
	return []string{"HEAD", "config", "packed-refs", "shallow", "info/exclude", "info/attributes",
		"info/sparse-checkout", s.ref()}
}

// renewAgentGit replaces the agent's repository, unless it has the last commit, the configuration
// of the run, no hooks, and no lock of a killed agent. It moves the old one to old/.
func (s *Space) renewAgentGit(ctx context.Context) {
	if s.opts.InPlace {
		return
	}
	dot, fresh := filepath.Join(s.Dir(), ".git"), s.file("agent.new")
	s.scratchGit(fresh)
	defer os.RemoveAll(fresh)
	info, err := os.Lstat(dot)
	if s.err != nil || err == nil && info.IsDir() && maps.Equal(s.agentState(fresh), s.agentState(dot)) {
		return
	}
	s.scratchIndex(ctx, fresh, "HEAD")
	if exists(dot) {
		s.moveAside(".git")
	}
	s.do(func() error {
		beforeStep("replace .git")
		return os.Rename(fresh, dot)
	})
}

// agentState returns the state of the files on which renewAgentGit depends.
func (s *Space) agentState(dir string) map[string]string {
	return contents(dir, append(s.commonFiles(), "objects/info/alternates", "hooks", "index.lock", "HEAD.lock")...)
}

// scratchGit makes a repository that borrows the objects of the run's. It has no index.
func (s *Space) scratchGit(dir string) {
	s.do(func() error {
		alternates := filepath.ToSlash(filepath.Join(s.gitDir(), "objects")) + "\n"
		err := errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "refs"), 0o777),
			os.MkdirAll(filepath.Join(dir, "hooks"), 0o777),
			writeFile(filepath.Join(dir, "objects/info/alternates"), []byte(alternates)))
		for _, name := range s.commonFiles() {
			if content, rerr := os.ReadFile(s.file("git/" + name)); rerr == nil {
				err = errors.Join(err, writeFile(filepath.Join(dir, name), content))
			}
		}
		return err
	})
}

// scratchIndex gives a repository the index of a tree, with the times of the run's index, so that
// git need not read all files.
func (s *Space) scratchIndex(ctx context.Context, dir, tree string) {
	index := filepath.Join(dir, "index")
	s.do(func() error { return copyTree(s.file("git/index"), index) })
	s.git(ctx, command{env: []string{"GIT_INDEX_FILE=" + index}, args: []string{"read-tree", "--reset", tree}})
}

// maxOld limits the entries of old/. The oldest ones are removed.
const maxOld = 20

// moveAside moves a file or directory of the tree to old/.
func (s *Space) moveAside(p string) {
	s.do(func() error {
		from := filepath.Join(s.Dir(), filepath.FromSlash(p))
		to := s.file("old/" + time.Now().UTC().Format("20060102T150405.000000000") + "/" + path.Base(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if entries, _ := os.ReadDir(s.file("old")); len(entries) > maxOld { // sorted by age
			if err := os.RemoveAll(s.file("old/" + entries[0].Name())); err != nil {
				return err
			}
		}
		beforeStep("move " + p)
		err := os.Rename(from, to)
		if err != nil && s.opts.InPlace { // on another disk
			if err = copyTree(from, to); err == nil {
				err = os.RemoveAll(from)
			}
		}
		return err
	})
}
