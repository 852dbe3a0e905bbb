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

// The operations of evidence. Its types are listed in docs/workspace.md.
const (
	opPrepare = "prepare"
	opLock    = "lock"
	opDetect  = "detect_changes"
	opSave    = "save"
	opRevert  = "revert"
	opCommit  = "commit"
	opPush    = "push"
	opPR      = "pr"
	opDeliver = "deliver"
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
	dir   string // by default the root of the files
	stdin io.Reader
	out   io.Writer // nil returns the output
	none  int       // the exit code of an empty result, unless 0
	hooks bool      // hooks run, and their configuration counts
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
}

// git runs git and returns its output.
func (s *Space) git(ctx context.Context, c command) ([]byte, error) {
	args := fixedArgs[:len(fixedArgs):len(fixedArgs)]
	if !c.hooks {
		args = append(args, "-c", "core.hooksPath="+os.DevNull)
	}
	return s.program(ctx, s.opts.Binary, append(args, c.args...), c)
}

// program runs a program for a command, and returns its output.
func (s *Space) program(ctx context.Context, path string, args []string, c command) ([]byte, error) {
	env := proc.SafeEnv("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "GNUPGHOME", "SSH_AUTH_SOCK")
	if c.at == inRemote {
		env = processEnv()
	}
	env = append(env, "LC_ALL=C", "LANGUAGE=", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_EDITOR=:")
	switch c.at {
	case inRun:
		c.dir = cmp.Or(c.dir, s.Dir())
		env = append(env, "GIT_DIR="+s.gitDir(), "GIT_WORK_TREE="+s.Dir())
	case inUsers, inRemote:
		c.dir = cmp.Or(c.dir, s.root)
		env = append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_DIR="+s.user, "GIT_WORK_TREE="+s.root)
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errTimeout)
	defer cancel()
	var out bytes.Buffer
	stderr := proc.NewTail(8 << 10)
	run := proc.Command{Path: path, Args: args, Dir: c.dir, Env: append(env, c.env...), Stdin: c.stdin,
		Stdout: &out, Stderr: stderr, Grace: 2 * time.Second}
	if c.out != nil {
		run.Stdout = c.out
	}
	name := filepath.Base(path)
	if path == s.opts.Binary {
		name += " " + c.args[0]
	}
	beforeStep(name)
	exit, err := proc.Run(limited, run)
	text := strings.TrimSpace(stderr.String())
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case err == nil && c.none != 0 && exit.Code == c.none && text == "":
		return out.Bytes(), nil
	}
	ev := proc.Failure("git", s.op, path, exit, err)
	if ev == nil {
		return out.Bytes(), nil
	}
	ev.Text = cmp.Or(text, ev.Text, fmt.Sprintf("%s exited with code %d", name, exit.Code))
	ev.SetAttribute("command", name)
	switch {
	case errors.Is(context.Cause(limited), errTimeout):
		ev.Type = "timeout"
	case strings.Contains(text, ".lock': File exists"):
		ev.Type = "locked"
	case strings.Contains(text, "No space left on device"), strings.Contains(text, "Out of diskspace"):
		ev.Errno = "ENOSPC"
	}
	return nil, ev
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

// line runs git and returns its output without the line end.
func (s *Space) line(ctx context.Context, c command) (string, error) {
	out, err := s.git(ctx, c)
	return strings.TrimSuffix(string(out), "\n"), err
}

// own runs git in the run's repository.
func (s *Space) own(ctx context.Context, args ...string) (string, error) {
	return s.line(ctx, command{args: args})
}

// users runs git in the person's repository. The exit code none means an empty result.
func (s *Space) users(ctx context.Context, none int, args ...string) (string, error) {
	return s.line(ctx, command{at: inUsers, args: args, none: none})
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

// lockPatience is how long git may hold a lock before it counts as left by a killed process.
var lockPatience = 3 * time.Second

// awaitLock waits until git, which can outlive the process that started it, removes its lock.
func awaitLock(ctx context.Context, lock string) {
	const poll = 20 * time.Millisecond
	for until := time.Now().Add(lockPatience); exists(lock) && time.Now().Before(until) && ctx.Err() == nil; {
		time.Sleep(poll)
	}
}

// fault returns evidence of a failure that has a type. [Space.evidence] sets its operation. An err
// that is evidence, or the end of a context, is returned unchanged.
func fault(typ, text string, err error, files ...string) error {
	if _, known := errors.AsType[*taxonomy.Evidence](err); known || isEnd(err) {
		return err
	}
	if err != nil {
		text = strings.TrimPrefix(text+": "+err.Error(), ": ")
	}
	return &taxonomy.Evidence{Source: "git", Type: typ, Text: text, Files: files, Err: err}
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

// isEnd reports whether err is the end of a context.
func isEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// notFound reports whether a file, or a directory above it, does not exist.
func notFound(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// beforeStep is called before every command and every change of a file. Tests replace it.
var beforeStep = func(string) {}
