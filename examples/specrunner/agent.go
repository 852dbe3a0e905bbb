package main

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

const (
	// sourceAgent is the source of evidence about the agent, whatever program it is.
	sourceAgent = "agent"
	// taskVariable names the task to agent and hooks.
	taskVariable = "SPECRUNNER_TASK"

	maxAnswer = 1 << 20
	maxReport = 8 << 10
	maxReason = 2000
)

// agent is a provider with the hooks before each of its calls.
type agent struct {
	executor.Provider
	hooks    *hooks
	limit    time.Duration // of a call, without the hooks
	required bool          // an answer needs TASK_COMPLETE
}

// newAgent returns the agent for a task.
func (p *program) newAgent(task string, h *hooks) (*agent, error) {
	s := p.settings.Agent
	env := append([]string{taskVariable + "=" + task}, s.Env...)
	a := &agent{hooks: h, limit: cmp.Or(p.settings.Limits.Attempt, defaultLimit), required: s.RequireMarker}
	if c := s.Claude; c != nil {
		claude, err := claudecli.New(claudecli.Options{
			Name: sourceAgent, Path: c.Path, Model: c.Model, MaxTurns: c.MaxTurns, PermissionMode: c.PermissionMode,
			AllowedTools: c.AllowedTools, Env: env, Grace: s.Grace,
		})
		a.Provider = claude
		return a, err
	}
	if len(s.Command) == 0 {
		return nil, errors.New("the settings name no agent: claude: {} or command: [program, arguments ...]")
	}
	path := s.Command[0]
	if strings.ContainsRune(filepath.ToSlash(path), '/') {
		path = p.at(path)
	}
	env = proc.SafeEnv(env...)
	a.Provider = &process{proc.Command{Path: path, Args: s.Command[1:], Dir: p.dir, Env: env, Grace: s.Grace,
		Sweep: true},
		masking(env)}
	return a, nil
}

// Call runs the hooks and then the agent, and judges its answer.
func (a *agent) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	if err := a.hooks.run(ctx, "pre_start", "call", a.hooks.PreStart, req.Started); err != nil {
		return executor.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	answer, err := a.Provider.Call(ctx, req)
	if ev, ok := err.(*taxonomy.Evidence); ok && ev.Type == "timeout" {
		ev.Attributes = map[string]string{"limit": a.limit.String()}
	}
	return judge(answer, err, a.required)
}

// End ends a process that an earlier process of the run left behind.
func (a *agent) End(ctx context.Context, left executor.Process) error {
	return proc.End(ctx, proc.ID{PID: left.PID, Start: left.Start}, 0)
}

// process is an agent that is any program: it reads the prompt on standard input, and writes the
// answer on standard output and errors on standard error.
type process struct {
	command proc.Command
	mask    *strings.Replacer
}

// Name implements [executor.Provider].
func (p *process) Name() string { return sourceAgent }

// Available reports why the program cannot be run.
func (p *process) Available(context.Context) error {
	if _, err := exec.LookPath(p.command.Path); err != nil {
		return proc.Failure(sourceAgent, "available", p.command.Path, proc.Exit{Code: -1}, err)
	}
	return nil
}

// Call implements [executor.Provider].
func (p *process) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	out, report := proc.NewTail(maxAnswer), proc.NewTail(maxReport)
	c := p.command
	c.Dir = cmp.Or(req.Dir, c.Dir) // the clone of the run
	c.Stdin, c.Stdout, c.Stderr, c.Started = strings.NewReader(req.Prompt), out, report, starting(req.Started)
	exit, err := proc.Run(ctx, c)
	answer := executor.Answer{Text: text(out, p.mask)}
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return answer, err
	}
	said := strings.TrimSpace(text(report, p.mask))
	ev := proc.Failure(sourceAgent, "call", c.Path, exit, err)
	switch {
	case ev == nil: // a limit that it reports on standard error counts nevertheless
		ev = &taxonomy.Evidence{Source: sourceAgent, Op: "call", Text: said, ExitCode: taxonomy.Some(0)}
		if said == "" || !known(ev) {
			return answer, nil
		}
	case errors.Is(err, context.DeadlineExceeded):
		ev.Type, ev.ExitCode, ev.Signal, ev.Text = "timeout", taxonomy.Opt[int]{}, "", said
	case err != nil:
		ev.Type = cmp.Or(ev.Type, "start")
	default:
		delete(ev.Attributes, "command") // the agent failed, and not the command
		ev.Text = said
		if last := detect.CutMasked(answer.Text, maxReason); said == "" || !known(ev) {
			other := *ev
			if other.Text = last; said == "" || known(&other) {
				ev = &other
			}
		}
	}
	return answer, ev
}

