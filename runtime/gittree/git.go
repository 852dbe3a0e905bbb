package gittree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const sourceGit = "git"

// The operations of evidence.
const (
	opPrepare = "prepare"
	opLock    = "lock"
	opResume  = "resume"
	opDetect  = "detect_changes"
	opSave    = "save"
	opRevert  = "revert"
	opCommit  = "commit"
	opPush    = "push"
	opPR      = "pr"
)

// The types of evidence, besides those of package proc: exit, timeout, start, not_found.
const (
	typeUnreadable = "unreadable" // git could not read a file
	typeStore      = "store"      // another process changed the store
	typeLeft       = "left"       // a path was not restored
	typeMoved      = "moved"      // git itself changed
	typeBusy       = "busy"       // a merge, a rebase or the like is under way
	typeLocked     = "locked"     // a lock of git's
	typeHeld       = "held"       // another process has the working tree
	typeRefused    = "refused"    // the run belongs to another working tree
	typeName       = "name"       // an invalid name
	typeLayout     = "layout"     // a repository of a form that is not supported
	typeClone      = "clone"      // the directory cannot become a clone
	typeSetup      = "setup"      // a clone's setup command failed
)

const (
	maxStderr = 8 << 10 // bytes
	grace     = 2 * time.Second
)

// repository selects the repository in which a git command runs.
type repository int

const (
	inStore  repository = iota // nothing of the user's configuration is read
	inUsers                    // the user's identity, filters and signing apply
	inRemote                   // like inUsers, with this process's environment, for ssh and credentials
	inNone                     // git looks for it
)

// command is one git command.
type command struct {
	in     repository
	area   *area // whose index is used, for inStore; nil is the working tree's
	args   []string
	env    []string
	dir    string // the work tree, if it is not the area's or the root
	stdin  io.Reader
	stdout io.Writer // nil returns the output
	stderr *string   // receives the standard error
	none   int       // the exit code of an empty result, unless 0
}

// fixedArgs come first in every git command. They disable background programs, and settings that
// change the output or the effect.
var fixedArgs = []string{
	"--no-pager", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "submodule.recurse=false", "-c", "core.quotePath=false", "-c", "core.safecrlf=false",
	"-c", "log.showSignature=false", "-c", "i18n.commitEncoding=UTF-8", "-c", "user.useConfigOnly=true",
	"-c", "push.followTags=false", "-c", "push.recurseSubmodules=no",
}

// storeEnv makes git ignore the user's configuration. The fixed dates make commits in the store a
// function of their content.
var storeEnv = []string{
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
	"GIT_AUTHOR_NAME=errgen", "GIT_AUTHOR_EMAIL=errgen@localhost", "GIT_AUTHOR_DATE=@1 +0000",
	"GIT_COMMITTER_NAME=errgen", "GIT_COMMITTER_EMAIL=errgen@localhost", "GIT_COMMITTER_DATE=@1 +0000",
}

// git runs a git command and returns its output.
func (s *Space) git(ctx context.Context, c command) ([]byte, error) {
	beforeStep("git " + c.args[0])
	if c.area == nil {
		c.area = s.work
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errTimeout)
	defer cancel()
	var out bytes.Buffer
	stdout := io.Writer(&out)
	if c.stdout != nil {
		stdout = c.stdout
	}
	stderr := proc.NewTail(maxStderr)
	dir, env := s.place(c)
	exit, err := proc.Run(limited, proc.Command{
		Path: s.opts.Binary, Args: s.arguments(c), Dir: dir, Env: env,
		Stdin: c.stdin, Stdout: stdout, Stderr: stderr, Grace: grace,
	})
	text := strings.TrimSpace(stderr.String())
	if c.stderr != nil {
		*c.stderr = text
	}
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("git %s: %w", c.args[0], err)
	}
	if err == nil && c.none != 0 && exit.Code == c.none && text == "" {
		return out.Bytes(), nil
	}
	ev := proc.Failure(sourceGit, s.op, s.opts.Binary, exit, err)
	if ev == nil {
		return out.Bytes(), nil
	}
	ev.Text = cmp.Or(text, ev.Text, fmt.Sprintf("git %s exited with code %d", c.args[0], exit.Code))
	ev.Attributes["command"] = "git " + c.args[0]
	switch {
	case errors.Is(context.Cause(limited), errTimeout):
		ev.Type = "timeout"
	case strings.Contains(text, ".lock': File exists"):
		ev.Type = typeLocked
	case strings.Contains(text, "No space left on device"), strings.Contains(text, "Out of diskspace"):
		ev.Errno = "ENOSPC"
	}
	return nil, ev
}

