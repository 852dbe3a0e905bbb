//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// shell is an agent that is a script.
func shell(script string) agentSettings {
	return agentSettings{Command: []string{"/bin/sh", "-c", script}, Grace: 200 * time.Millisecond}
}

// call has an agent called once.
func call(t *testing.T, a agentSettings, h hookSettings, at place, req executor.Request) (executor.Answer, error) {
	t.Helper()
	if at.Dir == "" {
		at.Dir = t.TempDir()
	}
	p, err := newAgent(a, h, at)
	require.NoError(t, err)
	assert.Equal(t, "agent", p.Name())
	return p.Call(t.Context(), req)
}

// codeOf returns the code that an error of the agent's has.
func codeOf(err error) string {
	return taxonomy.CodeOf(errs.Classify(err, detect.WithSource(errs.SourceAgent)))
}

// S35: an attempt is judged where it is carried out. B-S03, B-S12: what the agent says of its task
// decides first.
func TestWhatAnAgentSays(t *testing.T) {
	const limited = `echo "You've hit your limit" >&2; `
	tests := []struct {
		name, script string
		code         string // empty when nothing failed
		signal       executor.Signal
	}{
		{"exit 0", "echo mended", "", executor.SignalDone},
		{"exit 0 and warnings", "echo mended; echo 'warning: an old version' >&2", "", executor.SignalDone},
		{"nothing is said", "exit 0", "UNKNOWN", 0},
		{"nothing is said that can be seen", `printf ' \n\033[0m\342\200\213\n'`, "UNKNOWN", 0},
		{"nothing but a warning", "echo 'warning: an old version' >&2", "UNKNOWN", 0},
		{"a fenced marker", "echo 'it prints'; echo '```'; echo TASK_FAILED; echo '```'", "", executor.SignalDone},
		{"a fenced question", "echo '```'; echo 'TASK_BLOCKED: which'; echo '```'; exit 1", "UNKNOWN", 0},
		{"a fence without an end", "echo '```'; echo TASK_FAILED", "TASK_FAILED", 0},
		{"a decorated marker", "echo '**TASK_FAILED**: no table'", "TASK_FAILED", 0},
		{"a decorated question", "echo '**TASK_BLOCKED**: which of them?'", "", executor.SignalBlocked},
		{"a person is needed, and it exits with 1", "echo 'TASK_BLOCKED: which of them?'; exit 1", "",
			executor.SignalBlocked},
		{"exit 1", "exit 1", "UNKNOWN", 0},
		{"complete", "echo all of it; echo TASK_COMPLETE", "", executor.SignalDone},
		{"complete, as an editor on Windows ends lines", `printf 'TASK_COMPLETE\r\n'`, "", executor.SignalDone},
		{"S22 the marker, though it exits with 0", "echo 'TASK_FAILED: no table'", "TASK_FAILED", 0},
		{"S22 the marker, and it exits with 1", "echo 'TASK_FAILED: no table'; exit 1", "TASK_FAILED", 0},
		{"S22 the marker, and a signal", "echo TASK_FAILED; kill -9 $$", "TASK_FAILED", 0},
		{"B-S12 failed beats complete", "echo TASK_COMPLETE; echo TASK_FAILED", "TASK_FAILED", 0},
		{"B-S12 in either order", "echo TASK_FAILED; echo TASK_COMPLETE", "TASK_FAILED", 0},
		{"B-S12 a quoted marker", "echo '> TASK_FAILED'", "", executor.SignalDone},
		{"B-S12 a marker in a sentence", "echo 'I print TASK_FAILED: never'; exit 1", "UNKNOWN", 0},
		{"B-S12 a longer word", "echo TASK_FAILED_HANDLER; exit 1", "UNKNOWN", 0},
		{"B-S12 a prompt that is echoed on standard error", "echo TASK_FAILED >&2; exit 1", "UNKNOWN", 0},
		{"B-S12 complete, but only on standard error", "echo TASK_COMPLETE >&2; exit 1", "UNKNOWN", 0},
		{"B-S03 an answer about limits", "echo 'Error: rate limit exceeded'", "", executor.SignalDone},
		{"B-S03 complete, about limits, and it exits with 1",
			"echo 'Error: rate limit exceeded'; echo TASK_COMPLETE; exit 1", "", executor.SignalDone},
		{"B-S03 complete, and a limit on standard error", limited + "echo TASK_COMPLETE", "", executor.SignalDone},
		{"B-S03 complete, a limit on standard error, and it exits with 1", limited + "echo TASK_COMPLETE; exit 1", "",
			executor.SignalDone},
		{"B-S03 failed, and a limit on standard error", limited + "echo TASK_FAILED; exit 1", "TASK_FAILED", 0},
		{"S18 a limit on standard error", limited, "RATE_LIMIT", 0},
		{"S18 a limit of a failed call", limited + "exit 1", "RATE_LIMIT", 0},
		{"S18 a limit in the answer of a failed call", `echo "You've hit your limit"; echo more >&2; exit 1`,
			"RATE_LIMIT", 0},
		{"S18 a body of the service's",
			`echo '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}' >&2; exit 1`, "RATE_LIMIT",
			0},
		{"B-S04 a context that is full", "echo 'Prompt is too long' >&2; exit 1", "TASK_FAILED", 0},
		{"a person is needed", "echo 'TASK_BLOCKED: which of them?'", "", executor.SignalBlocked},
		{"a person is needed, but the task is complete", "echo TASK_BLOCKED; echo TASK_COMPLETE", "",
			executor.SignalDone},
		{"S24 a signal", "echo TASK_COMPLETE; kill -9 $$", "UNKNOWN", 0},
		{"no UTF-8", `printf '\377\n'; echo TASK_COMPLETE`, "", executor.SignalDone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := call(t, shell(tt.script), hookSettings{}, place{}, executor.Request{})
			if tt.code == "" {
				require.NoError(t, err)
			} else {
				require.Equal(t, tt.code, codeOf(err), "%v", err)
			}
			assert.Equal(t, tt.signal, a.Signal)
			assert.Zero(t, a.Usage, "what a program costs, nobody knows")
		})
	}
}