// known reports whether the taxonomy has a rule for evidence.
func known(ev *taxonomy.Evidence) bool { return errs.Explain(ev).Outcome != detect.Fallback }

// starting passes the processes of a command to the executor, which ends them if this process dies.
func starting(started func(executor.Process) error) func(proc.ID) error {
	if started == nil {
		return nil
	}
	return func(id proc.ID) error { return started(executor.Process{PID: id.PID, Start: id.Start}) }
}

// text returns output without the secrets that the program was given.
func text(out *proc.Tail, mask *strings.Replacer) string {
	return strings.ToValidUTF8(out.Masked(mask.Replace), "\uFFFD")
}

// masking replaces the values of variables whose names are those of secrets.
func masking(env []string) *strings.Replacer {
	var pairs []string
	for _, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); len(value) >= 8 && taxonomy.IsSecretName(name) {
			pairs = append(pairs, value, taxonomy.Redacted)
		}
	}
	return strings.NewReplacer(pairs...)
}

// The markers are lines with which an agent reports the state of its task. They count outside of
// code fences only.
const (
	markComplete = "TASK_COMPLETE"
	markFailed   = "TASK_FAILED"
	markBlocked  = "TASK_BLOCKED"
)

// marked returns the markers in an answer with the texts after their colons. TASK_COMPLETE must be
// written exactly; the others may have Markdown around them, because a missed one would be a
// success.
func marked(answer string) map[string]string {
	found := map[string]string{}
	fence := ""
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if mark := fenceOf(line); fence != "" || mark != "" {
			if fence == "" {
				fence = mark
			} else if mark == line && strings.HasPrefix(mark, fence) {
				fence = ""
			}
			continue
		}
		if line == markComplete {
			found[markComplete] = ""
		}
		line = strings.Trim(line, "#*_`~ ")
		for _, mark := range []string{markFailed, markBlocked} {
			rest, ok := strings.CutPrefix(line, mark)
			rest = strings.TrimLeft(rest, "*_`~ ")
			if _, twice := found[mark]; ok && !twice && (rest == "" || rest[0] == ':') {
				found[mark] = strings.Trim(rest, ":*_`~ ")
			}
		}
	}
	return found
}

// judge returns the result of a call. The markers take precedence over the exit status, but not
// over evidence of a timeout, a signal or a refused request. A call without a failure and a marker
// has done the task, unless the marker is required.
func judge(a executor.Answer, err error, required bool) (executor.Answer, error) {
	ev, ok := err.(*taxonomy.Evidence)
	if err != nil && !ok {
		return a, err
	}
	marks := marked(a.Text)
	reason, failed := marks[markFailed]
	_, complete := marks[markComplete]
	question, blocked := marks[markBlocked]
	plain := ev == nil || ev.Type == "" && ev.Status == 0 && ev.Code == "" && ev.Signal == "" && ev.Errno == ""
	failure := func(typ, text string) error {
		return &taxonomy.Evidence{Source: sourceAgent, Op: "call", Type: typ, Text: text}
	}
	switch {
	case failed && plain:
		out := taxonomy.Evidence{Source: sourceAgent, Op: "call", Type: "task_failed"}
		if reason == "" {
			out.Text = detect.CutMasked(strings.TrimSpace(strings.ReplaceAll(a.Text, markFailed, "")), maxReason)
		} else {
			out.Attributes = map[string]string{"reason": reason}
		}
		return a, &out
	case complete && plain:
		a.Signal = executor.SignalDone
	case blocked && plain:
		a.Signal, a.Question = executor.SignalBlocked, question
	case err != nil:
		return a, err
	case strings.TrimSpace(a.Text) == "":
		return a, failure("no_answer", "the agent ended without an answer")
	case required:
		return a, failure("no_marker", "the answer has no line that is exactly "+markComplete)
	default:
		a.Signal = executor.SignalDone
	}
	return a, nil
}