var errTimeout = errors.New("git took too long")

func (s *Space) arguments(c command) []string {
	args := fixedArgs
	if !s.opts.Hooks || c.in == inStore {
		args = append(args[:len(args):len(args)], "-c", "core.hooksPath="+os.DevNull)
	}
	if c.in == inStore {
		args = append(args[:len(args):len(args)], "-c", "core.excludesFile="+c.area.excludes)
	}
	return append(args[:len(args):len(args)], c.args...)
}

// place returns the working directory and the environment of a command.
func (s *Space) place(c command) (dir string, env []string) {
	if c.in == inRemote {
		env = processEnv()
	} else {
		env = proc.SafeEnv("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "GNUPGHOME", "SSH_AUTH_SOCK")
	}
	env = append(env, "LC_ALL=C", "LANGUAGE=", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_EDITOR=:")
	dir = cmp.Or(c.dir, s.root)
	switch c.in {
	case inStore:
		dir = cmp.Or(c.dir, c.area.dir)
		env = append(env, storeEnv...)
		env = append(env, "GIT_DIR="+c.area.git, "GIT_COMMON_DIR="+s.store, "GIT_WORK_TREE="+dir)
	case inUsers, inRemote:
		env = append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_DIR="+s.gitDir, "GIT_WORK_TREE="+dir)
	}
	return dir, append(env, c.env...)
}

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

// runProgram runs a program of the user's and returns the end of its output.
func (s *Space) runProgram(ctx context.Context, argv []string, dir string, env []string, stdin string) (string, error) {
	beforeStep("run " + argv[0])
	stdout, stderr := proc.NewTail(maxStderr), proc.NewTail(maxStderr)
	exit, err := proc.Run(ctx, proc.Command{Path: argv[0], Args: argv[1:], Dir: dir, Env: env,
		Stdin: strings.NewReader(stdin), Stdout: stdout, Stderr: stderr, Grace: grace})
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	if ev := proc.Failure(sourceGit, s.op, argv[0], exit, err); ev != nil {
		ev.Text, ev.Output = cmp.Or(strings.TrimSpace(stderr.String()), ev.Text), stdout.String()
		return "", ev
	}
	return stdout.String(), nil
}

// line runs git and returns its output without the line end.
func (s *Space) line(ctx context.Context, c command) (string, error) {
	out, err := s.git(ctx, c)
	return strings.TrimSuffix(string(out), "\n"), err
}

// list runs git and returns the parts of its output that end with a zero byte.
func (s *Space) list(ctx context.Context, c command) ([]string, error) {
	out, err := s.git(ctx, c)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// zeroTerminated is the standard input of commands that read paths.
func zeroTerminated(paths []string) io.Reader {
	return strings.NewReader(strings.Join(paths, "\x00") + "\x00")
}

// fault returns evidence of a failure that has a type. Its operation is set by [Space.evidence]. An
// err that is evidence, or the end of a context, is returned unchanged.
func fault(typ, text string, err error, files ...string) error {
	var known *taxonomy.Evidence
	if errors.As(err, &known) || isEnd(err) {
		return err
	}
	if err != nil {
		text = strings.TrimPrefix(text+": "+err.Error(), ": ")
	}
	return &taxonomy.Evidence{Source: sourceGit, Type: typ, Text: text, Files: files, Err: err}
}

// evidence returns an error as evidence of the current operation, about the files unless it names
// some. The end of a context is returned unchanged.
func (s *Space) evidence(err error, files []string) error {
	if err == nil || isEnd(err) {
		return err
	}
	var ev *taxonomy.Evidence
	if !errors.As(err, &ev) {
		made := detect.Of(err)
		made.Source, ev = sourceGit, &made
		err = ev
	}
	ev.Op = cmp.Or(ev.Op, s.op)
	if len(ev.Files) == 0 {
		ev.Files = files
	}
	return err
}

// isEnd reports whether err is the end of a context.
func isEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