func TestWhatIsKeptOfAFailure(t *testing.T) {
	tests := []struct{ name, script, says string }{
		{"S22 the reason", "echo I tried; echo 'TASK_FAILED:  no table '", "the agent could not do the task: no table"},
		{"S22 no reason", "echo I tried; echo TASK_FAILED", "the agent could not do the task (I tried)"},
		{"B-S02 the end of standard error",
			"echo said; for i in 1 2 3 4 5 6 7 8 9; do printf '%1000s\n' x >&2; done; echo 'panic: the last' >&2; " +
				"exit 3",
			"unknown failure with exit code 3"},
		{"a silent standard error", "echo 'cannot open the file'; exit 3",
			"unknown failure with exit code 3: cannot open the file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := call(t, shell(tt.script), hookSettings{}, place{}, executor.Request{})
			classified := errs.Classify(err, detect.WithSource(errs.SourceAgent))
			assert.Contains(t, classified.Error(), tt.says)
			if tt.name == "B-S02 the end of standard error" {
				own, ok := errors.AsType[*errs.AttemptError](classified)
				require.True(t, ok)
				assert.Contains(t, string(own.AppendContext(nil)), "panic: the last")
			}
		})
	}
}

// S17: whatever it has said, and whatever it has left running.
func TestACallPastItsLimit(t *testing.T) {
	at := place{Dir: t.TempDir()}
	var a executor.Answer
	var err error
	within(t, 300*time.Millisecond, func(limit time.Duration) bool {
		at.Limit = limit
		a, err = call(t, shell("echo TASK_COMPLETE; echo working >&2; sleep 600 & sleep 600"), hookSettings{}, at,
			executor.Request{})
		return a.Text != ""
	})
	assert.Equal(t, "TIMEOUT", codeOf(err))
	assert.Equal(t, "TASK_COMPLETE\n", a.Text)
	assert.Equal(t, "the agent ran past its limit of "+at.Limit.String(), errs.Classify(err).Error())

	cli := scripted(t, providertest.CLIHang())
	_, err = call(t, agentSettings{Claude: &claudeSettings{Path: cli.Path}, Grace: 200 * time.Millisecond},
		hookSettings{}, at, executor.Request{})
	assert.Equal(t, "the agent ran past its limit of "+at.Limit.String(), errs.Classify(err).Error())
}

