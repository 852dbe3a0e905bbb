package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// place selects the repository in which a git command runs.
type place int

const (
	inRun    place = iota // the run's repository, with the clone's files
	inUsers               // the person's repository
	inRemote              // like inUsers, with this process's environment, for ssh and credentials
	anywhere              // git looks for it
)

// command is one git command.
type command struct {
	at    place
	args  []string
	env   []string
	dir   string // where git looks, if at is anywhere
	stdin string
	out   io.Writer // nil returns the output
	hooks bool      // hooks run, and their configuration counts
	typ   string    // of the evidence if the program exits with an error
}

// fixedArgs come first in every git command. They disable background programs, and settings that
// change the output or the effect.
var fixedArgs = []string{
	"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "gc.auto=0",
	"-c", "maintenance.auto=false", "-c", "submodule.recurse=false", "-c", "core.quotePath=false",
	"-c", "core.safecrlf=false", "-c", "log.showSignature=false", "-c", "i18n.commitEncoding=UTF-8",
	"-c", "user.useConfigOnly=true", "-c", "push.followTags=false", "-c", "push.recurseSubmodules=no",
	"-c", "advice.addEmbeddedRepo=false", "-c", "core.trustctime=true", "-c", "core.checkStat=default",
	"-c", "protocol.file.allow=always", "-c", "fetch.prune=false", "-c", "fetch.pruneTags=false",
	"-c", "fetch.writeCommitGraph=false", "-c", "init.defaultRefFormat=files",
	"-c", "core.filesRefLockTimeout=3000", "-c", "core.packedRefsTimeout=3000",
}

// git runs git and returns its output without the line end. After the first failure of an
// operation, it does nothing.
func (s *Space) git(ctx context.Context, c command) string {
	args := fixedArgs[:len(fixedArgs):len(fixedArgs)]
	if !c.hooks {
		args = append(args, "-c", "core.hooksPath="+os.DevNull)
	}
	return s.program(ctx, s.opts.Binary, append(args, c.args...), c)
}

// program runs a program for a command, and returns its output without the line end.
func (s *Space) program(ctx context.Context, path string, args []string, c command) string {
	if s.err != nil {
		return ""
	}
	env := proc.SafeEnv("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "GNUPGHOME", "SSH_AUTH_SOCK")
	if c.at == inRemote {
		env = processEnv()
	}
	env = append(env, "LC_ALL=C", "LANGUAGE=", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_EDITOR=:")
	switch c.at {
	case inRun:
		c.dir = s.home // tree/ does not have to exist
		env = append(env, "GIT_DIR="+s.gitDir(), "GIT_WORK_TREE="+s.Dir())
	case inUsers, inRemote:
		c.dir = s.root
		env = append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_DIR="+s.user, "GIT_WORK_TREE="+s.root)
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errTimeout)
	defer cancel()
	var out bytes.Buffer
	stderr := proc.NewTail(8 << 10)
	run := proc.Command{Path: path, Args: args, Dir: c.dir, Env: append(env, c.env...),
		Stdin: strings.NewReader(c.stdin), Stdout: &out, Stderr: stderr, Grace: 2 * time.Second}
	if c.out != nil {
		run.Stdout = c.out
	}
	name := filepath.Base(path)
	if len(c.args) > 0 {
		name += " " + c.args[0]
	}
	beforeStep(name)
	exit, err := proc.Run(limited, run)
	text := strings.TrimSpace(stderr.String())
	if err != nil && ctx.Err() != nil {
		s.err = fmt.Errorf("%s: %w", name, err)
		return ""
	}
	ev := proc.Failure("git", s.op, path, exit, err)
	if ev == nil {
		return strings.TrimSuffix(out.String(), "\n")
	}
	s.err = ev
	ev.Text = cmp.Or(text, ev.Text, fmt.Sprintf("%s exited with code %d", name, exit.Code))
	ev.SetAttribute("command", name)
	ev.Type = cmp.Or(ev.Type, c.typ)
	switch {
	case errors.Is(context.Cause(limited), errTimeout):
		ev.Type = "timeout"
	case strings.Contains(text, ".lock': File exists"):
		ev.Type = "locked"
	case strings.Contains(text, "No space left on device"), strings.Contains(text, "Out of diskspace"):
		ev.Errno = "ENOSPC"
	}
	return ""
}

var errTimeout = errors.New("the program took too long")

// processEnv is the environment of this process without the variables that control git. It keeps
// ssh from asking for a password.
func processEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(strings.ToUpper(entry), "GIT_")
	})
	if runtime.GOOS != "windows" && os.Getenv("SSH_ASKPASS") == "" {
		env = append(env, "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force")
	}
	return env
}

