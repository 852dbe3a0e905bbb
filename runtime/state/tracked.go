package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/proc"
)

const (
	gitPatience = 30 * time.Second
	gitGrace    = 2 * time.Second
	maxListed   = 4 << 10
)

var errGitSlow = errors.New("git took too long")

// untracked refuses a database that git tracks, or what is beside it: a checkout would put back an
// old one under a run. Where there is no repository, or no git, nothing tracks it; a repository
// that git itself cannot read puts back nothing either.
func untracked(ctx context.Context, path string) error {
	if !inRepository(filepath.Dir(path)) {
		return nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, gitPatience, errGitSlow)
	defer cancel()
	name := filepath.Base(path)
	args := []string{"--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c",
		"core.hooksPath=" + os.DevNull,
		"-c", "core.untrackedCache=false", "-c", "safe.directory=*", "ls-files", "--cached", "-z", "--", name}
	for _, suffix := range beside {
		args = append(args, name+suffix)
	}
	out := proc.NewTail(maxListed)
	exit, err := proc.Run(limited, proc.Command{
		Path: "git", Args: args, Dir: filepath.Dir(path), Stdout: out, Grace: gitGrace,
		Env: append(proc.SafeEnv(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"),
	})
	switch {
	case err != nil && detect.Of(err).Type == "not_found":
		return nil
	case err != nil:
		return err
	case exit.Code == 0 && out.Total() > 0:
		return refuse("tracked", "git tracks it, and could put back an old one while a run goes on; "+
			"take it out of git with: git rm --cached, and add it to .gitignore")
	}
	return nil
}

// inRepository reports whether dir, or a directory above it, has what git looks for.
func inRepository(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