func TestACancelledCallHasNoCode(t *testing.T) {
	p, err := newAgent(shell("echo $$ > began; exec sleep 600"), hookSettings{}, place{Dir: t.TempDir()})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = p.Call(ctx, executor.Request{Started: func(executor.Process) error { cancel(); return nil }})
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, codeOf(err))
}

// What an agent is given: the prompt on its standard input, the task, and no keys but those that it
// is to have.
func TestWhatAnAgentIsGiven(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-of-somebody")
	t.Setenv("AGENT_TOKEN", "tok-0123456789")
	dir := t.TempDir()
	a := shell(`cat; pwd; env; echo "$1"`)
	a.Command = append(a.Command, "name", "one argument; not $two")
	a.Env = []string{"AGENT_TOKEN", "AGENT_MODE=fast"}
	var started []executor.Process
	var told []string
	answer, err := call(t, a, hookSettings{}, place{Dir: dir, Task: "TASK-007"}, executor.Request{
		Prompt:   "Do it.\n",
		Started:  func(p executor.Process) error { started = append(started, p); return nil },
		Progress: func(text string) { told = append(told, text) },
	})
	require.NoError(t, err)
	assert.True(
		t, strings.HasPrefix(
			answer.Text,
			"Do it.\n\nIf the task cannot be done, end your answer with a line such as: TASK_FAILED: the reason\n"+dir),
		answer.Text)
	assert.Contains(t, answer.Text, "SPECRUNNER_TASK=TASK-007\n")
	assert.Contains(t, answer.Text, "AGENT_MODE=fast\n")
	assert.Contains(t, answer.Text, "one argument; not $two\n")
	assert.NotContains(t, answer.Text, "sk-ant-of-somebody")
	assert.NotContains(t, answer.Text+strings.Join(told, ""), "tok-0123456789",
		"what it prints of its secrets is masked")
	assert.Contains(t, answer.Text, "AGENT_TOKEN="+taxonomy.Redacted)
	require.Len(t, started, 1)
	assert.NotEmpty(t, started[0].Start)
	assert.Contains(t, told, "one argument; not $two")

	answer, err = call(t, shell("cat"), hookSettings{}, place{}, executor.Request{Prompt: "x", Reduced: true})
	require.NoError(t, err)
	assert.Contains(t, answer.Text, "The last conversation grew too long.")
}

// However much an agent prints, the end of it is kept, where the markers are.
func TestAnAnswerIsBounded(t *testing.T) {
	a, err := call(t, shell("yes 0123456789 | head -c 5000000; echo; echo 'TASK_FAILED: much'"), hookSettings{},
		place{}, executor.Request{})
	assert.Equal(t, "TASK_FAILED", codeOf(err))
	assert.LessOrEqual(t, len(a.Text), maxAnswer)
}

func TestAnAgentThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600))
	for _, command := range []string{"no-such-agent-anywhere", "./no-such-agent", "./notes.txt"} {
		t.Run(command, func(t *testing.T) {
			p, err := newAgent(agentSettings{Command: []string{command}}, hookSettings{}, place{Dir: dir})
			require.NoError(t, err)
			for _, err := range []error{p.Available(t.Context()),
				func() error { _, err := p.Call(t.Context(), executor.Request{}); return err }()} {
				assert.Equal(t, "UNKNOWN", codeOf(err))
				r := errs.Table.Reaction(errs.Classify(err))
				assert.Equal(t, "stop_the_runner", r.Name, "every other task would meet the same")
				assert.False(t, r.CountFailure)
			}
			a, _ := p.Call(t.Context(), executor.Request{})
			assert.Equal(t, nothing(), a.Usage)
		})
	}
	p, err := newAgent(agentSettings{Command: []string{"./agent.sh"}}, hookSettings{}, place{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "agent.sh"), []byte("#!/bin/sh\necho from here\n"), 0o700))
	assert.NoError(t, p.Available(t.Context()))
	a, err := p.Call(t.Context(), executor.Request{})
	require.NoError(t, err)
	assert.Equal(t, "from here\n", a.Text)
}