// do calls f, unless the operation failed. An error of f is a failure.
func (s *Space) do(f func() error) {
	if s.err == nil {
		s.err = f()
	}
}

// fail is a failure that has a type.
func (s *Space) fail(typ, text string, files ...string) {
	s.do(func() error { return &taxonomy.Evidence{Source: "git", Type: typ, Text: text, Files: files} })
}

// own runs git in the run's repository.
func (s *Space) own(ctx context.Context, args ...string) string {
	return s.git(ctx, command{args: args})
}

// users runs git in the person's repository.
func (s *Space) users(ctx context.Context, args ...string) string {
	return s.git(ctx, command{at: inUsers, args: args})
}

// try runs git and reports whether it exited with 0. Another exit code is not a failure.
func (s *Space) try(ctx context.Context, c command) (out string, ok bool) {
	if s.err != nil {
		return "", false
	}
	out = s.git(ctx, c)
	if ev, is := errors.AsType[*taxonomy.Evidence](s.err); is && ev.ExitCode.Or(0) > 0 {
		s.err = nil
		return "", false
	}
	return out, s.err == nil
}

// find returns the ID of the object with a name, or "".
func (s *Space) find(ctx context.Context, at place, name string) string {
	id, _ := s.try(ctx, command{at: at, args: []string{"rev-parse", "--verify", "-q", "--end-of-options", name}})
	return id
}

// isAncestor reports whether a repository has both commits, and the first one is the second one or
// an ancestor of it.
func (s *Space) isAncestor(ctx context.Context, at place, old, tip string) bool {
	_, ok := s.try(ctx, command{at: at, args: []string{"merge-base", "--is-ancestor", old, tip}})
	return ok
}

// parts returns the parts of an output that end with a zero byte.
func parts(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
}

// zeroTerminated is the standard input of commands that read paths.
func zeroTerminated(paths []string) string { return strings.Join(paths, "\x00") + "\x00" }

// lockPatience is how long git may hold a lock before it counts as left by a killed process.
var lockPatience = 3 * time.Second

const lockPoll = 20 * time.Millisecond

// awaitLock waits until git, which can outlive the process that started it, removes its lock.
func awaitLock(ctx context.Context, lock string) {
	for until := time.Now().Add(lockPatience); exists(lock) && time.Now().Before(until) && ctx.Err() == nil; {
		time.Sleep(lockPoll)
	}
}

// evidence returns an error as evidence of the current operation.
func (s *Space) evidence(err error) error {
	if err == nil || isEnd(err) {
		return err
	}
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	if !ok {
		made := detect.Of(err)
		made.Source, ev = "git", &made
		err = ev
	}
	ev.Op = cmp.Or(ev.Op, s.op)
	return err
}

func isEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// notFound reports whether a file, or a directory above it, does not exist.
func notFound(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// inside returns a path as a path in a directory, and false if it leads out of it.
func inside(dir, name string) (string, bool) {
	rel, err := filepath.Rel(dir, name)
	return rel, err == nil && filepath.IsLocal(rel)
}

// beforeStep is called before every command and every change of a file. Tests replace it.
var beforeStep = func(string) {}
