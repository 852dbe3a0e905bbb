package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// The words of evidence about a program.
const (
	opCall      = "call"
	opAvailable = "available"

	typeTimeout  = "timeout"
	typeNotFound = "not_found"
	typeStart    = "start"
)

const (
	// maxAnswer is how much of the end of an answer is kept: that is where markers are.
	maxAnswer = 1 << 20
	// maxSaid is how much of the end of standard error is kept.
	maxSaid = 8 << 10
)

// process is an agent that is any program: the prompt is its standard input, its standard output
// the answer, and its standard error what is said about a failure. What a call costs, it does not
// say.
type process struct {
	path  string
	args  []string
	dir   string
	env   []string
	grace time.Duration
	// required is that an answer has the marker.
	required bool

	mask *strings.Replacer // takes the secrets out that the program was given
}

func newProcess(a agentSettings, at place) (*process, error) {
	if len(a.Command) == 0 || a.Command[0] == "" {
		return nil, errNoAgent
	}
	path := a.Command[0]
	if strings.ContainsRune(filepath.ToSlash(path), '/') && !filepath.IsAbs(path) {
		abs, err := filepath.Abs(filepath.Join(at.Dir, path))
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", path, err)
		}
		path = abs
	}
	env := proc.SafeEnv(append([]string{taskVariable + "=" + at.Task}, a.Env...)...)
	return &process{path: path, args: a.Command[1:], dir: at.Dir, env: env, grace: a.Grace, required: a.RequireMarker,
		mask: masking(env)}, nil
}

// Name returns the source of evidence.
func (p *process) Name() string { return sourceAgent }

// Credential names the program, since nobody knows what it logs in with.
func (p *process) Credential() string {
	sum := sha256.Sum256([]byte("specrunner agent " + p.path))
	return filepath.Base(p.path) + ":" + hex.EncodeToString(sum[:4])
}

// Available reports why the program cannot be run.
func (p *process) Available(context.Context) error {
	_, err := exec.LookPath(p.path)
	if err == nil {
		return nil
	}
	ev := &taxonomy.Evidence{
		Source: sourceAgent, Op: opAvailable, Type: typeStart, Text: err.Error(), Err: err,
		Attributes: map[string]string{"command": filepath.Base(p.path)},
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		ev.Type = typeNotFound
	}
	return ev
}

// End ends the group of a process that a call of an earlier run left behind.
func (p *process) End(ctx context.Context, left executor.Process) error {
	return proc.End(ctx, proc.ID{PID: left.PID, Start: left.Start}, p.grace)
}

// Call runs a prompt. The answer has its text also when the call failed.
func (p *process) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	answer, said := proc.NewTail(maxAnswer), proc.NewTail(maxSaid)
	out := p.telling(answer, req.Progress)
	exit, err := proc.Run(ctx, proc.Command{
		Path: p.path, Args: p.args, Dir: p.dir, Env: p.env, Stdin: strings.NewReader(req.Prompt),
		Stdout: out, Stderr: said,
		Grace: p.grace, Started: starting(req.Started), Sweep: true,
	})
	out.flush()
	a := executor.Answer{Text: p.shown(answer)}
	if err != nil && ctx.Err() != nil && !errors.Is(err, context.DeadlineExceeded) {
		return a, err
	}
	ev := p.failure(exit, err, a.Text, strings.TrimSpace(unmarked(p.shown(said))))
	if ev == nil {
		return judge(a, nil, p.required)
	}
	return judge(a, ev, p.required)
}

// failure returns what is known of a call that failed, or nil.
func (p *process) failure(exit proc.Exit, err error, answer, said string) *taxonomy.Evidence {
	ev := proc.Failure(sourceAgent, opCall, p.path, exit, err)
	switch {
	case ev == nil:
		return complaint(said)
	case errors.Is(err, context.DeadlineExceeded):
		ev.Type, ev.ExitCode, ev.Signal, ev.Text = typeTimeout, taxonomy.Opt[int]{}, "", said
	case err != nil:
		ev.Type = cmp.Or(ev.Type, typeStart)
	default:
		delete(ev.Attributes, "command") // it is not the command that failed
		ev.Text = lastSaid(ev, answer, said)
	}
	return ev
}

// complaint returns what standard error says of a call that seems to have succeeded; nil when that
// is nothing which is known.
func complaint(said string) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{Source: sourceAgent, Op: opCall, Text: said, ExitCode: taxonomy.Some(0)}
	if said == "" || !describes(ev) {
		return nil
	}
	return ev
}

// lastSaid returns what says best why a call failed: standard error, unless that is silent or only
// the end of the answer tells a reason which is known.
func lastSaid(ev *taxonomy.Evidence, answer, said string) string {
	fromAnswer := detect.CutMasked(quiet(answer), maxReason)
	inAnswer, onError := *ev, *ev
	inAnswer.Text, onError.Text = fromAnswer, said
	if said == "" || !describes(&onError) && describes(&inAnswer) {
		return fromAnswer
	}
	return said
}

// describes reports whether the taxonomy has a rule for evidence.
func describes(ev *taxonomy.Evidence) bool { return errs.Explain(ev).Outcome != detect.Fallback }

// shown returns output as it can be kept.
func (p *process) shown(kept *proc.Tail) string {
	return strings.ToValidUTF8(kept.Masked(p.mask.Replace), "\uFFFD")
}

// leastSecret is the length in bytes from which on a value is taken for a secret, and not for a
// switch.
const leastSecret = 8

// masking takes the values of variables that are secrets by their names out of a text.
func masking(env []string) *strings.Replacer {
	var pairs []string
	for _, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); len(value) >= leastSecret && taxonomy.IsSecretName(name) {
			pairs = append(pairs, value, taxonomy.Redacted)
		}
	}
	return strings.NewReplacer(pairs...)
}

// starting passes on which process it is.
func starting(started func(executor.Process) error) func(proc.ID) error {
	if started == nil {
		return nil
	}
	return func(id proc.ID) error { return started(executor.Process{PID: id.PID, Start: id.Start}) }
}