// What a process that died has left running is ended when its run is gone on with.
func TestAnAgentThatIsLeftRunning(t *testing.T) {
	p, err := newAgent(shell("exec sleep 600"), hookSettings{}, place{Dir: t.TempDir()})
	require.NoError(t, err)
	left := make(chan executor.Process, 1)
	ended := make(chan error, 1)
	go func() {
		_, err := p.Call(
			t.Context(), executor.Request{Started: func(id executor.Process) error { left <- id; return nil }})
		ended <- err
	}()
	id := <-left
	require.True(t, proc.Alive(proc.ID{PID: id.PID, Start: id.Start}))
	ender, ok := p.(executor.Ender)
	require.True(t, ok)
	require.NoError(t, ender.End(t.Context(), id))
	assert.Equal(t, "UNKNOWN", codeOf(<-ended))
	assert.False(t, proc.Alive(proc.ID{PID: id.PID, Start: id.Start}))
	assert.NoError(t, ender.End(t.Context(), id), "what is gone is no error")
}

func scripted(t *testing.T, steps ...providertest.CLIStep) *providertest.CLI {
	t.Helper()
	cli, err := providertest.NewCLI(t.TempDir(), steps...)
	require.NoError(t, err)
	return cli
}

// Claude's command line is an agent like any other, of which is known what it costs.
func TestClaude(t *testing.T) {
	tests := []struct {
		name string
		step providertest.CLIStep
		code string
	}{
		{"done", providertest.CLIAnswer("all good\nTASK_COMPLETE"), ""},
		{"done, without saying so", providertest.CLIAnswer("all good"), ""},
		{"S22", providertest.CLIAnswer("I tried\nTASK_FAILED: no table"), "TASK_FAILED"},
		{"B-S03", providertest.CLIAnswer("Error: rate limit exceeded"), ""},
		{"S18", providertest.CLIRateLimited(time.Unix(1772366400, 0)), "RATE_LIMIT"},
		{"S18 of older versions", providertest.CLIUsageLimit(time.Unix(1772366400, 0)), "RATE_LIMIT"},
		{"B-S04", providertest.CLIFails("Prompt is too long"), "TASK_FAILED"},
		{"S24 overloaded", providertest.CLIFixture("claude/overloaded"), "UNKNOWN"},
		{"S24 a crash", providertest.CLICrash("SIGKILL"), "UNKNOWN"},
		{"S24 an exit status", providertest.CLIExit(3, "panic"), "UNKNOWN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			step := tt.step.Session("s-1")
			if tt.code == "" {
				step = step.Cost(10, 20, 0.5)
			}
			cli := scripted(t, step)
			a, err := call(t, agentSettings{Claude: &claudeSettings{Path: cli.Path, Model: "opus", MaxTurns: 7}},
				hookSettings{},
				place{Task: "TASK-007"}, executor.Request{Prompt: "do it"})
			assert.Equal(t, tt.code, codeOf(err))
			calls, callsErr := cli.Calls()
			require.NoError(t, callsErr)
			require.Len(t, calls, 1)
			assert.Subset(t, calls[0].Args, []string{"--model=opus", "--max-turns=7"})
			assert.Contains(t, calls[0].Env, "SPECRUNNER_TASK")
			if tt.code == "" {
				assert.Equal(t, executor.SignalDone, a.Signal)
				assert.Equal(t, taxonomy.Some(0.5), a.Usage.CostUSD)
				assert.Equal(t, "s-1", a.Session)
			}
		})
	}
}
