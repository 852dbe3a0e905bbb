package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const sourceGit = "git"

// The operations of git's evidence.
const (
	opPrepare = "prepare"
	opResume  = "resume"
	opDetect  = "detect_changes"
	opSave    = "save"
	opRevert  = "revert"
	opCommit  = "commit"
	opPush    = "push"
	opPR      = "pr"
)

const (
	maxOutput = 512 << 20 // of a git command that is read; a list of files
	maxErrors = 8 << 10   // of what it says went wrong
)

// call is one git command.
type call struct {
	op    string
	args  []string
	stdin io.Reader
	out   io.Writer // nil returns the output
	// shadow runs it in errgen's own repository, where nothing of the user's configuration is read.
	shadow bool
	// at runs it there, and lets git look for its directory.
	at string
	// tree is the working tree; empty is the root.
	tree string
	// dir is where it runs; empty is the root.
	dir string
	env []string
	// remote runs it with the whole environment of this process, and with the user's hooks if they
	// are wanted.
	remote bool
	// magic lets patterns in paths mean something; check-ignore knows no other way.
	magic bool
	// none is an exit code that means that there is nothing to say; 0 is no such code.
	none  int
	files []string
}

// git runs a git command and returns its output.
func (g *Git) git(ctx context.Context, c call) ([]byte, error) {
	limited, cancel := context.WithTimeoutCause(ctx, g.opts.Timeout, errTimeout)
	defer cancel()
	out := &capped{limit: maxOutput}
	var stdout io.Writer = out
	if c.out != nil {
		stdout = c.out
	}
	stderr := proc.NewTail(maxErrors)
	dir := cmp.Or(c.at, c.dir, g.root)
	exit, err := proc.Run(limited, proc.Command{
		Path: g.binary, Args: append(g.fixed(c), c.args...), Dir: dir, Env: g.environ(c),
		Stdin: c.stdin, Stdout: stdout, Stderr: stderr, Grace: 2 * time.Second,
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("git %s: %w", c.args[0], ended(ctx))
	}
	if out.over {
		return nil, fault(c.op, "git "+c.args[0]+" wrote more than can be read", c.files, nil)
	}
	if err == nil && c.none != 0 && exit.Code == c.none && stderr.Total() == 0 {
		return out.Bytes(), nil
	}
	ev := proc.Failure(sourceGit, c.op, g.binary, exit, err)
	if ev == nil {
		return out.Bytes(), nil
	}
	ev.Files = c.files
	ev.Text = cmp.Or(strings.TrimSpace(stderr.String()), ev.Text, silent(c.args[0], exit))
	ev.Attributes["command"] = "git " + c.args[0]
	if errors.Is(context.Cause(limited), errTimeout) {
		ev.Type = "timeout"
		ev.Attributes["timeout_ms"] = strconv.FormatInt(g.opts.Timeout.Milliseconds(), 10)
		ev.Attributes["elapsed_ms"] = strconv.FormatInt(exit.Took.Milliseconds(), 10)
	}
	return nil, ev
}

// ended returns why ctx has ended: its error, which callers compare with, and its cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// silent says what there is to say of a command that has said nothing itself.
func silent(command string, exit proc.Exit) string {
	if exit.Signal != "" {
		return "git " + command + " was ended by " + exit.Signal
	}
	return "git " + command + " exited with code " + strconv.Itoa(exit.Code)
}

var errTimeout = errors.New("git took too long")

// fixed returns the options of every git command: nothing of the repository's choice runs beside
// it, and nothing is done that was not asked for.
func (g *Git) fixed(c call) []string {
	args := []string{"--no-pager",
		"-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "submodule.recurse=false", "-c", "log.showSignature=false", "-c", "core.safecrlf=false",
		"-c", "i18n.commitEncoding=UTF-8", "-c", "user.useConfigOnly=true", "-c", "push.followTags=false",
		"-c", "push.recurseSubmodules=no"}
	if !c.remote || !g.opts.Hooks {
		args = append(args, "-c", "core.hooksPath="+os.DevNull)
	}
	return args
}

// environ returns the environment of a git command. Variables that steer git are never inherited.
func (g *Git) environ(c call) []string {
	env := proc.SafeEnv()
	if c.remote {
		env = withoutGit(os.Environ())
	}
	env = append(env, "LC_ALL=C", "LANGUAGE=", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_EDITOR=:", "GIT_PAGER=cat")
	if !c.magic {
		env = append(env, "GIT_LITERAL_PATHSPECS=1")
	}
	env = append(env, g.opts.Env...)
	switch {
	case c.at != "":
	case c.shadow:
		env = append(env, "GIT_DIR="+g.shadow(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
			"GIT_OBJECT_DIRECTORY="+filepath.Join(g.common, "objects"), "GIT_WORK_TREE="+g.workTree(c))
	default:
		env = append(env, "GIT_DIR="+g.dir, "GIT_WORK_TREE="+g.workTree(c))
	}
	return append(env, c.env...)
}

func (g *Git) workTree(c call) string {
	if c.tree != "" {
		return c.tree
	}
	return g.root
}

// withoutGit returns env without the variables that steer git, and with ssh told to ask nobody.
func withoutGit(env []string) []string {
	out := make([]string, 0, len(env)+2)
	asks := false
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if strings.HasPrefix(name, "GIT_") {
			continue
		}
		asks = asks || name == "SSH_ASKPASS"
		out = append(out, entry)
	}
	if !asks && runtime.GOOS != "windows" {
		out = append(out, "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force")
	}
	return out
}

// capped keeps what is written to it up to a limit.
type capped struct {
	bytes.Buffer
	limit int
	over  bool
}

func (c *capped) Write(p []byte) (int, error) {
	if c.Len()+len(p) > c.limit {
		c.over = true
		return 0, errTooMuch
	}
	return c.Buffer.Write(p)
}

var errTooMuch = errors.New("too much output")

// fault returns evidence of something that went wrong around git. An err that is evidence already
// is returned as it is, but for the operation. Text is said in place of err's own if there is any.
func fault(op, text string, files []string, err error) error {
	if err != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	var known *taxonomy.Evidence
	if errors.As(err, &known) {
		return err
	}
	var ev taxonomy.Evidence
	if err != nil {
		ev = detect.Of(err)
	}
	ev.Source, ev.Op = sourceGit, op
	ev.Files = files
	switch {
	case text != "" && err != nil && text != err.Error():
		ev.Text = text + ": " + err.Error()
	case text != "":
		ev.Text = text
	}
	return &ev
}
